package import Primitives
package import StrictJSON

/// What changed a customer's access, the last change first (AUDIT-1).
package struct TimelineBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Timeline", "What changed a customer's access, the last change first (AUDIT-1).",
        [.required("items", .list(.object(Item.schema)), "By effectiveAt, the latest first; at most 1000.")])

    package var items: [Item]

    package init(items: [Item]) { self.items = items }

    package init(_ fields: JSONFields) throws(JSONFieldError) { items = try fields.requiredList("items", Item.init) }

    package func write(to writer: inout JSONWriter) { writer.member("items", items) }

    package var expectedBytes: Int { 64 + 320 * items.count }

    /// One change.
    package struct Item: JSONItem {
        package static let schema = ObjectSchema(
            "TimelineItem", "One change of what a customer may use, or one thing that was said about them.",
            [
                .required("effectiveAt", .instant, "From when on it makes a difference."),
                .required("learnedAt", .instant, "When we learned it."),
                .required("rule", .text, "By which rule.", example: "OWN-5"),
                .required("actor", .text, "Who brought it about.", example: "appStore"),
                .optional("keyName", .text, "The key that the request showed; absent where none was shown.", example: "file"),
                .required("words", .text, "What it is, in English."),
                .optional("originalTransactionId", .text, "By which subscription.", example: "2000000111"),
                .optional("entitlement", .text, "Of which entitlement.", example: "plus"),
                .optional("vote", .text, "Which vote, delivery, unlock or other word.", example: "support-4711"),
            ])

        package var effectiveAt: Timestamp
        package var learnedAt: Timestamp
        package var rule: String
        package var actor: String
        package var keyName: String?
        package var words: String
        package var originalTransactionId: String?
        package var entitlement: String?
        package var vote: String?

        package init(effectiveAt: Timestamp, learnedAt: Timestamp, rule: String, actor: String, words: String) {
            self.effectiveAt = effectiveAt
            self.learnedAt = learnedAt
            self.rule = rule
            self.actor = actor
            self.words = words
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            effectiveAt = try fields.requiredInstant("effectiveAt")
            learnedAt = try fields.requiredInstant("learnedAt")
            rule = try fields.requiredText("rule")
            actor = try fields.requiredText("actor")
            keyName = try fields.text("keyName")
            words = try fields.requiredText("words")
            originalTransactionId = try fields.text("originalTransactionId")
            entitlement = try fields.text("entitlement")
            vote = try fields.text("vote")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("effectiveAt", effectiveAt)
            writer.member("learnedAt", learnedAt)
            writer.member("rule", rule)
            writer.member("actor", actor)
            writer.optionalMember("keyName", keyName)
            writer.member("words", words)
            writer.optionalMember("originalTransactionId", originalTransactionId)
            writer.optionalMember("entitlement", entitlement)
            writer.optionalMember("vote", vote)
        }
    }
}
