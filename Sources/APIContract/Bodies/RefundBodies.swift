package import Primitives
package import StrictJSON

/// A refund, and what is to be taken back.
package struct RefundItem: PagedItem {
    package static let page = PageWords(
        "Refunds", "What Apple refunded to anybody (PER-11).", order: "By revocationDate, the last one first.")

    package static let schema = ObjectSchema(
        "Refund", "A refund, and what is to be taken back of it (PER-9, PER-11).",
        [
            .required("originalTransactionId", .text, "The subscription, or the purchase itself.", example: "2000000111"),
            .required("transactionId", .text, "Apple's id of what was refunded.", example: "2000000113"),
            .required("productId", .text, "What it was.", example: "notes.coins"),
            .required("type", .text, "In Apple's spelling; empty where Apple did not say.", example: "Consumable"),
            .required("purchaseDate", .instant, "When it was bought."),
            .optional("customer", .text, "Who had bought it; absent where nobody owned it.", example: "alice"),
            .required("revocationDate", .instant, "When Apple gave the money back."),
            .required("isReversed", .bool, "Whether the refund was undone since: then nothing is to be taken back."),
            .required("isPartial", .bool, "Only a part of the price was given back."),
            .optional(
                "revocationPercentage", .integer, "That part in thousandths of a per cent, where Apple says it.",
                example: "50000"),
            .optional("revocationReason", .integer, "0 other, 1 an issue in the app."),
            .optional("revocationType", .text, "In Apple's spelling.", example: "REFUND_FULL"),
            .optional("quantity", .integer, "Of a one-time purchase: how many were bought.", example: "4"),
            .optional(
                "refundedQuantity", .integer,
                "Of a one-time purchase: how many of them were refunded; absent where Apple does not say.", example: "2"),
            .required("deliveries", .list(.object(delivery)), "Of a consumable: to whom the app delivered it, by when."),
            .required(
                "takeBack", .integer, "Of a consumable: how many that were delivered are refunded now, over all deliveries.",
                example: "2"),
        ])

    private static let delivery = ObjectSchema(
        "RefundedDelivery", "A delivery of what was refunded.",
        [
            .required("customer", .text, "To whom.", example: "alice"),
            .required("deliveredAt", .instant, "When the app's backend said so first."),
            .required("quantity", .integer, "How many were theirs then.", example: "4"),
            .required("takeBack", .integer, "How many of them are refunded now.", example: "2"),
        ])

    /// The purchase that was refunded.
    package struct Purchase: Sendable, Hashable {
        package let originalTransactionId: String
        package let transactionId: String
        package let productId: String
        package let type: String
        package let purchaseDate: Timestamp

        package init(
            originalTransactionId: String, transactionId: String, productId: String, type: String, purchaseDate: Timestamp
        ) {
            (self.originalTransactionId, self.transactionId) = (originalTransactionId, transactionId)
            (self.productId, self.type, self.purchaseDate) = (productId, type, purchaseDate)
        }
    }

    package struct Delivery: JSONItem {
        package static let schema = RefundItem.delivery

        package let customer: String
        package let deliveredAt: Timestamp
        package let quantity: Int64
        package let takeBack: Int64

        package init(customer: String, deliveredAt: Timestamp, quantity: Int64, takeBack: Int64) {
            (self.customer, self.deliveredAt) = (customer, deliveredAt)
            (self.quantity, self.takeBack) = (quantity, takeBack)
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            customer = try fields.requiredText("customer")
            deliveredAt = try fields.requiredInstant("deliveredAt")
            quantity = try fields.requiredInteger("quantity")
            takeBack = try fields.requiredInteger("takeBack")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("customer", customer)
            writer.member("deliveredAt", deliveredAt)
            writer.member("quantity", quantity)
            writer.member("takeBack", takeBack)
        }
    }

    package let purchase: Purchase
    package var customer: String?
    package let revocationDate: Timestamp
    package var isReversed = false
    package var isPartial = false
    package var revocationPercentage: Int64?
    package var revocationReason: Int64?
    package var revocationType: String?
    package var quantity: Int64?
    package var refundedQuantity: Int64?
    package var deliveries: [Delivery] = []
    package var takeBack: Int64 = 0

    package init(_ purchase: Purchase, revocationDate: Timestamp) {
        (self.purchase, self.revocationDate) = (purchase, revocationDate)
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        purchase = Purchase(
            originalTransactionId: try fields.requiredText("originalTransactionId"),
            transactionId: try fields.requiredText("transactionId"), productId: try fields.requiredText("productId"),
            type: try fields.requiredText("type"), purchaseDate: try fields.requiredInstant("purchaseDate"))
        customer = try fields.text("customer")
        revocationDate = try fields.requiredInstant("revocationDate")
        isReversed = try fields.requiredBool("isReversed")
        isPartial = try fields.requiredBool("isPartial")
        revocationPercentage = try fields.integer("revocationPercentage")
        revocationReason = try fields.integer("revocationReason")
        revocationType = try fields.text("revocationType")
        quantity = try fields.integer("quantity")
        refundedQuantity = try fields.integer("refundedQuantity")
        deliveries = try fields.requiredList("deliveries", Delivery.init)
        takeBack = try fields.requiredInteger("takeBack")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("originalTransactionId", purchase.originalTransactionId)
        writer.member("transactionId", purchase.transactionId)
        writer.member("productId", purchase.productId)
        writer.member("type", purchase.type)
        writer.member("purchaseDate", purchase.purchaseDate)
        writer.optionalMember("customer", customer)
        writer.member("revocationDate", revocationDate)
        writer.member("isReversed", isReversed)
        writer.member("isPartial", isPartial)
        writer.optionalMember("revocationPercentage", revocationPercentage)
        writer.optionalMember("revocationReason", revocationReason)
        writer.optionalMember("revocationType", revocationType)
        writer.optionalMember("quantity", quantity)
        writer.optionalMember("refundedQuantity", refundedQuantity)
        writer.member("deliveries", deliveries)
        writer.member("takeBack", takeBack)
    }
}
