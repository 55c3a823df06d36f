import Ledger
import Primitives

extension NotificationTable {
    struct MalformedLine: Error { let line: String }

    /// Every row for every state; a line may name several states.
    static func rows() throws -> [Row] {
        try text.split(separator: "\n").flatMap { line -> [Row] in
            let columns = line.split(separator: "|", omittingEmptySubsequences: false).map(trimmed)
            guard columns.count >= 4 else { throw MalformedLine(line: String(line)) }
            return try states(columns[2]).map { state in
                Row(
                    type: columns[0], subtype: columns[1] == "-" ? nil : columns[1], state: state,
                    outcome: try outcome(columns, in: state))
            }
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    private static func states(_ text: String) throws -> [State] {
        if text == "known" { return State.allCases.filter { $0 != .unknown } }
        return try text.split(separator: " ").map { name in
            guard let state = State(rawValue: String(name)) else { throw MalformedLine(line: text) }
            return state
        }
    }

    private static func outcome(_ columns: [String], in state: State) throws -> Outcome {
        if columns[3].hasPrefix("impossible: ") { return .impossible(why: String(columns[3].dropFirst("impossible: ".count))) }
        guard columns.count == 5 else { throw MalformedLine(line: columns.joined(separator: "|")) }
        let events = columns[4].split(separator: " ").map(String.init)
        if columns[3] == "=" { return .defined(status: state.before.status, until: state.before.until, events: events) }
        let parts = columns[3].split(separator: ",").map(trimmed)
        guard parts.count == 2 else { throw MalformedLine(line: columns[3]) }
        return .defined(status: parts[0], until: parts[1], events: events)
    }
}

/// What Apple sends: the facts that lead to a state, and those that a notification carries.
struct NotificationScript {
    let row: NotificationTable.Row

    private static let begin = day(2026, 1, 1)
    private static let end = day(2026, 2, 1)
    private static let graceEnd = day(2026, 2, 17)
    static let yearly = ProductID("plus.yearly")

    // MARK: The state before

    /// When the state is observed.
    var seenAt: Timestamp {
        switch row.state {
        case .unknown, .renewing, .ending, .revoked, .deferred: day(2026, 1, 20)
        case .grace, .retry: day(2026, 2, 5)
        case .expired: day(2026, 2, 10)
        }
    }

    /// The present transaction as Apple last signed it.
    private var present: TransactionFact {
        transaction("1000", from: Self.begin, to: Self.end) {
            guard row.state == .revoked else { return }
            ($0.signedDate, $0.revocation) = (day(2026, 1, 15), Revocation(revocationDate: day(2026, 1, 15)))
        }
    }

    /// Apple's renewal info in the state, signed at this instant.
    private func info(signed: Timestamp) -> RenewalFact {
        renewalInfo(signed: signed, renews: row.state != .ending && row.state != .expired) {
            ($0.productId, $0.autoRenewProductId) = (plus, row.state == .deferred ? Self.yearly : plus)
            $0.isInBillingRetryPeriod = row.state == .grace || row.state == .retry
            $0.gracePeriodExpiresDate = row.state == .grace ? Self.graceEnd : nil
            $0.expirationIntent = row.state == .expired ? 1 : nil
        }
    }

    /// The inputs that lead to the state, and when each was learned; Alice claimed the purchase at once.
    var past: [(input: LedgerInput, at: Timestamp)] {
        guard row.state != .unknown else { return [] }
        let bought = transaction("1000", from: Self.begin, to: Self.end)
        var inputs: [LedgerInput] = [
            .fact(.transaction(bought)), .claim(claim(alice, .purchase, bought, at: Self.begin)),
            .fact(.renewal(renewalInfo(signed: Self.begin) { ($0.productId, $0.autoRenewProductId) = (plus, plus) })),
        ]
        switch row.state {
        case .ending, .deferred: inputs.append(.fact(.renewal(info(signed: day(2026, 1, 10)))))
        case .grace, .retry: inputs.append(.fact(.renewal(info(signed: Self.end + .minutes(1)))))
        case .expired:
            inputs.append(.fact(.renewal(renewalInfo(signed: day(2026, 1, 10), renews: false))))
            inputs.append(.fact(.renewal(info(signed: Self.end + .minutes(1)))))
        case .revoked: inputs.append(.fact(.transaction(present)))
        case .unknown, .renewing: break
        }
        return inputs.map { ($0, max($0.instant, Self.begin)) }
    }

    // MARK: The notification

    /// When Apple signs the notification.
    var signedAt: Timestamp {
        switch (row.type, row.subtype) {
        case ("DID_RENEW", nil): max(seenAt, Self.end - .hours(12))
        case ("DID_RENEW", _): max(seenAt, day(2026, 2, 5))
        case ("GRACE_PERIOD_EXPIRED", _): Self.graceEnd + .minutes(1)
        case ("EXPIRED", "BILLING_RETRY"): Self.end + .days(60) + .minutes(1)
        case ("DID_FAIL_TO_RENEW", _), ("EXPIRED", _): max(seenAt, Self.end + .minutes(1))
        default: seenAt
        }
    }

    /// The facts in the notification; empty where it is about no subscription.
    var facts: [Fact] {
        guard isAboutASubscription else { return [] }
        let sent = [.transaction(sentTransaction), .renewal(sentInfo)] as [Fact]
        let hasInfo = sentTransaction.type == .autoRenewableSubscription
        return (hasInfo ? sent : [sent[0]]) + [.notice(notice, about: key.originalTransactionId)]
    }

    private var isAboutASubscription: Bool {
        switch (row.type, row.subtype) {
        case ("RENEWAL_EXTENSION", "SUMMARY"), ("EXTERNAL_PURCHASE_TOKEN", _), ("RESCIND_CONSENT", _), ("TEST", _),
            ("UNCLAIM_SEATS", _):
            false
        default: true
        }
    }

    private var notice: NoticeFact {
        let status: Int64? =
            switch (row.type, row.subtype) {
            case ("DID_FAIL_TO_RENEW", "GRACE_PERIOD"): 4
            case ("DID_FAIL_TO_RENEW", _), ("GRACE_PERIOD_EXPIRED", _): 3
            case ("EXPIRED", _): 2
            case ("REFUND", nil), ("REVOKE", _): 5
            case ("SUBSCRIBED", _), ("DID_RENEW", _), (_, "UPGRADE"), ("OFFER_REDEEMED", _), ("REFUND_REVERSED", _): 1
            case (_, "AUTO_RENEW_DISABLED") where row.state == .grace || row.state == .retry: 2
            default: statusOfState
            }
        var notice = NoticeFact(
            notificationUUID: "n", notificationType: row.type, subtype: row.subtype, status: status, signedDate: signedAt)
        if ["CONSUMPTION_REQUEST", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED"].contains(row.type) {
            notice.transactionId = TransactionID("1000")
        }
        return notice
    }

    private var statusOfState: Int64 {
        switch row.state {
        case .unknown, .renewing, .ending, .deferred: 1
        case .expired: 2
        case .retry: 3
        case .grace: 4
        case .revoked: 5
        }
    }

    private var isPurchase: Bool { row.type == "SUBSCRIBED" || row.subtype == "INITIAL_BUY" || row.subtype == "RESUBSCRIBE" }

    private var sentTransaction: TransactionFact {
        switch (row.type, row.subtype) {
        case _ where isPurchase: new(plus, from: signedAt, .purchase)
        case (_, "UPGRADE"): new(pro, from: signedAt, .purchase)
        case ("DID_RENEW", nil): new(row.state == .deferred ? Self.yearly : plus, from: Self.end, .renewal)
        case ("DID_RENEW", _):
            new(row.state == .deferred ? Self.yearly : plus, from: row.state == .grace ? Self.end : signedAt, .renewal)
        case ("ONE_TIME_CHARGE", _):
            transaction("1000", ProductID("lifetime"), from: signedAt, to: nil) {
                ($0.type, $0.webOrderLineItemId) = (.nonConsumable, nil)
            }
        default: resigned()
        }
    }

    /// A month of the product; under another id where a transaction is known already.
    private func new(_ product: ProductID, from begin: Timestamp, _ reason: ChargeReason) -> TransactionFact {
        let parts = CivilDate(daysSince1970: begin.millisecondsSince1970 / 86_400_000)
        let until = day(parts.year, parts.month + 1, parts.day)
        return transaction(row.state == .unknown ? "1000" : "1001", product, from: begin, to: until) {
            ($0.transactionReason, $0.signedDate) = (reason, signedAt)
            if row.type == "OFFER_REDEEMED" { ($0.details.offerType, $0.details.offerIdentifier) = (2, "spring") }
        }
    }

    /// The present transaction, signed again.
    private func resigned() -> TransactionFact {
        var fact = present
        fact.signedDate = signedAt
        switch (row.type, row.subtype) {
        case ("REFUND", nil) where row.state != .revoked:
            fact.revocation = Revocation(revocationDate: signedAt, revocationType: "REFUND_FULL", revocationPercentage: 100_000)
        case ("REVOKE", _): fact.revocation = Revocation(revocationDate: signedAt, revocationType: "FAMILY_REVOKE")
        case ("REFUND_REVERSED", _): fact.revocation = nil
        case ("RENEWAL_EXTENDED", _): fact.expiresDate = Self.end + .days(10)
        default: break
        }
        return fact
    }

    private var sentInfo: RenewalFact {
        var info = info(signed: signedAt)
        switch (row.type, row.subtype) {
        case _ where isPurchase, ("DID_RENEW", _):
            info = renewalInfo(signed: signedAt) { $0.autoRenewProductId = sentTransaction.productId }
        case (_, "UPGRADE"): info = renewalInfo(signed: signedAt) { $0.autoRenewProductId = pro }
        case (_, "DOWNGRADE"): (info.autoRenewStatus, info.autoRenewProductId) = (true, Self.yearly)
        case ("DID_CHANGE_RENEWAL_PREF", nil): info.autoRenewProductId = plus
        case (_, "AUTO_RENEW_ENABLED"), ("OFFER_REDEEMED", nil): info.autoRenewStatus = true
        case (_, "AUTO_RENEW_DISABLED"): turnOff(&info, intent: info.isInBillingRetryPeriod ? 1 : nil)
        case ("DID_FAIL_TO_RENEW", let subtype):
            info.isInBillingRetryPeriod = true
            info.gracePeriodExpiresDate = subtype == "GRACE_PERIOD" ? Self.graceEnd : nil
        case ("GRACE_PERIOD_EXPIRED", _): (info.isInBillingRetryPeriod, info.gracePeriodExpiresDate) = (true, nil)
        case ("EXPIRED", let subtype): turnOff(&info, intent: Self.intents[subtype ?? "-"])
        case ("PRICE_INCREASE", let subtype): info.priceIncreaseStatus = subtype == "PENDING" ? 0 : 1
        default: break
        }
        if row.type == "OFFER_REDEEMED" { (info.offerType, info.offerIdentifier) = (2, "spring") }
        return info
    }

    private func turnOff(_ info: inout RenewalFact, intent: Int64?) {
        (info.autoRenewStatus, info.isInBillingRetryPeriod, info.gracePeriodExpiresDate) = (false, false, nil)
        info.expirationIntent = intent
    }

    /// `expirationIntent` as Apple pairs it with the subtype.
    private static let intents: [String: Int64] = [
        "VOLUNTARY": 1, "BILLING_RETRY": 2, "PRICE_INCREASE": 3, "PRODUCT_NOT_FOR_SALE": 4, "-": 5,
    ]
}
