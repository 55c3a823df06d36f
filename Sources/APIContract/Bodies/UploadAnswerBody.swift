package import Primitives
package import StrictJSON

/// What an upload of a transaction came to, with the subscription it is about: the client need not know its environment, and
/// must ask for its entitlements there.
package struct UploadAnswerBody: AnswerContent, JSONBody, Hashable {
    package static let statuses: [AnswerStatus] = [.ok, .accepted]
    package static let schema = ObjectSchema(
        "UploadAnswer", "What an upload of a transaction came to.",
        [
            .required("outcome", .text, "bound, alreadyOwner, moved, noted, or waiting. with the reason.", example: "bound"),
            .required("originalTransactionId", .text, "The subscription it is about.", example: "2000000111"),
            .required("environment", .word(Environment.names), "Where to ask for its entitlements."),
            .required("isOwner", .bool, "Whether it serves the customer now."),
            .optional("rule", .text, "The rule by which it moved.", example: "OWN-5"),
        ])

    /// `bound`, `alreadyOwner`, `moved`, `noted`, or `waiting.` with the reason.
    package var outcome: String
    package var originalTransactionId: String
    package var environment: Environment
    package var isOwner: Bool
    /// The rule by which it moved, such as `OWN-9`; nil where it did not.
    package var rule: String?

    package init(outcome: String, originalTransactionId: String, environment: Environment, isOwner: Bool, rule: String? = nil) {
        self.outcome = outcome
        self.originalTransactionId = originalTransactionId
        self.environment = environment
        self.isOwner = isOwner
        self.rule = rule
    }

    /// Where it waits, it is kept and decided later.
    package var status: AnswerStatus { outcome.hasPrefix("waiting.") ? .accepted : .ok }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        outcome = try fields.requiredText("outcome")
        originalTransactionId = try fields.requiredText("originalTransactionId")
        environment = try fields.requiredEnvironment("environment")
        isOwner = try fields.requiredBool("isOwner")
        rule = try fields.text("rule")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("outcome", outcome)
        writer.member("originalTransactionId", originalTransactionId)
        writer.member("environment", environment.rawValue)
        writer.member("isOwner", isOwner)
        writer.optionalMember("rule", rule)
    }
}

/// What the claims in a receipt came to, one for each subscription in it; or that Apple must be asked first (RECON-6).
package struct ReceiptAnswerBody: AnswerContent, JSONBody, Hashable {
    package static let statuses: [AnswerStatus] = [.ok, .accepted]
    package static let schema = ObjectSchema(
        "ReceiptAnswer", "What the claims in a receipt came to.",
        [
            .required("results", .list(.object(result)), "One for each subscription in it."),
            .optional(
                "waiting", .text, "A text to show where Apple must be asked first; sent again later, the receipt is known.",
                example: waitingForApple),
            .optional("meanwhile", .object(EntitlementsBody.schema), "What the customer may use until Apple has answered."),
        ])
    /// What is shown while Apple is asked.
    package static let waitingForApple = "Apple is being asked about this receipt. Ask again in a minute."
    private static let result = ObjectSchema(
        "ReceiptResult", "What one claim of a receipt came to.",
        [
            .required("originalTransactionId", .text, "The subscription it is about.", example: "2000000111"),
            .required("environment", .word(Environment.names), "In Apple's spelling."),
            .required("outcome", .text, "As of an upload of a transaction, or refused.", example: "bound"),
            .required("isOwner", .bool, "Whether it serves the customer now."),
            .optional("rule", .text, "The rule that says so.", example: "OWN-9"),
            .optional("code", .text, "Why it is refused.", example: "ownedByAnother"),
            .optional("hint", .text, "The owner, masked.", example: "b…b"),
        ])

    package var results: [Result]
    /// A text to show where Apple must be asked first; nil where the receipt is known.
    package var waiting: String?
    /// What the customer may use until then; nil where the receipt is known, and where they may not be answered.
    package var meanwhile: EntitlementsBody?

    package init(results: [Result]) { self.results = results }

    /// Where it waits, it is kept and decided later.
    package var status: AnswerStatus { waiting == nil ? .ok : .accepted }

    package struct Result: Sendable, Hashable {
        package var originalTransactionId: String
        package var environment: Environment
        /// As of an upload of a transaction, or `refused`.
        package var outcome: String
        package var isOwner: Bool
        package var rule: String?
        /// Why it is refused; nil where it is not.
        package var code: String?
        /// The owner, masked; nil where it is not refused.
        package var hint: String?

        package init(originalTransactionId: String, environment: Environment, outcome: String, isOwner: Bool) {
            self.originalTransactionId = originalTransactionId
            self.environment = environment
            self.outcome = outcome
            self.isOwner = isOwner
        }
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        results = try fields.requiredList("results", Result.init)
        waiting = try fields.text("waiting")
        if let fields = try fields.fields("meanwhile") { meanwhile = try EntitlementsBody(fields) }
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("results") { $0.array { writer in results.forEach { $0.write(to: &writer) } } }
        writer.optionalMember("waiting", waiting)
        guard let meanwhile else { return }
        writer.member("meanwhile") { $0.object { meanwhile.write(to: &$0) } }
    }

    package var expectedBytes: Int { 160 + 160 * results.count + (meanwhile?.expectedBytes ?? 0) }
}

extension ReceiptAnswerBody.Result {
    fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
        originalTransactionId = try fields.requiredText("originalTransactionId")
        environment = try fields.requiredEnvironment("environment")
        outcome = try fields.requiredText("outcome")
        isOwner = try fields.requiredBool("isOwner")
        rule = try fields.text("rule")
        code = try fields.text("code")
        hint = try fields.text("hint")
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("originalTransactionId", originalTransactionId)
            writer.member("environment", environment.rawValue)
            writer.member("outcome", outcome)
            writer.member("isOwner", isOwner)
            writer.optionalMember("rule", rule)
            writer.optionalMember("code", code)
            writer.optionalMember("hint", hint)
        }
    }
}
