/// The content of an app receipt, attribute by attribute, as Apple encodes it: what a ``ReceiptAuthority`` signs.
///
/// Source: Apple, "Receipt fields".
package struct ReceiptContent: Sendable {
    /// The attributes' DER so far.
    private var attributes: [[UInt8]] = []

    package init() {}

    /// Any attribute with any value.
    package mutating func attribute(_ type: Int64, _ value: [UInt8]) {
        attributes.append(DERWriter.sequence([DERWriter.integer(type), DERWriter.integer(1), DERWriter.octets(value)]))
    }

    /// An attribute that is UTF-8 text.
    package mutating func text(_ type: Int64, _ text: String) { attribute(type, DERWriter.utf8(text)) }
    /// An attribute that is a date in RFC 3339, or empty.
    package mutating func date(_ type: Int64, _ text: String) { attribute(type, DERWriter.ia5(text)) }
    /// An attribute that is an integer.
    package mutating func integer(_ type: Int64, _ number: Int64) { attribute(type, DERWriter.integer(number)) }
    /// A purchase: attribute 17.
    package mutating func purchase(_ purchase: ReceiptContent) { attribute(17, purchase.der) }

    /// The set of attributes.
    package var der: [UInt8] { DERWriter.set(attributes) }
}
