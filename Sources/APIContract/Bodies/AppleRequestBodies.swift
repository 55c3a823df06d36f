package import Primitives
package import StrictJSON

/// By how much present periods are to be lengthened at Apple, and why.
package struct ExtensionBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Extension", "By how much a subscription's present period is lengthened at Apple, without a charge.",
        members + [Requester.member])
    static let members: [MemberSchema] = [
        .required("extendByDays", .integer(1, 90), "1 to 90 days.", example: "7"),
        .required(
            "extendReasonCode", .integer(0, 3),
            "Apple's: 0 undeclared, 1 customer satisfaction, 2 other, 3 service issue or outage.", example: "3"),
    ]

    package var extendByDays: Int64
    package var extendReasonCode: Int64
    package var actor: String?

    package init(extendByDays: Int64, extendReasonCode: Int64, actor: String? = nil) {
        self.extendByDays = extendByDays
        self.extendReasonCode = extendReasonCode
        self.actor = actor
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        extendByDays = try fields.requiredInteger("extendByDays", in: 1...90)
        extendReasonCode = try fields.requiredInteger("extendReasonCode", in: 0...3)
        actor = try fields.text("actor")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("extendByDays", extendByDays)
        writer.member("extendReasonCode", extendReasonCode)
        writer.optionalMember("actor", actor)
    }
}

/// The same for all active subscriptions of a product.
package struct ProductExtensionBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "ProductExtension", "By how much the present period of every active subscription of a product is lengthened.",
        ExtensionBody.members + [
            .optional(
                "storefrontCountryCodes", .list(.text), "Only in these storefronts, ISO 3166-1 alpha-3; all unless said."),
            Requester.member,
        ])

    package var by: ExtensionBody
    package var storefrontCountryCodes: [String]?

    package init(by: ExtensionBody, storefrontCountryCodes: [String]? = nil) {
        self.by = by
        self.storefrontCountryCodes = storefrontCountryCodes
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        by = try ExtensionBody(fields)
        storefrontCountryCodes = try fields.texts("storefrontCountryCodes")
    }

    package func write(to writer: inout JSONWriter) {
        by.write(to: &writer)
        if let storefrontCountryCodes { writer.member("storefrontCountryCodes", storefrontCountryCodes) }
    }
}

/// Who asks for something, for the record.
enum Requester {
    static let member = MemberSchema.optional(
        "actor", .text, "Who asks, for the record; the app's backend unless said. 200 characters.", example: "mia")
}

/// Which token a subscription's purchases are to bear at Apple.
package struct TokenAtAppleBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "TokenAtApple", "The appAccountToken that a subscription's renewals bear from now on.",
        [
            .required("appAccountToken", .text, "A UUID.", example: "6f1c2e0a-58a4-4b1f-9e6d-0c2b7a9d3e11"),
            Requester.member,
        ])

    package var appAccountToken: String
    package var actor: String?

    package init(appAccountToken: String, actor: String? = nil) {
        self.appAccountToken = appAccountToken
        self.actor = actor
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        appAccountToken = try fields.requiredText("appAccountToken")
        actor = try fields.text("actor")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("appAccountToken", appAccountToken)
        writer.optionalMember("actor", actor)
    }
}

/// Something that Apple was told or asked to do, and what came of it.
package struct AppleRequestBody: AnswerContent, JSONBody, JSONItem {
    package static let schema = ObjectSchema(
        "AppleRequest", "Something that Apple was told or asked to do, and what came of it.",
        [
            .required("endpoint", .text, "What was called, as Apple names it.", example: "Send Consumption Information"),
            .required("id", .text, "Chosen by whoever asked; where Apple asked, the notification's.", example: "outage-may"),
            .required("subject", .text, "The subscription or the product that it is about.", example: "2000000111"),
            .required("actor", .text, "Who asked for it; tenure where a rule did.", example: "mia"),
            .required("requestedAt", .instant, "When it was kept, just before it was sent."),
            .required("content", .text, "What was sent, as JSON; empty where nothing was."),
            .optional(
                "outcome", .text, "accepted, or why not: notSent. with a reason, or a failure; absent while it is not known.",
                example: "accepted"),
            .optional("answer", .text, "What Apple answered, as JSON; absent where nothing."),
            .optional("answeredAt", .instant, "When the outcome was known."),
        ])

    package var endpoint: String
    package var id: String
    package var subject: String
    package var actor: String
    package var requestedAt: Timestamp
    package var content: String
    package var outcome: String?
    package var answer: String?
    package var answeredAt: Timestamp?

    package init(endpoint: String, id: String, subject: String, actor: String, requestedAt: Timestamp) {
        self.endpoint = endpoint
        self.id = id
        self.subject = subject
        self.actor = actor
        self.requestedAt = requestedAt
        content = ""
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        endpoint = try fields.requiredText("endpoint")
        id = try fields.requiredText("id")
        subject = try fields.requiredText("subject")
        actor = try fields.requiredText("actor")
        requestedAt = try fields.requiredInstant("requestedAt")
        content = try fields.requiredText("content")
        outcome = try fields.text("outcome")
        answer = try fields.text("answer")
        answeredAt = try fields.instant("answeredAt")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("endpoint", endpoint)
        writer.member("id", id)
        writer.member("subject", subject)
        writer.member("actor", actor)
        writer.member("requestedAt", requestedAt)
        writer.member("content", content)
        writer.optionalMember("outcome", outcome)
        writer.optionalMember("answer", answer)
        writer.optionalMember("answeredAt", answeredAt)
    }
}

/// What Apple was told or asked to do, the last one first.
package struct AppleRequestsBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "AppleRequests", "What Apple was told or asked to do.",
        [.required("requests", .list(.object(AppleRequestBody.schema)), "The last one first; at most 200.")])

    package var requests: [AppleRequestBody]

    package init(requests: [AppleRequestBody]) { self.requests = requests }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        requests = try fields.requiredList("requests", AppleRequestBody.init)
    }

    package func write(to writer: inout JSONWriter) { writer.member("requests", requests) }
}

/// How far an extension of all subscriptions of a product is, as Apple says.
package struct ProductExtensionProgressBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "ProductExtensionProgress", "How far an extension of all active subscriptions of a product is, as Apple says.",
        [
            .required("isComplete", .bool, "Whether it has ended."),
            .optional("completeDate", .instant, "When it ended."),
            .optional("succeededCount", .integer, "How many subscriptions were extended.", example: "4711"),
            .optional("failedCount", .integer, "How many were not.", example: "3"),
        ])

    package var isComplete: Bool
    package var completeDate: Timestamp?
    package var succeededCount: Int64?
    package var failedCount: Int64?

    package init(isComplete: Bool) { self.isComplete = isComplete }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        isComplete = try fields.requiredBool("isComplete")
        completeDate = try fields.instant("completeDate")
        succeededCount = try fields.integer("succeededCount")
        failedCount = try fields.integer("failedCount")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("isComplete", isComplete)
        writer.optionalMember("completeDate", completeDate)
        writer.optionalMember("succeededCount", succeededCount)
        writer.optionalMember("failedCount", failedCount)
    }
}

/// What came of asking Apple about a subscription at once.
package struct RefreshBody: AnswerContent, JSONBody, Hashable {
    package static let statuses: [AnswerStatus] = [.ok, .accepted]
    package static let schema = ObjectSchema(
        "Refresh", "What came of asking Apple about a subscription at once.",
        [
            .required(
                "outcome", .word(["answered", "waiting"]),
                "answered; or waiting: Apple cannot be asked now, and is asked as soon as it can be."),
            .optional("isNew", .bool, "Whether the answer says anything that was not known; absent while it waits."),
            .optional("reason", .text, "Why Apple cannot be asked now.", example: "notAsked.budget"),
        ])

    package var outcome: String
    package var isNew: Bool?
    package var reason: String?

    package init(isNew: Bool) { (outcome, self.isNew) = ("answered", isNew) }

    package init(waitingBecause reason: String) { (outcome, self.reason) = ("waiting", reason) }

    package var status: AnswerStatus { outcome == "waiting" ? .accepted : .ok }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        outcome = try fields.requiredText("outcome")
        isNew = try fields.bool("isNew")
        reason = try fields.text("reason")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("outcome", outcome)
        if let isNew { writer.member("isNew", isNew) }
        writer.optionalMember("reason", reason)
    }
}

/// Purchases as Apple signed them, in an answer that was asked for now; they are kept like all others.
package struct ToldPurchasesBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "ToldPurchases", "Purchases as Apple signed them, in an answer that was asked for now; they are kept.",
        [
            .required("purchases", .list(.object(Item.schema)), "In Apple's order."),
            .required("refusedCount", .integer(0, .max), "How many were left out: their signatures or contents were refused."),
            .required("isComplete", .bool, "Whether these are all; else Apple has more, or could not be asked for them."),
        ])

    package var purchases: [Item]
    package var refusedCount: Int64
    package var isComplete: Bool

    package init(purchases: [Item], refusedCount: Int64, isComplete: Bool) {
        self.purchases = purchases
        self.refusedCount = refusedCount
        self.isComplete = isComplete
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        purchases = try fields.requiredList("purchases", Item.init)
        refusedCount = try fields.requiredInteger("refusedCount")
        isComplete = try fields.requiredBool("isComplete")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("purchases", purchases)
        writer.member("refusedCount", refusedCount)
        writer.member("isComplete", isComplete)
    }

    package struct Item: JSONItem {
        package static let schema = ObjectSchema(
            "ToldPurchase", "A purchase as Apple signed it.",
            [
                .required("transactionId", .text, "Apple's id of it.", example: "2000000113"),
                .required("originalTransactionId", .text, "Of its subscription.", example: "2000000111"),
                .required("productId", .text, "What was bought.", example: "plus.monthly"),
                .required("purchaseDate", .instant, "When it was bought."),
                .optional("revocationDate", .instant, "When it was refunded or taken back."),
                .required("isNew", .bool, "Whether it was not known before."),
            ])

        package var transactionId: String
        package var originalTransactionId: String
        package var productId: String
        package var purchaseDate: Timestamp
        package var revocationDate: Timestamp?
        package var isNew: Bool

        package init(
            transactionId: String, originalTransactionId: String, productId: String, purchaseDate: Timestamp, isNew: Bool
        ) {
            self.transactionId = transactionId
            self.originalTransactionId = originalTransactionId
            self.productId = productId
            self.purchaseDate = purchaseDate
            self.isNew = isNew
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            transactionId = try fields.requiredText("transactionId")
            originalTransactionId = try fields.requiredText("originalTransactionId")
            productId = try fields.requiredText("productId")
            purchaseDate = try fields.requiredInstant("purchaseDate")
            revocationDate = try fields.instant("revocationDate")
            isNew = try fields.requiredBool("isNew")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("transactionId", transactionId)
            writer.member("originalTransactionId", originalTransactionId)
            writer.member("productId", productId)
            writer.member("purchaseDate", purchaseDate)
            writer.optionalMember("revocationDate", revocationDate)
            writer.member("isNew", isNew)
        }
    }
}

/// A test notification that Apple was asked to post.
package struct TestNotificationBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "TestNotification", "A test notification that Apple was asked to post.",
        [
            .required("testNotificationToken", .text, "What to ask for it by.", example: "ce3af791-365e-4c60_1767225600000"),
            .required("isReceived", .bool, "Whether it has arrived here."),
            .required("attempts", .list(.object(Attempt.schema)), "What came of Apple's attempts, in their order."),
        ])

    package var testNotificationToken: String
    package var isReceived: Bool
    package var attempts: [Attempt]

    package init(testNotificationToken: String, isReceived: Bool = false, attempts: [Attempt] = []) {
        self.testNotificationToken = testNotificationToken
        self.isReceived = isReceived
        self.attempts = attempts
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        testNotificationToken = try fields.requiredText("testNotificationToken")
        isReceived = try fields.requiredBool("isReceived")
        attempts = try fields.requiredList("attempts", Attempt.init)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("testNotificationToken", testNotificationToken)
        writer.member("isReceived", isReceived)
        writer.member("attempts", attempts)
    }

    package struct Attempt: JSONItem {
        package static let schema = ObjectSchema(
            "SendAttempt", "One attempt of Apple's to post a notification.",
            [
                .optional("attemptDate", .instant, "When."),
                .optional("sendAttemptResult", .text, "SUCCESS, or why not, as Apple spells it.", example: "SUCCESS"),
            ])

        package var attemptDate: Timestamp?
        package var sendAttemptResult: String?

        package init(attemptDate: Timestamp?, sendAttemptResult: String?) {
            self.attemptDate = attemptDate
            self.sendAttemptResult = sendAttemptResult
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            attemptDate = try fields.instant("attemptDate")
            sendAttemptResult = try fields.text("sendAttemptResult")
        }

        package func write(to writer: inout JSONWriter) {
            writer.optionalMember("attemptDate", attemptDate)
            writer.optionalMember("sendAttemptResult", sendAttemptResult)
        }
    }
}
