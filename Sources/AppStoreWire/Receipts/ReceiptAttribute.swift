internal import Primitives
internal import SwiftASN1

/// One attribute of a receipt as it stands there; for those that this library has no name for.
///
/// Source: Apple, "Receipt fields": `ReceiptAttribute ::= SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`.
public struct ReceiptAttribute: Sendable, Hashable {
    /// Which attribute; Apple's number.
    public let type: Int64
    /// The attribute's version.
    public let version: Int64
    /// The value's bytes, as a rule a DER value of their own.
    public let value: [UInt8]
}

/// The attributes of a receipt or of one purchase in it, read by Apple's documented types. An attribute of another type refuses
/// the receipt and is named by its number; one that is absent, or a date that is empty, is nil.
struct ReceiptAttributes {
    private struct Entry {
        let type: Int64
        let version: Int64
        let value: ArraySlice<UInt8>
    }

    private let entries: [Entry]
    /// What stands before an attribute's number in a refusal.
    private let path: String

    /// Reads `SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`. The order is not held against DER's, which
    /// Apple does not keep.
    init(_ bytes: ArraySlice<UInt8>, path: String = "") throws(ReceiptRefusal) {
        do {
            let root = try DER.parse(bytes)
            guard root.identifier == .set, case .constructed(let nodes) = root.content else {
                throw ReceiptRefusal(.contentMalformed, "\(path)not a set")
            }
            entries = try nodes.map { node in
                try DER.sequence(node, identifier: .sequence) { fields in
                    Entry(
                        type: try Int64(derEncoded: &fields), version: try Int64(derEncoded: &fields),
                        value: try ASN1OctetString(derEncoded: &fields).bytes)
                }
            }
            self.path = path
        } catch let refusal as ReceiptRefusal {
            throw refusal
        } catch {
            throw ReceiptRefusal(.contentMalformed, "\(path)not attributes")
        }
    }

    /// The value's bytes; refuses an attribute that came twice.
    func bytes(_ type: Int64) throws(ReceiptRefusal) -> ArraySlice<UInt8>? {
        var found: ArraySlice<UInt8>?
        for entry in entries where entry.type == type {
            guard found == nil else { throw ReceiptRefusal(.attributeDuplicated, "\(path)\(type)") }
            found = entry.value
        }
        return found
    }

    /// The values of an attribute that may come any number of times, in the receipt's order.
    func all(_ type: Int64) -> [ArraySlice<UInt8>] { entries.lazy.filter { $0.type == type }.map(\.value) }

    func integer(_ type: Int64) throws(ReceiptRefusal) -> Int64? {
        guard let node = try node(type) else { return nil }
        do {
            return try Int64(derEncoded: node)
        } catch {
            throw invalid(type)
        }
    }

    func bool(_ type: Int64) throws(ReceiptRefusal) -> Bool? { try integer(type).map { $0 != 0 } }

    /// Text in UTF-8 or ASCII, whichever Apple chose.
    func text(_ type: Int64) throws(ReceiptRefusal) -> String? {
        guard let node = try node(type) else { return nil }
        guard case .primitive(let bytes) = node.content, node.identifier == .utf8String || node.identifier == .ia5String,
            !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self)
        else { throw invalid(type) }
        return text
    }

    /// A text that is there and not empty.
    func requiredText(_ type: Int64) throws(ReceiptRefusal) -> String {
        let text = try required(type, try text(type))
        guard !text.isEmpty else { throw invalid(type) }
        return text
    }

    /// An instant; an empty text is nil, as Apple writes dates that are absent.
    func instant(_ type: Int64) throws(ReceiptRefusal) -> Timestamp? {
        guard let text = try text(type), !text.isEmpty else { return nil }
        guard let instant = Timestamp(rfc3339: Self.colonInOffset(text)) else { throw invalid(type) }
        return instant
    }

    /// Xcode writes its local offset, and not always with the colon that RFC 3339 wants: `+0200`.
    private static func colonInOffset(_ text: String) -> String {
        let offset = text.utf8.suffix(5)
        guard offset.count == 5, let sign = offset.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            offset.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return text }
        return String(text.dropLast(2)) + ":" + String(text.suffix(2))
    }

    func required<Value>(_ type: Int64, _ value: Value?) throws(ReceiptRefusal) -> Value {
        guard let value else { throw ReceiptRefusal(.attributeMissing, "\(path)\(type)") }
        return value
    }

    func invalid(_ type: Int64) -> ReceiptRefusal { ReceiptRefusal(.attributeInvalid, "\(path)\(type)") }

    /// The attributes whose numbers are not among those given.
    func others(than known: Set<Int64>) -> [ReceiptAttribute] {
        entries.lazy.filter { !known.contains($0.type) }
            .map { ReceiptAttribute(type: $0.type, version: $0.version, value: Array($0.value)) }
    }

    private func node(_ type: Int64) throws(ReceiptRefusal) -> ASN1Node? {
        guard let bytes = try bytes(type) else { return nil }
        do {
            return try DER.parse(bytes)
        } catch {
            throw invalid(type)
        }
    }
}
