package import StrictJSON

/// An event as it is told to others: by the log, and by webhooks (docs/events.md).
///
/// Source: Standard Webhooks 1.0, "Payload structure": `type`, `timestamp`, `data`.
package struct EventItem: JSONItem {
    package static let schema = ObjectSchema(
        "Event", "Something that happened, told once; what each type means stands in docs/events.md.",
        [
            .required(
                "id", .text, "Its own for ever: drop what you have seen. The `webhook-id` of its deliveries.",
                example: "evt_3k2m7qv5xw4zt6ynd2hc4ujb2e"),
            .required("type", .text, "What happened; a type that you do not know is new.", example: "subscription.renewed"),
            .required("timestamp", .text, "When it took effect: RFC 3339, UTC.", example: "2026-01-01T00:00:00.000Z"),
            .required("data", .object(dataSchema), "The event; its bytes never change."),
        ])

    package var id: String
    package var type: String
    package var timestamp: String
    /// A JSON object, as it was kept.
    package var data: String

    package init(id: String, type: String, timestamp: String, data: String) {
        (self.id, self.type, self.timestamp, self.data) = (id, type, timestamp, data)
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        id = try fields.requiredText("id")
        type = try fields.requiredText("type")
        timestamp = try fields.requiredText("timestamp")
        let value = try fields.required("data", .object, try fields.fields("data").flatMap { _ in fields.value("data") })
        data = String(decoding: value.rawBytes, as: UTF8.self)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("type", type)
        writer.member("timestamp", timestamp)
        writer.member("data") { $0.raw(data.utf8) }
    }
}

/// A stretch of what was told.
package struct EventsBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Events", "Events in the order in which they were committed, and where to read on.",
        [
            .required("items", .list(.object(EventItem.schema)), "In their order."),
            .required("next", .text, "The address at which to read on: at once where there is more, else whenever you like."),
            .required("hasMore", .bool, "Whether there is more by now."),
        ])

    package var items: [EventItem]
    package var next: String
    package var hasMore: Bool

    package init(items: [EventItem], next: String, hasMore: Bool) {
        (self.items, self.next, self.hasMore) = (items, next, hasMore)
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        items = try fields.requiredList("items", EventItem.init)
        next = try fields.requiredText("next")
        hasMore = try fields.required("hasMore", .bool, try fields.bool("hasMore"))
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("items", items)
        writer.member("next", next)
        writer.member("hasMore", hasMore)
    }

    package var expectedBytes: Int { items.reduce(256) { $0 + $1.data.utf8.count + 160 } }
}

extension EventItem {
    /// What an event may say; docs/events.md has which type says what, and a test holds the two together.
    private static let dataSchema = ObjectSchema(
        "EventData", "An event: what every one has, and what its type says beside it.",
        common + subjects + ofSubscriptions + ofCustomers)

    private static let common: [MemberSchema] = [
        .required("app", .text, "The app.", example: "notes"),
        .required("environment", .word(["Production", "Sandbox"]), "Whose ledger."),
        .required(
            "sequence", .integer(1, .max),
            "Its number among those of its subscription, customer or endpoint: 1, 2, 3, … without gaps."),
        .required("kind", .text, "As type.", example: "subscription.renewed"),
        .required("effectiveAt", .instant, "As timestamp."),
        .required("rule", .text, "By which rule it follows.", example: "OWN-8"),
    ]

    private static let subjects: [MemberSchema] = [
        .optional("subscription", .object(subscriptionSchema), "Of which subscription; absent in an event about anything else."),
        .optional("customer", .text, "Whom it concerns; absent where nobody owns the subscription.", example: "alice"),
        .optional("endpoint", .text, "The endpoint that it is about.", example: "billing"),
    ]

    /// What an event of a kind has, and nothing else.
    static func members(of kind: EventKindSchema) -> [MemberSchema] {
        // A test is no event: it says of which endpoint it is.
        if kind.kind == "webhook.test" {
            return [common[0], .required("endpoint", .text, "The endpoint that is tested.", example: "billing")]
        }
        let about: [MemberSchema] =
            switch kind.subject {
            case .subscription: [.required("subscription", .object(subscriptionSchema), "Of which subscription.")]
            case .customer: [.required("customer", .text, "Whom it concerns.", example: "alice"), ofCustomers[0]]
            case .endpoint: [.required("endpoint", .text, "The endpoint that it is about.", example: "billing")]
            }
        let pool = subjects + ofSubscriptions + ofCustomers
        return common + about + kind.fields.compactMap { name in pool.first { $0.name == name } }
    }

    private static let subscriptionSchema = ObjectSchema(
        "EventSubscription", "A subscription.",
        [
            .required("app", .text, "The app.", example: "notes"),
            .required("environment", .word(["Production", "Sandbox"]), "Whose ledger."),
            .required("originalTransactionId", .text, "Apple's id of it.", example: "2000000111"),
        ])

    private static let ofSubscriptions: [MemberSchema] = [
        .optional("productId", .text, "The product of the period; after a change at once, the new one.", example: "plus.monthly"),
        .optional("previousProductId", .text, "The product before a change.", example: "basic.monthly"),
        .optional("nextProductId", .text, "The product into which it will renew.", example: "basic.monthly"),
        .optional("transactionId", .text, "Apple's id of the period's transaction.", example: "2000000113"),
        .optional("until", .instant, "Until when what the event tells of lasts."),
        .optional("previousUntil", .instant, "The expiresDate before it was extended."),
        .optional("access", .word(["none", "until", "withoutEnd"]), "How far the customer's access reaches now."),
        .optional("accessUntil", .instant, "The end of that access."),
        .optional("provisionalUntil", .instant, "How far it may reach for want of news (ENT-6)."),
        .optional("endedBecause", .text, "Why access ended.", example: "expired"),
        .optional("status", .text, "What the subscription was afterwards.", example: "expired"),
        .optional("wasSetToRenew", .bool, "Whether it was set to renew."),
        .optional("previousCustomer", .text, "Whose it was before; of a refused delivery: who has it.", example: "bob"),
        .optional("deliveredAt", .instant, "Since when that one has it."),
        .optional(
            "expirationIntent", .integer, "Apple's reason for an end: 1 cancelled, 2 billing, 3 price, 4 product, 5 other."),
        .optional("revocation", .object(revocationSchema), "Apple's words about a refund, or about a share that stopped."),
        .optional("isPartial", .bool, "Only a part of the price was given back (PER-11)."),
        .optional("isLatestPeriod", .bool, "The period concerned is the last one that is known."),
        .optional("offer", .object(offerSchema), "The offer that was redeemed (PER-7)."),
        .optional("quantity", .integer, "Of a one-time purchase: how many were bought, refunded, or given back."),
        .optional("claim", .text, "The claim concerned.", example: "claim-7"),
        .optional("reason", .text, "Why or which: a stable word, or what an operator wrote.", example: "ownedByAnother"),
        .optional("value", .text, "The unknown value, as Apple wrote it (FACT-5)."),
        .optional("deadline", .instant, "Until when Apple must be answered (ABUSE-2)."),
        .optional("notificationUUID", .text, "Apple's id of the notification that said so."),
        .optional("otherSubscription", .text, "The other subscription concerned.", example: "2000000222"),
        .optional("entitlement", .text, "The entitlement concerned.", example: "plus"),
    ]

    private static let ofCustomers: [MemberSchema] = [
        .optional("id", .text, "What was said: a vote, an item, a transaction; or the subscription that changed it."),
        .optional("window", .object(windowSchema), "From when to when a grant or a hold lasts, or added time counts."),
        .optional("windows", .list(.object(windowSchema)), "When the customer may use the entitlement from now on."),
        .optional("added", .integer, "How much time was added to a balance, in milliseconds."),
        .optional("from", .text, "Who is someone else.", example: "alice@old"),
        .optional("into", .text, "Who that is.", example: "alice"),
    ]

    private static let windowSchema = ObjectSchema(
        "EventWindow", "A stretch of time.",
        [
            .required("from", .instant, "When it begins."),
            .optional("until", .instant, "When it ends; absent where it does not."),
        ])

    private static let revocationSchema = ObjectSchema(
        "EventRevocation", "Apple's words about a refund, or about a share that stopped.",
        [
            .required("revocationDate", .instant, "When."),
            .optional("revocationPercentage", .integer, "The refunded part in thousandths of a per cent: 100000 is all."),
            .optional("revocationReason", .integer, "0 other, 1 an issue in the app."),
            .optional("revocationType", .text, "In Apple's spelling.", example: "REFUND_FULL"),
            .optional(
                "revokedSeatQuantity", .integer, "How many seats are refunded in all (PER-12); 0: Apple does not say how many."),
        ])

    private static let offerSchema = ObjectSchema(
        "EventOffer", "An offer as Apple names it.",
        [
            .optional("offerType", .integer, "1 introductory, 2 promotional, 3 offer code, 4 win-back, 5 retention."),
            .optional("offerIdentifier", .text, "Its identifier.", example: "spring"),
            .optional("offerDiscountType", .text, "In Apple's spelling.", example: "FREE_TRIAL"),
            .optional("offerPeriod", .text, "ISO 8601.", example: "P1W"),
        ])
}
