import StrictJSON

/// The body of an upload: `{"kind":"purchase","signedTransactionInfo":"…","productId":"…","signedRenewalInfo":"…"}`.
package struct UploadBody: RequestContent, Hashable {
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

    /// Reads a body; members that are not named here are refused, so that nobody believes they do something (T51).
    package init(json bytes: [UInt8]) throws(InvalidBody) {
        let members = try Self.members(of: bytes)
        for member in members where !Self.names.contains(member.name) {
            throw InvalidBody(member: member.name, reason: "is not a member of an upload")
        }
        kind = try Self.text("kind", in: members)
        signedTransactionInfo = try Self.text("signedTransactionInfo", in: members)
        productId = try Self.optionalText("productId", in: members)
        signedRenewalInfo = try Self.optionalText("signedRenewalInfo", in: members)
        if let value = members["intents"], !value.isNull {
            guard let keeps = value.bool else { throw InvalidBody(member: "intents", reason: "is not true or false") }
            intents = keeps
        }
    }

    private static let names: Set<String> = ["kind", "signedTransactionInfo", "productId", "signedRenewalInfo", "intents"]

    fileprivate static func members(of bytes: [UInt8]) throws(InvalidBody) -> JSONObject {
        do throws(JSONError) {
            let limits = JSONLimits(maximumBytes: ReceiptUploadBody.mostBytes, maximumDepth: 4, maximumElements: 64)
            let document = try JSONDocument(bytes, limits: limits)
            if let members = document.root.object { return members }
        } catch {
            throw InvalidBody(member: nil, reason: "is not strict JSON: \(error)")
        }
        throw InvalidBody(member: nil, reason: "is not a JSON object")
    }

    fileprivate static func text(_ name: String, in members: JSONObject) throws(InvalidBody) -> String {
        guard let value = members[name] else { throw InvalidBody(member: name, reason: "is missing") }
        guard let text = value.string else { throw InvalidBody(member: name, reason: "is not a string") }
        return text
    }

    private static func optionalText(_ name: String, in members: JSONObject) throws(InvalidBody) -> String? {
        guard let value = members[name], !value.isNull else { return nil }
        guard let text = value.string else { throw InvalidBody(member: name, reason: "is not a string") }
        return text
    }

    /// The body as it is sent.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("kind", kind)
            writer.member("signedTransactionInfo", signedTransactionInfo)
            writer.optionalMember("productId", productId)
            writer.optionalMember("signedRenewalInfo", signedRenewalInfo)
            if intents { writer.member("intents", true) }
        }
        return writer.bytes
    }
}

/// The body of an upload of a receipt: `{"kind":"restore","receipt":"…"}`.
package struct ReceiptUploadBody: RequestContent, Hashable {
    /// How long such a body may be, in bytes: a receipt of many years has megabytes.
    fileprivate static let mostBytes = 7 << 20

    package static var longest: Int? { mostBytes }

    /// `purchase`, `queue` or `restore`.
    package var kind: String
    /// The file of `appStoreReceiptURL` in base64.
    package var receipt: String

    package init(kind: String, receipt: String) {
        self.kind = kind
        self.receipt = receipt
    }

    /// Reads a body; members that are not named here are refused (T51).
    package init(json bytes: [UInt8]) throws(InvalidBody) {
        let members = try UploadBody.members(of: bytes)
        for member in members where member.name != "kind" && member.name != "receipt" {
            throw InvalidBody(member: member.name, reason: "is not a member of an upload of a receipt")
        }
        kind = try UploadBody.text("kind", in: members)
        receipt = try UploadBody.text("receipt", in: members)
    }

    /// The body as it is sent.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("kind", kind)
            writer.member("receipt", receipt)
        }
        return writer.bytes
    }
}
