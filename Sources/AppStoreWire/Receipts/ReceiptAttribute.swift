internal import Primitives

/// One attribute of a receipt, unchanged; for those that this library has no name for.
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
        let value: Range<Int>
    }

    private let bytes: [UInt8]
    private var entries: [Entry] = []
    /// What precedes an attribute's number in a refusal.
    private let path: String

    /// Reads `SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`. The order is not checked against DER's,
    /// which Apple does not follow.
    init(_ bytes: [UInt8], in range: Range<Int>, path: String = "") throws(ReceiptRefusal) {
        self.bytes = bytes
        self.path = path
        guard let set = DERElements.only(bytes, in: range), set.tag == DERElements.set else {
            throw ReceiptRefusal(.contentMalformed, "\(path)not a set")
        }
        entries.reserveCapacity(24)
        var elements = DERElements(bytes, in: set.content)
        while !elements.isAtEnd {
            guard let attribute = elements.next(DERElements.sequence), let entry = Self.entry(bytes, attribute) else {
                throw ReceiptRefusal(.contentMalformed, "\(path)not attributes")
            }
            entries.append(entry)
        }
    }

    private static func entry(_ bytes: [UInt8], _ attribute: Range<Int>) -> Entry? {
        var fields = DERElements(bytes, in: attribute)
        guard let type = fields.next(DERElements.integer).flatMap({ DERElements.integer(bytes, $0) }),
            let version = fields.next(DERElements.integer).flatMap({ DERElements.integer(bytes, $0) }),
            let value = fields.next(DERElements.octetString), fields.isAtEnd
        else { return nil }
        return Entry(type: type, version: version, value: value)
    }

    /// Where the value's bytes are; refuses an attribute that occurs twice.
    private func value(_ type: Int64) throws(ReceiptRefusal) -> Range<Int>? {
        var found: Range<Int>?
        for entry in entries where entry.type == type {
            guard found == nil else { throw ReceiptRefusal(.attributeDuplicated, "\(path)\(type)") }
            found = entry.value
        }
        return found
    }

    /// The value's bytes, whatever they are.
    func bytes(_ type: Int64) throws(ReceiptRefusal) -> [UInt8]? { try value(type).map { Array(bytes[$0]) } }

    /// Where the values of an attribute are that may occur any number of times, in the receipt's order.
    func all(_ type: Int64) -> [Range<Int>] { entries.filter { $0.type == type }.map(\.value) }

    func integer(_ type: Int64) throws(ReceiptRefusal) -> Int64? {
        guard let element = try element(type) else { return nil }
        guard element.tag == DERElements.integer, let number = DERElements.integer(bytes, element.content) else {
            throw invalid(type)
        }
        return number
    }

    func bool(_ type: Int64) throws(ReceiptRefusal) -> Bool? { try integer(type).map { $0 != 0 } }

    /// Text in UTF-8 or ASCII, whichever Apple chose.
    func text(_ type: Int64) throws(ReceiptRefusal) -> String? {
        guard let element = try element(type) else { return nil }
        guard element.tag == DERElements.utf8String || element.tag == DERElements.ia5String,
            !bytes[element.content].contains(0), let text = String(validating: bytes[element.content], as: UTF8.self)
        else { throw invalid(type) }
        return text
    }

    /// A text that is present and not empty.
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

    /// Xcode writes its local offset, and not always with the colon that RFC 3339 requires: `+0200`.
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
        entries.filter { !known.contains($0.type) }
            .map { ReceiptAttribute(type: $0.type, version: $0.version, value: Array(bytes[$0.value])) }
    }

    private func element(_ type: Int64) throws(ReceiptRefusal) -> DERElements.Element? {
        guard let value = try value(type) else { return nil }
        guard let element = DERElements.only(bytes, in: value) else { throw invalid(type) }
        return element
    }
}
