internal import Primitives
internal import StrictJSON

/// What a text or a file from Apple is, judged by its form alone; nothing in it is verified.
///
/// It is what support gets: a receipt out of a log, a JWS out of a debugger, the body of an answer.
package enum AppleArtifact: Sendable, Hashable {
    /// A compact JWS with certificates in its header, as the App Store signs; without a kind where its payload is of no known
    /// kind.
    case jws(JWSKind?, [UInt8])
    /// A compact JWS that names a key instead of a chain: what a server of ours signs for Apple.
    case ownJWS([UInt8])
    /// An app receipt: PKCS#7, or the content of one without it.
    case appReceipt([UInt8])
    /// A transaction receipt from before iOS 7: the property list out of its base64.
    case transactionReceipt([UInt8])
    /// The body of an answer of `/verifyReceipt`.
    case verifyReceiptAnswer([UInt8])
    /// A notification of version 1.
    case notificationV1([UInt8])
    /// The body of an answer of the App Store Server API, with what is signed in it.
    case serverAPIAnswer([UInt8], signed: [Signed])
    /// The body of a refusal of the App Store Server API.
    case serverAPIError([UInt8])
    /// Digits alone, as in a transaction's id: only an identifier, not signed.
    case transactionId(String)

    /// The kinds of JWS that the App Store signs.
    package enum JWSKind: String, Sendable, Hashable {
        case notification, transaction, renewalInfo, appTransaction, realtimeRequest
    }

    /// A JWS inside an answer, and its place there, such as `signedTransactions[3]`.
    package struct Signed: Sendable, Hashable {
        package let path: String
        package let jws: [UInt8]
    }

    /// Recognises bytes, in base64 or not, with white space or quotation marks around them. nil where they are not an artifact of
    /// Apple's; ``Recognition`` removes more wrapping, and says what they are instead.
    package init?(recognising bytes: [UInt8]) {
        self.init(recognising: bytes, limits: Self.limits)
    }

    private init?(recognising bytes: [UInt8], limits: JSONLimits) {
        let trimmed = Self.trimmed(bytes)
        guard let first = trimmed.first else { return nil }
        if trimmed.count <= 64, trimmed.allSatisfy(Self.isDigit) {
            self = .transactionId(String(decoding: trimmed, as: UTF8.self))
        } else if first == 0x30 || first == 0x31, let found = Self.receipt(trimmed) {
            self = found
        } else if first == UInt8(ascii: "{") {
            guard let found = Self.object(trimmed, limits: limits) else { return nil }
            self = found
        } else if let found = Self.jws(trimmed, limits: limits) {
            self = found
        } else if case .success(let decoded) = ReceiptEncoding.bytes(base64: trimmed), let found = Self.receipt(decoded) {
            self = found
        } else {
            return nil
        }
    }

    /// Room for an answer with twenty transactions or a receipt of ten thousand purchases in it.
    static let limits = JSONLimits(maximumBytes: 8 * 1024 * 1024, maximumDepth: 64, maximumElements: 1_000_000)

    /// How a JSON object's beginning is spelt in base64url: `{"`.
    static let jwsBeginning = Array("eyJ".utf8)

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Without what is often copied along: white space, quotation marks, and the comma after a JSON member.
    static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        let before = Array("\"'`".utf8)
        let behind = Array("\"'`,;".utf8)
        return trimmed(bytes, before: { before.contains($0) }, behind: { behind.contains($0) })
    }

    /// Without white space around it.
    static func spaceTrimmed(_ bytes: [UInt8]) -> [UInt8] {
        trimmed(bytes, before: { _ in false }, behind: { _ in false })
    }

    private static func trimmed(
        _ bytes: [UInt8], before isBefore: (UInt8) -> Bool, behind isBehind: (UInt8) -> Bool
    ) -> [UInt8] {
        // A DER file may end in any byte; nothing is removed from it.
        if bytes.first == 0x30 || bytes.first == 0x31, !bytes.allSatisfy({ $0 < 0x80 }) { return bytes }
        let rest = bytes.drop { TextWrapping.isSpace($0) || isBefore($0) }
        let count = rest.reversed().prefix { TextWrapping.isSpace($0) || isBehind($0) }.count
        return Array(rest.dropLast(count))
    }

    /// The JSON object that a text is.
    static func object(_ text: [UInt8]) -> JSONObject? { parsed(text, limits: limits) }

    private static func receipt(_ bytes: [UInt8]) -> AppleArtifact? {
        switch bytes.first {
        case 0x30: bytes.prefix(24).firstRange(of: signedDataIdentifier) == nil ? nil : .appReceipt(bytes)
        // Tags and lengths of DER; no text has such a character.
        case 0x31: bytes.contains { $0 < 0x09 } ? .appReceipt(bytes) : nil
        case UInt8(ascii: "{"): PropertyListText(bytes[...]) == nil ? nil : .transactionReceipt(bytes)
        default: nil
        }
    }

    /// The object identifier of signed data, 1.2.840.113549.1.7.2, in DER: every receipt begins with it.
    private static let signedDataIdentifier: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

    private static func jws(_ bytes: [UInt8], limits: JSONLimits) -> AppleArtifact? {
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let header = json(parts[0], limits: limits), header["alg"] != nil else { return nil }
        guard header["x5c"] != nil else { return header["kid"] == nil ? nil : .ownJWS(bytes) }
        let reader = json(parts[1], limits: limits).map { PayloadReader($0) }
        let kind = reader.flatMap { reader in PayloadKind.allCases.first { $0.claims(reader) } }
        return .jws(kind.map(JWSKind.init), bytes)
    }

    private static func json(_ part: ArraySlice<UInt8>, limits: JSONLimits) -> JSONObject? {
        guard let bytes = StrictBase64.decodeURL(part) else { return nil }
        return parsed(bytes, limits: limits)
    }

    private static func parsed(_ bytes: [UInt8], limits: JSONLimits) -> JSONObject? {
        do throws(JSONError) {
            return try JSONDocument(bytes, limits: limits).root.object
        } catch {
            return nil
        }
    }

    /// An object: JSON, judged by its members, or else a property list, which begins with the same character.
    private static func object(_ bytes: [UInt8], limits: JSONLimits) -> AppleArtifact? {
        guard let object = parsed(bytes, limits: limits) else { return receipt(bytes) }
        if let payload = object["signedPayload"]?.utf8, object["sendAttempts"] == nil {
            return jws(Array(payload), limits: limits)
        }
        if let receipt = object["receipt-data"]?.utf8 {
            guard case .success(let decoded) = ReceiptEncoding.bytes(base64: receipt) else { return nil }
            return self.receipt(decoded)
        }
        if object["notification_type"] != nil { return .notificationV1(bytes) }
        if object["status"] != nil, object["signedTransactions"] == nil { return .verifyReceiptAnswer(bytes) }
        if object["errorCode"] != nil { return .serverAPIError(bytes) }
        var signed: [Signed] = []
        collect(object, at: "", into: &signed)
        return signed.isEmpty ? nil : .serverAPIAnswer(bytes, signed: signed)
    }

    private static let signedNames: Set<String> = [
        "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo", "signedTransactions", "signedPayload",
    ]

    private static func collect(_ object: JSONObject, at path: String, into signed: inout [Signed]) {
        for member in object {
            let here = path + member.name
            if let text = member.value.utf8, signedNames.contains(member.name) {
                signed.append(Signed(path: here, jws: Array(text)))
            } else if let inner = member.value.object {
                collect(inner, at: here + ".", into: &signed)
            } else if let array = member.value.array {
                for (position, element) in array.enumerated() {
                    if signedNames.contains(member.name) {
                        // A value that is not text is not a JWS; it is kept, so that the report shows its refusal.
                        signed.append(Signed(path: "\(here)[\(position)]", jws: Array(element.utf8 ?? [])))
                    } else if let inner = element.object {
                        collect(inner, at: "\(here)[\(position)].", into: &signed)
                    }
                }
            }
        }
    }
}

extension AppleArtifact.JWSKind {
    fileprivate init(_ kind: PayloadKind) {
        self =
            switch kind {
            case .notification: .notification
            case .transaction: .transaction
            case .renewalInfo: .renewalInfo
            case .appTransaction: .appTransaction
            case .realtimeRequest: .realtimeRequest
            }
    }
}
