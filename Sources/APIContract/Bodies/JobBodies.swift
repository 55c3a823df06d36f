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

/// What is to be proved (AUDIT-2).
package struct VerificationBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Verification", "Prove everything that is kept of the app (AUDIT-2).",
        [
            .optional(
                "evidence", .bool, "Whether to verify all signatures again, which takes most of the time; true unless said."),
            .optional("rebuild", .bool, "Whether to fold every subscription again and compare; true unless said."),
        ])

    package var evidence: Bool
    package var rebuild: Bool

    package init(evidence: Bool = true, rebuild: Bool = true) { (self.evidence, self.rebuild) = (evidence, rebuild) }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        evidence = try fields.bool("evidence") ?? true
        rebuild = try fields.bool("rebuild") ?? true
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("evidence", evidence)
        writer.member("rebuild", rebuild)
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
