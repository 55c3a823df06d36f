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
                    .word([
                        "customer", "originalTransactionId", "transactionId", "webOrderLineItemId", "claimId",
                        "appAccountToken", "appTransactionId",
                    ]),
                    "What the text is there."),
                .optional("purchaseDate", .instant, "When the period began that has the webOrderLineItemId; absent otherwise."),
                .optional("end", .instant, "Where that period ends after everything that is known; absent where it does not."),
            ])

        package var kind: String
        package var id: String
        package var environment: Environment
        package var foundBy: String
        package var purchaseDate: Timestamp?
        package var end: Timestamp?

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
            purchaseDate = try fields.instant("purchaseDate")
            end = try fields.instant("end")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("kind", kind)
            writer.member("id", id)
            writer.member("environment", environment.rawValue)
            writer.member("foundBy", foundBy)
            writer.optionalMember("purchaseDate", purchaseDate)
            writer.optionalMember("end", end)
        }
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) { results = try fields.requiredList("results", Hit.init) }

    package func write(to writer: inout JSONWriter) { writer.member("results", results) }
}
