package import Primitives
package import StrictJSON

/// What has a name, or is named by it.
package struct SearchBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "SearchResults", "What has the text for a name, in every environment of the app.",
        [.required("results", .list(.object(Hit.schema)), "Empty where nothing has it.")])

    package var results: [Hit]

    package init(results: [Hit]) { self.results = results }

    /// A customer or a subscription.
    package struct Hit: JSONItem {
        package static let schema = ObjectSchema(
            "SearchResult", "A customer or a subscription.",
            [
                .required("kind", .word(["customer", "subscription"]), "What it is."),
                .required("id", .text, "The customer's id, or the originalTransactionId.", example: "alice"),
                .required("environment", .word(Environment.names), "Where it was found."),
                .required(
                    "foundBy",
                    .word(["customer", "originalTransactionId", "transactionId", "appAccountToken", "appTransactionId"]),
                    "What the text is there."),
            ])

        package var kind: String
        package var id: String
        package var environment: Environment
        package var foundBy: String

        package init(kind: String, id: String, environment: Environment, foundBy: String) {
            self.kind = kind
            self.id = id
            self.environment = environment
            self.foundBy = foundBy
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            kind = try fields.requiredText("kind")
            id = try fields.requiredText("id")
            environment = try fields.requiredEnvironment("environment")
            foundBy = try fields.requiredText("foundBy")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("kind", kind)
            writer.member("id", id)
            writer.member("environment", environment.rawValue)
            writer.member("foundBy", foundBy)
        }
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) { results = try fields.requiredList("results", Hit.init) }

    package func write(to writer: inout JSONWriter) { writer.member("results", results) }
}
