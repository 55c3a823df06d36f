/// Changes to a life whose effect on the answer is known without knowing the answer.
package enum Metamorphic {
    /// All times later by `delta` ms: every instant of the answer moves by the same amount. Whole seconds only (PER-1 truncates).
    package static func shifted(_ deliveries: [Delivery], by delta: Int64) -> [Delivery] {
        let rewriting = Rewriting(time: { $0 + second(of: delta) })
        return deliveries.map(rewriting.rewritten)
    }

    /// The versions of the policy later by `delta` ms, as the deliveries are by the function above.
    package static func shifted(_ policies: OraclePolicies, by delta: Int64) -> OraclePolicies {
        OraclePolicies(
            first: policies.first,
            then: policies.then.map { .init(validFrom: $0.validFrom + second(of: delta), policy: $0.policy) })
    }

    /// Replaces every id. `id` must be injective and keep the order of ids; `token` must be injective. Products, entitlements and
    /// kinds keep their names.
    package static func renamed(
        _ deliveries: [Delivery], id: @escaping (String) -> String, token: @escaping (String) -> String = { $0 }
    ) -> [Delivery] {
        let rewriting = Rewriting(id: id, token: token)
        return deliveries.map(rewriting.rewritten)
    }

    /// Adds a prefix to every id; tokens keep the form of a UUID (their first digit is replaced by `digit`).
    package static func renamed(_ deliveries: [Delivery], prefix: String, digit: Character) -> [Delivery] {
        renamed(deliveries, id: { prefix + $0 }, token: { String(digit) + $0.dropFirst() })
    }

    /// Every token is the nil UUID, as an app's SDK may send it for everybody.
    package static func withNilTokens(_ deliveries: [Delivery]) -> [Delivery] {
        renamed(deliveries, id: { $0 }, token: { _ in OracleRegistration.nilUUID })
    }

    /// Without what anybody registered.
    package static func withoutRegistrations(_ deliveries: [Delivery]) -> [Delivery] {
        deliveries.filter { delivery in if case .registration = delivery { false } else { true } }
    }

    /// The lives of two strangers under the same policies: the ids of the second are renamed so that none is shared.
    /// The acts of both are in the order of their instants; the answer is both answers side by side.
    package static func joined(_ one: [Delivery], _ stranger: [Delivery]) -> [Delivery] {
        var first = one[...]
        var second = renamed(stranger, prefix: "9", digit: "9")[...]
        var all: [Delivery] = []
        while let next = first.first {
            let otherIsEarlier = second.first.map { isAct($0) && isAct(next) && instant($0) < instant(next) } ?? false
            let otherIsFact = second.first.map { !isAct($0) } ?? false
            if otherIsEarlier || (otherIsFact && isAct(next)) {
                all.append(second.removeFirst())
            } else {
                all.append(first.removeFirst())
            }
        }
        return all + second
    }

    /// Leaves out all that one customer did, or that was done about this customer; Apple's facts stay. What the others have does
    /// not change where they share no subscription with this customer.
    package static func without(_ customer: String, _ deliveries: [Delivery]) -> [Delivery] {
        let claims = Set(
            deliveries.compactMap { delivery -> String? in
                guard case .claim(let claim) = delivery, claim.customer == customer else { return nil }
                return claim.id
            })
        return deliveries.filter { !concerns($0, customer, claims) }.map { delivery in
            guard case .claim(var claim) = delivery else { return delivery }
            claim.othersServed.removeAll { $0 == customer }
            return .claim(claim)
        }
    }

    private static func concerns(_ delivery: Delivery, _ customer: String, _ claims: Set<String>) -> Bool {
        switch delivery {
        case .transaction, .renewalInfo, .notice, .status, .failedQuestion: false
        case .registration(let it): it.customer == customer
        case .intent(let it): it.customer == customer
        case .reservation(let it): it.customer == customer
        case .claim(let it): it.customer == customer
        case .merge(let it): it.anonymous == customer || it.identified == customer
        case .join(let it): it.from == customer || it.into == customer
        case .separation(let it): it.join.from == customer || it.join.into == customer
        case .vote(let it):
            switch it.kind {
            case .transfer(_, let target): target == customer
            case .approve(let claim, let owner): claims.contains(claim) || owner == customer
            case .deny(let claim): claims.contains(claim)
            }
        case .customerVote(let it):
            switch it.kind {
            case .grant(let name, _, _, _), .hold(let name, _, _, _), .credit(let name, _, _, _): name == customer
            case .withdraw: false
            }
        }
    }

    private static func isAct(_ delivery: Delivery) -> Bool { instant(delivery) != Int64.min }

    private static func instant(_ delivery: Delivery) -> Int64 {
        switch delivery {
        case .claim(let it): it.claimedAt
        case .merge(let it): it.at
        case .join(let it): it.at
        case .separation(let it): it.at
        case .vote(let it): it.at
        case .customerVote(let it): it.at
        case .transaction, .renewalInfo, .notice, .status, .failedQuestion, .registration, .intent, .reservation: Int64.min
        }
    }
}

/// Rewrites the times, ids and tokens of a delivery.
private struct Rewriting {
    var time: (Int64) -> Int64 = { $0 }
    var id: (String) -> String = { $0 }
    var token: (String) -> String = { $0 }

    func rewritten(_ delivery: Delivery) -> Delivery {
        switch delivery {
        case .transaction(let it): .transaction(rewritten(it))
        case .renewalInfo(let it): .renewalInfo(rewritten(it))
        case .notice(let it): .notice(rewritten(it))
        case .status(let it):
            .status(
                OracleStatus(
                    originalTransactionId: id(it.originalTransactionId), status: it.status,
                    signedDate: time(it.signedDate)))
        case .failedQuestion(let it):
            .failedQuestion(
                OracleFailedQuestion(
                    originalTransactionId: id(it.originalTransactionId), askedAt: time(it.askedAt),
                    retryable: it.retryable))
        case .registration(let it): .registration(rewritten(it))
        case .intent(let it):
            .intent(
                OracleIntent(
                    id: id(it.id), customer: id(it.customer), anonymous: it.anonymous, productId: it.productId,
                    madeAt: time(it.madeAt)))
        case .reservation(let it):
            .reservation(
                OracleReservation(
                    id: id(it.id), originalTransactionId: id(it.originalTransactionId), customer: id(it.customer),
                    anonymous: it.anonymous, reservedAt: time(it.reservedAt)))
        case .claim(let it): .claim(rewritten(it))
        case .merge(let it):
            .merge(
                OracleMerge(
                    anonymous: id(it.anonymous), identified: id(it.identified), at: time(it.at), intoAnonymous: it.intoAnonymous))
        case .join(let it): .join(rewritten(it))
        case .separation(let it):
            .separation(OracleSeparation(id: id(it.id), join: rewritten(it.join), at: time(it.at)))
        case .vote(let it): .vote(OracleVote(id: id(it.id), at: time(it.at), kind: rewritten(it.kind)))
        case .customerVote(let it):
            .customerVote(OracleCustomerVote(id: id(it.id), at: time(it.at), kind: rewritten(it.kind)))
        }
    }

    private func rewritten(_ it: OracleJoin) -> OracleJoin {
        OracleJoin(id: id(it.id), from: id(it.from), into: id(it.into), at: time(it.at))
    }

    private func rewritten(_ it: OracleRegistration) -> OracleRegistration {
        var copy = it
        copy.token = token(it.token)
        copy.customer = id(it.customer)
        copy.registeredAt = time(it.registeredAt)
        return copy
    }

    private func rewritten(_ it: OracleTransaction) -> OracleTransaction {
        var copy = it
        copy.originalTransactionId = id(it.originalTransactionId)
        copy.transactionId = id(it.transactionId)
        copy.previousOriginalTransactionId = it.previousOriginalTransactionId.map(id)
        copy.webOrderLineItemId = it.webOrderLineItemId.map { $0 == "0" ? $0 : id($0) }
        copy.purchaseDate = time(it.purchaseDate)
        copy.expiresDate = it.expiresDate.map(time)
        copy.revocationDate = it.revocationDate.map(time)
        copy.appAccountToken = it.appAccountToken.map(token)
        copy.appTransactionId = it.appTransactionId.map(id)
        copy.signedDate = time(it.signedDate)
        return copy
    }

    private func rewritten(_ it: OracleRenewalInfo) -> OracleRenewalInfo {
        var copy = it
        copy.originalTransactionId = id(it.originalTransactionId)
        copy.appAccountToken = it.appAccountToken.map(token)
        copy.gracePeriodExpiresDate = it.gracePeriodExpiresDate.map(time)
        copy.signedDate = time(it.signedDate)
        return copy
    }

    private func rewritten(_ it: OracleNotice) -> OracleNotice {
        var copy = it
        copy.originalTransactionId = id(it.originalTransactionId)
        copy.uuid = id(it.uuid)
        copy.transactionId = it.transactionId.map(id)
        copy.signedDate = time(it.signedDate)
        return copy
    }

    private func rewritten(_ it: OracleClaim) -> OracleClaim {
        var copy = it
        copy.id = id(it.id)
        copy.originalTransactionId = id(it.originalTransactionId)
        copy.customer = id(it.customer)
        copy.shown = rewritten(it.shown)
        copy.claimedAt = time(it.claimedAt)
        copy.othersServed = it.othersServed.map(id)
        return copy
    }

    private func rewritten(_ kind: OracleVoteKind) -> OracleVoteKind {
        switch kind {
        case .transfer(let subscription, let target): .transfer(originalTransactionId: id(subscription), to: id(target))
        case .approve(let claim, let owner): .approve(claim: id(claim), byOwner: owner.map(id))
        case .deny(let claim): .deny(claim: id(claim))
        }
    }

    private func rewritten(_ kind: OracleCustomerVoteKind) -> OracleCustomerVoteKind {
        switch kind {
        case .grant(let customer, let entitlement, let from, let until):
            .grant(customer: id(customer), entitlement: entitlement, from: time(from), until: until.map(time))
        case .hold(let customer, let entitlement, let from, let until):
            .hold(customer: id(customer), entitlement: entitlement, from: time(from), until: until.map(time))
        case .credit(let customer, let entitlement, let at, let duration):
            .credit(customer: id(customer), entitlement: entitlement, at: time(at), duration: duration)
        case .withdraw(let vote, let at): .withdraw(vote: id(vote), at: time(at))
        }
    }
}
