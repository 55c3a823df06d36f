package import Primitives
package import StrictJSON

/// Everything of one kind as lines of JSON: each is an item or, after each page and at the end, an ``ExportMark``.
///
/// Source: NDJSON 1.0 (github.com/ndjson/ndjson-spec): UTF-8, one JSON value a line, each ended by a line feed.
package struct ExportBody<Item: JSONItem>: AnswerContent, Hashable {
    package static var content: ContentSchema { .lines([Item.schema, ExportMark.schema]) }
    package static var mediaType: String { "application/x-ndjson" }

    package var lines: [Line]

    package enum Line: Sendable, Hashable {
        case item(Item)
        case mark(ExportMark)
    }

    package init(lines: [Line]) { self.lines = lines }

    /// A page and where it ended.
    package init(items: [Item], mark: ExportMark) { lines = items.map { .item($0) } + [.mark(mark)] }

    package init(json: [UInt8]) throws(InvalidBody) {
        var lines: [Line] = []
        for line in json.split(separator: UInt8(ascii: "\n")) {
            let document: JSONDocument
            do throws(JSONError) {
                document = try JSONDocument(Array(line))
            } catch {
                throw InvalidBody(member: nil, reason: "is not strict JSON: \(error)")
            }
            do throws(JSONFieldError) {
                let fields = try JSONFields(document.root, rules: .nullIsAbsent)
                lines.append(try fields.fields("export") != nil ? .mark(ExportMark(fields)) : .item(Item(fields)))
            } catch {
                throw InvalidBody(error)
            }
        }
        self.lines = lines
    }

    package var json: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512 * lines.count)
        for line in lines {
            writer.line { writer in
                switch line {
                case .item(let item): item.write(to: &writer)
                case .mark(let mark): mark.write(to: &writer)
                }
            }
        }
        return writer.bytes
    }
}

/// How far an export is.
package struct ExportMark: JSONItem {
    package static let schema = ObjectSchema(
        "ExportMark", "A line between the items of an export that says how far it is.",
        [.required("export", .object(Place.schema), "How far it is.")])

    package var after: String
    package var next: String?

    /// - Parameters:
    ///   - after: where the export goes on.
    ///   - next: where what changed since is read, at the end.
    package init(after: String, next: String? = nil) { (self.after, self.next) = (after, next) }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        let place = try fields.required("export", .object, try fields.fields("export"))
        after = try place.requiredText("after")
        next = try place.text("next")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("export") { writer in
            writer.object { writer in
                writer.member("after", after)
                writer.member("isComplete", next != nil)
                writer.optionalMember("next", next)
            }
        }
    }

    private enum Place {
        static let schema = ObjectSchema(
            "ExportPlace", "How far an export is.",
            [
                .required("after", .text, "Send it as after, and the export goes on behind this line.", example: "bGlzdA"),
                .required("isComplete", .bool, "Whether this is the last line; an export without it broke off."),
                .optional(
                    "next", .text, "In the last line: the address at which to read what changes from now on.",
                    example: "/api/v1/apps/notes/subscriptions?after=bGlzdA"),
            ])
    }
}

/// What Apple said of one purchase, and whose it was.
package struct ExportedPeriodItem: JSONItem {
    package static let schema = ObjectSchema(
        "ExportedPeriod", "A period or purchase as Apple signed it, and whose it was when it began.",
        [
            .required("originalTransactionId", .text, "Apple's id of the subscription.", example: "2000000111"),
            .required("environment", .word(Environment.names), "In Apple's spelling."),
            .optional("customer", .text, "Whose the subscription was at its purchaseDate.", example: "alice"),
            .required("transactionId", .text, "Apple's id of its transaction.", example: "2000000113"),
            .optional("webOrderLineItemId", .text, "Apple's id of the period.", example: "9000000113"),
            .required("productId", .text, "The product.", example: "plus.monthly"),
            .required("type", .text, "In Apple's spelling.", example: "Auto-Renewable Subscription"),
            .required("purchaseDate", .instant, "When it was bought or began."),
            .optional("expiresDate", .instant, "When it ends by itself; absent for what does not."),
            .required("isUpgraded", .bool, "Whether another product took its place (PER-3)."),
            .optional("revocationDate", .instant, "When it was taken back."),
            .optional("revocationReason", .integer, "0 other, 1 an issue in the app."),
            .optional("revocationType", .text, "In Apple's spelling.", example: "REFUND_FULL"),
            .optional("revocationPercentage", .integer, "The refunded part in thousandths of a per cent: 100000 is all."),
            .optional("price", .integer, "In thousandths of the currency's unit, as Apple signed it; absent: not said."),
            .optional("currency", .text, "ISO 4217.", example: "EUR"),
            .optional("storefront", .text, "In Apple's spelling.", example: "DEU"),
            .optional("quantity", .integer, "How many were bought at once."),
            .optional("inAppOwnershipType", .text, "In Apple's spelling.", example: "PURCHASED"),
            .optional("transactionReason", .text, "In Apple's spelling.", example: "RENEWAL"),
            .optional(
                "previousOriginalTransactionId", .text, "The subscription from which its customer switched (PER-14).",
                example: "2000000101"),
            .optional("offerType", .integer, "1 introductory, 2 promotional, 3 offer code, 4 win-back, 5 retention."),
            .optional("offerIdentifier", .text, "The offer's identifier.", example: "spring"),
            .optional("offerDiscountType", .text, "In Apple's spelling.", example: "FREE_TRIAL"),
            .required("signedDate", .instant, "When Apple signed or said this."),
        ])

    package var originalTransactionId: String
    package var environment: Environment
    package var customer: String?
    package var transactionId: String
    package var webOrderLineItemId: String?
    package var productId: String
    package var type: String
    package var purchaseDate: Timestamp
    package var expiresDate: Timestamp?
    package var isUpgraded = false
    package var revocation: Revocation?
    package var price: Int64?
    package var currency: String?
    package var storefront: String?
    package var quantity: Int64?
    package var inAppOwnershipType: String?
    package var transactionReason: String?
    package var previousOriginalTransactionId: String?
    package var offerType: Int64?
    package var offerIdentifier: String?
    package var offerDiscountType: String?
    package var signedDate: Timestamp

    package struct Revocation: Sendable, Hashable {
        package var date: Timestamp
        package var reason: Int64?
        package var type: String?
        package var percentage: Int64?

        package init(date: Timestamp, reason: Int64?, type: String?, percentage: Int64?) {
            (self.date, self.reason, self.type, self.percentage) = (date, reason, type, percentage)
        }
    }

    /// One of which Apple says nothing else; the caller says more of it.
    package init(
        of originalTransactionId: String, in environment: Environment, _ transactionId: String, productId: String, type: String
    ) {
        (self.originalTransactionId, self.environment) = (originalTransactionId, environment)
        (self.transactionId, self.productId, self.type) = (transactionId, productId, type)
        purchaseDate = Timestamp(millisecondsSince1970: 0)
        signedDate = purchaseDate
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        originalTransactionId = try fields.requiredText("originalTransactionId")
        environment = try fields.requiredEnvironment("environment")
        customer = try fields.text("customer")
        transactionId = try fields.requiredText("transactionId")
        webOrderLineItemId = try fields.text("webOrderLineItemId")
        productId = try fields.requiredText("productId")
        type = try fields.requiredText("type")
        purchaseDate = try fields.requiredInstant("purchaseDate")
        expiresDate = try fields.instant("expiresDate")
        isUpgraded = try fields.requiredBool("isUpgraded")
        if let date = try fields.instant("revocationDate") {
            revocation = Revocation(
                date: date, reason: try fields.integer("revocationReason"), type: try fields.text("revocationType"),
                percentage: try fields.integer("revocationPercentage"))
        }
        price = try fields.integer("price")
        currency = try fields.text("currency")
        storefront = try fields.text("storefront")
        quantity = try fields.integer("quantity")
        inAppOwnershipType = try fields.text("inAppOwnershipType")
        transactionReason = try fields.text("transactionReason")
        previousOriginalTransactionId = try fields.text("previousOriginalTransactionId")
        offerType = try fields.integer("offerType")
        offerIdentifier = try fields.text("offerIdentifier")
        offerDiscountType = try fields.text("offerDiscountType")
        signedDate = try fields.requiredInstant("signedDate")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("originalTransactionId", originalTransactionId)
        writer.member("environment", environment.rawValue)
        writer.optionalMember("customer", customer)
        writer.member("transactionId", transactionId)
        writer.optionalMember("webOrderLineItemId", webOrderLineItemId)
        writer.member("productId", productId)
        writer.member("type", type)
        writer.member("purchaseDate", purchaseDate)
        writer.optionalMember("expiresDate", expiresDate)
        writer.member("isUpgraded", isUpgraded)
        writer.optionalMember("revocationDate", revocation?.date)
        writer.optionalMember("revocationReason", revocation?.reason)
        writer.optionalMember("revocationType", revocation?.type)
        writer.optionalMember("revocationPercentage", revocation?.percentage)
        writer.optionalMember("price", price)
        writer.optionalMember("currency", currency)
        writer.optionalMember("storefront", storefront)
        writer.optionalMember("quantity", quantity)
        writer.optionalMember("inAppOwnershipType", inAppOwnershipType)
        writer.optionalMember("transactionReason", transactionReason)
        writer.optionalMember("previousOriginalTransactionId", previousOriginalTransactionId)
        writer.optionalMember("offerType", offerType)
        writer.optionalMember("offerIdentifier", offerIdentifier)
        writer.optionalMember("offerDiscountType", offerDiscountType)
        writer.member("signedDate", signedDate)
    }
}
