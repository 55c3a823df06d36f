import APIContract
import Backend
import Ledger
import Primitives
import Server

/// Signals of abuse (ABUSE-1).
extension NativeFace {
    func addSignals(to router: inout EndpointRouter) {
        router.on(NativeAPI.listSignals, listSignals)
        router.on(NativeAPI.readSignal, readSignal)
        router.on(NativeAPI.acknowledgeSignal, acknowledgeSignal)
    }

    private func listSignals(_ call: OfApp<SignalsQuery, NoBody>) async throws -> PageBody<SignalBody> {
        let (endpoint, query) = (NativeAPI.listSignals, call.query)
        let filter = query.filter.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        let list = "\(endpoint.operationId)/\(call.path.app)/\(query.page.environment.rawValue)/\(filter)"
        let last = try query.page.after.map { cursor throws(CursorInvalid) in
            guard let number = Int64(try PageCursor.decode(cursor, of: list)) else { throw CursorInvalid() }
            return number
        }
        let signals = try await backend.signals(
            Backend.SignalFilter(query), app: call.app, environment: query.page.environment, before: last,
            limit: query.page.limit)
        var following = query
        following.page.after = signals.last.map { PageCursor.encode("\($0.id)", of: list) }
        return PageBody(
            items: signals.map { SignalBody($0) },
            next: signals.count < query.page.limit ? nil : endpoint.path(call.path, following))
    }

    private func readSignal(_ call: Call<SignalPath, EnvironmentQuery, NoBody>) async throws -> SignalBody {
        SignalBody(try await backend.signal(call.path.number, app: call.app, environment: call.query.environment))
    }

    private func acknowledgeSignal(
        _ call: Call<SignalPath, EnvironmentQuery, AcknowledgementBody>
    ) async throws -> SignalBody {
        let by = call.body.by
        return SignalBody(
            try await backend.acknowledge(
                try call.path.number, seen: call.body.changedAt,
                by: try Backend.Ballot(id: "signal", actor: by.actor, reason: by.reason, at: call.now), app: call.app,
                environment: call.query.environment))
    }
}

extension SignalPath {
    /// After whoever asks is known: nobody else learns what is a signal.
    fileprivate var number: Int64 {
        get throws {
            guard let number = Int64(signal) else { throw ParameterError("signal", "must be a number") }
            return number
        }
    }
}

extension Backend.SignalFilter {
    fileprivate init(_ query: SignalsQuery) {
        self.init(isOpen: query.isOpen, kind: query.kind.flatMap { AbuseSignal.Kind(rawValue: $0) })
        if let customer = query.customer { subject = .customer(CustomerID(customer)) }
        if let id = query.originalTransactionId { subject = .subscription(OriginalTransactionID(id)) }
    }
}

extension SignalBody {
    init(_ listed: Backend.ListedSignal) {
        let signal = listed.signal
        let type =
            switch signal.subject {
            case .customer: "customer"
            case .appleAccount: "appleAccount"
            case .subscription: "subscription"
            case .token: "token"
            }
        self.init(
            id: "\(listed.id)", kind: signal.kind.rawValue, subjectType: type, evidence: signal.evidence.map { Evidence($0) },
            firstRaisedAt: listed.firstRaisedAt)
        (score, count) = (Int64(signal.score), Int64(signal.count))
        (isOpen, raisedAt, raises, changedAt) = (listed.isOpen, listed.raisedAt, listed.raises, listed.changedAt)
        switch signal.subject {
        case .customer(let customer): self.customer = customer.rawValue
        case .appleAccount(let id), .subscription(let id): originalTransactionId = id.rawValue
        case .token(let token): appAccountToken = token.rawValue
        }
        acknowledgement = listed.acknowledgement.map {
            Acknowledgement(at: $0.at, actor: $0.actor, reason: $0.reason, count: $0.count)
        }
    }
}

extension SignalBody.Evidence {
    fileprivate init(_ evidence: AbuseSignal.Evidence) {
        self.init(at: evidence.at, originalTransactionId: evidence.subscription.rawValue)
        switch evidence.what {
        case .customer(let customer, _): self.customer = customer.rawValue
        case .transaction(_, let transaction): transactionId = transaction.rawValue
        case .claim(_, let claim): self.claim = claim.rawValue
        }
    }
}
