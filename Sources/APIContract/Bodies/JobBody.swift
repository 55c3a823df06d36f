package import Primitives
package import StrictJSON

/// A job as it stands.
package struct JobBody: AnswerContent, JSONBody, Hashable, JSONItem {
    package static let statuses: [AnswerStatus] = [.ok, .accepted]

    package static let schema = ObjectSchema(
        "Job",
        "Long work: how far it is and what it came to, the same for all kinds; 202 while it runs. Forgotten after 30 days.",
        [
            .required("id", .text, "Chosen by whoever asked, or begins with settings- or import-.", example: "ticket-17"),
            .required(
                "kind", .word(["trial", "verification", "application", "import"]), "Which kind of work; others may come.",
                example: "trial"),
            .required("state", .word(["running", "done", "failed", "canceled"]), "How it stands."),
            .optional("reason", .text, "Why it failed, or was ended by another one."),
            .required("startedAt", .instant, "When it was asked for."),
            .optional("endedAt", .instant, "When it came to its end."),
            .required("done", .integer(0, .max), "How many subscriptions, customers or lines it has gone through so far."),
            .required("results", .integer(0, .max), "How many things it has found so far: listJobResults shows them."),
            .optional("trial", .object(TrialPart.schema), "Of a trial."),
            .optional("verification", .object(VerificationPart.schema), "Of a verification."),
            .optional("application", .object(ApplicationPart.schema), "Of the application of a version."),
            .optional("import", .object(ImportPart.schema), "Of an import."),
        ])

    package var id: String
    package var kind: String
    package var state: String
    package var startedAt: Timestamp
    package var reason: String?
    package var endedAt: Timestamp?
    package var done: Int64 = 0
    package var results: Int64 = 0
    package var trial: TrialPart?
    package var verification: VerificationPart?
    package var application: ApplicationPart?
    package var imported: ImportPart?

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
        done = try fields.requiredInteger("done")
        results = try fields.requiredInteger("results")
        if let found = try fields.fields("trial") { trial = try TrialPart(found) }
        if let found = try fields.fields("verification") { verification = try VerificationPart(found) }
        if let found = try fields.fields("application") { application = try ApplicationPart(found) }
        if let found = try fields.fields("import") { imported = try ImportPart(found) }
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("kind", kind)
        writer.member("state", state)
        writer.optionalMember("reason", reason)
        writer.member("startedAt", startedAt)
        writer.optionalMember("endedAt", endedAt)
        writer.member("done", done)
        writer.member("results", results)
        writer.optionalMember("trial", trial)
        writer.optionalMember("verification", verification)
        writer.optionalMember("application", application)
        writer.optionalMember("import", imported)
    }
}

/// What a trial came to so far.
package struct TrialPart: JSONItem {
    package static let schema = ObjectSchema(
        "TrialJob", "What trying a version came to so far (OWN-16).",
        [
            .optional("from", .instant, "From when what is tried would hold; from startedAt unless said."),
            .required(
                "comparedWith", .integer(0, .max), "The number of the version it is compared with; 0 where none was applied."),
            .required("policyDiffers", .bool, "Whether the policy would be another; if not, no subscription is looked at."),
            .required("productsDiffer", .bool, "Whether products would give others; if not, no customer is looked at."),
            .required("subscriptions", .integer(0, .max), "How many were looked at so far."),
            .required("subscriptionsThatDiffer", .integer(0, .max), "Of them."),
            .required("customers", .integer(0, .max), "How many customers' entitlements were looked at so far."),
            .required("customersThatDiffer", .integer(0, .max), "Of them."),
            .required("losses", .integer(0, .max), "How many of the results take something away."),
            .optional("confirmation", .text, "What applySettings wants to be shown; once it is done.", example: "0f3a-91c2-77de"),
        ])

    package var from: Timestamp?
    package var comparedWith: Int64 = 0
    package var policyDiffers = false
    package var productsDiffer = false
    package var subscriptions: Int64 = 0
    package var subscriptionsThatDiffer: Int64 = 0
    package var customers: Int64 = 0
    package var customersThatDiffer: Int64 = 0
    package var losses: Int64 = 0
    package var confirmation: String?

    package init() {}

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        from = try fields.instant("from")
        comparedWith = try fields.requiredInteger("comparedWith")
        policyDiffers = try fields.requiredBool("policyDiffers")
        productsDiffer = try fields.requiredBool("productsDiffer")
        subscriptions = try fields.requiredInteger("subscriptions")
        subscriptionsThatDiffer = try fields.requiredInteger("subscriptionsThatDiffer")
        customers = try fields.requiredInteger("customers")
        customersThatDiffer = try fields.requiredInteger("customersThatDiffer")
        losses = try fields.requiredInteger("losses")
        confirmation = try fields.text("confirmation")
    }

    package func write(to writer: inout JSONWriter) {
        writer.optionalMember("from", from)
        writer.member("comparedWith", comparedWith)
        writer.member("policyDiffers", policyDiffers)
        writer.member("productsDiffer", productsDiffer)
        writer.member("subscriptions", subscriptions)
        writer.member("subscriptionsThatDiffer", subscriptionsThatDiffer)
        writer.member("customers", customers)
        writer.member("customersThatDiffer", customersThatDiffer)
        writer.member("losses", losses)
        writer.optionalMember("confirmation", confirmation)
    }
}

/// What proving the books came to so far.
package struct VerificationPart: JSONItem {
    package static let schema = ObjectSchema(
        "VerificationJob", "What proving the books came to so far (AUDIT-2); every result is a finding.",
        [
            .required("evidence", .bool, "Whether all signatures are verified again."),
            .required("rebuild", .bool, "Whether every subscription is folded again and compared."),
            .required("subscriptions", .integer(0, .max), "How many were looked at so far."),
            .required("customers", .integer(0, .max), "How many customers' books."),
            .required("facts", .integer(0, .max), "How many facts."),
            .required("auditRows", .integer(0, .max), "How many rows of chains."),
            .required("seals", .integer(0, .max), "How many seals."),
            .required("writtenByAnotherFold", .integer(0, .max), "Subscriptions that another version of the rules wrote."),
            .required("differingByTodaysFold", .integer(0, .max), "Those of them that fold to another result today: no damage."),
        ])

    package var evidence: Bool
    package var rebuild: Bool
    package var subscriptions: Int64 = 0
    package var customers: Int64 = 0
    package var facts: Int64 = 0
    package var auditRows: Int64 = 0
    package var seals: Int64 = 0
    package var writtenByAnotherFold: Int64 = 0
    package var differingByTodaysFold: Int64 = 0

    package init(evidence: Bool, rebuild: Bool) { (self.evidence, self.rebuild) = (evidence, rebuild) }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        evidence = try fields.requiredBool("evidence")
        rebuild = try fields.requiredBool("rebuild")
        subscriptions = try fields.requiredInteger("subscriptions")
        customers = try fields.requiredInteger("customers")
        facts = try fields.requiredInteger("facts")
        auditRows = try fields.requiredInteger("auditRows")
        seals = try fields.requiredInteger("seals")
        writtenByAnotherFold = try fields.requiredInteger("writtenByAnotherFold")
        differingByTodaysFold = try fields.requiredInteger("differingByTodaysFold")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("evidence", evidence)
        writer.member("rebuild", rebuild)
        writer.member("subscriptions", subscriptions)
        writer.member("customers", customers)
        writer.member("facts", facts)
        writer.member("auditRows", auditRows)
        writer.member("seals", seals)
        writer.member("writtenByAnotherFold", writtenByAnotherFold)
        writer.member("differingByTodaysFold", differingByTodaysFold)
    }
}

/// What working a version through came to so far.
package struct ApplicationPart: JSONItem {
    package static let schema = ObjectSchema(
        "ApplicationJob",
        "How far a version that was applied is worked through what is kept (OWN-17). It cannot be ended: it holds.",
        [
            .required("version", .integer(1, .max), "Its number."),
            .required("changed", .integer(0, .max), "How many subscriptions it changed so far."),
        ])

    package var version: Int64
    package var changed: Int64

    package init(version: Int64, changed: Int64) { (self.version, self.changed) = (version, changed) }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        version = try fields.requiredInteger("version")
        changed = try fields.requiredInteger("changed")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("version", version)
        writer.member("changed", changed)
    }
}

/// What importing a file came to so far.
package struct ImportPart: JSONItem {
    package static let schema = ObjectSchema(
        "ImportJob", "What tenure import came to so far; every result is a line that was not accepted, up to 10,000 of them.",
        [
            .required("thousandths", .integer(0, 1000), "How much of the file was read."),
            .required("new", .integer(0, .max), "Lines that said something new."),
            .required("known", .integer(0, .max), "Lines of which all was known."),
            .required("scheduled", .integer(0, .max), "Lines about which Apple will be asked."),
            .required("claimRefused", .integer(0, .max), "Lines that are kept, but held by another customer than they say."),
            .required("refused", .integer(0, .max), "Lines that were not accepted."),
        ])

    package var thousandths: Int64
    package var new: Int64 = 0
    package var known: Int64 = 0
    package var scheduled: Int64 = 0
    package var claimRefused: Int64 = 0
    package var refused: Int64 = 0

    package init(thousandths: Int64) { self.thousandths = thousandths }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        thousandths = try fields.requiredInteger("thousandths")
        new = try fields.requiredInteger("new")
        known = try fields.requiredInteger("known")
        scheduled = try fields.requiredInteger("scheduled")
        claimRefused = try fields.requiredInteger("claimRefused")
        refused = try fields.requiredInteger("refused")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("thousandths", thousandths)
        writer.member("new", new)
        writer.member("known", known)
        writer.member("scheduled", scheduled)
        writer.member("claimRefused", claimRefused)
        writer.member("refused", refused)
    }
}
