package import Primitives
package import StrictJSON

/// A stretch of time in which a customer would gain or lose access.
package struct DifferenceItem: JSONItem {
    package static let schema = ObjectSchema(
        "Difference", "A stretch of time in which a customer would gain or lose access.",
        [
            .required("customer", .text, "Whose.", example: "alice"),
            .required("environment", .word(Environment.names), "In whose ledger."),
            .required("effect", .word(["gains", "loses"]), "What would happen."),
            .required("window", .object(WindowItem.schema), "When."),
            .optional("originalTransactionId", .text, "The subscription that would serve them, or would no more."),
            .optional("entitlement", .text, "The entitlement that products would give, or would no more.", example: "plus"),
            .required("rule", .text, "By which rule.", example: "OWN-9"),
        ])

    package var customer: String
    package var environment: Environment
    package var effect: String
    package var window: WindowItem
    package var originalTransactionId: String?
    package var entitlement: String?
    package var rule: String

    package init(customer: String, environment: Environment, effect: String, window: WindowItem, rule: String) {
        self.customer = customer
        self.environment = environment
        self.effect = effect
        self.window = window
        self.rule = rule
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        customer = try fields.requiredText("customer")
        environment = try fields.requiredEnvironment("environment")
        effect = try fields.requiredText("effect")
        window = try WindowItem(try fields.required("window", .object, try fields.fields("window")))
        originalTransactionId = try fields.text("originalTransactionId")
        entitlement = try fields.text("entitlement")
        rule = try fields.requiredText("rule")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("customer", customer)
        writer.member("environment", environment.rawValue)
        writer.member("effect", effect)
        writer.member("window") { $0.object { window.write(to: &$0) } }
        writer.optionalMember("originalTransactionId", originalTransactionId)
        writer.optionalMember("entitlement", entitlement)
        writer.member("rule", rule)
    }
}

/// Something that is not as it must be.
package struct FindingItem: JSONItem {
    package static let schema = ObjectSchema(
        "Finding", "Something in the books that is not as it must be (AUDIT-2).",
        [
            .required(
                "kind", .text, "What kind of thing, as tenure verify names it; others may come.", example: "auditRowChanged"),
            .optional("environment", .word(Environment.names), "In whose ledger."),
            .optional("originalTransactionId", .text, "Of which subscription; absent where it is about none."),
            .required("words", .text, "What exactly, for people.", example: "audit row 3 was changed"),
        ])

    package var kind: String
    package var environment: Environment?
    package var originalTransactionId: String?
    package var words: String

    package init(kind: String, words: String) { (self.kind, self.words) = (kind, words) }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        kind = try fields.requiredText("kind")
        environment = try fields.environment("environment")
        originalTransactionId = try fields.text("originalTransactionId")
        words = try fields.requiredText("words")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("kind", kind)
        writer.optionalMember("environment", environment?.rawValue)
        writer.optionalMember("originalTransactionId", originalTransactionId)
        writer.member("words", words)
    }
}

/// A line of a file that was not accepted.
package struct RefusedLineItem: JSONItem {
    package static let schema = ObjectSchema(
        "RefusedLine", "A line of an imported file that was not accepted.",
        [
            .required("line", .integer(1, .max), "Its number in the file."),
            .required("code", .text, "Why; stable.", example: "signatureInvalid"),
            .required("reason", .text, "The same for people.", example: "the signature is not valid"),
        ])

    package var line: Int64
    package var code: String
    package var reason: String

    package init(line: Int64, code: String, reason: String) { (self.line, self.code, self.reason) = (line, code, reason) }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        line = try fields.requiredInteger("line")
        code = try fields.requiredText("code")
        reason = try fields.requiredText("reason")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("line", line)
        writer.member("code", code)
        writer.member("reason", reason)
    }
}

/// One thing that a job found: one of its members, by the job's kind.
package struct JobResultItem: PagedItem {
    package static let page = PageWords(
        "JobResults", "A page of what a job found, as far as it is.", order: "In the order in which it was found.")

    package static let schema = ObjectSchema(
        "JobResult", "One thing that a job found: the member says what, by the job's kind.",
        [
            .required("number", .integer(1, .max), "1, 2, 3, … of its job."),
            .optional("difference", .object(DifferenceItem.schema), "Of a trial."),
            .optional("finding", .object(FindingItem.schema), "Of a verification."),
            .optional("refusedLine", .object(RefusedLineItem.schema), "Of an import."),
        ])

    package var number: Int64
    package var difference: DifferenceItem?
    package var finding: FindingItem?
    package var refusedLine: RefusedLineItem?

    package init(number: Int64) { self.number = number }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        number = try fields.requiredInteger("number")
        if let found = try fields.fields("difference") { difference = try DifferenceItem(found) }
        if let found = try fields.fields("finding") { finding = try FindingItem(found) }
        if let found = try fields.fields("refusedLine") { refusedLine = try RefusedLineItem(found) }
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("number", number)
        writer.optionalMember("difference", difference)
        writer.optionalMember("finding", finding)
        writer.optionalMember("refusedLine", refusedLine)
    }
}
