import SwiftASN1

/// Reads a receipt's content with the library's general ASN.1 parser: slow, and independent of our own code.
enum GeneralReceiptParser {
    /// Whether the bytes are a set of attributes, and each purchase that is reached is a set of attributes.
    static func reads(_ content: [UInt8]) -> Bool {
        do {
            for (type, value) in try attributes(content[...]) where type == 17 { _ = try attributes(value) }
            return true
        } catch {
            return false
        }
    }

    private static func attributes(_ bytes: ArraySlice<UInt8>) throws -> [(Int64, ArraySlice<UInt8>)] {
        let root = try DER.parse(bytes)
        guard root.identifier == .set, case .constructed(let nodes) = root.content else {
            throw ASN1Error.unexpectedFieldType(root.identifier)
        }
        return try nodes.map { node in
            try DER.sequence(node, identifier: .sequence) { fields in
                let type = try Int64(derEncoded: &fields)
                _ = try Int64(derEncoded: &fields)
                return (type, try ASN1OctetString(derEncoded: &fields).bytes)
            }
        }
    }
}
