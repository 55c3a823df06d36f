/// The kinds of events, each with what it says beside what every event has (docs/events.md; a test holds it against this list).
///
/// The document's `webhooks` are made of it: one for each kind, with a schema of its own.
package struct EventKindSchema: Sendable, Hashable {
    /// Such as `subscription.renewed`.
    package let kind: String
    /// When it is told; one sentence.
    package let summary: String
    /// The names of its own fields, in the order of the page; each is absent where it has no value.
    package let fields: [String]
    /// What it is about.
    package let subject: Subject

    /// What an event is about: whose numbers it has.
    package enum Subject: String, Sendable, Hashable, CaseIterable { case subscription, customer, endpoint }

    /// A kind, before it is known what it is about.
    private struct Kind {
        let (kind, summary): (String, String)
        let fields: [String]

        init(_ kind: String, _ summary: String, _ fields: [String]) {
            (self.kind, self.summary, self.fields) = (kind, summary, fields)
        }
    }

    /// Every kind, in the order of the page.
    package static let all: [EventKindSchema] =
        kinds(ofSubscriptions, .subscription) + kinds(ofCustomers, .customer) + kinds(ofEndpoints, .endpoint)

    private static func kinds(_ kinds: [Kind], _ subject: Subject) -> [EventKindSchema] {
        kinds.map { EventKindSchema(kind: $0.kind, summary: $0.summary, fields: $0.fields, subject: subject) }
    }

    /// The event as `data` has it: `SubscriptionRenewedEvent` for `subscription.renewed`.
    package var data: ObjectSchema {
        let name = kind.split(separator: ".").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return ObjectSchema("\(name)Event", summary, EventItem.members(of: self))
    }

    private static let ofSubscriptions: [Kind] = [
        .init(
            "subscription.started", "The first period that is known, unless Apple calls it a renewal.",
            ["customer", "productId", "transactionId", "until"]),
        .init(
            "subscription.renewed", "One more period of a running subscription, also before it begins (PER-6).",
            ["customer", "productId", "transactionId", "until"]),
        .init(
            "subscription.recovered", "A renewal that Apple could charge only after it had failed to.",
            ["customer", "productId", "transactionId", "until"]),
        .init("subscription.resubscribed", "Bought again after the end.", ["customer", "productId", "transactionId", "until"]),
        .init(
            "subscription.changed",
            "An upgrade or an immediate crossgrade took effect, or the running product was bought again.",
            ["customer", "productId", "previousProductId", "transactionId", "until"]),
        .init(
            "subscription.extended", "Apple moved expiresDate from previousUntil to until.",
            ["customer", "productId", "transactionId", "previousUntil", "until"]),
        .init(
            "subscription.expired", "It is over and Apple no longer retries.",
            ["customer", "productId", "transactionId", "expirationIntent", "wasSetToRenew"]),
        .init(
            "purchase.made", "A consumable, non-consumable or non-renewing subscription was bought.",
            ["customer", "productId", "transactionId", "quantity"]),
        .init(
            "purchase.refunded", "Apple refunded a transaction, in full or in part (isPartial).",
            ["customer", "productId", "transactionId", "revocation", "isPartial", "isLatestPeriod", "quantity"]),
        .init(
            "refund.reversed", "A refund, or a share that had stopped, was undone.",
            ["customer", "productId", "transactionId", "isLatestPeriod", "quantity"]),
        .init(
            "refund.declined", "Apple refused a refund that the customer had asked for.",
            ["customer", "productId", "transactionId", "notificationUUID"]),
        .init(
            "familySharing.stopped", "The purchaser, or Apple, stopped sharing with this member.",
            ["customer", "productId", "transactionId", "revocation", "isLatestPeriod"]),
        .init(
            "assignment.revoked", "A seat of a group purchase was taken from this member (PER-12).",
            ["customer", "productId", "transactionId", "revocation", "isLatestPeriod"]),
        .init(
            "offer.redeemed", "An offer was redeemed: with a new period, or for the next renewal.",
            ["customer", "productId", "nextProductId", "transactionId", "offer", "notificationUUID"]),
        .init(
            "delivery.refused", "A consumable was to be delivered to customer, and previousCustomer has it (PER-9).",
            ["customer", "productId", "transactionId", "previousCustomer", "deliveredAt", "quantity"]),
        .init(
            "change.scheduled", "It will renew into nextProductId (a downgrade, or a crossgrade to another duration).",
            ["customer", "productId", "nextProductId", "transactionId", "until"]),
        .init(
            "change.withdrawn", "It will renew into its own product after all.",
            ["customer", "productId", "transactionId", "until"]),
        .init(
            "renewal.turnedOff", "Auto-renew is off, by the customer or by Apple.",
            ["customer", "productId", "transactionId", "until", "expirationIntent"]),
        .init(
            "renewal.turnedOn", "Auto-renew is on again, or a renewal shows that it was.",
            ["customer", "productId", "transactionId", "until"]),
        .init("billing.failed", "Apple could not charge and tries again.", ["customer", "productId", "transactionId", "until"]),
        .init("gracePeriod.began", "The billing grace period runs.", ["customer", "productId", "transactionId", "until"]),
        .init("gracePeriod.ended", "It ended without a payment.", ["customer", "productId", "transactionId"]),
        .init(
            "priceIncrease.pending", "Apple asks the customer to consent to a higher price.",
            ["customer", "productId", "transactionId"]),
        .init(
            "priceIncrease.accepted", "The customer consented, or was told of an increase that needs no consent.",
            ["customer", "productId", "transactionId"]),
        .init(
            "owner.changed", "From effectiveAt on (to until, where another owner follows) customer owns it.",
            ["customer", "previousCustomer", "until"]),
        .init(
            "owner.proposed",
            "It shows the same Apple Account as otherSubscription, whose owner probably owns this too (OWN-14).",
            ["customer", "otherSubscription"]),
        .init(
            "claim.waiting", "A claim is pending a decision or news from Apple.",
            ["customer", "productId", "claim", "reason"]),
        .init("claim.refused", "A claim moved nothing.", ["customer", "productId", "claim", "reason"]),
        .init(
            "customer.merged", "The anonymous previousCustomer is customer from now on, past included (OWN-10).",
            ["customer", "previousCustomer"]),
        .init(
            "access.changed",
            "A customer's access from this subscription became longer, shorter, or began or ended at another time.",
            ["customer", "access", "accessUntil", "provisionalUntil"]),
        .init(
            "access.ended", "The subscription has stopped giving access, and nothing follows.",
            ["customer", "productId", "transactionId", "endedBecause", "status", "expirationIntent", "wasSetToRenew"]),
        .init(
            "access.provisional", "The end has passed, Apple has said nothing, and access is kept until until (ENT-6).",
            ["customer", "productId", "transactionId", "until"]),
        .init(
            "news.late", "The access.ended sent for effectiveAt was wrong: late news shows access beyond it.",
            ["customer", "productId", "until"]),
        .init(
            "consumption.requested", "The customer asked Apple for a refund, and Apple asks what the customer used.",
            ["customer", "productId", "transactionId", "reason", "deadline", "notificationUUID"]),
        .init(
            "payment.doubled", "The customer now holds this and otherSubscription, and both give entitlement (OWN-12).",
            ["customer", "otherSubscription", "entitlement"]),
        .init("signal.raised", "A signal of abuse.", ["customer", "reason"]),
        .init(
            "warning.unknown", "Apple used a word that this version does not know: the field in reason, the word in value.",
            ["reason", "value"]),
    ]

    private static let ofCustomers: [Kind] = [
        .init("grant.made", "An operator granted an entitlement (ENT-9).", ["entitlement", "window", "reason"]),
        .init("grant.withdrawn", "A grant counts no longer.", ["entitlement", "reason"]),
        .init("hold.placed", "An operator holds an entitlement, or all of them.", ["entitlement", "window", "reason"]),
        .init("hold.withdrawn", "A hold counts no longer.", ["entitlement", "reason"]),
        .init(
            "balance.changed", "Time that was paid elsewhere was added, or taken back (ENT-3).",
            ["entitlement", "window", "added", "reason"]),
        .init(
            "entitlement.changed",
            "When the customer may use an entitlement changed, whatever changed it; windows says when from now on.",
            ["entitlement", "windows"]),
        .init("content.unlocked", "The customer opened an item of content (ENT-8).", []),
        .init("purchase.delivered", "A consumable was delivered (PER-9).", []),
        .init(
            "redelivery.allowed", "An operator allowed that the customer has a consumable that another one has (PER-9).",
            ["transactionId", "reason"]),
        .init("redelivery.withdrawn", "That counts no longer.", ["transactionId", "reason"]),
        .init("licence.changed", "The customer showed how they came by the app (LIC-3).", []),
        .init(
            "customer.joined",
            "An operator decided that from is into, told of both (OWN-10): what is from's counts as into's, the past included.",
            ["from", "into", "reason"]),
        .init(
            "customer.separated", "An operator withdrew that, told of both: each has what is theirs again.",
            ["from", "into", "reason"]),
    ]

    private static let ofEndpoints: [Kind] = [
        .init("endpoint.failing", "An endpoint takes nothing: it is tried from time to time.", ["reason"]),
        .init(
            "endpoint.disabled", "Nothing is sent to an endpoint until somebody resumes it: 410, or five days of failing.",
            ["reason"]),
        .init("webhook.test", "Somebody tests the endpoint; it stands in no log.", []),
    ]
}
