package import Primitives
package import StrictJSON

extension SubscriptionBody {
    /// What was told of the subscription: one event, shortly (docs/events.md has all of it).
    package struct Event: JSONItem {
        package static let schema = ObjectSchema(
            "SubscriptionEvent", "What was told of the subscription, shortly.",
            [
                .required("sequence", .integer, "1, 2, 3, … of this subscription."),
                .required("kind", .text, "As docs/events.md names it.", example: "subscription.renewed"),
                .required("effectiveAt", .instant, "On Apple's clock."),
                .required("rule", .text, "The rule that produced it.", example: "PER-1"),
                .optional("customer", .text, "Whom it is about.", example: "alice"),
                .optional("productId", .text, "Which product.", example: "notes.monthly"),
                .optional("transactionId", .text, "Apple's id of the period's transaction.", example: "2000000113"),
                .optional("until", .instant, "Where what it reports ends."),
            ])

        package var sequence: Int64
        package var kind: String
        package var effectiveAt: Timestamp
        package var rule: String
        package var customer: String?
        package var productId: String?
        package var transactionId: String?
        package var until: Timestamp?

        package init(sequence: Int64, kind: String, effectiveAt: Timestamp, rule: String) {
            self.sequence = sequence
            self.kind = kind
            self.effectiveAt = effectiveAt
            self.rule = rule
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            sequence = try fields.requiredInteger("sequence")
            kind = try fields.requiredText("kind")
            effectiveAt = try fields.requiredInstant("effectiveAt")
            rule = try fields.requiredText("rule")
            customer = try fields.text("customer")
            productId = try fields.text("productId")
            transactionId = try fields.text("transactionId")
            until = try fields.instant("until")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("sequence", sequence)
            writer.member("kind", kind)
            writer.member("effectiveAt", effectiveAt)
            writer.member("rule", rule)
            writer.optionalMember("customer", customer)
            writer.optionalMember("productId", productId)
            writer.optionalMember("transactionId", transactionId)
            writer.optionalMember("until", until)
        }
    }

    /// What is to be done about the subscription, or was.
    package struct Work: JSONItem {
        package static let schema = ObjectSchema(
            "SubscriptionWork", "What is to be done about the subscription, or was.",
            [
                .required("kind", .text, "What.", example: "tell"),
                .required("dueAt", .instant, "Not before this instant."),
                .required("state", .word(["waiting", "leased", "done", "failed"]), "How far it is."),
                .required("attempts", .integer, "How often it was begun."),
                .optional("lastError", .text, "Why the last attempt failed."),
            ])

        package var kind: String
        package var dueAt: Timestamp
        package var state: String
        package var attempts: Int64
        package var lastError: String?

        package init(kind: String, dueAt: Timestamp, state: String, attempts: Int64) {
            self.kind = kind
            self.dueAt = dueAt
            self.state = state
            self.attempts = attempts
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            kind = try fields.requiredText("kind")
            dueAt = try fields.requiredInstant("dueAt")
            state = try fields.requiredText("state")
            attempts = try fields.requiredInteger("attempts")
            lastError = try fields.text("lastError")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("kind", kind)
            writer.member("dueAt", dueAt)
            writer.member("state", state)
            writer.member("attempts", attempts)
            writer.optionalMember("lastError", lastError)
        }
    }
}
