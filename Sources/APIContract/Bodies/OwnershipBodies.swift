package import Primitives
package import StrictJSON

/// A subscription is another customer's from now on.
package struct TransferBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Transfer", "A subscription is this customer's from now on, whatever the evidence (OWN-9).",
        [.required("customer", .text, "Whose it is from now on.", example: "bob")] + Decider.members)

    package var customer: String
    package var by: Decider

    package init(customer: String, by: Decider = Decider()) {
        self.customer = customer
        self.by = by
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        customer = try fields.requiredText("customer")
        by = try Decider(fields)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("customer", customer)
        by.write(to: &writer)
    }
}

/// What becomes of a claim that waits.
package struct ClaimDecisionBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "ClaimDecision", "What becomes of a claim that waits (OWN-9, OWN-11).",
        [
            .required("claim", .text, "Its id, as the subscription shows it."),
            .required("decision", .word(["approve", "deny"]), "Whether it succeeds now, or is refused for good."),
        ] + Decider.members)

    package var claim: String
    /// `approve` or `deny`.
    package var decision: String
    package var by: Decider

    package init(claim: String, decision: String, by: Decider = Decider()) {
        self.claim = claim
        self.decision = decision
        self.by = by
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        claim = try fields.requiredText("claim")
        decision = try fields.requiredText("decision")
        by = try Decider(fields)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("claim", claim)
        writer.member("decision", decision)
        by.write(to: &writer)
    }
}

/// What was decided about whose a subscription is, as it is kept.
package struct OwnershipVoteBody: AnswerContent, JSONBody, JSONItem {
    package static let schema = ObjectSchema(
        "OwnershipVote", "What was decided about whose a subscription is.",
        [
            .required("id", .text, "Chosen by whoever decided.", example: "support-4712"),
            .required("kind", .word(["transfer", "approve", "deny", "erase"]), "What was decided."),
            .optional("customer", .text, "To whom it was transferred.", example: "bob"),
            .optional("claim", .text, "Which claim was decided."),
            .required("actor", .text, "Who decided; a customer where an owner consented.", example: "mia"),
            .required("reason", .text, "Why; may be empty."), .required("votedAt", .instant, "When."),
            .optional("owner", .text, "The owner right after it; only in the answer to the vote.", example: "bob"),
        ])

    package var id: String
    package var kind: String
    package var customer: String?
    package var claim: String?
    package var by: Decider
    package var votedAt: Timestamp
    package var owner: String?

    package init(id: String, kind: String, by: Decider, votedAt: Timestamp) {
        self.id = id
        self.kind = kind
        self.by = by
        self.votedAt = votedAt
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        id = try fields.requiredText("id")
        kind = try fields.requiredText("kind")
        customer = try fields.text("customer")
        claim = try fields.text("claim")
        by = Decider(actor: try fields.requiredText("actor"), reason: try fields.requiredText("reason"))
        votedAt = try fields.requiredInstant("votedAt")
        owner = try fields.text("owner")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("kind", kind)
        writer.optionalMember("customer", customer)
        writer.optionalMember("claim", claim)
        by.write(to: &writer)
        writer.member("votedAt", votedAt)
        writer.optionalMember("owner", owner)
    }
}

/// Whose a subscription will be, before anything signed is known of it.
package struct ReservationBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Reservation", "Whose a subscription is to be, before anything signed is known of it (OWN-18).",
        [.required("customer", .text, "Whose it is to be.", example: "alice")])

    package var customer: String

    package init(customer: String) { self.customer = customer }

    package init(_ fields: JSONFields) throws(JSONFieldError) { customer = try fields.requiredText("customer") }

    package func write(to writer: inout JSONWriter) { writer.member("customer", customer) }
}

/// A reservation as it is kept.
package struct ReservationAnswerBody: AnswerContent, JSONBody, JSONItem {
    package static let schema = ObjectSchema(
        "ReservationAnswer", "A reservation as it is kept (OWN-18).",
        [
            .required("id", .text, "Chosen by whoever reserved.", example: "migration-1"),
            .required("customer", .text, "Whose it is to be.", example: "alice"), .required("reservedAt", .instant, "When."),
            .optional(
                "originalTransactionId", .text,
                "The subscription that was reserved by a transaction; absent while nothing signed is known of it, and where it "
                    + "was named.",
                example: "2000000111"),
        ])

    package var id: String
    package var customer: String
    package var reservedAt: Timestamp
    package var originalTransactionId: String?

    package init(id: String, customer: String, reservedAt: Timestamp) {
        self.id = id
        self.customer = customer
        self.reservedAt = reservedAt
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        id = try fields.requiredText("id")
        customer = try fields.requiredText("customer")
        reservedAt = try fields.requiredInstant("reservedAt")
        originalTransactionId = try fields.text("originalTransactionId")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("customer", customer)
        writer.member("reservedAt", reservedAt)
        writer.optionalMember("originalTransactionId", originalTransactionId)
    }
}

/// The owner of a subscription consents to a claim that waits.
package struct ConsentBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Consent", "The owner of a subscription consents to another customer's claim that waits (OWN-9).",
        [
            .required("originalTransactionId", .text, "Which subscription.", example: "2000000111"),
            .required("claim", .text, "The claim's id."),
        ])

    package var originalTransactionId: String
    package var claim: String

    package init(originalTransactionId: String, claim: String) {
        self.originalTransactionId = originalTransactionId
        self.claim = claim
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        originalTransactionId = try fields.requiredText("originalTransactionId")
        claim = try fields.requiredText("claim")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("originalTransactionId", originalTransactionId)
        writer.member("claim", claim)
    }
}
