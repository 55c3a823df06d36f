/// A life in words: one line per delivery, times as days and hours since the earliest instant.
package struct Printout {
    private let zero: Int64
    private let deliveries: [Delivery]

    package init(_ deliveries: [Delivery]) {
        self.deliveries = deliveries
        zero = deliveries.flatMap(\.instants).min() ?? 0
    }

    /// The whole printout, beginning with the instant that counts as zero.
    package var text: String {
        (["day 0 = \(zero)"] + deliveries.map(line)).joined(separator: "\n")
    }

    /// An instant as `12d 03:04:05.006`.
    package func time(_ instant: Int64) -> String {
        let since = instant - zero
        let parts = [since / hour % 24, since / 60_000 % 60, since / 1000 % 60].map { padded($0, 2) }
        return "\(since / day)d " + parts.joined(separator: ":") + "." + padded(since % 1000, 3)
    }

    private func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(abs(number))
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private func time(_ instant: Int64?) -> String { instant.map { time($0) } ?? "-" }

    /// One delivery in one line.
    package func line(_ delivery: Delivery) -> String {
        switch delivery {
        case .transaction(let it): "\(time(it.signedDate)) transaction " + words(it)
        case .renewalInfo(let it): words(it)
        case .notice(let it):
            "\(time(it.signedDate)) notice \(it.originalTransactionId) \(it.type) \(it.subtype ?? "")"
                + " status \(it.status.map { String($0) } ?? "-") [\(it.uuid)]"
        case .status(let it): "\(time(it.signedDate)) status \(it.originalTransactionId) \(it.status)"
        case .failedQuestion(let it):
            "\(time(it.askedAt)) failed question \(it.originalTransactionId) retryable \(it.retryable)"
        case .registration(let it): words(it)
        case .intent(let it): "\(time(it.madeAt)) intent \(it.id) by \(name(it.customer, it.anonymous)) for \(it.productId)"
        case .reservation(let it):
            "\(time(it.reservedAt)) RESERVATION \(it.id) of \(it.originalTransactionId) for "
                + name(it.customer, it.anonymous)
        case .claim(let it): words(it)
        case .merge(let it): "\(time(it.at)) MERGE \(it.anonymous) is \(it.identified)"
        case .join(let it): "\(time(it.at)) JOIN \(it.id) \(it.from) is \(it.into)"
        case .separation(let it): "\(time(it.at)) SEPARATION \(it.id) of \(it.join.id)"
        case .vote(let it): "\(time(it.at)) VOTE \(it.id) \(it.kind)"
        case .customerVote(let it): words(it)
        }
    }

    private func name(_ customer: String, _ anonymous: Bool) -> String { customer + (anonymous ? " (anonymous)" : "") }

    private func words(_ it: OracleRegistration) -> String {
        var words = ["\(time(it.registeredAt)) registration \(it.token) is \(name(it.customer, it.anonymous))"]
        if it.vouched { words.append("vouched") }
        if it.borneBefore { words.append("borne before") }
        return words.joined(separator: " ")
    }

    private func words(_ it: OracleTransaction) -> String {
        var words = ["\(it.originalTransactionId) #\(it.transactionId) w \(it.webOrderLineItemId ?? "-") \(it.productId)"]
        words.append("\(it.reason) [\(time(it.purchaseDate)), \(time(it.expiresDate)))")
        if it.isUpgraded { words.append("isUpgraded") }
        if let revoked = it.revocationDate {
            let percentage = it.revocationPercentage.map { String($0) } ?? "-"
            words.append("revoked \(time(revoked)) \(it.revocationType ?? "-") \(percentage)")
        }
        if let token = it.appAccountToken { words.append("token \(token)") }
        if it.type != .autoRenewable { words.append("\(it.quantity) \(it.type)") }
        if it.ownership == .familyShared { words.append("family") }
        if it.ownership == .assigned { words.append("seat") }
        if it.monthlyCommitment { words.append("commitment") }
        if it.isSeatAddition { words.append("adds seats") }
        if let previous = it.previousOriginalTransactionId { words.append("continues \(previous)") }
        return words.joined(separator: " ")
    }

    private func words(_ it: OracleRenewalInfo) -> String {
        var words = ["\(time(it.signedDate)) info \(it.originalTransactionId) next \(it.autoRenewProductId ?? "-")"]
        words.append("renews \(it.autoRenewStatus.map { String($0) } ?? "-")")
        if let token = it.appAccountToken { words.append("token \(token)") }
        if it.isInBillingRetryPeriod { words.append("retry") }
        if let date = it.gracePeriodExpiresDate { words.append("grace to \(time(date))") }
        if let intent = it.expirationIntent { words.append("intent \(intent)") }
        return words.joined(separator: " ")
    }

    private func words(_ it: OracleClaim) -> String {
        let who = name(it.customer, it.anonymous) + (it.keepsIntents ? " with intents" : "")
        let others = it.othersServed.isEmpty ? "" : " others " + it.othersServed.joined(separator: ",")
        return "\(time(it.claimedAt)) CLAIM \(it.id) \(it.kind) by \(who) names \(it.productId)\(others) shows "
            + "{\(time(it.shown.signedDate)) \(words(it.shown))}"
    }

    private func words(_ it: OracleCustomerVote) -> String {
        let what =
            switch it.kind {
            case .grant(let customer, let entitlement, let from, let until):
                "grant \(customer) \(entitlement) [\(time(from)), \(time(until)))"
            case .hold(let customer, let entitlement, let from, let until):
                "hold \(customer) \(entitlement) [\(time(from)), \(time(until)))"
            case .credit(let customer, let entitlement, let at, let duration):
                "credit \(customer) \(entitlement) at \(time(at)) for \(duration) ms"
            case .withdraw(let vote, let at): "withdraw \(vote) at \(time(at))"
            }
        return "\(time(it.at)) VOTE \(it.id) \(what)"
    }
}

extension Delivery {
    /// The instants of a delivery.
    fileprivate var instants: [Int64] {
        switch self {
        case .transaction(let it): [it.signedDate, it.purchaseDate]
        case .renewalInfo(let it): [it.signedDate]
        case .notice(let it): [it.signedDate]
        case .status(let it): [it.signedDate]
        case .failedQuestion(let it): [it.askedAt]
        case .registration(let it): [it.registeredAt]
        case .intent(let it): [it.madeAt]
        case .reservation(let it): [it.reservedAt]
        case .claim(let it): [it.claimedAt, it.shown.purchaseDate, it.shown.signedDate]
        case .merge(let it): [it.at]
        case .join(let it): [it.at]
        case .separation(let it): [it.at]
        case .vote(let it): [it.at]
        case .customerVote(let it): [it.at]
        }
    }
}
