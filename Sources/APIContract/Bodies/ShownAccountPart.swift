import StrictJSON

/// What a client shows of the Apple Account that would buy; a part of several bodies.
package struct ShownAccountPart: Sendable, Hashable {
    /// - Parameter purpose: what it is for, as the end of a sentence.
    static func members(_ purpose: String) -> [MemberSchema] {
        [
            .optional(
                "signedTransactions", .list(.text),
                "StoreKit's jwsRepresentation of transactions of this Apple Account, \(purpose); at most 20."),
            .optional(
                "signedAppTransaction", .text,
                "StoreKit's jwsRepresentation of AppTransaction.shared, which shows the Apple Account too."),
        ]
    }

    package var signedTransactions: [String]
    package var signedAppTransaction: String?

    package init(signedTransactions: [String] = [], signedAppTransaction: String? = nil) {
        self.signedTransactions = signedTransactions
        self.signedAppTransaction = signedAppTransaction
    }

    init(_ fields: JSONFields) throws(JSONFieldError) {
        signedTransactions = try fields.texts("signedTransactions") ?? []
        signedAppTransaction = try fields.text("signedAppTransaction")
    }

    func write(to writer: inout JSONWriter) {
        if !signedTransactions.isEmpty { writer.member("signedTransactions", signedTransactions) }
        writer.optionalMember("signedAppTransaction", signedAppTransaction)
    }
}
