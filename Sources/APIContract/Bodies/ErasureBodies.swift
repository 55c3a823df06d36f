package import Primitives
package import StrictJSON

/// Who decides that a customer is erased.
package struct ErasureOrderBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "ErasureOrder", "Who decides that a customer is erased, for the audit; nothing of it should be personal.",
        [
            .optional("actor", .text, "Who decided.", example: "mia"),
            .optional("reason", .text, "In their words, without names.", example: "request 4711"),
        ])
    package static let limits = JSONLimits(maximumDepth: 4, maximumElements: 16)

    package var actor: String?
    package var reason: String?

    package init(actor: String? = nil, reason: String? = nil) { (self.actor, self.reason) = (actor, reason) }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        actor = try fields.text("actor")
        reason = try fields.text("reason")
    }

    package func write(to writer: inout JSONWriter) {
        writer.optionalMember("actor", actor)
        writer.optionalMember("reason", reason)
    }
}

/// What stands in the place of somebody who was erased.
package struct ErasureBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Erasure", "What stands in the place of somebody who was erased.",
        [
            .required("id", .text, "Of the erasure.", example: "request-4711"),
            .required(
                "pseudonyms", .list(.text),
                "One for each of the ids that the person had: the anonymous ones and those that operators joined among them."),
            .required("erasedAt", .instant, "When."),
            .required("subscriptions", .integer(0, .max), "How many subscriptions named the person; nobody owns them now."),
            .required(
                "leftInFiles", .bool,
                "Whether the files of the database may still spell an id in space that nobody reads, until `tenure compact`, or "
                    + "PostgreSQL's VACUUM, has passed."),
        ])

    package var id: String
    package var pseudonyms: [String]
    package var erasedAt: Timestamp
    package var subscriptions: Int64
    package var isLeftInFiles: Bool

    package init(id: String, pseudonyms: [String], erasedAt: Timestamp, subscriptions: Int64, isLeftInFiles: Bool) {
        self.isLeftInFiles = isLeftInFiles
        self.id = id
        self.pseudonyms = pseudonyms
        self.erasedAt = erasedAt
        self.subscriptions = subscriptions
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        id = try fields.requiredText("id")
        pseudonyms = try fields.required("pseudonyms", .array, try fields.texts("pseudonyms"))
        erasedAt = try fields.requiredInstant("erasedAt")
        subscriptions = try fields.requiredInteger("subscriptions")
        isLeftInFiles = try fields.requiredBool("leftInFiles")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("pseudonyms", pseudonyms)
        writer.member("erasedAt", erasedAt)
        writer.member("subscriptions", subscriptions)
        writer.member("leftInFiles", isLeftInFiles)
    }
}
