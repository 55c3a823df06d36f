package import Primitives
package import StrictJSON

/// A customer whole: what they may use, what that rests on, and what was said about them.
package struct CustomerBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Customer", "A customer whole: what they may use, what that rests on, and what was said about them.",
        [
            .required("isAnonymous", .bool, "Whether a device's secret stands for them (OWN-10)."),
            .optional("mergedInto", .text, "Whom they turned out to be (OWN-10).", example: "alice"),
            .required("joined", .list(.text), "The other ids that they have by votes (OWN-10)."),
            .required("entitlements", .object(EntitlementsBody.schema), "What they may use at the instant."),
            .required("subscriptions", .list(.object(Subscription.schema)), "Everything that names them, by id."),
            .required("balances", .list(.object(BalanceItem.schema)), "What adds up, by entitlement (ENT-3)."),
            .required(
                "consumables", .list(.object(Consumable.schema)),
                "What they bought, or was delivered to them, refunded or not; by purchase date (PER-9)."),
            .required("votes", .list(.object(CustomerVoteItem.schema)), "What was decided about them, in that order."),
            .required("unlocks", .list(.object(Unlock.schema)), "What content they unlocked (ENT-8)."),
            .required(
                "attributes", .list(.object(AttributesBody.Attribute.schema)), "What the app's backend says of them (WALL-1)."),
            .required("licences", .object(LicencesBody.schema), "Their licences to updates (LIC-1)."),
            .required("doublePayments", .list(.object(DoublePayment.schema)), "What they pay for twice at the instant (OWN-12)."),
            .required("signals", .list(.object(SignalBody.schema)), "Open signals about them, the newest first (ABUSE-1)."),
            .required("appAccountTokens", .list(.text), "The tokens that were registered for them (OWN-2)."),
            .required("registrations", .list(.object(Registration.schema)), "When each was said, and with which key."),
            .required("audit", .list(.object(AuditRow.schema)), "What was said about them, in that order; at most 1000."),
        ])

    package var isAnonymous: Bool
    package var mergedInto: String?
    package var joined: [String] = []
    package var entitlements: EntitlementsBody
    package var subscriptions: [Subscription] = []
    package var balances: [BalanceItem] = []
    package var consumables: [Consumable] = []
    package var votes: [CustomerVoteItem] = []
    package var unlocks: [Unlock] = []
    package var attributes: [AttributesBody.Attribute] = []
    package var licences: LicencesBody
    package var doublePayments: [DoublePayment] = []
    package var signals: [SignalBody] = []
    package var appAccountTokens: [String] = []
    package var registrations: [Registration] = []
    package var audit: [AuditRow] = []

    package init(isAnonymous: Bool, mergedInto: String?, entitlements: EntitlementsBody, licences: LicencesBody) {
        self.isAnonymous = isAnonymous
        self.mergedInto = mergedInto
        self.entitlements = entitlements
        self.licences = licences
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        isAnonymous = try fields.requiredBool("isAnonymous")
        mergedInto = try fields.text("mergedInto")
        joined = try fields.required("joined", .array, try fields.texts("joined"))
        entitlements = try EntitlementsBody(try fields.required("entitlements", .object, try fields.fields("entitlements")))
        subscriptions = try fields.requiredList("subscriptions", Subscription.init)
        balances = try fields.requiredList("balances", BalanceItem.init)
        consumables = try fields.requiredList("consumables", Consumable.init)
        votes = try fields.requiredList("votes", CustomerVoteItem.init)
        unlocks = try fields.requiredList("unlocks", Unlock.init)
        attributes = try fields.requiredList("attributes", AttributesBody.Attribute.init)
        licences = try LicencesBody(try fields.required("licences", .object, try fields.fields("licences")))
        doublePayments = try fields.requiredList("doublePayments", DoublePayment.init)
        signals = try fields.requiredList("signals", SignalBody.init)
        appAccountTokens = try fields.required("appAccountTokens", .array, try fields.texts("appAccountTokens"))
        registrations = try fields.requiredList("registrations", Registration.init)
        audit = try fields.requiredList("audit", AuditRow.init)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("isAnonymous", isAnonymous)
        writer.optionalMember("mergedInto", mergedInto)
        writer.member("joined", joined)
        writer.member("entitlements") { writer in writer.object { entitlements.write(to: &$0) } }
        writer.member("subscriptions", subscriptions)
        writer.member("balances", balances)
        writer.member("consumables", consumables)
        writer.member("votes", votes)
        writer.member("unlocks", unlocks)
        writer.member("attributes", attributes)
        writer.member("licences") { writer in writer.object { licences.write(to: &$0) } }
        writer.member("doublePayments", doublePayments)
        writer.member("signals", signals)
        writer.member("appAccountTokens", appAccountTokens)
        writer.member("registrations", registrations)
        writer.member("audit", audit)
    }

    package var expectedBytes: Int { 4096 }
}

extension CustomerBody {
    /// A subscription or one-time purchase that names the customer, shortly.
    package struct Subscription: JSONItem {
        package static let schema = ObjectSchema(
            "CustomerSubscription", "A subscription or one-time purchase that names the customer.",
            [
                .required("originalTransactionId", .text, "Apple's id of it.", example: "2000000111"),
                .nullable("status", .text, "Its state at the instant.", example: "active"),
                .required("isOwner", .bool, "Whether it serves the customer at the instant."),
                .required("wasOwner", .bool, "Whether it ever did."),
                .nullable("productId", .text, "Of the last period.", example: "notes.monthly"),
                .nullable("end", .instant, "Where the last period ends after everything that is known."),
                .required("claims", .list(.text), "What the customer's claims on it came to, in order."),
            ])

        package var originalTransactionId: String
        package var status: String?
        package var isOwner: Bool
        package var wasOwner: Bool
        package var productId: String?
        package var end: Timestamp?
        package var claims: [String] = []

        package init(originalTransactionId: String, isOwner: Bool, wasOwner: Bool) {
            self.originalTransactionId = originalTransactionId
            self.isOwner = isOwner
            self.wasOwner = wasOwner
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            originalTransactionId = try fields.requiredText("originalTransactionId")
            status = try fields.text("status")
            isOwner = try fields.requiredBool("isOwner")
            wasOwner = try fields.requiredBool("wasOwner")
            productId = try fields.text("productId")
            end = try fields.instant("end")
            claims = try fields.required("claims", .array, try fields.texts("claims"))
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("originalTransactionId", originalTransactionId)
            writer.nullableMember("status", status)
            writer.member("isOwner", isOwner)
            writer.member("wasOwner", wasOwner)
            writer.nullableMember("productId", productId)
            writer.nullableMember("end", end)
            writer.member("claims", claims)
        }
    }

    /// A consumable that the customer bought, or that was delivered to them.
    package struct Consumable: JSONItem {
        package static let schema = ObjectSchema(
            "Consumable", "A consumable that the customer bought, or that was delivered to them (PER-9).",
            [
                .required("transactionId", .text, "Apple's id of the purchase.", example: "2000000113"),
                .required("productId", .text, "What was bought.", example: "notes.coins"),
                .required("quantity", .integer, "How many were bought.", example: "1"),
                .required("refundedQuantity", .integer, "How many of them were refunded.", example: "0"),
                .required("purchaseDate", .instant, "When."),
                .optional("revocationDate", .instant, "When Apple refunded it, in full or in part; absent where it did not."),
                .required(
                    "isBuyer", .bool,
                    "Whether they bought it; false where it was delivered to them and another turned out to have."),
                .optional("deliveredAt", .instant, "When the app's backend delivered it to them; absent where it has not."),
                .optional(
                    "refusedAt", .instant,
                    "When its delivery to them was refused, because another has it; absent where it was not."),
            ])

        package var transactionId: String
        package var productId: String
        package var quantity: Int64
        package var refundedQuantity: Int64 = 0
        package var purchaseDate: Timestamp
        package var revocationDate: Timestamp?
        package var isBuyer = true
        package var deliveredAt: Timestamp?
        package var refusedAt: Timestamp?

        package init(transactionId: String, productId: String, quantity: Int64, purchaseDate: Timestamp) {
            self.transactionId = transactionId
            self.productId = productId
            self.quantity = quantity
            self.purchaseDate = purchaseDate
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            transactionId = try fields.requiredText("transactionId")
            productId = try fields.requiredText("productId")
            quantity = try fields.requiredInteger("quantity")
            refundedQuantity = try fields.requiredInteger("refundedQuantity")
            purchaseDate = try fields.requiredInstant("purchaseDate")
            revocationDate = try fields.instant("revocationDate")
            isBuyer = try fields.requiredBool("isBuyer")
            deliveredAt = try fields.instant("deliveredAt")
            refusedAt = try fields.instant("refusedAt")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("transactionId", transactionId)
            writer.member("productId", productId)
            writer.member("quantity", quantity)
            writer.member("refundedQuantity", refundedQuantity)
            writer.member("purchaseDate", purchaseDate)
            writer.optionalMember("revocationDate", revocationDate)
            writer.member("isBuyer", isBuyer)
            writer.optionalMember("deliveredAt", deliveredAt)
            writer.optionalMember("refusedAt", refusedAt)
        }
    }

    /// An item of content that the customer unlocked.
    package struct Unlock: JSONItem {
        package static let schema = ObjectSchema(
            "Unlock", "An item of content that the customer unlocked (ENT-8).",
            [
                .required("kind", .text, "Of content.", example: "issue"),
                .required("content", .text, "The item.", example: "2026-01"),
                .required("unlockedAt", .instant, "When."),
            ])

        package var kind: String
        package var content: String
        package var unlockedAt: Timestamp

        package init(kind: String, content: String, unlockedAt: Timestamp) {
            self.kind = kind
            self.content = content
            self.unlockedAt = unlockedAt
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            kind = try fields.requiredText("kind")
            content = try fields.requiredText("content")
            unlockedAt = try fields.requiredInstant("unlockedAt")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("kind", kind)
            writer.member("content", content)
            writer.member("unlockedAt", unlockedAt)
        }
    }

    /// Two subscriptions that give the same and are both paid.
    package struct DoublePayment: JSONItem {
        package static let schema = ObjectSchema(
            "DoublePayment", "Two running subscriptions that give the customer the same (OWN-12).",
            [
                .required("first", .text, "The one that began first."), .required("second", .text, "The other."),
                .required("entitlements", .list(.text), "What both give."), .required("since", .instant, "From when both ran."),
            ])

        package var first: String
        package var second: String
        package var entitlements: [String]
        package var since: Timestamp

        package init(first: String, second: String, entitlements: [String], since: Timestamp) {
            self.first = first
            self.second = second
            self.entitlements = entitlements
            self.since = since
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            first = try fields.requiredText("first")
            second = try fields.requiredText("second")
            entitlements = try fields.required("entitlements", .array, try fields.texts("entitlements"))
            since = try fields.requiredInstant("since")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("first", first)
            writer.member("second", second)
            writer.member("entitlements", entitlements)
            writer.member("since", since)
        }
    }

    /// That a token was registered for the customer.
    package struct Registration: JSONItem {
        package static let schema = ObjectSchema(
            "TokenRegistration", "That an appAccountToken was registered for the customer (OWN-2).",
            [
                .required("appAccountToken", .text, "A UUID.", example: "6f1c2e0a-58a4-4b1f-9e6d-0c2b7a9d3e11"),
                .required("registeredAt", .instant, "When it was said."),
                .required("minted", .bool, "Whether it was made for this customer and nobody else."),
                .optional("keyName", .text, "The key that the request showed; absent where none was shown.", example: "file"),
            ])

        package var appAccountToken: String
        package var registeredAt: Timestamp
        package var minted: Bool
        package var keyName: String?

        package init(appAccountToken: String, registeredAt: Timestamp, minted: Bool) {
            (self.appAccountToken, self.registeredAt, self.minted) = (appAccountToken, registeredAt, minted)
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            appAccountToken = try fields.requiredText("appAccountToken")
            registeredAt = try fields.requiredInstant("registeredAt")
            minted = try fields.requiredBool("minted")
            keyName = try fields.text("keyName")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("appAccountToken", appAccountToken)
            writer.member("registeredAt", registeredAt)
            writer.member("minted", minted)
            writer.optionalMember("keyName", keyName)
        }
    }

    /// One thing that was said about the customer, and what it changed.
    package struct AuditRow: JSONItem {
        package static let schema = ObjectSchema(
            "CustomerAuditRow", "One thing that was said about the customer, and what it changed (AUDIT-1).",
            [
                .required("sequence", .integer, "1, 2, 3, … of this customer."),
                .required(
                    "kind", .word(["vote", "intent", "unlock", "delivery", "appPurchase", "consumption"]), "What was said."),
                .required("id", .text, "Which.", example: "support-4711"),
                .required("rule", .text, "By which rule.", example: "ENT-9"),
                .required("actor", .text, "Who said it.", example: "mia"),
                .optional("keyName", .text, "The key that the request showed; absent where none was shown.", example: "file"),
                .required("recordedAt", .instant, "When it was said."),
                .optional("entitlement", .text, "Whose use it changed; absent where no use changed.", example: "plus"),
                .optional("effectiveAt", .instant, "The first instant at which the use differs."),
            ])

        package var sequence: Int64
        package var kind: String
        package var id: String
        package var rule: String
        package var actor: String
        package var keyName: String?
        package var recordedAt: Timestamp
        package var entitlement: String?
        package var effectiveAt: Timestamp?

        package init(sequence: Int64, kind: String, id: String, rule: String, actor: String) {
            self.sequence = sequence
            self.kind = kind
            self.id = id
            self.rule = rule
            self.actor = actor
            recordedAt = Timestamp(millisecondsSince1970: 0)
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            sequence = try fields.requiredInteger("sequence")
            kind = try fields.requiredText("kind")
            id = try fields.requiredText("id")
            rule = try fields.requiredText("rule")
            actor = try fields.requiredText("actor")
            keyName = try fields.text("keyName")
            recordedAt = try fields.requiredInstant("recordedAt")
            entitlement = try fields.text("entitlement")
            effectiveAt = try fields.instant("effectiveAt")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("sequence", sequence)
            writer.member("kind", kind)
            writer.member("id", id)
            writer.member("rule", rule)
            writer.member("actor", actor)
            writer.optionalMember("keyName", keyName)
            writer.member("recordedAt", recordedAt)
            writer.optionalMember("entitlement", entitlement)
            writer.optionalMember("effectiveAt", effectiveAt)
        }
    }
}

/// Whom to ask about at once.
package struct BulkQuestionBody: RequestContent, JSONBody, Hashable {
    /// How many customers one question names at the most.
    package static let most = 200

    package static let schema = ObjectSchema(
        "BulkQuestion", "Whom to ask about at once.",
        [
            .required("customers", .list(.text), "At most 200; each is answered in this order."),
            .optional("at", .instant, "The instant asked about; now unless said."),
        ])

    package var customers: [String]
    package var at: Timestamp?

    package init(customers: [String], at instant: Timestamp? = nil) {
        self.customers = customers
        at = instant
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        customers = try fields.required("customers", .array, try fields.texts("customers"))
        at = try fields.instant("at")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("customers", customers)
        writer.optionalMember("at", at)
    }
}

/// What some customers may use at one instant.
package struct BulkEntitlementsBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "BulkEntitlements", "What some customers may use at one instant, in the order in which they were asked for.",
        [.required("customers", .list(.object(EntitlementsBody.schema)), "One for each.")])

    package var customers: [EntitlementsBody]

    package init(customers: [EntitlementsBody]) { self.customers = customers }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        customers = try fields.requiredList("customers", EntitlementsBody.init)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("customers") { writer in
            writer.array { writer in for customer in customers { writer.object { customer.write(to: &$0) } } }
        }
    }

    package var expectedBytes: Int { 64 + 640 * customers.count }
}
