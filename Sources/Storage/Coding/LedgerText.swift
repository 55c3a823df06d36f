package import Ledger
import Primitives
import StrictJSON

/// Audit rows, events and work as they stand in their columns: member for member what `StateCoding` makes of them but for what
/// stands beside them, and what it reads back; written by hand, since every new fact writes several of them, and Foundation's
/// encoder cost more than the rules.
///
/// Members are sorted by their names; those that are nil are left out.
package enum LedgerText {
    /// As ``AuditRowCoding`` reads it: customers by their numbers, and without the subscription, which stands beside it.
    ///
    /// - Parameter number: of a customer.
    package static func of(_ row: AuditRow, _ number: (CustomerID) throws -> Int64) throws -> String {
        let customer = try number(row.customer)
        let merged = try row.evidence.map { evidence -> Int64 in
            if case .merge(let customer) = evidence { try number(customer) } else { 0 }
        }
        var json = JSONWriter(reservingCapacity: 512)
        json.object { json in
            json.member("actor", row.actor.rawValue)
            json.member("after") { $0.write(row.after) }
            json.member("before") { $0.write(row.before) }
            json.member("customer", customer)
            json.member("effectiveAt", row.effectiveAt)
            json.member("evidence") { json in
                json.array { json in for (evidence, number) in zip(row.evidence, merged) { json.write(evidence, number) } }
            }
            json.optionalMember("keyName", row.keyName)
            json.member("learnedAt", row.learnedAt)
            json.member("rule", row.rule.rawValue)
            json.member("takeBacks") { json in json.array { json in for takeBack in row.takeBacks { json.write(takeBack) } } }
        }
        return json.text
    }

    /// - Parameter namesSubscription: false where the subscription stands beside it.
    package static func of(_ event: LedgerEvent, namesSubscription: Bool = true) -> String {
        var json = JSONWriter(reservingCapacity: 512)
        json.object { json in
            json.optionalMember("access", event.access?.rawValue)
            json.optionalMember("accessUntil", event.accessUntil)
            json.optionalMember("claim", event.claim?.rawValue)
            json.optionalMember("customer", event.customer?.rawValue)
            json.optionalMember("deadline", event.deadline)
            json.optionalMember("deliveredAt", event.deliveredAt)
            json.member("effectiveAt", event.effectiveAt)
            json.optionalMember("endedBecause", event.endedBecause?.rawValue)
            json.optionalMember("entitlement", event.entitlement?.rawValue)
            json.optionalMember("expirationIntent", event.expirationIntent)
            json.optionalMember("isLatestPeriod", event.isLatestPeriod)
            json.optionalMember("isPartial", event.isPartial)
            json.member("kind", event.kind.rawValue)
            json.optionalMember("nextProductId", event.nextProductId?.rawValue)
            json.optionalMember("notificationUUID", event.notificationUUID)
            if let offer = event.offer { json.member("offer") { $0.write(offer) } }
            json.optionalMember("otherSubscription", event.otherSubscription?.rawValue)
            json.optionalMember("previousCustomer", event.previousCustomer?.rawValue)
            json.optionalMember("previousProductId", event.previousProductId?.rawValue)
            json.optionalMember("previousUntil", event.previousUntil)
            json.optionalMember("productId", event.productId?.rawValue)
            json.optionalMember("provisionalUntil", event.provisionalUntil)
            json.optionalMember("quantity", event.quantity)
            json.optionalMember("reason", event.reason)
            if let revocation = event.revocation { json.member("revocation") { $0.write(revocation) } }
            json.member("rule", event.rule.rawValue)
            json.optionalMember("status", event.status)
            if namesSubscription { json.member("subscription") { $0.write(event.subscription) } }
            json.optionalMember("transactionId", event.transactionId?.rawValue)
            json.optionalMember("until", event.until)
            json.optionalMember("value", event.value)
            json.optionalMember("wasSetToRenew", event.wasSetToRenew)
        }
        return json.text
    }

    /// The member that names a subscription, in an event.
    static func member(naming key: SubscriptionKey) -> String {
        var json = JSONWriter(reservingCapacity: 128)
        json.object { json in json.member("subscription") { $0.write(key) } }
        return String(json.text.dropFirst().dropLast())
    }

    package static func of(_ action: DueWork.Action) -> String {
        var json = JSONWriter(reservingCapacity: 64)
        json.object { json in
            switch action {
            case .askApple(let reason): json.member("askApple") { $0.object { $0.member("_0", reason.rawValue) } }
            case .tell: json.member("tell") { $0.object { _ in } }
            case .answerConsumptionRequest(let transaction, let reason, let deadline):
                json.member("answerConsumptionRequest") { json in
                    json.object { json in
                        json.member("deadline", deadline)
                        json.optionalMember("reason", reason)
                        json.member("transactionId", transaction.rawValue)
                    }
                }
            }
        }
        return json.text
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: StaticString, _ instant: Timestamp) {
        member(name, instant.millisecondsSince1970)
    }

    fileprivate mutating func optionalMember(_ name: StaticString, _ instant: Timestamp?) {
        if let instant { member(name, instant) }
    }

    fileprivate mutating func optionalMember(_ name: StaticString, _ value: Bool?) {
        if let value { member(name, value) }
    }

    fileprivate mutating func write(_ key: SubscriptionKey) {
        object { json in
            json.member("app", key.app.rawValue)
            json.member("environment", key.environment.rawValue)
            json.member("originalTransactionId", key.originalTransactionId.rawValue)
        }
    }

    fileprivate mutating func write(_ extent: AuditRow.Extent) {
        object { json in
            json.member("exists", extent.exists)
            json.optionalMember("provisionalUntil", extent.provisionalUntil)
            json.optionalMember("until", extent.until)
        }
    }

    fileprivate mutating func write(_ takeBack: AuditRow.TakeBack) {
        object { json in
            json.member("amount", takeBack.amount.count)
            json.member("periodEndAfter", takeBack.periodEndAfter)
            json.member("periodEndBefore", takeBack.periodEndBefore)
            json.member("productId", takeBack.productId.rawValue)
            json.member("transactionId", takeBack.transactionId.rawValue)
        }
    }

    /// - Parameter customer: the number of the customer that it names.
    fileprivate mutating func write(_ evidence: AuditRow.Evidence, _ customer: Int64) {
        switch evidence {
        case .fact(let key): named("fact") { $0.member("_0", key) }
        case .claim(let id): named("claim") { $0.member("_0", id) }
        case .registration(let token): named("registration") { $0.member("_0", token.rawValue) }
        case .vote(let id): named("vote") { $0.member("_0", id) }
        case .merge: named("merge") { $0.member("_0", customer) }
        case .intent(let id): named("intent") { $0.member("_0", id) }
        case .reservation(let id): named("reservation") { $0.member("_0", id) }
        case .settingsVersion(let number): named("settingsVersion") { $0.member("_0", number) }
        case .chargeElsewhere(let id): named("chargeElsewhere") { $0.member("_0", id) }
        case .predecessor(let id): named("predecessor") { $0.member("_0", id) }
        case .continuation(let id): named("continuation") { $0.member("_0", id) }
        }
    }

    private mutating func named(_ name: StaticString, _ value: (inout JSONWriter) -> Void) {
        object { json in json.member(name) { $0.object(value) } }
    }

    fileprivate mutating func write(_ offer: LedgerEvent.Offer) {
        object { json in
            json.optionalMember("offerDiscountType", offer.offerDiscountType)
            json.optionalMember("offerIdentifier", offer.offerIdentifier)
            json.optionalMember("offerPeriod", offer.offerPeriod)
            json.optionalMember("offerType", offer.offerType)
        }
    }

    fileprivate mutating func write(_ revocation: Revocation) {
        object { json in
            json.member("revocationDate", revocation.revocationDate)
            json.optionalMember("revocationPercentage", revocation.revocationPercentage)
            json.optionalMember("revocationReason", revocation.revocationReason)
            json.optionalMember("revocationType", revocation.revocationType)
            json.optionalMember("revokedSeatQuantity", revocation.revokedSeatQuantity)
        }
    }
}
