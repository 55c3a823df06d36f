internal import Primitives

/// The token that an app attached to a purchase, as Apple wrote it.
///
/// Apple documents a UUID. A value of another form is kept, never refused: the fact that carries it is still a fact.
///
/// Source: Apple, App Store Server API, `appAccountToken`; RFC 9562, section 4.
public struct AppAccountToken: RawRepresentable, Sendable, Hashable {
    /// The text exactly as it was signed.
    public let rawValue: String

    /// Any text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The UUID in lower case, for comparisons; nil when the text does not have the form of a UUID.
    public var canonicalUUID: String? {
        let bytes = Array(rawValue.utf8)
        guard bytes.count == 36 else { return nil }
        for (position, byte) in bytes.enumerated() {
            let isHyphen = byte == UInt8(ascii: "-")
            if [8, 13, 18, 23].contains(position) {
                guard isHyphen else { return nil }
            } else {
                guard Hexadecimal.value(of: byte) != nil else { return nil }
            }
        }
        return rawValue.lowercased()
    }
}
