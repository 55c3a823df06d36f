package import Primitives
package import StrictJSON

/// A signal of abuse, with what shows it (ABUSE-1).
package struct SignalBody: AnswerContent, JSONBody, PagedItem {
    package static let page = PageWords(
        "Signals", "Signals of abuse (ABUSE-1). None of them changes what anybody is served.",
        order: "The one that was raised for the first time last first.")

    package static let schema = ObjectSchema(
        "Signal", "A signal of abuse, with what shows it (ABUSE-1). It changes nobody's access.",
        [
            .required("id", .text, "What to acknowledge it by.", example: "17"),
            .required("kind", .word(SignalWords.kinds), "What it is a sign of; others may come."),
            .required("subjectType", .word(["customer", "appleAccount", "subscription", "token"]), "What it is about."),
            .optional("customer", .text, "The customer whom it is about.", example: "alice"),
            .optional(
                "originalTransactionId", .text, "The subscription that it is about, or one of the Apple Account's.",
                example: "2000000111"),
            .optional(
                "appAccountToken", .text, "The token that it is about.", example: "6f1c2e0a-58a4-4b1f-9e6d-0c2b7a9d3e11"),
            .required("score", .integer(0, 100), "50 at the threshold, 100 at twice that.", example: "50"),
            .required(
                "count", .integer(0, .max), "How many customers, accounts, offers, refunds, claims or changes.", example: "6"),
            .required("evidence", .list(.object(Evidence.schema)), "By instant; the newest 100."),
            .required("isOpen", .bool, "Whether it waits for somebody to look at it.", example: "true"),
            .required("firstRaisedAt", .instant, "When it was raised for the first time."),
            .required("raisedAt", .instant, "When it was raised last."),
            .required("raises", .integer(1, .max), "How often it was raised."),
            .required("changedAt", .instant, "Grows with each change: send it with what you acknowledge."),
            .optional("acknowledgement", .object(Acknowledgement.schema), "What was said of it last; absent: nothing yet."),
        ])

    package var id: String
    package var kind: String
    package var subjectType: String
    package var customer: String?
    package var originalTransactionId: String?
    package var appAccountToken: String?
    package var score: Int64 = 0
    package var count: Int64 = 0
    package var evidence: [Evidence]
    package var isOpen = true
    package var firstRaisedAt: Timestamp
    package var raisedAt: Timestamp
    package var raises: Int64 = 1
    package var changedAt: Timestamp
    package var acknowledgement: Acknowledgement?

    /// One that was raised just now; the caller says more of it.
    package init(id: String, kind: String, subjectType: String, evidence: [Evidence], firstRaisedAt: Timestamp) {
        (self.id, self.kind, self.subjectType, self.evidence) = (id, kind, subjectType, evidence)
        self.firstRaisedAt = firstRaisedAt
        (raisedAt, changedAt) = (firstRaisedAt, firstRaisedAt)
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        id = try fields.requiredText("id")
        kind = try fields.requiredText("kind")
        subjectType = try fields.requiredText("subjectType")
        customer = try fields.text("customer")
        originalTransactionId = try fields.text("originalTransactionId")
        appAccountToken = try fields.text("appAccountToken")
        score = try fields.requiredInteger("score")
        count = try fields.requiredInteger("count")
        evidence = try fields.requiredList("evidence", Evidence.init)
        isOpen = try fields.requiredBool("isOpen")
        firstRaisedAt = try fields.requiredInstant("firstRaisedAt")
        raisedAt = try fields.requiredInstant("raisedAt")
        raises = try fields.requiredInteger("raises")
        changedAt = try fields.requiredInstant("changedAt")
        if let said = try fields.fields("acknowledgement") { acknowledgement = try Acknowledgement(said) }
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("kind", kind)
        writer.member("subjectType", subjectType)
        writer.optionalMember("customer", customer)
        writer.optionalMember("originalTransactionId", originalTransactionId)
        writer.optionalMember("appAccountToken", appAccountToken)
        writer.member("score", score)
        writer.member("count", count)
        writer.member("evidence", evidence)
        writer.member("isOpen", isOpen)
        writer.member("firstRaisedAt", firstRaisedAt)
        writer.member("raisedAt", raisedAt)
        writer.member("raises", raises)
        writer.member("changedAt", changedAt)
        writer.optionalMember("acknowledgement", acknowledgement)
    }

    package var expectedBytes: Int { 512 + 128 * evidence.count }

    /// One thing that shows a signal.
    package struct Evidence: JSONItem {
        package static let schema = ObjectSchema(
            "SignalEvidence", "One thing that shows a signal.",
            [
                .required("at", .instant, "When."),
                .required("originalTransactionId", .text, "The subscription that shows it.", example: "2000000111"),
                .optional("customer", .text, "Whom it served, or who claimed it.", example: "bob"),
                .optional("transactionId", .text, "The purchase, the refund or the change.", example: "2000000113"),
                .optional(
                    "claim", .text, "The claim, as readSubscription has it.", example: "restore/2000000113/1767225600000"),
            ])

        package var at: Timestamp
        package var originalTransactionId: String
        package var customer: String?
        package var transactionId: String?
        package var claim: String?

        package init(at: Timestamp, originalTransactionId: String) {
            (self.at, self.originalTransactionId) = (at, originalTransactionId)
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            at = try fields.requiredInstant("at")
            originalTransactionId = try fields.requiredText("originalTransactionId")
            customer = try fields.text("customer")
            transactionId = try fields.text("transactionId")
            claim = try fields.text("claim")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("at", at)
            writer.member("originalTransactionId", originalTransactionId)
            writer.optionalMember("customer", customer)
            writer.optionalMember("transactionId", transactionId)
            writer.optionalMember("claim", claim)
        }
    }

    /// What somebody said of a signal.
    package struct Acknowledgement: JSONItem {
        package static let schema = ObjectSchema(
            "SignalAcknowledgement", "What somebody said of a signal.",
            [
                .required("at", .instant, "When."),
                .required("actor", .text, "Who.", example: "mia"),
                .required("reason", .text, "In their words; may be empty.", example: "a school with one iPad"),
                .required("count", .integer(0, .max), "How much of it there was then.", example: "6"),
            ])

        package var at: Timestamp
        package var actor: String
        package var reason: String
        package var count: Int64

        package init(at: Timestamp, actor: String, reason: String, count: Int64) {
            (self.at, self.actor, self.reason, self.count) = (at, actor, reason, count)
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            at = try fields.requiredInstant("at")
            actor = try fields.requiredText("actor")
            reason = try fields.requiredText("reason")
            count = try fields.requiredInteger("count")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("at", at)
            writer.member("actor", actor)
            writer.member("reason", reason)
            writer.member("count", count)
        }
    }
}

/// The kinds of signals; the spellings are stable, and a test holds them against the rules' own.
package enum SignalWords {
    package static let kinds = [
        "accountOfManyCustomers", "customerOfManyAccounts", "introductoryOfferAgain", "repeatedRefunds",
        "refundAfterConsumption", "claimsWithOthersReceipts", "crossgradeLoop", "contestedPurchase", "secondDelivery",
        "tokenOfManyAccounts",
    ]
}

/// Somebody has looked at a signal.
package struct AcknowledgementBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Acknowledgement", "Somebody has looked at a signal, as it was at its changedAt.",
        [.required("changedAt", .instant, "The signal's, as you read it: another one by now is refused.")] + Decider.members)

    package var changedAt: Timestamp
    package var by: Decider

    package init(changedAt: Timestamp, by: Decider = Decider()) { (self.changedAt, self.by) = (changedAt, by) }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        changedAt = try fields.requiredInstant("changedAt")
        by = try Decider(fields)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("changedAt", changedAt)
        by.write(to: &writer)
    }
}
