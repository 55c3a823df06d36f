package import Primitives
package import StrictJSON

/// A subscription as the app's backend sees it: what is known of it, whose it is, and why.
package struct SubscriptionBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Subscription", "A subscription: what is known of it, whose it is, and why.",
        [
            .required("originalTransactionId", .text, "Apple's id of it.", example: "2000000111"),
            .required("environment", .word(Environment.names), "In Apple's spelling."),
            .required("at", .instant, "The instant that is answered for."),
            .nullable("status", .text, "Its state at the instant; null before the first period.", example: "active"),
            .nullable("owner", .text, "The owner at the instant; null where there is none.", example: "alice"),
            .nullable("autoRenewProductId", .text, "What Apple said it renews into.", example: "notes.monthly"),
            .optional(
                "previousOriginalTransactionId", .text,
                "The subscription that this one continues after a switch to or from a bundle. Else absent (PER-14).",
                example: "2000000101"),
            .required("periods", .list(.object(periodSchema)), "By purchase date."),
            .required("tenures", .list(.object(tenureSchema)), "Whose it was, from the first known period on (OWN-1)."),
            .required(
                "revisions", .list(.object(Revision.schema)),
                "Whose it was as it was known from time to time; the last one says what tenures says."),
            .optional("appleAccount", .object(AppleAccountItem.schema), "What is shown of the Apple Account, if anything."),
            .optional("proposal", .object(OwnerProposalItem.schema), "Who probably owns it, where nobody is shown to (OWN-14)."),
            .required("claims", .list(.object(claimSchema)), "What customers claimed, in the order of receipt."),
            .required("votes", .list(.object(OwnershipVoteBody.schema)), "What operators and owners decided, in that order."),
            .required("reservations", .list(.object(ReservationAnswerBody.schema)), "Who it was reserved for (OWN-18)."),
            .required("audit", .list(.object(auditSchema)), "Why anyone's access changed; at most 1000."),
            .required("events", .list(.object(Event.schema)), "What was told of it, in that order; at most 1000."),
            .required("work", .list(.object(Work.schema)), "What is to be done about it, or was."),
            .required(
                "signals", .list(.object(SignalBody.schema)), "Open signals about it and its Apple Account (ABUSE-1)."),
            .required("explain", .list(.text), "What to tell its owner, a line each; in English (OWN-15)."),
        ])
    private static let periodSchema = ObjectSchema(
        "Period", "A stretch of time that was bought or given (PER-1).",
        [
            .required("transactionId", .text, "Apple's id of it.", example: "2000000112"),
            .nullable("webOrderLineItemId", .text, "Apple's id of the charge."),
            .required("productId", .text, "The product.", example: "notes.monthly"),
            .required("purchaseDate", .instant, "When it began."),
            .nullable("expiresDate", .instant, "As Apple signed it."),
            .nullable("end", .instant, "Where it ends after everything that is known."),
            .required("beginning", .text, "`firstKnown`, `renewal`, `immediateChange` or `resubscription`.", example: "renewal"),
            .nullable("offerType", .integer, "1 introductory, 2 promotional, 3 offer code, 4 win-back, 5 retention."),
            .nullable("offerDiscountType", .text, "Apple's word, such as FREE_TRIAL."),
            .nullable("offerIdentifier", .text, "Apple's name of the offer."),
            .nullable("priceMilliunits", .integer, "In thousandths of the currency's unit."),
            .nullable("currency", .text, "ISO 4217.", example: "USD"),
            .nullable("revocationDate", .instant, "When Apple took it back."),
            .nullable("revocationPercentage", .integer, "How much of the price was given back, in thousandths of a percent."),
            .required("isUpgraded", .bool, "Whether an upgrade replaced it."),
            .optional(
                "servedElsewhere", .text,
                "The subscription where the same charge was signed first and serves: here it gives nothing. Else absent (PER-1).",
                example: "2000000341"),
            .optional(
                "addedSeats", .integer,
                "How many seats it added to the period that runs; it gives no time. Else absent (PER-12).", example: "2"),
            .optional(
                "continuedBy", .text,
                "The subscription that continues this one from here on, after a switch of bundles. Else absent (PER-14).",
                example: "2000000341"),
        ])
    private static let tenureSchema = ObjectSchema(
        "Tenure", "Whose it is, from when until when, and by what (OWN-1).",
        [
            .nullable("customer", .text, "Null: no owner.", example: "alice"), .required("from", .instant, "From when on."),
            .nullable("until", .instant, "Null: until something changes it."),
            .required("rule", .text, "The rule that says so.", example: "OWN-2"),
            .required("evidence", .text, "What shows it."),
        ])
    private static let claimSchema = ObjectSchema(
        "Claim", "What a customer claimed, and what it came to (OWN-9).",
        [
            .required("id", .text, "By which it is decided."), .required("customer", .text, "Who claimed.", example: "bob"),
            .required("kind", .word(["purchase", "queue", "restore"]), "How the transaction reached the device."),
            .required("productId", .text, "The product that was named.", example: "notes.monthly"),
            .required("claimedAt", .instant, "When it was received."),
            .required("outcome", .text, "As of an upload, or refused. with the reason.", example: "waiting.policyAsks"),
        ])
    private static let auditSchema = ObjectSchema(
        "SubscriptionAuditRow", "Why what a customer may use changed (AUDIT-1).",
        [
            .required("sequence", .integer, "1, 2, 3, … of this subscription."),
            .required("customer", .text, "Whose access changed.", example: "alice"),
            .required("effectiveAt", .instant, "When it takes effect."), .required("learnedAt", .instant, "When we learned it."),
            .required("rule", .text, "The rule that says so.", example: "OWN-5"),
            .required("actor", .text, "Who brought it about.", example: "appStore"),
            .optional("keyName", .text, "The key that the request showed; absent where none was shown.", example: "file"),
            .nullable("accessUntilBefore", .instant, "How far access reached before."),
            .nullable("accessUntilAfter", .instant, "How far it reaches now."),
            .required(
                "takeBacks",
                .list(
                    .object(
                        ObjectSchema(
                            "TakeBack", "The unused part of one period, taken back (ENT-4).",
                            [
                                .required("transactionId", .text, "Of which period."),
                                .required("milliseconds", .integer, "How much of it."),
                            ]))),
                "What upgrades or refunds took back."),
        ])

    package var originalTransactionId: String
    package var environment: Environment
    /// The instant that is answered for.
    package var at: Timestamp
    /// The state at the instant, as docs/rules.md names it; nil before the first period.
    package var status: String?
    /// The owner at the instant; nil where there is none.
    package var owner: String?
    /// What Apple said it renews into; nil where it did not say.
    package var autoRenewProductId: String?
    /// The subscription that this one continues (PER-14).
    package var previousOriginalTransactionId: String?
    package var periods: [Period] = []
    package var tenures: [Tenure] = []
    package var revisions: [Revision] = []
    package var appleAccount: AppleAccountItem?
    package var proposal: OwnerProposalItem?
    package var claims: [Claim] = []
    package var votes: [OwnershipVoteBody] = []
    package var reservations: [ReservationAnswerBody] = []
    package var audit: [AuditRow] = []
    package var events: [Event] = []
    package var work: [Work] = []
    package var signals: [SignalBody] = []
    /// What an operator can tell a customer about it, a line each; in English (OWN-15).
    package var explain: [String] = []

    package init(originalTransactionId: String, environment: Environment, at: Timestamp) {
        self.originalTransactionId = originalTransactionId
        self.environment = environment
        self.at = at
    }

    /// A stretch that was bought or given (PER-1).
    package struct Period: Sendable, Hashable {
        package var transactionId: String
        package var webOrderLineItemId: String?
        package var productId: String
        package var purchaseDate: Timestamp
        /// As Apple signed it; nil where nothing ends it.
        package var expiresDate: Timestamp?
        /// Where it ends after everything that is known; nil where nothing ends it.
        package var end: Timestamp?
        /// How it began: a purchase, a renewal, an upgrade, …
        package var beginning: String
        package var offerType: Int64?
        /// Apple's word for what the offer costs, such as `FREE_TRIAL`.
        package var offerDiscountType: String?
        package var offerIdentifier: String?
        /// In thousandths of the currency's unit.
        package var priceMilliunits: Int64?
        package var currency: String?
        package var revocationDate: Timestamp?
        /// How much of the price was given back, in thousandths of a percent.
        package var revocationPercentage: Int64?
        package var isUpgraded: Bool
        /// The subscription under which the same charge serves (PER-1); nil where it serves here.
        package var servedElsewhere: String?
        package var addedSeats: Int64?
        /// The subscription that continues this one from here on (PER-14).
        package var continuedBy: String?

        package init(transactionId: String, productId: String, purchaseDate: Timestamp, beginning: String, isUpgraded: Bool) {
            self.transactionId = transactionId
            self.productId = productId
            self.purchaseDate = purchaseDate
            self.beginning = beginning
            self.isUpgraded = isUpgraded
        }
    }

    /// Whose it is, from when until when, and by what (OWN-1).
    package struct Tenure: Sendable, Hashable {
        /// nil: no owner.
        package var customer: String?
        package var from: Timestamp
        /// nil: until something changes it.
        package var until: Timestamp?
        package var rule: String
        package var evidence: String

        package init(customer: String?, from: Timestamp, until: Timestamp?, rule: String, evidence: String) {
            self.customer = customer
            self.from = from
            self.until = until
            self.rule = rule
            self.evidence = evidence
        }
    }

    /// What a customer claimed, and what it came to (OWN-9).
    package struct Claim: JSONItem {
        package static var schema: ObjectSchema { SubscriptionBody.claimSchema }

        package var id: String
        package var customer: String
        package var kind: String
        package var productId: String
        package var claimedAt: Timestamp
        package var outcome: String

        package init(id: String, customer: String, kind: String, productId: String, claimedAt: Timestamp, outcome: String) {
            self.id = id
            self.customer = customer
            self.kind = kind
            self.productId = productId
            self.claimedAt = claimedAt
            self.outcome = outcome
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            id = try fields.requiredText("id")
            customer = try fields.requiredText("customer")
            kind = try fields.requiredText("kind")
            productId = try fields.requiredText("productId")
            claimedAt = try fields.requiredInstant("claimedAt")
            outcome = try fields.requiredText("outcome")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("id", id)
            writer.member("customer", customer)
            writer.member("kind", kind)
            writer.member("productId", productId)
            writer.member("claimedAt", claimedAt)
            writer.member("outcome", outcome)
        }
    }

    /// Why what a customer may use changed (AUDIT-1).
    package struct AuditRow: Sendable, Hashable {
        /// 1, 2, 3, … of this subscription.
        package var sequence: Int64
        package var customer: String
        /// When it takes effect.
        package var effectiveAt: Timestamp
        /// When we learned it.
        package var learnedAt: Timestamp
        package var rule: String
        package var actor: String
        package var keyName: String?
        package var accessUntilBefore: Timestamp?
        package var accessUntilAfter: Timestamp?
        package var takeBacks: [TakeBack] = []

        package init(sequence: Int64, customer: String, effectiveAt: Timestamp, learnedAt: Timestamp, rule: String, actor: String)
        {
            self.sequence = sequence
            self.customer = customer
            self.effectiveAt = effectiveAt
            self.learnedAt = learnedAt
            self.rule = rule
            self.actor = actor
        }
    }

    /// How much of a period was taken back, for whose refund.
    package struct TakeBack: Sendable, Hashable {
        package var transactionId: String
        package var milliseconds: Int64

        package init(transactionId: String, milliseconds: Int64) {
            self.transactionId = transactionId
            self.milliseconds = milliseconds
        }
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        originalTransactionId = try fields.requiredText("originalTransactionId")
        environment = try fields.requiredEnvironment("environment")
        at = try fields.requiredInstant("at")
        status = try fields.text("status")
        owner = try fields.text("owner")
        autoRenewProductId = try fields.text("autoRenewProductId")
        previousOriginalTransactionId = try fields.text("previousOriginalTransactionId")
        periods = try fields.requiredList("periods", Period.init)
        tenures = try fields.requiredList("tenures", Tenure.init)
        revisions = try fields.requiredList("revisions", Revision.init)
        if let account = try fields.fields("appleAccount") { appleAccount = try AppleAccountItem(account) }
        if let proposed = try fields.fields("proposal") { proposal = try OwnerProposalItem(proposed) }
        claims = try fields.requiredList("claims", Claim.init)
        votes = try fields.requiredList("votes", OwnershipVoteBody.init)
        reservations = try fields.requiredList("reservations", ReservationAnswerBody.init)
        audit = try fields.requiredList("audit", AuditRow.init)
        events = try fields.requiredList("events", Event.init)
        work = try fields.requiredList("work", Work.init)
        signals = try fields.requiredList("signals", SignalBody.init)
        explain = try fields.required("explain", .array, try fields.texts("explain"))
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("originalTransactionId", originalTransactionId)
        writer.member("environment", environment.rawValue)
        writer.member("at", at.millisecondsSince1970)
        writer.nullableMember("status", status)
        writer.nullableMember("owner", owner)
        writer.nullableMember("autoRenewProductId", autoRenewProductId)
        writer.optionalMember("previousOriginalTransactionId", previousOriginalTransactionId)
        writer.member("periods") { $0.array { writer in periods.forEach { $0.write(to: &writer) } } }
        writer.member("tenures") { $0.array { writer in tenures.forEach { $0.write(to: &writer) } } }
        writer.member("revisions", revisions)
        writer.optionalMember("appleAccount", appleAccount)
        writer.optionalMember("proposal", proposal)
        writer.member("claims", claims)
        writer.member("votes", votes)
        writer.member("reservations", reservations)
        writer.member("audit") { $0.array { writer in audit.forEach { $0.write(to: &writer) } } }
        writer.member("events", events)
        writer.member("work", work)
        writer.member("signals", signals)
        writer.member("explain") { $0.array { writer in explain.forEach { writer.string($0) } } }
    }

    package var expectedBytes: Int { 4096 }
}

extension SubscriptionBody.Period {
    fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
        transactionId = try fields.requiredText("transactionId")
        webOrderLineItemId = try fields.text("webOrderLineItemId")
        productId = try fields.requiredText("productId")
        purchaseDate = try fields.requiredInstant("purchaseDate")
        expiresDate = try fields.instant("expiresDate")
        end = try fields.instant("end")
        beginning = try fields.requiredText("beginning")
        offerType = try fields.integer("offerType")
        offerDiscountType = try fields.text("offerDiscountType")
        offerIdentifier = try fields.text("offerIdentifier")
        priceMilliunits = try fields.integer("priceMilliunits")
        currency = try fields.text("currency")
        revocationDate = try fields.instant("revocationDate")
        revocationPercentage = try fields.integer("revocationPercentage")
        isUpgraded = try fields.requiredBool("isUpgraded")
        servedElsewhere = try fields.text("servedElsewhere")
        addedSeats = try fields.integer("addedSeats")
        continuedBy = try fields.text("continuedBy")
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("transactionId", transactionId)
            writer.nullableMember("webOrderLineItemId", webOrderLineItemId)
            writer.member("productId", productId)
            writer.member("purchaseDate", purchaseDate.millisecondsSince1970)
            writer.nullableMember("expiresDate", expiresDate?.millisecondsSince1970)
            writer.nullableMember("end", end?.millisecondsSince1970)
            writer.member("beginning", beginning)
            writer.nullableMember("offerType", offerType)
            writer.nullableMember("offerDiscountType", offerDiscountType)
            writer.nullableMember("offerIdentifier", offerIdentifier)
            writer.nullableMember("priceMilliunits", priceMilliunits)
            writer.nullableMember("currency", currency)
            writer.nullableMember("revocationDate", revocationDate)
            writer.nullableMember("revocationPercentage", revocationPercentage)
            writer.member("isUpgraded", isUpgraded)
            writer.optionalMember("servedElsewhere", servedElsewhere)
            writer.optionalMember("addedSeats", addedSeats)
            writer.optionalMember("continuedBy", continuedBy)
        }
    }
}

extension SubscriptionBody.Tenure {
    fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
        customer = try fields.text("customer")
        from = try fields.requiredInstant("from")
        until = try fields.instant("until")
        rule = try fields.requiredText("rule")
        evidence = try fields.requiredText("evidence")
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.nullableMember("customer", customer)
            writer.member("from", from.millisecondsSince1970)
            writer.nullableMember("until", until?.millisecondsSince1970)
            writer.member("rule", rule)
            writer.member("evidence", evidence)
        }
    }
}

extension SubscriptionBody.AuditRow {
    fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
        sequence = try fields.requiredInteger("sequence")
        customer = try fields.requiredText("customer")
        effectiveAt = try fields.requiredInstant("effectiveAt")
        learnedAt = try fields.requiredInstant("learnedAt")
        rule = try fields.requiredText("rule")
        actor = try fields.requiredText("actor")
        keyName = try fields.text("keyName")
        accessUntilBefore = try fields.instant("accessUntilBefore")
        accessUntilAfter = try fields.instant("accessUntilAfter")
        takeBacks = try fields.requiredList("takeBacks", SubscriptionBody.TakeBack.init)
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("sequence", sequence)
            writer.member("customer", customer)
            writer.member("effectiveAt", effectiveAt.millisecondsSince1970)
            writer.member("learnedAt", learnedAt.millisecondsSince1970)
            writer.member("rule", rule)
            writer.member("actor", actor)
            writer.optionalMember("keyName", keyName)
            writer.nullableMember("accessUntilBefore", accessUntilBefore?.millisecondsSince1970)
            writer.nullableMember("accessUntilAfter", accessUntilAfter?.millisecondsSince1970)
            writer.member("takeBacks") { $0.array { writer in takeBacks.forEach { $0.write(to: &writer) } } }
        }
    }
}

extension SubscriptionBody.TakeBack {
    fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
        transactionId = try fields.requiredText("transactionId")
        milliseconds = try fields.requiredInteger("milliseconds")
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("transactionId", transactionId)
            writer.member("milliseconds", milliseconds)
        }
    }
}
