package import Primitives
package import StrictJSON

/// What a customer may use at one instant: one Bool and two timestamps at the top, the whole story below (ENT-1).
package struct EntitlementsBody: ConditionalContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Entitlements", "What a customer may use at one instant: one Bool and two timestamps first (ENT-1).",
        [
            .required("customer", .text, "Who was asked about.", example: "alice"),
            .required("environment", .word(Environment.names), "In Apple's spelling."),
            .required("at", .instant, "The instant that is answered for."),
        ] + window + [.required("entitlements", .list(.object(entitlement)), "Each that the app knows, by id.")])
    static let window: [MemberSchema] = [
        .required("isActive", .bool, "Whether there is a window now."),
        .nullable("start", .instant, "Start of the present window, else of the last one; null if there never was one."),
        .nullable("end", .instant, "End of that window; null if it does not end, or there never was one."),
        .nullable("nextChangeDate", .instant, "The first instant at which this can change without news."),
    ]
    private static let entitlement = ObjectSchema(
        "Entitlement", "What a customer may use by one entitlement.",
        [.required("id", .text, "As the app's configuration names it.", example: "plus")] + window + [
            .required("isProvisional", .bool, "Whether Apple has not said yet whether it goes on (ENT-6)."),
            .nullable("renews", .bool, "Null where Apple has not said."),
            .nullable("renewsInto", .text, "The product of the next period."),
            .nullable("priceIncreaseStatus", .integer(0, 1), "0: no consent to a higher price yet; 1: consent, or none needed."),
            .nullable(
                "endedBecause", .word(AccessEndWords.all),
                "Why it ended, with Apple's reason where it did not renew; null while it is active."),
            .nullable("expirationIntent", .integer(1, 5), "Apple's reason for the end; null where it gave none."),
            .optional("restsOn", .object(source), "By what right the window is given, or was; absent where there is none."),
        ])
    private static let source = ObjectSchema(
        "EntitlementSource", "What an answer rests on.",
        [
            .required("kind", .word(["paid", "gracePeriod", "provisional", "balance", "granted"]), "By what right."),
            .nullable("originalTransactionId", .text, "Null for what does not rest on one purchase.", example: "2000000111"),
            .nullable("productId", .text, "Null for what does not rest on one purchase.", example: "notes.monthly"),
            .optional("vote", .text, "The vote that granted it.", example: "support-4711"),
        ])

    package var customer: String
    package var environment: Environment
    /// The instant that is answered for; milliseconds since 1970, as all instants here.
    package var at: Timestamp
    /// Over all entitlements together.
    package var overall: Window
    package var entitlements: [Entitlement]

    package init(customer: String, environment: Environment, at: Timestamp, overall: Window, entitlements: [Entitlement]) {
        self.customer = customer
        self.environment = environment
        self.at = at
        self.overall = overall
        self.entitlements = entitlements
    }

    package struct Window: Sendable, Hashable {
        package var isActive: Bool
        /// Of the present window, else of the last one; null if there never was one.
        package var start: Timestamp?
        /// Null if it does not end, or there never was one.
        package var end: Timestamp?
        /// The first instant at which this can change without news.
        package var nextChangeDate: Timestamp?

        package init(isActive: Bool, start: Timestamp?, end: Timestamp?, nextChangeDate: Timestamp?) {
            self.isActive = isActive
            self.start = start
            self.end = end
            self.nextChangeDate = nextChangeDate
        }
    }

    package struct Entitlement: Sendable, Hashable {
        package var id: String
        package var window: Window
        /// Apple has not said yet whether it goes on (ENT-6).
        package var isProvisional: Bool
        /// Null where Apple has not said.
        package var renews: Bool?
        package var renewsInto: String?
        /// 0: the customer has not consented to a higher price; 1: they have, or need not; null where there is none.
        package var priceIncreaseStatus: Int64?
        /// Apple's reason for the end, 1 to 5; null while it is active and where Apple gave none.
        package var expirationIntent: Int64?
        /// Why it ended; null while it is active.
        package var endedBecause: String?
        package var restsOn: Source?

        package init(
            id: String, window: Window, isProvisional: Bool, renews: Bool?, renewsInto: String?
        ) {
            self.id = id
            self.window = window
            self.isProvisional = isProvisional
            self.renews = renews
            self.renewsInto = renewsInto
        }
    }

    package struct Source: Sendable, Hashable {
        /// `paid`, `gracePeriod`, `provisional`, `balance` or `granted`.
        package var kind: String
        /// Null for what does not rest on one purchase.
        package var originalTransactionId: String?
        package var productId: String?
        /// The vote that granted it; nil for anything else.
        package var vote: String?

        package init(kind: String, originalTransactionId: String?, productId: String?) {
            self.kind = kind
            self.originalTransactionId = originalTransactionId
            self.productId = productId
        }
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        customer = try fields.requiredText("customer")
        environment = try fields.requiredEnvironment("environment")
        at = try fields.requiredInstant("at")
        overall = try Window(fields)
        entitlements = try fields.requiredList("entitlements", Entitlement.init)
    }

    /// Of everything but the instant: the same until news comes or a step of time passes. A client may keep it for a minute, and
    /// not beyond the next step.
    package func validator(of json: [UInt8]) -> AnswerValidator? {
        // Quotation marks in an id are escaped, so the first of these is the member.
        let name = Array("\"at\":".utf8)
        guard let start = json.indices.first(where: { json[$0...].starts(with: name) }) else { return nil }
        let digits = json[(start + name.count)...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let untilNextStep = overall.nextChangeDate.map { max(0, $0.since(at).count / 1000) } ?? 60
        return AnswerValidator(
            of: json, without: digits.startIndex..<digits.endIndex, maxAgeSeconds: min(60, untilNextStep))
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("customer", customer)
        writer.member("environment", environment.rawValue)
        writer.member("at", at.millisecondsSince1970)
        overall.write(to: &writer)
        writer.member("entitlements") { writer in
            writer.array { writer in
                for entitlement in entitlements { entitlement.write(to: &writer) }
            }
        }
    }

    package var expectedBytes: Int { 256 + 320 * entitlements.count }
}

extension EntitlementsBody.Window {
    init(_ fields: JSONFields) throws(JSONFieldError) {
        isActive = try fields.requiredBool("isActive")
        start = try fields.instant("start")
        end = try fields.instant("end")
        nextChangeDate = try fields.instant("nextChangeDate")
    }

    func write(to writer: inout JSONWriter) {
        writer.member("isActive", isActive)
        writer.nullableMember("start", start?.millisecondsSince1970)
        writer.nullableMember("end", end?.millisecondsSince1970)
        writer.nullableMember("nextChangeDate", nextChangeDate?.millisecondsSince1970)
    }
}

extension EntitlementsBody.Source {
    fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
        kind = try fields.requiredText("kind")
        originalTransactionId = try fields.text("originalTransactionId")
        productId = try fields.text("productId")
        vote = try fields.text("vote")
    }
}

extension EntitlementsBody.Entitlement {
    fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
        id = try fields.requiredText("id")
        window = try EntitlementsBody.Window(fields)
        isProvisional = try fields.requiredBool("isProvisional")
        renews = try fields.bool("renews")
        renewsInto = try fields.text("renewsInto")
        priceIncreaseStatus = try fields.integer("priceIncreaseStatus")
        endedBecause = try fields.text("endedBecause")
        expirationIntent = try fields.integer("expirationIntent")
        if let source = try fields.fields("restsOn") { restsOn = try EntitlementsBody.Source(source) }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", id)
            window.write(to: &writer)
            writer.member("isProvisional", isProvisional)
            if let renews { writer.member("renews", renews) } else { writer.nullableMember("renews", nil as String?) }
            writer.nullableMember("renewsInto", renewsInto)
            writer.nullableMember("priceIncreaseStatus", priceIncreaseStatus)
            writer.nullableMember("endedBecause", endedBecause)
            writer.nullableMember("expirationIntent", expirationIntent)
            guard let restsOn else { return }
            writer.member("restsOn") { writer in
                writer.object { writer in
                    writer.member("kind", restsOn.kind)
                    writer.nullableMember("originalTransactionId", restsOn.originalTransactionId)
                    writer.nullableMember("productId", restsOn.productId)
                    writer.optionalMember("vote", restsOn.vote)
                }
            }
        }
    }
}

/// Why access can end, as answers say it: the words of `Ledger.EndReason`, which a test compares.
package enum AccessEndWords {
    package static let all = [
        "customerCanceled", "billingError", "priceIncreaseRefused", "productUnavailable", "expired", "replaced", "refunded",
        "familySharingStopped", "assignmentRevoked", "graceOver", "noNewsFromApple", "ownershipMoved", "balanceUsed",
        "grantEnded", "held",
    ]
}

extension Environment {
    /// In Apple's spelling.
    static let names = ["Production", "Sandbox", "Xcode", "LocalTesting"]
}
