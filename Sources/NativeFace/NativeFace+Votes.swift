import APIContract
import Backend
import Ledger
import Primitives
import Server

/// What operators, the app's backend and owners decide.
extension NativeFace {
    func addVotes(to router: inout EndpointRouter) {
        router.on(NativeAPI.grantEntitlement, grantEntitlement)
        router.on(NativeAPI.holdEntitlement, holdEntitlement)
        router.on(NativeAPI.creditTime, creditTime)
        router.on(NativeAPI.joinCustomer, joinCustomer)
        router.on(NativeAPI.allowRedelivery, allowRedelivery)
        router.on(NativeAPI.withdrawVote, withdrawVote)
        router.on(NativeAPI.transferSubscription, transferSubscription)
        router.on(NativeAPI.decideClaim, decideClaim)
        router.on(NativeAPI.consentClaim, consentClaim)
        router.on(NativeAPI.reserveSubscription, reserveSubscription)
        router.on(NativeAPI.reserveTransaction, reserveTransaction)
    }

    private typealias Vote<Body: RequestContent> = Call<CustomerIdPath, EnvironmentQuery, Body>
    private typealias Decision<Body: RequestContent> = Call<SubscriptionIdPath, EnvironmentQuery, Body>

    private func grantEntitlement(_ call: Vote<GrantBody>) async throws -> CustomerVoteBody {
        let window = try window(from: call.body.from, until: call.body.until, call.now)
        return try await vote(.grant(EntitlementID(call.body.entitlement), window), call.body.by, call)
    }

    private func holdEntitlement(_ call: Vote<HoldBody>) async throws -> CustomerVoteBody {
        let window = try window(from: call.body.from, until: call.body.until, call.now)
        return try await vote(.hold(call.body.entitlement.map { EntitlementID($0) }, window), call.body.by, call)
    }

    private func creditTime(_ call: Vote<CreditBody>) async throws -> CustomerVoteBody {
        let kind = CustomerVote.Kind.credit(
            EntitlementID(call.body.entitlement), at: call.body.at ?? call.now, Milliseconds(call.body.milliseconds))
        return try await vote(kind, call.body.by, call)
    }

    private func joinCustomer(_ call: Vote<JoinBody>) async throws -> CustomerVoteBody {
        try await vote(.join(CustomerPair(CustomerID(call.body.from), into: call.customer)), call.body.by, call)
    }

    private func allowRedelivery(_ call: Vote<RedeliveryBody>) async throws -> CustomerVoteBody {
        try await vote(.redelivery(TransactionID(call.body.transactionId)), call.body.by, call)
    }

    private func withdrawVote(_ call: Vote<WithdrawalBody>) async throws -> CustomerVoteBody {
        try await vote(.withdraw(.init(call.body.vote)), call.body.by, call)
    }

    private func vote(
        _ kind: CustomerVote.Kind, _ by: Decider, _ call: Vote<some RequestContent>
    ) async throws -> CustomerVoteBody {
        CustomerVoteBody(
            try await backend.vote(
                kind, try Backend.Ballot(id: call.path.id, actor: by.actor, reason: by.reason, at: call.now), of: call.customer,
                app: call.app,
                environment: call.query.environment))
    }

    private func window(from: Timestamp?, until: Timestamp?, _ now: Timestamp) throws -> TimeWindow {
        let start = from ?? now
        if let until, until <= start { throw InvalidBody(member: "until", reason: "must lie after the beginning") }
        return TimeWindow(from: start, until: until)
    }

    private func transferSubscription(_ call: Decision<TransferBody>) async throws -> OwnershipVoteBody {
        try await decide(.transfer(to: CustomerID(call.body.customer)), call.body.by, call)
    }

    private func decideClaim(_ call: Decision<ClaimDecisionBody>) async throws -> OwnershipVoteBody {
        switch call.body.decision {
        case "approve": return try await decide(.approve(.init(call.body.claim)), call.body.by, call)
        case "deny": return try await decide(.deny(.init(call.body.claim)), call.body.by, call)
        default: throw InvalidBody(member: "decision", reason: "must be approve or deny")
        }
    }

    private func decide(
        _ kind: OwnershipVote.Kind, _ by: Decider, _ call: Decision<some RequestContent>
    ) async throws -> OwnershipVoteBody {
        OwnershipVoteBody(
            try await backend.vote(
                kind, try Backend.Ballot(id: call.path.id, actor: by.actor, reason: by.reason, at: call.now),
                on: call.subscription))
    }

    private func consentClaim(_ call: Vote<ConsentBody>) async throws -> OwnershipVoteBody {
        let key = call.key(of: call.body.originalTransactionId, in: call.query.environment)
        return OwnershipVoteBody(
            try await backend.vote(
                .approve(.init(call.body.claim)), try Backend.Ballot(id: call.path.id, at: call.now),
                by: call.customer, on: key))
    }

    private func reserveSubscription(_ call: Decision<ReservationBody>) async throws -> ReservationAnswerBody {
        ReservationAnswerBody(
            try await backend.reserve(call.subscription, for: CustomerID(call.body.customer), id: call.path.id))
    }

    private func reserveTransaction(
        _ call: Call<TransactionIdPath, EnvironmentQuery, ReservationBody>
    ) async throws -> ReservationAnswerBody {
        let result = try await backend.reserve(
            TransactionID(call.path.transactionId), for: CustomerID(call.body.customer), id: call.path.id, app: call.app,
            environment: call.query.environment)
        var answer = ReservationAnswerBody(result.reservation)
        answer.originalTransactionId = result.key?.originalTransactionId.rawValue
        return answer
    }
}

extension Call where Path == SubscriptionIdPath, Query == EnvironmentQuery {
    fileprivate var subscription: SubscriptionKey { key(of: path.originalTransactionId, in: query.environment) }
}
