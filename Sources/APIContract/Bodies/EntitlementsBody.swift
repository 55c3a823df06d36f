package import Primitives
package import StrictJSON

/// What a customer may use at one instant: one Bool and two timestamps at the top, the whole story below (ENT-1).
package struct EntitlementsBody: AnswerContent, JSONBody, Hashable {
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
    fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
        isActive = try fields.requiredBool("isActive")
        start = try fields.instant("start")
        end = try fields.instant("end")
        nextChangeDate = try fields.instant("nextChangeDate")
    }

    fileprivate func write(to writer: inout JSONWriter) {
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
            guard let restsOn else { return writer.nullableMember("restsOn", nil as String?) }
            writer.member("restsOn") { writer in
                writer.object { writer in
                    writer.member("kind", restsOn.kind)
                    writer.nullableMember("originalTransactionId", restsOn.originalTransactionId)
                    writer.nullableMember("productId", restsOn.productId)
                }
            }
        }
    }
}
