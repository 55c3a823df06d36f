internal import SwiftASN1

/// BER rewritten as DER: lengths are definite and as short as possible, and octet strings are in one piece. Xcode writes receipts
/// in BER.
///
/// The signed part stays unchanged: the octets of the content, and elements that were DER already.
///
/// Source: ITU-T X.690, sections 8.1 and 8.7 (BER), 10.1 and 10.2 (DER).
enum BasicEncoding {
    /// Nil where the bytes are not one element of BER, or have strings in pieces that no receipt has.
    static func distinguished(_ ber: [UInt8]) -> [UInt8]? {
        do {
            var serializer = DER.Serializer()
            try write(try BER.parse(ber), to: &serializer)
            return serializer.serializedBytes
        } catch {
            return nil
        }
    }

    private struct NotOfAReceipt: Error {}

    private static func write(_ node: ASN1Node, to serializer: inout DER.Serializer) throws {
        switch node.content {
        case .primitive(let bytes): serializer.appendPrimitiveNode(identifier: node.identifier) { $0 += bytes }
        case .constructed(let pieces) where node.identifier == .octetString:
            let joined = try pieces.flatMap { piece in
                guard piece.identifier == .octetString, case .primitive(let bytes) = piece.content else { throw NotOfAReceipt() }
                return bytes
            }
            serializer.appendPrimitiveNode(identifier: .octetString) { $0 += joined }
        case .constructed(let children):
            guard node.identifier.tagClass != .universal || [.sequence, .set].contains(node.identifier) else {
                throw NotOfAReceipt()
            }
            try serializer.appendConstructedNode(identifier: node.identifier) { serializer in
                for child in children { try write(child, to: &serializer) }
            }
        }
    }
}
