package import Primitives
package import StrictJSON

/// May this customer buy this product now?
package struct IntentBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Intent", "A customer asks before buying (OWN-18).",
        [
            .required("productId", .text, "What they would buy.", example: "notes.yearly")
        ] + ShownAccountPart.members("so that it can be said what the purchase would change"))
    package static let limits = JSONLimits(maximumDepth: 4, maximumElements: 64)

    package var productId: String
    package var shown: ShownAccountPart

    package init(productId: String, shown: ShownAccountPart = ShownAccountPart()) {
        self.productId = productId
        self.shown = shown
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        productId = try fields.requiredText("productId")
        shown = try ShownAccountPart(fields)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("productId", productId)
        shown.write(to: &writer)
    }
}

/// What a purchase would come to, and the token to make it with.
package struct ForecastBody: AnswerContent, JSONBody, Hashable {
    private static let answers = [
        "yes", "alreadyHeld", "overlaps", "mayStillBeCharged", "heldByAnother", "changes", "unknownProduct",
    ]

    package static let schema = ObjectSchema(
        "Forecast", "What a purchase would come to, and the token to make it with (OWN-18).",
        [
            .required(
                "answer", .word(Self.answers),
                "yes; or alreadyHeld: the customer has the product, or all that it gives, or is charged again for some of it in "
                    + "another group; or overlaps: some or all of it, and buying it need not pay twice, as it gives more, adds "
                    + "its time, or may be a change of plan; or mayStillBeCharged: nothing of it now, but a "
                    + "subscription that gives some of it is in billing retry; or heldByAnother: the Apple Account has it for "
                    + "another customer; or changes: it changes a subscription of the Apple Account, or the customer's own one "
                    + "of the group; or unknownProduct: the configuration does not name it, and it would give nothing."),
            .required("words", .text, "The same in English."),
            .required("productId", .text, "What was asked about.", example: "notes.yearly"),
            .required("at", .instant, "When."),
            .required(
                "appAccountToken", .text, "The customer's one token: pass it to StoreKit with the purchase.",
                example: "6f1c2e0a-58a4-4b1f-9e6d-0c2b7a9d3e11"),
            .required(
                "held", .list(.object(ForecastHeldItem.schema)), "What the customer has of what the product gives (OWN-12)."),
            .optional(
                "originalTransactionId", .text, "The subscription that would change; else the first one that is held."),
            .optional("until", .instant, "Until when that one is held; absent where it does not end."),
            .optional(
                "change", .planChange,
                "What kind of change it would be (PER-3)."),
            .optional("effect", .planChangeEffect, "When it would take effect."),
            .optional("effectiveAt", .instant, "The instant of that renewal, where it is known."),
            .optional("isOwner", .bool, "Whether the subscription serves this customer now."),
            .optional("ownerHint", .text, "Who it serves, masked; absent where nobody or this customer.", example: "b…b"),
            .optional(
                "result", .word(["theirs", "staysWithOwner", "waits"]),
                "Whom it would serve then: this customer, its owner "
                    + "still, or whom an operator decides on."),
        ])

    package var answer: String
    package var words: String
    package var productId: String
    package var at: Timestamp
    package var appAccountToken: String
    package var held: [ForecastHeldItem] = []
    package var originalTransactionId: String?
    package var until: Timestamp?
    package var change: String?
    package var effect: String?
    package var effectiveAt: Timestamp?
    package var isOwner: Bool?
    package var ownerHint: String?
    package var result: String?

    package init(answer: String, words: String, productId: String, at instant: Timestamp, appAccountToken: String) {
        self.answer = answer
        self.words = words
        self.productId = productId
        at = instant
        self.appAccountToken = appAccountToken
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        answer = try fields.requiredText("answer")
        words = try fields.requiredText("words")
        productId = try fields.requiredText("productId")
        at = try fields.requiredInstant("at")
        appAccountToken = try fields.requiredText("appAccountToken")
        held = try fields.requiredList("held", ForecastHeldItem.init)
        originalTransactionId = try fields.text("originalTransactionId")
        until = try fields.instant("until")
        change = try fields.text("change")
        effect = try fields.text("effect")
        effectiveAt = try fields.instant("effectiveAt")
        isOwner = try fields.bool("isOwner")
        ownerHint = try fields.text("ownerHint")
        result = try fields.text("result")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("answer", answer)
        writer.member("words", words)
        writer.member("productId", productId)
        writer.member("at", at)
        writer.member("appAccountToken", appAccountToken)
        writer.member("held", held)
        writer.optionalMember("originalTransactionId", originalTransactionId)
        writer.optionalMember("until", until)
        writer.optionalMember("change", change)
        writer.optionalMember("effect", effect)
        writer.optionalMember("effectiveAt", effectiveAt)
        if let isOwner { writer.member("isOwner", isOwner) }
        writer.optionalMember("ownerHint", ownerHint)
        writer.optionalMember("result", result)
    }
}

/// Something that a customer has of what a product gives, or is charged for beside it.
package struct ForecastHeldItem: JSONItem {
    package static let schema = ObjectSchema(
        "ForecastHeld", "Something that gives the customer what the product gives, or is charged beside it (OWN-12, OWN-18).",
        [
            .required(
                "right", .word(["paid", "gracePeriod", "provisional", "balance", "granted", "billingRetry"]),
                "By what right; billingRetry gives no access now."),
            .required(
                "entitlements", .list(.text), "What it gives of what the product gives; empty where only the group is common."),
            .required("mayBeCharged", .bool, "Whether Apple charges for it again, as far as Apple has said, or still tries to."),
            .optional("originalTransactionId", .text, "The subscription or purchase.", example: "2000000111"),
            .optional("productId", .text, "Of that.", example: "notes.monthly"),
            .optional("vote", .text, "The vote that granted it (ENT-9).", example: "support-4711"),
            .optional("until", .instant, "Until when; of billingRetry, until when Apple tries. Absent where it does not end."),
        ])

    package var right: String
    package var entitlements: [String]
    package var mayBeCharged: Bool
    package var originalTransactionId: String?
    package var productId: String?
    package var vote: String?
    package var until: Timestamp?

    package init(right: String, entitlements: [String], mayBeCharged: Bool) {
        self.right = right
        self.entitlements = entitlements
        self.mayBeCharged = mayBeCharged
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        right = try fields.requiredText("right")
        entitlements = try fields.required("entitlements", .array, try fields.texts("entitlements"))
        mayBeCharged = try fields.requiredBool("mayBeCharged")
        originalTransactionId = try fields.text("originalTransactionId")
        productId = try fields.text("productId")
        vote = try fields.text("vote")
        until = try fields.instant("until")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("right", right)
        writer.member("entitlements", entitlements)
        writer.member("mayBeCharged", mayBeCharged)
        writer.optionalMember("originalTransactionId", originalTransactionId)
        writer.optionalMember("productId", productId)
        writer.optionalMember("vote", vote)
        writer.optionalMember("until", until)
    }
}

/// What a customer's purchases are to bear.
package struct AppAccountTokenBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "AppAccountToken", "The customer's one token (OWN-2, OWN-18).",
        [
            .required(
                "appAccountToken", .text,
                "A UUID that names this customer and nobody else: pass it to StoreKit with each purchase.",
                example: "6f1c2e0a-58a4-4b1f-9e6d-0c2b7a9d3e11")
        ])

    package var appAccountToken: String

    package init(appAccountToken: String) { self.appAccountToken = appAccountToken }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        appAccountToken = try fields.requiredText("appAccountToken")
    }

    package func write(to writer: inout JSONWriter) { writer.member("appAccountToken", appAccountToken) }
}

/// A consumable that was delivered.
package struct DeliveryBody: AnswerContent, JSONBody, JSONItem {
    package static let schema = ObjectSchema(
        "Delivery", "A consumable that is delivered to a customer (PER-9).",
        [
            .required("transactionId", .text, "Apple's id of the purchase.", example: "2000000113"),
            .required("deliveredAt", .instant, "When it was said first."),
            .required("quantity", .integer(0, .max), "How many are theirs: those that were not refunded by now.", example: "1"),
        ])

    package var transactionId: String
    package var deliveredAt: Timestamp
    package var quantity: Int64

    package init(transactionId: String, deliveredAt: Timestamp, quantity: Int64) {
        self.transactionId = transactionId
        self.deliveredAt = deliveredAt
        self.quantity = quantity
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        transactionId = try fields.requiredText("transactionId")
        deliveredAt = try fields.requiredInstant("deliveredAt")
        quantity = try fields.requiredInteger("quantity")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("transactionId", transactionId)
        writer.member("deliveredAt", deliveredAt)
        writer.member("quantity", quantity)
    }
}

/// What the app's backend knows of a purchase whose refund Apple may ask about.
package struct ConsumptionNoteBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Consumption", "What is known of a purchase, for the day Apple asks about its refund (ABUSE-2).",
        [
            .required("customerConsented", .bool, "Whether the customer consented to the report."),
            .optional(
                "deliveryStatus",
                .word([
                    "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
                    "UNDELIVERED_OTHER",
                ]), "Apple's word; DELIVERED unless said."),
            .optional(
                "consumptionPercentage", .integer(0, 100_000), "How much was consumed, in thousandths of a percent.",
                example: "50000"),
            .optional("playTimeMilliseconds", .integer(0, 3_155_760_000_000), "How long they have used the app."),
            .optional("accountCreatedAt", .instant, "When their account with the app was made."),
            .optional(
                "userStatus", .integer(0, 4), "Apple's number: 1 active, 2 suspended, 3 terminated, 4 limited; 0 undeclared."),
        ])

    package var customerConsented: Bool
    package var deliveryStatus: String?
    package var consumptionPercentage: Int64?
    package var playTimeMilliseconds: Int64?
    package var accountCreatedAt: Timestamp?
    package var userStatus: Int64?

    package init(customerConsented: Bool) { self.customerConsented = customerConsented }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        customerConsented = try fields.requiredBool("customerConsented")
        deliveryStatus = try fields.text("deliveryStatus")
        consumptionPercentage = try fields.integer("consumptionPercentage", in: 0...100_000)
        playTimeMilliseconds = try fields.integer("playTimeMilliseconds", in: 0...3_155_760_000_000)
        accountCreatedAt = try fields.instant("accountCreatedAt")
        userStatus = try fields.integer("userStatus", in: 0...4)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("customerConsented", customerConsented)
        writer.optionalMember("deliveryStatus", deliveryStatus)
        writer.optionalMember("consumptionPercentage", consumptionPercentage)
        writer.optionalMember("playTimeMilliseconds", playTimeMilliseconds)
        writer.optionalMember("accountCreatedAt", accountCreatedAt)
        writer.optionalMember("userStatus", userStatus)
    }
}

/// When something was kept.
package struct NotedBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Noted", "It is kept.", [.required("notedAt", .instant, "When it was said; of the same said twice, first.")])

    package var notedAt: Timestamp

    package init(notedAt: Timestamp) { self.notedAt = notedAt }

    package init(_ fields: JSONFields) throws(JSONFieldError) { notedAt = try fields.requiredInstant("notedAt") }

    package func write(to writer: inout JSONWriter) { writer.member("notedAt", notedAt) }
}

/// How a customer came by the app, signed by Apple.
package struct AppTransactionBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "AppTransaction", "How a customer came by the app, signed by Apple (LIC-3).",
        [
            .required(
                "signedAppTransaction", .text, "StoreKit's jwsRepresentation of AppTransaction.shared.", example: "eyJhbGciOi…")
        ])
    package static let limits = JSONLimits(maximumDepth: 4, maximumElements: 16)

    package var signedAppTransaction: String

    package init(signedAppTransaction: String) { self.signedAppTransaction = signedAppTransaction }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        signedAppTransaction = try fields.requiredText("signedAppTransaction")
    }

    package func write(to writer: inout JSONWriter) { writer.member("signedAppTransaction", signedAppTransaction) }
}

/// A customer's app transaction as it is kept.
package struct AppPurchaseBody: AnswerContent, JSONBody, JSONItem {
    package static let schema = ObjectSchema(
        "AppPurchase", "How a customer came by the app, as it is kept (LIC-3).",
        [
            .required("originalPurchaseDate", .instant, "When the customer first got the app."),
            .optional("originalApplicationVersion", .text, "The version they first got.", example: "1.4"),
            .required("environment", .word(Environment.names), "In Apple's spelling."),
            .optional("appTransactionId", .text, "Apple's id of the download."),
            .required("shownAt", .instant, "When it was shown first."),
        ])

    package var originalPurchaseDate: Timestamp
    package var originalApplicationVersion: String?
    package var environment: Environment
    package var appTransactionId: String?
    package var shownAt: Timestamp

    package init(originalPurchaseDate: Timestamp, environment: Environment, shownAt: Timestamp) {
        self.originalPurchaseDate = originalPurchaseDate
        self.environment = environment
        self.shownAt = shownAt
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        originalPurchaseDate = try fields.requiredInstant("originalPurchaseDate")
        originalApplicationVersion = try fields.text("originalApplicationVersion")
        environment = try fields.requiredEnvironment("environment")
        appTransactionId = try fields.text("appTransactionId")
        shownAt = try fields.requiredInstant("shownAt")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("originalPurchaseDate", originalPurchaseDate)
        writer.optionalMember("originalApplicationVersion", originalApplicationVersion)
        writer.member("environment", environment.rawValue)
        writer.optionalMember("appTransactionId", appTransactionId)
        writer.member("shownAt", shownAt)
    }
}
