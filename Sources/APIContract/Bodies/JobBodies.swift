package import Primitives
package import StrictJSON

/// What is to be tried (OWN-16).
package struct TrialBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Trial", "A version of policy and products that is to be tried on everything that is kept (OWN-16).",
        [
            .optional(
                "document", .text, "The version, JSON, as listSettings shows one; what the server's file says unless said.",
                example: #"{"policy":{},"nonRenewingDurations":{},"products":{"plus":[{"from":0,"entitlements":["plus"]}]}}"#),
            .optional("from", .instant, "From when it would hold; now unless said."),
        ])

    /// nil: what the server's file says.
    package var document: String?
    /// nil: from now.
    package var from: Timestamp?

    package init(document: String? = nil, from: Timestamp? = nil) {
        self.document = document
        self.from = from
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        document = try fields.text("document")
        from = try fields.instant("from")
    }

    package func write(to writer: inout JSONWriter) {
        writer.optionalMember("document", document)
        writer.optionalMember("from", from)
    }
}

/// A job as it stands.
package struct JobBody: AnswerContent, JSONBody, Hashable, JSONItem {
    package static let statuses: [AnswerStatus] = [.ok, .accepted]

    package static let schema = ObjectSchema(
        "Job", "Long work under an id: how far it is and what it came to; 202 while it runs. Forgotten 30 days after its end.",
        [
            .required("id", .text, "Chosen by whoever asked.", example: "ticket-17"),
            .required("kind", .text, "Which kind of work; others may come.", example: "trial"),
            .required("state", .word(["running", "done", "failed", "canceled"]), "How it stands."),
            .optional("reason", .text, "Why it failed."),
            .required("startedAt", .instant, "When it was asked for."),
            .optional("endedAt", .instant, "When it came to its end."),
            .optional("from", .instant, "From when what is tried would hold; from startedAt unless said."),
            .required(
                "comparedWith", .integer(0, .max), "The number of the version it is compared with; 0 where none was applied."),
            .required("policyDiffers", .bool, "Whether the policy would be another; if not, no subscription is looked at."),
            .required("productsDiffer", .bool, "Whether products would give others; if not, no customer is looked at."),
            .required("subscriptions", .integer(0, .max), "How many were looked at so far."),
            .required("subscriptionsThatDiffer", .integer(0, .max), "Of them."),
            .required("customers", .integer(0, .max), "How many customers' entitlements were looked at so far."),
            .required("customersThatDiffer", .integer(0, .max), "Of them."),
            .required("differences", .integer(0, .max), "How many there are so far; listDifferences shows them."),
            .required("losses", .integer(0, .max), "How many of them take something away."),
            .optional("confirmation", .text, "What applySettings wants to be shown; once it is done.", example: "0f3a-91c2-77de"),
        ])

    package var id: String
    package var kind: String
    package var state: String
    package var startedAt: Timestamp
    package var reason: String?
    package var endedAt: Timestamp?
    package var from: Timestamp?
    package var comparedWith: Int64 = 0
    package var policyDiffers = false
    package var productsDiffer = false
    package var subscriptions: Int64 = 0
    package var subscriptionsThatDiffer: Int64 = 0
    package var customers: Int64 = 0
    package var customersThatDiffer: Int64 = 0
    package var differences: Int64 = 0
    package var losses: Int64 = 0
    package var confirmation: String?

    package init(id: String, kind: String, state: String, startedAt: Timestamp) {
        self.id = id
        self.kind = kind
        self.state = state
        self.startedAt = startedAt
    }

    package var status: AnswerStatus { state == "running" ? .accepted : .ok }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        id = try fields.requiredText("id")
        kind = try fields.requiredText("kind")
        state = try fields.requiredText("state")
        startedAt = try fields.requiredInstant("startedAt")
        reason = try fields.text("reason")
        endedAt = try fields.instant("endedAt")
        from = try fields.instant("from")
        comparedWith = try fields.requiredInteger("comparedWith")
        policyDiffers = try fields.requiredBool("policyDiffers")
        productsDiffer = try fields.requiredBool("productsDiffer")
        subscriptions = try fields.requiredInteger("subscriptions")
        subscriptionsThatDiffer = try fields.requiredInteger("subscriptionsThatDiffer")
        customers = try fields.requiredInteger("customers")
        customersThatDiffer = try fields.requiredInteger("customersThatDiffer")
        differences = try fields.requiredInteger("differences")
        losses = try fields.requiredInteger("losses")
        confirmation = try fields.text("confirmation")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("kind", kind)
        writer.member("state", state)
        writer.optionalMember("reason", reason)
        writer.member("startedAt", startedAt)
        writer.optionalMember("endedAt", endedAt)
        writer.optionalMember("from", from)
        writer.member("comparedWith", comparedWith)
        writer.member("policyDiffers", policyDiffers)
        writer.member("productsDiffer", productsDiffer)
        writer.member("subscriptions", subscriptions)
        writer.member("subscriptionsThatDiffer", subscriptionsThatDiffer)
        writer.member("customers", customers)
        writer.member("customersThatDiffer", customersThatDiffer)
        writer.member("differences", differences)
        writer.member("losses", losses)
        writer.optionalMember("confirmation", confirmation)
    }
}

/// The jobs of an app.
package struct JobsBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Jobs", "The jobs of an app.", [.required("jobs", .list(.object(JobBody.schema)), "The last one first; at most 200.")])

    package var jobs: [JobBody]

    package init(jobs: [JobBody]) { self.jobs = jobs }

    package init(_ fields: JSONFields) throws(JSONFieldError) { jobs = try fields.requiredList("jobs", JobBody.init) }

    package func write(to writer: inout JSONWriter) { writer.member("jobs", jobs) }
}

/// A stretch of time in which a customer would gain or lose access.
package struct DifferenceItem: PagedItem {
    package static let page = PageWords(
        "Differences", "A page of what would differ if the version were applied (OWN-16).",
        order: "By subscription, then by customer.")

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

/// What is to be applied is what the server's file says (OWN-17).
package struct ApplicationBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Application", "Apply what the server's file says as a new version (OWN-17); a draft cannot be applied.",
        [
            .optional("from", .instant, "From which past instant it is to hold; now unless said."),
            .optional("confirmation", .text, "What the trial of exactly this change says; needed with from."),
            .optional("again", .bool, "Whether what an earlier version says may be applied again; false unless said."),
            .optional("actor", .text, "Who applies it, for the audit; the app's backend unless said.", example: "mia"),
        ])

    package var from: Timestamp?
    package var confirmation: String?
    package var again: Bool
    package var actor: String?

    package init(from: Timestamp? = nil, confirmation: String? = nil, again: Bool = false, actor: String? = nil) {
        self.from = from
        self.confirmation = confirmation
        self.again = again
        self.actor = actor
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        from = try fields.instant("from")
        confirmation = try fields.text("confirmation")
        again = try fields.bool("again") ?? false
        actor = try fields.text("actor")
    }

    package func write(to writer: inout JSONWriter) {
        writer.optionalMember("from", from)
        writer.optionalMember("confirmation", confirmation)
        writer.member("again", again)
        writer.optionalMember("actor", actor)
    }
}

/// What became of it.
package struct ApplicationAnswerBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "ApplicationAnswer", "What became of what the server's file says.",
        [
            .required("number", .integer(1, .max), "Of the version that says it."),
            .required("isNew", .bool, "Whether it was applied now; if not, it is in force already."),
        ])

    package var number: Int64
    package var isNew: Bool

    package init(number: Int64, isNew: Bool) {
        self.number = number
        self.isNew = isNew
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        number = try fields.requiredInteger("number")
        isNew = try fields.requiredBool("isNew")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("number", number)
        writer.member("isNew", isNew)
    }
}
