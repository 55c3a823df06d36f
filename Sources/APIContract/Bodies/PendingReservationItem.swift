package import Primitives
package import StrictJSON

/// A reservation of which nothing signed is known yet.
package struct PendingReservationItem: PagedItem {
    package static let page = PageWords(
        "PendingReservations", "What was reserved and of which nothing signed is known yet (OWN-18).",
        order: "By transaction, then by id.")

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
