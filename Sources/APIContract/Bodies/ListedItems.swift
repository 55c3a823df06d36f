package import Primitives
package import StrictJSON

/// Something of which lists say what changed.
package protocol ChangedItem: JSONItem {
    /// A page of them, as the document describes it.
    static var changes: PageWords { get }
}

/// A stretch of what changed.
package struct ChangesBody<Item: ChangedItem>: AnswerContent, JSONBody, Hashable {
    package static var schema: ObjectSchema {
        ObjectSchema(
            Item.changes.name, Item.changes.summary,
            [
                .required("items", .list(.object(Item.schema)), Item.changes.order),
                .required("next", .text, "The address at which to read on: at once where there is more, else whenever you like."),
                .required("hasMore", .bool, "Whether there is more by now."),
            ])
    }

    package var items: [Item]
    package var next: String
    package var hasMore: Bool

    package init(items: [Item], next: String, hasMore: Bool) {
        (self.items, self.next, self.hasMore) = (items, next, hasMore)
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        items = try fields.requiredList("items", Item.init)
        next = try fields.requiredText("next")
        hasMore = try fields.requiredBool("hasMore")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("items", items)
        writer.member("next", next)
        writer.member("hasMore", hasMore)
    }

    package var expectedBytes: Int { 512 + 512 * items.count }
}

/// A subscription as lists have it.
package struct ListedSubscriptionItem: ChangedItem {
    package static let changes = PageWords(
        "ChangedSubscriptions", "Subscriptions in the order in which their last change was committed, and where to read on.",
        order: "The one that changed longest ago first; each once, as it is now.")

    package static let schema = ObjectSchema(
        "ListedSubscription", "A subscription in short: its last period, its renewal as Apple says it, and whose it is and was.",
        [
            .required(
                "originalTransactionId", .text, "Apple's id of it; put this in the place of what you have.",
                example: "2000000111"),
            .optional("changedAt", .instant, "When what is listed became known; absent where that is not kept."),
            .optional("period", .object(periodSchema), "The last period; absent before there is one."),
            .optional("autoRenewStatus", .bool, "Whether it renews; absent where Apple has not said."),
            .optional("autoRenewProductId", .text, "The product of the next period.", example: "plus.monthly"),
            .optional(
                "expirationIntent", .integer, "Apple's reason for an end: 1 cancelled, 2 billing, 3 price, 4 product, 5 other."),
            .required("isInBillingRetryPeriod", .bool, "Whether Apple still tries to charge, as it last said."),
            .optional("service", .object(serviceSchema), "How far it serves whoever owns it; absent where it serves nobody."),
            .required("owners", .list(.object(ownerSchema)), "Whose it was, each until the next, and is (OWN-1)."),
        ])

    private static let periodSchema = ObjectSchema(
        "ListedPeriod", "The last period of a subscription, as Apple says it.",
        [
            .required("productId", .text, "The product.", example: "plus.monthly"),
            .required("transactionId", .text, "Apple's id of its transaction.", example: "2000000113"),
            .required("purchaseDate", .instant, "When it began."),
            .optional("expiresDate", .instant, "When it ends by itself; absent for what does not."),
            .optional("revocationDate", .instant, "When it was taken back."),
            .optional("inAppOwnershipType", .text, "In Apple's spelling.", example: "PURCHASED"),
        ])

    private static let serviceSchema = ObjectSchema(
        "ListedService", "The last stretch in which a subscription serves whoever owns it.",
        [
            .optional("until", .instant, "When it ends; absent where it does not."),
            .required("kind", .word(["paid", "gracePeriod", "provisional"]), "By what right."),
            .required("endsBecause", .text, "Why it ends where it ends.", example: "expired"),
        ])

    private static let ownerSchema = ObjectSchema(
        "ListedOwner", "Who had a subscription from when on.",
        [
            .optional("customer", .text, "The customer; absent while nobody has claimed it.", example: "alice"),
            .required("from", .instant, "From when on."),
        ])

    package var originalTransactionId: String
    package var changedAt: Timestamp?
    package var period: LastPeriod?
    package var autoRenewStatus: Bool?
    package var autoRenewProductId: String?
    package var expirationIntent: Int64?
    package var isInBillingRetryPeriod = false
    package var service: Service?
    package var owners: [Owner] = []

    package struct LastPeriod: JSONItem {
        package static var schema: ObjectSchema { periodSchema }

        package var productId: String
        package var transactionId: String
        package var purchaseDate: Timestamp
        package var expiresDate: Timestamp?
        package var revocationDate: Timestamp?
        package var inAppOwnershipType: String?

        package init(productId: String, transactionId: String, purchaseDate: Timestamp) {
            (self.productId, self.transactionId, self.purchaseDate) = (productId, transactionId, purchaseDate)
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            productId = try fields.requiredText("productId")
            transactionId = try fields.requiredText("transactionId")
            purchaseDate = try fields.requiredInstant("purchaseDate")
            expiresDate = try fields.instant("expiresDate")
            revocationDate = try fields.instant("revocationDate")
            inAppOwnershipType = try fields.text("inAppOwnershipType")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("productId", productId)
            writer.member("transactionId", transactionId)
            writer.member("purchaseDate", purchaseDate)
            writer.optionalMember("expiresDate", expiresDate)
            writer.optionalMember("revocationDate", revocationDate)
            writer.optionalMember("inAppOwnershipType", inAppOwnershipType)
        }
    }

    package struct Service: JSONItem {
        package static var schema: ObjectSchema { serviceSchema }

        package var until: Timestamp?
        package var kind: String
        package var endsBecause: String

        package init(until: Timestamp?, kind: String, endsBecause: String) {
            (self.until, self.kind, self.endsBecause) = (until, kind, endsBecause)
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            until = try fields.instant("until")
            kind = try fields.requiredText("kind")
            endsBecause = try fields.requiredText("endsBecause")
        }

        package func write(to writer: inout JSONWriter) {
            writer.optionalMember("until", until)
            writer.member("kind", kind)
            writer.member("endsBecause", endsBecause)
        }
    }

    package struct Owner: JSONItem {
        package static var schema: ObjectSchema { ownerSchema }

        package var customer: String?
        package var from: Timestamp

        package init(customer: String?, from: Timestamp) { (self.customer, self.from) = (customer, from) }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            customer = try fields.text("customer")
            from = try fields.requiredInstant("from")
        }

        package func write(to writer: inout JSONWriter) {
            writer.optionalMember("customer", customer)
            writer.member("from", from)
        }
    }

    /// One of which nothing else is known yet; the caller says more of it.
    package init(originalTransactionId: String) { self.originalTransactionId = originalTransactionId }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        originalTransactionId = try fields.requiredText("originalTransactionId")
        changedAt = try fields.instant("changedAt")
        if let said = try fields.fields("period") { period = try LastPeriod(said) }
        autoRenewStatus = try fields.bool("autoRenewStatus")
        autoRenewProductId = try fields.text("autoRenewProductId")
        expirationIntent = try fields.integer("expirationIntent")
        isInBillingRetryPeriod = try fields.requiredBool("isInBillingRetryPeriod")
        if let said = try fields.fields("service") { service = try Service(said) }
        owners = try fields.requiredList("owners", Owner.init)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("originalTransactionId", originalTransactionId)
        writer.optionalMember("changedAt", changedAt)
        writer.optionalMember("period", period)
        if let autoRenewStatus { writer.member("autoRenewStatus", autoRenewStatus) }
        writer.optionalMember("autoRenewProductId", autoRenewProductId)
        writer.optionalMember("expirationIntent", expirationIntent)
        writer.member("isInBillingRetryPeriod", isInBillingRetryPeriod)
        writer.optionalMember("service", service)
        writer.member("owners", owners)
    }
}

/// A customer as lists have them.
package struct ListedCustomerItem: ChangedItem {
    package static let changes = PageWords(
        "ChangedCustomers", "Customers in the order in which their last change was committed, and where to read on.",
        order: "The one who changed longest ago first; each once, as they are now.")

    package static let schema = ObjectSchema(
        "ListedCustomer", "A customer in short: what they have or had from each subscription.",
        [
            .required(
                "number", .text, "Stands for the customer for ever: key your copy by it, and an erasure reaches it.",
                example: "-4617023104932857114"),
            .required("customer", .text, "The customer's id; a pseudonym once they are erased.", example: "alice"),
            .required("isErased", .bool, "Whether they are erased: put this in the place of what you have under the number."),
            .required("subscriptions", .list(.object(Held.schema)), "By id."),
        ])

    package var number: String
    package var customer: String
    package var isErased: Bool
    package var subscriptions: [Held]

    package init(number: String, customer: String, isErased: Bool, subscriptions: [Held]) {
        (self.number, self.customer, self.isErased, self.subscriptions) = (number, customer, isErased, subscriptions)
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        number = try fields.requiredText("number")
        customer = try fields.requiredText("customer")
        isErased = try fields.requiredBool("isErased")
        subscriptions = try fields.requiredList("subscriptions", Held.init)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("number", number)
        writer.member("customer", customer)
        writer.member("isErased", isErased)
        writer.member("subscriptions", subscriptions)
    }

    /// What a customer has or had from a subscription.
    package struct Held: JSONItem {
        package static let schema = ObjectSchema(
            "HeldSubscription", "What a customer has or had from a subscription.",
            [
                .required("originalTransactionId", .text, "Apple's id of it.", example: "2000000111"),
                .optional("autoRenewStatus", .bool, "Whether it renews; absent where Apple has not said."),
                .optional("autoRenewProductId", .text, "The product of the next period.", example: "plus.monthly"),
                .required("spans", .list(.object(Span.schema)), "When it served this customer, by time."),
                .required(
                    "credited", .list(.object(Credit.schema)),
                    "Periods that add to a balance (PER-9, ENT-3), by purchase date; mostly none."),
            ])

        package var originalTransactionId: String
        package var autoRenewStatus: Bool?
        package var autoRenewProductId: String?
        package var spans: [Span]
        package var credited: [Credit]

        package init(originalTransactionId: String, spans: [Span], credited: [Credit]) {
            (self.originalTransactionId, self.spans, self.credited) = (originalTransactionId, spans, credited)
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            originalTransactionId = try fields.requiredText("originalTransactionId")
            autoRenewStatus = try fields.bool("autoRenewStatus")
            autoRenewProductId = try fields.text("autoRenewProductId")
            spans = try fields.requiredList("spans", Span.init)
            credited = try fields.requiredList("credited", Credit.init)
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("originalTransactionId", originalTransactionId)
            if let autoRenewStatus { writer.member("autoRenewStatus", autoRenewStatus) }
            writer.optionalMember("autoRenewProductId", autoRenewProductId)
            writer.member("spans", spans)
            writer.member("credited", credited)
        }
    }

    /// A stretch of time.
    package struct Span: JSONItem {
        package static let schema = ObjectSchema(
            "HeldSpan", "A stretch of time in which a subscription served a customer.",
            [
                .required("from", .instant, "When it begins."),
                .optional("until", .instant, "When it ends; absent where it does not."),
                .required("productId", .text, "The product.", example: "plus.monthly"),
                .required("kind", .word(["paid", "gracePeriod", "provisional"]), "By what right."),
                .required("endsBecause", .text, "Why it ends where it ends.", example: "expired"),
            ])

        package var from: Timestamp
        package var until: Timestamp?
        package var productId: String
        package var kind: String
        package var endsBecause: String

        package init(from: Timestamp, until: Timestamp?, productId: String, kind: String, endsBecause: String) {
            (self.from, self.until, self.productId) = (from, until, productId)
            (self.kind, self.endsBecause) = (kind, endsBecause)
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            from = try fields.requiredInstant("from")
            until = try fields.instant("until")
            productId = try fields.requiredText("productId")
            kind = try fields.requiredText("kind")
            endsBecause = try fields.requiredText("endsBecause")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("from", from)
            writer.optionalMember("until", until)
            writer.member("productId", productId)
            writer.member("kind", kind)
            writer.member("endsBecause", endsBecause)
        }
    }

    /// A period that adds to a balance.
    package struct Credit: JSONItem {
        package static let schema = ObjectSchema(
            "HeldCredit", "A period that adds to a customer's balance (PER-9, ENT-3).",
            [
                .required("productId", .text, "The product.", example: "plus.week"),
                .required("transactionId", .text, "Apple's id of its transaction.", example: "2000000113"),
                .required("purchaseDate", .instant, "When it was bought."),
                .optional("expiresDate", .instant, "When it ends by itself, as Apple says it."),
                .optional("takenBackAt", .instant, "When it was refunded or replaced."),
                .required("quantity", .integer, "How many were bought at once."),
                .optional("refundedUnits", .integer, "How many of them were refunded (PER-11)."),
            ])

        package var productId: String
        package var transactionId: String
        package var purchaseDate: Timestamp
        package var expiresDate: Timestamp?
        package var takenBackAt: Timestamp?
        package var quantity: Int64
        package var refundedUnits: Int64?

        package init(productId: String, transactionId: String, purchaseDate: Timestamp, quantity: Int64) {
            (self.productId, self.transactionId) = (productId, transactionId)
            (self.purchaseDate, self.quantity) = (purchaseDate, quantity)
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            productId = try fields.requiredText("productId")
            transactionId = try fields.requiredText("transactionId")
            purchaseDate = try fields.requiredInstant("purchaseDate")
            expiresDate = try fields.instant("expiresDate")
            takenBackAt = try fields.instant("takenBackAt")
            quantity = try fields.requiredInteger("quantity")
            refundedUnits = try fields.integer("refundedUnits")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("productId", productId)
            writer.member("transactionId", transactionId)
            writer.member("purchaseDate", purchaseDate)
            writer.optionalMember("expiresDate", expiresDate)
            writer.optionalMember("takenBackAt", takenBackAt)
            writer.member("quantity", quantity)
            writer.optionalMember("refundedUnits", refundedUnits)
        }
    }
}
