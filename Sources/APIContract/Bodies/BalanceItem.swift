package import Primitives
package import StrictJSON

/// A customer's balance of one entitlement, with everything that was added and taken back (ENT-3, ENT-4).
package struct BalanceItem: JSONItem {
    package static let schema = ObjectSchema(
        "Balance", "A customer's balance of one entitlement, with everything that was added and taken back (ENT-3, ENT-4).",
        [
            .required("entitlement", .text, "Of what.", example: "plus"),
            .nullable("paidThrough", .instant, "Until when it reaches; null where everything was taken back."),
            .required("lines", .list(.object(Line.schema)), "By instant; what is added then before what is taken back."),
        ])

    package var entitlement: String
    package var paidThrough: Timestamp?
    package var lines: [Line]

    package init(entitlement: String, paidThrough: Timestamp?, lines: [Line]) {
        (self.entitlement, self.paidThrough, self.lines) = (entitlement, paidThrough, lines)
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        entitlement = try fields.requiredText("entitlement")
        paidThrough = try fields.instant("paidThrough")
        lines = try fields.requiredList("lines", Line.init)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("entitlement", entitlement)
        writer.nullableMember("paidThrough", paidThrough?.millisecondsSince1970)
        writer.member("lines", lines)
    }

    /// One addition, or what was taken back of one.
    package struct Line: JSONItem {
        package static let schema = ObjectSchema(
            "BalanceLine", "One addition, or what was taken back of one.",
            [
                .required("at", .instant, "When it counts."),
                .required("milliseconds", .integer, "Positive for what was added, negative for what was taken back."),
                .optional("vote", .text, "The vote that added it; absent for a period.", example: "voucher-1"),
                .optional("transactionId", .text, "The period that added it; absent for a vote.", example: "2000000112"),
                .optional("originalTransactionId", .text, "The subscription that the period is of.", example: "2000000111"),
            ])

        package var at: Timestamp
        package var milliseconds: Int64
        package var vote: String?
        package var transactionId: String?
        package var originalTransactionId: String?

        package init(at instant: Timestamp, milliseconds: Int64) { (at, self.milliseconds) = (instant, milliseconds) }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            at = try fields.requiredInstant("at")
            milliseconds = try fields.requiredInteger("milliseconds")
            vote = try fields.text("vote")
            transactionId = try fields.text("transactionId")
            originalTransactionId = try fields.text("originalTransactionId")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("at", at)
            writer.member("milliseconds", milliseconds)
            writer.optionalMember("vote", vote)
            writer.optionalMember("transactionId", transactionId)
            writer.optionalMember("originalTransactionId", originalTransactionId)
        }
    }
}
