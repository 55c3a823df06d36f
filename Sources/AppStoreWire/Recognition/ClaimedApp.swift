internal import Primitives
internal import StrictJSON

/// The app that an artifact claims to be about. The claim is not verified: it serves to inspect what somebody else signed, never
/// to act on it (FACT-4).
package struct ClaimedApp: Sendable, Hashable {
    package var bundleId: String
    package var appAppleId: Int64?

    /// What a compact JWS claims; an empty bundle where it names none, as a renewal info.
    package init(jws: [UInt8]) {
        let parts = jws.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        let json = parts.count == 3 ? StrictBase64.decodeURL(parts[1]) : nil
        self.init(json.flatMap(Self.object))
    }

    /// What an app receipt claims.
    package init(receipt der: [UInt8], limits: ReceiptLimits = .default) {
        self.init(nil)
        do throws(ReceiptRefusal) {
            // Whether it is Xcode's is checked later.
            let (receipt, der) = try SignedReceipt.read(der, limits: limits, mayBeXcode: true)
            let attributes = try ReceiptAttributes(der, in: receipt.attributes(of: der, isXcode: receipt.path.count == 1))
            bundleId = try attributes.text(2) ?? ""
            appAppleId = try attributes.integer(1)
        } catch {
            // Verification will refuse it for the same reason.
            return
        }
    }

    /// What a transaction receipt from before iOS 7 claims.
    package init(transactionReceipt propertyList: [UInt8]) {
        self.init(nil)
        guard let text = PropertyListText(propertyList[...])?["purchase-info"],
            case .success(let bytes) = ReceiptEncoding.bytes(base64: text.utf8)
        else { return }
        bundleId = PropertyListText(bytes[...])?["bid"] ?? ""
    }

    private init(_ object: JSONObject?) {
        bundleId = ""
        guard let object else { return }
        let subject = object.map(\.value).compactMap(\.object).first { $0["bundleId"] != nil } ?? object
        bundleId = subject["bundleId"]?.string ?? ""
        appAppleId = subject["appAppleId"]?.int64
    }

    private static func object(_ json: [UInt8]) -> JSONObject? {
        do throws(JSONError) {
            return try JSONDocument(json).root.object
        } catch {
            return nil
        }
    }
}
