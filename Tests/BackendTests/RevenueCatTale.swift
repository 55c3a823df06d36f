import Foundation
import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// The life of one subscription, each part told when it came, and what RevenueCat's webhooks say of it. Each body is made twice:
/// at once, and at the end, when everything is known; both must be the same bytes (I39).
struct Tale {
    static let key = SubscriptionKey(
        app: AppID("app"), environment: .production, originalTransactionId: OriginalTransactionID("1000"))
    static let plus = ProductID("plus.monthly")
    static let basic = ProductID("basic.monthly")
    static let (alice, bob) = (CustomerID("alice"), CustomerID("bob"))

    private struct Told {
        let event: LedgerEvent
        let at: Timestamp
        let bodies: [RevenueCatBody]
    }

    private var history = SubscriptionHistory(key: key)
    private var facts: [ReceivedFact] = []
    private var told: [Told] = []
    private let policy: AppPolicy
    private let settings: SettingsTimeline

    init(_ policy: AppPolicy = AppPolicy()) {
        self.policy = policy
        let entry = EntitlementMap.Entry(
            productId: Self.plus, validFrom: Timestamp(millisecondsSince1970: 0),
            entitlements: [EntitlementID("plus"), EntitlementID("archive")])
        settings = SettingsTimeline(SettingsContent(policy: policy, products: [entry]))
    }

    /// - Parameter month: of 2026.
    static func day(_ month: Int64, _ day: Int64) -> Timestamp {
        Timestamp(
            millisecondsSince1970: Milliseconds.days(CivilDate(year: 2026, month: month, day: day)?.daysSince1970 ?? 0).count)
    }

    /// A month for 9.99 dollars in the United States, unless a change says otherwise.
    static func purchase(
        _ id: String, _ product: ProductID = plus, from start: Timestamp, to end: Timestamp,
        _ change: (inout TransactionFact) -> Void = { _ in }
    ) -> TransactionFact {
        var fact = TransactionFact(
            originalTransactionId: key.originalTransactionId, transactionId: TransactionID(id), productId: product,
            purchaseDate: start, signedDate: start)
        (fact.expiresDate, fact.webOrderLineItemId, fact.transactionReason) = (end, "9" + id, .purchase)
        (fact.details.price, fact.details.currency, fact.details.storefront) = (Milliunits(9990), "USD", "USA")
        fact.details.inAppOwnershipType = "PURCHASED"
        change(&fact)
        return fact
    }

    static func renewal(
        _ id: String, _ product: ProductID = plus, from start: Timestamp, to end: Timestamp,
        _ change: (inout TransactionFact) -> Void = { _ in }
    ) -> TransactionFact {
        purchase(id, product, from: start, to: end) {
            $0.transactionReason = .renewal
            change(&$0)
        }
    }

    static func trial(_ fact: inout TransactionFact) {
        (fact.details.offerType, fact.details.offerDiscountType, fact.details.price) = (1, "FREE_TRIAL", Milliunits(0))
    }

    static func claim(_ customer: CustomerID, _ kind: Claim.Kind, _ fact: TransactionFact, at instant: Timestamp)
        -> Claim
    {
        Claim(
            id: .init("\(customer)/\(kind)/\(instant.millisecondsSince1970)"), customer: customer, kind: kind, transaction: fact,
            productId: fact.productId, claimedAt: instant)
    }

    static func renewalInfo(signed instant: Timestamp, _ change: (inout RenewalFact) -> Void) -> RenewalFact {
        var fact = RenewalFact(originalTransactionId: key.originalTransactionId, signedDate: instant)
        (fact.autoRenewStatus, fact.productId, fact.autoRenewProductId) = (true, plus, plus)
        change(&fact)
        return fact
    }

    // MARK: Telling

    mutating func hear(_ inputs: LedgerInput..., at instant: Timestamp) {
        let decision = Decision(on: inputs, history: history, policy: policy, learnedAt: instant)
        history = decision.history
        for case .fact(let fact) in inputs { facts.append(ReceivedFact(fact, at: instant)) }
        take(decision.events, at: instant)
    }

    /// Somebody buys, and the app uploads it at once.
    mutating func buys(_ fact: TransactionFact, by customer: CustomerID = alice) {
        let instant = fact.purchaseDate.adding(.seconds(5))
        hear(.fact(.transaction(fact)), .claim(Self.claim(customer, .purchase, fact, at: instant)), at: instant)
    }

    /// Apple tells of it a few seconds after it was signed.
    mutating func apple(_ fact: TransactionFact) { hear(.fact(.transaction(fact)), at: fact.signedDate.adding(.seconds(5))) }

    mutating func apple(_ fact: RenewalFact) { hear(.fact(.renewal(fact)), at: fact.signedDate.adding(.seconds(5))) }

    /// What comes by time passing is told.
    mutating func passes(to instant: Timestamp) {
        let state = SubscriptionState(folding: history, under: policy)
        let decision = Decision(tellingAt: instant, history: history, state: state)
        history = decision.history
        take(decision.events, at: instant)
    }

    private mutating func take(_ events: [LedgerEvent], at instant: Timestamp) {
        for event in events {
            told.append(Told(event: event, at: instant, bodies: []))
            let bodies = bodies(of: told.count - 1)
            told[told.count - 1] = Told(event: event, at: instant, bodies: bodies)
        }
    }

    private func bodies(of index: Int, blind: Bool = false) -> [RevenueCatBody] {
        let event = told[index].event
        guard RevenueCatTranslation.concerns(event) else { return [] }
        var kept = RevenueCatTranslation.KeptSubscription()
        if !blind {
            (kept.facts, kept.history, kept.settings) = (facts, history, settings)
            kept.merged = SubscriptionState(folding: history, under: policy).merged
        }
        kept.lastPurchase =
            told[..<index].last { earlier in
                earlier.event.kind.rawValue.hasPrefix("subscription.") && earlier.event.kind != .subscriptionExpired
                    && earlier.event.kind != .subscriptionExtended || earlier.event.kind == .purchaseMade
            }?.event
        return RevenueCatTranslation(event, toldAt: told[index].at, kept).bodies
    }

    // MARK: Reading

    /// What was sent, in its order, each body looked at for its shape.
    func sent(blind: Bool = false) throws -> [Sent] {
        try told.indices.flatMap { index -> [Sent] in
            let again = bodies(of: index)
            #expect(again.map { $0.text(id: "e") } == told[index].bodies.map { $0.text(id: "e") }, "later news changed the bytes")
            return try (blind ? bodies(of: index, blind: true) : again).map { try Sent($0) }
        }
    }

    /// The types that were sent, in their order.
    func types() throws -> [String] { try sent().map(\.type) }
}

/// A body, as a receiver reads it.
struct Sent {
    let type: String
    private let event: [String: Any]

    /// Source: RevenueCat, "Event Types and Fields": the members that every event about a purchase has.
    static let common: Set = [
        "id", "type", "app_id", "event_timestamp_ms", "app_user_id", "original_app_user_id", "aliases", "subscriber_attributes",
        "experiments", "product_id", "entitlement_ids", "entitlement_id", "period_type", "purchased_at_ms", "expiration_at_ms",
        "store", "environment", "transaction_id", "original_transaction_id", "is_family_share", "offer_code", "country_code",
        "price", "currency", "price_in_purchased_currency", "tax_percentage", "commission_percentage", "takehome_percentage",
        "renewal_number", "presented_offering_id", "metadata",
    ]
    /// And those that only one type has.
    static let own = [
        "RENEWAL": "is_trial_conversion", "BILLING_ISSUE": "grace_period_expiration_at_ms", "PRODUCT_CHANGE": "new_product_id",
        "CANCELLATION": "cancel_reason", "EXPIRATION": "expiration_reason",
    ]

    init(_ body: RevenueCatBody) throws { try self.init(body.text(id: "evt_1")) }

    init(_ text: String) throws {
        let whole = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(Set(whole.keys) == ["api_version", "event"] && whole["api_version"] as? String == "1.0")
        event = try #require(whole["event"] as? [String: Any])
        type = try #require(event["type"] as? String)
        var members = Self.common
        switch type {
        case "TRANSFER":
            members = [
                "app_id", "event_timestamp_ms", "id", "store", "environment", "transferred_from", "transferred_to", "type",
            ]
        case "TEMPORARY_ENTITLEMENT_GRANT": members = ["app_id", "app_user_id", "event_timestamp_ms", "id", "store", "type"]
        default: if let own = Self.own[type] { members.insert(own) }
        }
        if event["store"] as? String == "PROMOTIONAL" { members.remove("app_id") }
        #expect(Set(event.keys) == members, "\(type)")
    }

    func text(_ name: String) -> String? { event[name] as? String }
    func number(_ name: String) -> Double? { (event[name] as? NSNumber)?.doubleValue }
    func instant(_ name: String) -> Timestamp? {
        (event[name] as? NSNumber).map { Timestamp(millisecondsSince1970: $0.int64Value) }
    }
    func bool(_ name: String) -> Bool? { event[name] as? Bool }
    func list(_ name: String) -> [String]? { event[name] as? [String] }
    func isNull(_ name: String) -> Bool { event[name] is NSNull }
}
