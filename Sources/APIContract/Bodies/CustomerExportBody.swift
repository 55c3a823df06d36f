package import Primitives
package import StrictJSON

/// Everything that is kept of one customer.
package struct CustomerExportBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "CustomerExport", "Everything that is kept of one customer; what is of others is left out.",
        [
            .required("customer", .text, "Of whom.", example: "alice"),
            .required("at", .instant, "When."),
            .required(
                "environments", .list(.object(Part.schema)), "Those in which anything is kept of the customer."),
        ])

    package var customer: String
    package var at: Timestamp
    package var environments: [Part]

    package init(customer: String, at instant: Timestamp, environments: [Part]) {
        (self.customer, at, self.environments) = (customer, instant, environments)
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        customer = try fields.requiredText("customer")
        at = try fields.requiredInstant("at")
        environments = try fields.requiredList("environments", Part.init)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("customer", customer)
        writer.member("at", at)
        writer.member("environments", environments)
    }
}

extension CustomerExportBody {
    /// What is kept in one environment.
    package struct Part: JSONItem {
        package static let schema = ObjectSchema(
            "CustomerExportPart", "What is kept of the customer in one environment.",
            [
                .required("environment", .word(Environment.names), "Which.", example: "Production"),
                .required("customer", .object(CustomerBody.schema), "The customer whole."),
                .required(
                    "timeline", .list(.object(TimelineBody.Item.schema)), "What changed their access, the latest first."),
                .required(
                    "purchases", .list(.object(Purchases.schema)), "What Apple signed of what was theirs, by subscription."),
                .required("offers", .object(OfferHistoryBody.schema), "The offers that were signed for them."),
            ])

        package var environment: Environment
        package var customer: CustomerBody
        package var timeline: [TimelineBody.Item]
        package var purchases: [Purchases]
        package var offers: OfferHistoryBody

        package init(
            environment: Environment, customer: CustomerBody, timeline: [TimelineBody.Item], purchases: [Purchases],
            offers: OfferHistoryBody
        ) {
            self.environment = environment
            self.customer = customer
            self.timeline = timeline
            self.purchases = purchases
            self.offers = offers
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            environment = try fields.requiredEnvironment("environment")
            customer = try CustomerBody(try fields.required("customer", .object, try fields.fields("customer")))
            timeline = try fields.requiredList("timeline", TimelineBody.Item.init)
            purchases = try fields.requiredList("purchases", Purchases.init)
            offers = try OfferHistoryBody(try fields.required("offers", .object, try fields.fields("offers")))
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("environment", environment.rawValue)
            writer.member("customer") { writer in writer.object { customer.write(to: &$0) } }
            writer.member("timeline", timeline)
            writer.member("purchases", purchases)
            writer.member("offers") { writer in writer.object { offers.write(to: &$0) } }
        }
    }

    /// What Apple signed of one subscription while it was the customer's.
    package struct Purchases: JSONItem {
        package static let schema = ObjectSchema(
            "CustomerPurchases", "What Apple signed of one subscription while it was the customer's, byte for byte.",
            [
                .required("originalTransactionId", .text, "The subscription.", example: "2000000111"),
                .required("facts", .list(.object(FactsBody.Fact.schema)), "By signedDate."),
                .required("evidence", .list(.object(FactsBody.Evidence.schema)), "What proves them; one may prove several."),
            ])

        package var originalTransactionId: String
        package var facts: FactsBody

        package init(originalTransactionId: String, facts: FactsBody) {
            (self.originalTransactionId, self.facts) = (originalTransactionId, facts)
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            originalTransactionId = try fields.requiredText("originalTransactionId")
            facts = FactsBody(
                facts: try fields.requiredList("facts", FactsBody.Fact.init),
                evidence: try fields.requiredList("evidence", FactsBody.Evidence.init))
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("originalTransactionId", originalTransactionId)
            facts.write(to: &writer)
        }
    }
}
