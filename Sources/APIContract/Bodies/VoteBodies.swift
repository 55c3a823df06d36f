package import Primitives
package import StrictJSON

/// Who decided something, and why.
package struct Decider: Sendable, Hashable {
    static let members: [MemberSchema] = [
        .optional("actor", .text, "Who decided, for the audit; the app's backend unless said. 200 characters.", example: "mia"),
        .optional("reason", .text, "Why, for the audit. 2000 characters.", example: "the update of May was broken"),
    ]

    package var actor: String?
    package var reason: String?

    package init(actor: String? = nil, reason: String? = nil) {
        self.actor = actor
        self.reason = reason
    }

    init(_ fields: JSONFields) throws(JSONFieldError) {
        actor = try fields.text("actor")
        reason = try fields.text("reason")
    }

    func write(to writer: inout JSONWriter) {
        writer.optionalMember("actor", actor)
        writer.optionalMember("reason", reason)
    }
}

/// An entitlement in a window: a grant (ENT-9).
package struct GrantBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Grant", "An entitlement that a customer may use in a window, whatever Apple says (ENT-9).",
        [.required("entitlement", .text, "One that a product of the app gives.", example: "plus")] + WindowMembers.all
            + Decider.members)

    package var entitlement: String
    /// nil: from now.
    package var from: Timestamp?
    /// nil: without end.
    package var until: Timestamp?
    package var by: Decider

    package init(entitlement: String, from: Timestamp? = nil, until: Timestamp? = nil, by: Decider = Decider()) {
        self.entitlement = entitlement
        self.from = from
        self.until = until
        self.by = by
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        entitlement = try fields.requiredText("entitlement")
        from = try fields.instant("from")
        until = try fields.instant("until")
        by = try Decider(fields)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("entitlement", entitlement)
        writer.optionalMember("from", from)
        writer.optionalMember("until", until)
        by.write(to: &writer)
    }
}

enum WindowMembers {
    static let all: [MemberSchema] = [
        .optional("from", .instant, "The first instant; now unless said."),
        .optional("until", .instant, "The first instant after it; without end unless said.", example: "1893456000000"),
    ]
}

/// What a customer may not use in a window: a hold (ENT-9).
package struct HoldBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Hold", "An entitlement that a customer may not use in a window, whatever else gives it (ENT-9).",
        [.optional("entitlement", .text, "One that a product of the app gives; all of them unless said.", example: "plus")]
            + WindowMembers.all + Decider.members)

    /// nil: all of them.
    package var entitlement: String?
    /// nil: from now.
    package var from: Timestamp?
    /// nil: without end.
    package var until: Timestamp?
    package var by: Decider

    package init(entitlement: String? = nil, from: Timestamp? = nil, until: Timestamp? = nil, by: Decider = Decider()) {
        self.entitlement = entitlement
        self.from = from
        self.until = until
        self.by = by
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        entitlement = try fields.text("entitlement")
        from = try fields.instant("from")
        until = try fields.instant("until")
        by = try Decider(fields)
    }

    package func write(to writer: inout JSONWriter) {
        writer.optionalMember("entitlement", entitlement)
        writer.optionalMember("from", from)
        writer.optionalMember("until", until)
        by.write(to: &writer)
    }
}

/// Time that was paid elsewhere (ENT-3).
package struct CreditBody: RequestContent, JSONBody, Hashable {
    /// A hundred years.
    package static let longest: ClosedRange<Int64> = 1...3_155_760_000_000

    package static let schema = ObjectSchema(
        "Credit", "Time that was paid elsewhere; it adds up with what is left of such time (ENT-3).",
        [
            .required("entitlement", .text, "One that a product of the app gives.", example: "plus"),
            .required(
                "milliseconds", .integer(longest.lowerBound, longest.upperBound), "How much; at most a hundred years.",
                example: "604800000"),
            .optional("at", .instant, "When it counts; now unless said."),
        ] + Decider.members)

    package var entitlement: String
    package var milliseconds: Int64
    /// nil: now.
    package var at: Timestamp?
    package var by: Decider

    package init(entitlement: String, milliseconds: Int64, at: Timestamp? = nil, by: Decider = Decider()) {
        self.entitlement = entitlement
        self.milliseconds = milliseconds
        self.at = at
        self.by = by
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        entitlement = try fields.requiredText("entitlement")
        milliseconds = try fields.requiredInteger("milliseconds", in: Self.longest)
        at = try fields.instant("at")
        by = try Decider(fields)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("entitlement", entitlement)
        writer.member("milliseconds", milliseconds)
        writer.optionalMember("at", at)
        by.write(to: &writer)
    }
}

/// Another customer is this one (OWN-10).
package struct JoinBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Join", "Another customer is this one: whatever is theirs is this one's, the past included (OWN-10).",
        [.required("from", .text, "The other one, or this one's former id.", example: "bob")] + Decider.members)

    package var from: String
    package var by: Decider

    package init(from: String, by: Decider = Decider()) {
        self.from = from
        self.by = by
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        from = try fields.requiredText("from")
        by = try Decider(fields)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("from", from)
        by.write(to: &writer)
    }
}

/// A consumable may be delivered to a customer though another one has it (PER-9).
package struct RedeliveryBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Redelivery", "A purchase of a consumable that may be delivered to this customer though another one has it (PER-9).",
        [.required("transactionId", .text, "Any of Apple's ids of the purchase.", example: "2000000113")] + Decider.members)

    package var transactionId: String
    package var by: Decider

    package init(transactionId: String, by: Decider = Decider()) {
        self.transactionId = transactionId
        self.by = by
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        transactionId = try fields.requiredText("transactionId")
        by = try Decider(fields)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("transactionId", transactionId)
        by.write(to: &writer)
    }
}

/// An earlier vote counts no longer.
package struct WithdrawalBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Withdrawal", "An earlier vote of the customer counts no longer from now on (ENT-9).",
        [.required("vote", .text, "The id of that vote: a grant, hold, credit, redelivery or join.", example: "support-4711")]
            + Decider.members)

    package var vote: String
    package var by: Decider

    package init(vote: String, by: Decider = Decider()) {
        self.vote = vote
        self.by = by
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        vote = try fields.requiredText("vote")
        by = try Decider(fields)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("vote", vote)
        by.write(to: &writer)
    }
}

/// A window of time.
package struct WindowItem: JSONItem {
    package static let schema = ObjectSchema(
        "Window", "From one instant to another, the second not included.",
        [.required("start", .instant, "The first instant."), .nullable("end", .instant, "Null where it does not end.")])

    package var start: Timestamp
    package var end: Timestamp?

    package init(start: Timestamp, end: Timestamp?) {
        self.start = start
        self.end = end
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        start = try fields.requiredInstant("start")
        end = try fields.instant("end")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("start", start)
        writer.nullableMember("end", end)
    }
}

/// What was decided about a customer, as it is kept.
package struct CustomerVoteItem: JSONItem {
    package static let members: [MemberSchema] = [
        .required("id", .text, "Chosen by whoever decided.", example: "support-4711"),
        .required("kind", .word(["grant", "hold", "credit", "withdrawal", "join", "redelivery"]), "What was decided."),
        .optional("entitlement", .text, "The entitlement; absent for a hold on all, and for a withdrawal.", example: "plus"),
        .optional("window", .object(WindowItem.schema), "Of a grant or a hold."),
        .optional("at", .instant, "When a credit counts."), .optional("milliseconds", .integer, "How much a credit adds."),
        .optional("withdraws", .text, "The vote that a withdrawal ends."),
        .optional("from", .text, "Of a join: who turned out to be the other one.", example: "bob"),
        .optional("into", .text, "Of a join: whose everything is.", example: "alice"),
        .optional("transactionId", .text, "Of a redelivery: Apple's id of the purchase.", example: "2000000113"),
        .optional("withdrawnAt", .instant, "From when on it counts no longer."),
        .required("actor", .text, "Who decided.", example: "mia"),
        .required("reason", .text, "Why; may be empty.", example: "the update of May was broken"),
        .required("votedAt", .instant, "When."),
    ]
    package static let schema = ObjectSchema("CustomerVote", "What was decided about a customer (ENT-3, ENT-9).", members)

    package var id: String
    package var kind: String
    package var entitlement: String?
    package var window: WindowItem?
    package var at: Timestamp?
    package var milliseconds: Int64?
    package var withdraws: String?
    package var from: String?
    package var into: String?
    package var transactionId: String?
    package var withdrawnAt: Timestamp?
    package var by: Decider
    package var votedAt: Timestamp

    package init(id: String, kind: String, by: Decider, votedAt: Timestamp) {
        self.id = id
        self.kind = kind
        self.by = by
        self.votedAt = votedAt
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        id = try fields.requiredText("id")
        kind = try fields.requiredText("kind")
        entitlement = try fields.text("entitlement")
        if let window = try fields.fields("window") { self.window = try WindowItem(window) }
        at = try fields.instant("at")
        milliseconds = try fields.integer("milliseconds")
        withdraws = try fields.text("withdraws")
        from = try fields.text("from")
        into = try fields.text("into")
        transactionId = try fields.text("transactionId")
        withdrawnAt = try fields.instant("withdrawnAt")
        by = Decider(actor: try fields.requiredText("actor"), reason: try fields.requiredText("reason"))
        votedAt = try fields.requiredInstant("votedAt")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("kind", kind)
        writer.optionalMember("entitlement", entitlement)
        writer.optionalMember("window", window)
        writer.optionalMember("at", at)
        writer.optionalMember("milliseconds", milliseconds)
        writer.optionalMember("withdraws", withdraws)
        writer.optionalMember("from", from)
        writer.optionalMember("into", into)
        writer.optionalMember("transactionId", transactionId)
        writer.optionalMember("withdrawnAt", withdrawnAt)
        by.write(to: &writer)
        writer.member("votedAt", votedAt)
    }
}

/// What a vote about a customer came to.
package struct CustomerVoteBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "CustomerVoteAnswer", "A vote as it is kept, and what it changed.",
        CustomerVoteItem.members + [
            .required(
                "changes", .list(.object(change)), "What it changed of what the customer may use; empty where it was kept before."
            )
        ])
    private static let change = ObjectSchema(
        "AccessChange", "What a vote changed of one entitlement.",
        [
            .required("entitlement", .text, "Which.", example: "plus"),
            .required("effectiveAt", .instant, "The first instant at which the customer's access differs."),
            .required(
                "windows", .list(.object(WindowItem.schema)),
                "All windows in which they may use it, those that are over included, as it is now; by start."),
        ])

    package var vote: CustomerVoteItem
    package var changes: [Change]

    package struct Change: JSONItem {
        package static var schema: ObjectSchema { CustomerVoteBody.change }

        package var entitlement: String
        package var effectiveAt: Timestamp
        package var windows: [WindowItem]

        package init(entitlement: String, effectiveAt: Timestamp, windows: [WindowItem]) {
            self.entitlement = entitlement
            self.effectiveAt = effectiveAt
            self.windows = windows
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            entitlement = try fields.requiredText("entitlement")
            effectiveAt = try fields.requiredInstant("effectiveAt")
            windows = try fields.requiredList("windows", WindowItem.init)
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("entitlement", entitlement)
            writer.member("effectiveAt", effectiveAt)
            writer.member("windows", windows)
        }
    }

    package init(vote: CustomerVoteItem, changes: [Change]) {
        self.vote = vote
        self.changes = changes
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        vote = try CustomerVoteItem(fields)
        changes = try fields.requiredList("changes", Change.init)
    }

    package func write(to writer: inout JSONWriter) {
        vote.write(to: &writer)
        writer.member("changes", changes)
    }
}
