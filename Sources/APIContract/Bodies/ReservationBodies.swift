package import Primitives
package import StrictJSON

/// What was reserved for whom and is not known yet.
package struct PendingReservationsBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "PendingReservations", "What was reserved and of which nothing signed is known yet (OWN-18).",
        [
            .required("items", .list(.object(Item.schema)), "By transaction, then by id."),
            .optional("next", .text, "The address of the next page; absent on the last one."),
        ])

    package var items: [Item]
    package var next: String?

    package init(items: [Item], next: String?) { (self.items, self.next) = (items, next) }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        items = try fields.requiredList("items", Item.init)
        next = try fields.text("next")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("items", items)
        writer.optionalMember("next", next)
    }

    /// One of them.
    package struct Item: JSONItem {
        package static let schema = ObjectSchema(
            "PendingReservation", "A reservation of which nothing signed is known yet.",
            [
                .required("id", .text, "Chosen by whoever reserved.", example: "migration-1"),
                .required(
                    "transactionId", .text, "Apple's id of the transaction, or the subscription's originalTransactionId.",
                    example: "2000000112"),
                .required("customer", .text, "Whose it is to be.", example: "alice"),
                .required("reservedAt", .instant, "When."),
            ])

        package var id: String
        package var transactionId: String
        package var customer: String
        package var reservedAt: Timestamp

        package init(id: String, transactionId: String, customer: String, reservedAt: Timestamp) {
            self.id = id
            self.transactionId = transactionId
            self.customer = customer
            self.reservedAt = reservedAt
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            id = try fields.requiredText("id")
            transactionId = try fields.requiredText("transactionId")
            customer = try fields.requiredText("customer")
            reservedAt = try fields.requiredInstant("reservedAt")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("id", id)
            writer.member("transactionId", transactionId)
            writer.member("customer", customer)
            writer.member("reservedAt", reservedAt)
        }
    }
}
