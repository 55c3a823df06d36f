internal import AppStoreModel
internal import Primitives
internal import SimulatorPKI

/// A receipt that a client sends to `/verifyReceipt`, read and found to be ours.
struct ShownReceipt: Sendable {
    let receiptType: String
    let bundleId: String
    let applicationVersion: String
    let originalApplicationVersion: String
    let creationDate: String
    /// The transactions in the receipt, in their order.
    let transactions: [TransactionNumber]

    /// Nil for what is not a receipt, or not one of this authority.
    init?(_ der: [UInt8], signedBy authority: ReceiptAuthority) {
        guard let content = Self.content(of: der), Self.isSigned(der, content, by: authority),
            let attributes = Self.attributes(content)
        else { return nil }
        func text(_ type: Int64) -> String? {
            attributes.first { $0.type == type }.flatMap { Self.text($0.value) }
        }
        guard let receiptType = text(0), let bundleId = text(2), let creationDate = text(12) else { return nil }
        self.receiptType = receiptType
        self.bundleId = bundleId
        self.creationDate = creationDate
        applicationVersion = text(3) ?? ""
        originalApplicationVersion = text(19) ?? ""
        transactions = attributes.filter { $0.type == 17 }.compactMap { line in
            Self.attributes(line.value)?.first { $0.type == 1703 }.flatMap { Self.text($0.value) }.flatMap {
                TransactionNumber($0)
            }
        }
    }

    var environment: Environment { receiptType.hasSuffix("Sandbox") ? .sandbox : .production }

    /// The signature over the content is the same each time: RSA with PKCS #1 v1.5 is deterministic.
    private static func isSigned(_ der: [UInt8], _ content: [UInt8], by authority: ReceiptAuthority) -> Bool {
        do { return try authority.sign(content: content) == der } catch { return false }
    }

    /// `ContentInfo` → `SignedData` → `encapContentInfo` → the OCTET STRING in it.
    ///
    /// Source: RFC 2315, section 9.1.
    private static func content(of der: [UInt8]) -> [UInt8]? {
        guard let info = DERReader(der[...]).value(0x30).flatMap({ DERReader($0).values() }), info.count == 2,
            let signed = DERReader(info[1].content).value(0x30).flatMap({ DERReader($0).values() }), signed.count >= 3,
            let encapsulated = DERReader(signed[2].content).values(), encapsulated.count == 2,
            let octets = DERReader(encapsulated[1].content).value(0x04)
        else { return nil }
        return Array(octets)
    }

    private static func attributes(_ set: some Collection<UInt8>) -> [(type: Int64, value: ArraySlice<UInt8>)]? {
        guard let elements = DERReader(Array(set)[...]).value(0x31).flatMap({ DERReader($0).values() }) else { return nil }
        return elements.compactMap { element in
            guard let parts = DERReader(element.content).values(), parts.count == 3,
                let type = DERReader.integer(parts[0].content)
            else { return nil }
            return (type, parts[2].content)
        }
    }

    private static func text(_ value: ArraySlice<UInt8>) -> String? {
        guard let first = DERReader(value).values(atMost: 1)?.first else { return nil }
        return String(validating: first.content, as: UTF8.self)
    }
}
