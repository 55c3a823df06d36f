package import StrictJSON

/// The body of an upload: `{"kind":"purchase","signedTransactionInfo":"…","productId":"…","signedRenewalInfo":"…"}`.
package struct UploadBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Upload", "A transaction that a customer shows.",
        [
            .required("kind", .word(["purchase", "queue", "restore"]), "How the transaction reached the device."),
            .required(
                "signedTransactionInfo", .text, "StoreKit's jwsRepresentation of the transaction.", example: "eyJhbGciOi…"),
            .optional("productId", .text, "The product that the customer bought; else the transaction's own."),
            .optional("signedRenewalInfo", .text, "StoreKit's jwsRepresentation of the renewal info.", example: "eyJhbGciOi…"),
            .optional("intents", .bool, "Whether the client asks before it buys (OWN-18); false unless said."),
        ])
    package static let limits = JSONLimits(maximumDepth: 4, maximumElements: 64)

    /// `purchase`, `queue` or `restore`.
    package var kind: String
    /// StoreKit's `jwsRepresentation` of the transaction.
    package var signedTransactionInfo: String
    /// The product that the customer bought; left out, the transaction's own.
    package var productId: String?
    /// StoreKit's `jwsRepresentation` of the renewal info.
    package var signedRenewalInfo: String?
    /// The client asks whether it may buy before it does (OWN-18): what surfaces on it without that is not its customer's
    /// purchase.
    package var intents = false

    package init(
        kind: String, signedTransactionInfo: String, productId: String? = nil, signedRenewalInfo: String? = nil,
        intents: Bool = false
    ) {
        self.intents = intents
        self.kind = kind
        self.signedTransactionInfo = signedTransactionInfo
        self.productId = productId
        self.signedRenewalInfo = signedRenewalInfo
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        kind = try fields.requiredText("kind")
        signedTransactionInfo = try fields.requiredText("signedTransactionInfo")
        productId = try fields.text("productId")
        signedRenewalInfo = try fields.text("signedRenewalInfo")
        intents = try fields.bool("intents") ?? false
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("kind", kind)
        writer.member("signedTransactionInfo", signedTransactionInfo)
        writer.optionalMember("productId", productId)
        writer.optionalMember("signedRenewalInfo", signedRenewalInfo)
        if intents { writer.member("intents", true) }
    }
}

/// The body of an upload of a receipt: `{"kind":"restore","receipt":"…"}`.
package struct ReceiptUploadBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "ReceiptUpload", "A receipt of the old kind that a customer shows.",
        [
            .required("kind", .word(["purchase", "queue", "restore"]), "How the receipt reached the device."),
            .required("receipt", .text, "The file of appStoreReceiptURL in base64.", example: "MIIT…"),
            .optional("intents", .bool, "Whether the client asks before it buys (OWN-18); false unless said."),
        ])
    package static let limits = JSONLimits(maximumBytes: mostBytes, maximumDepth: 4, maximumElements: 64)

    /// A receipt of many years has megabytes.
    private static let mostBytes = 7 << 20

    package static var longest: Int? { mostBytes }

    /// `purchase`, `queue` or `restore`.
    package var kind: String
    /// The file of `appStoreReceiptURL` in base64.
    package var receipt: String
    /// As ``UploadBody/intents``.
    package var intents = false

    package init(kind: String, receipt: String, intents: Bool = false) {
        self.kind = kind
        self.receipt = receipt
        self.intents = intents
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        kind = try fields.requiredText("kind")
        receipt = try fields.requiredText("receipt")
        intents = try fields.bool("intents") ?? false
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("kind", kind)
        writer.member("receipt", receipt)
        if intents { writer.member("intents", true) }
    }
}
