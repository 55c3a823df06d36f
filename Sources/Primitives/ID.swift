/// An identifier of one kind of thing, so that a customer's id cannot be passed where a product's is wanted.
///
/// `Entity` only names the kind; it is never made.
public struct ID<Entity>: Hashable, Sendable, Comparable, Codable, CodingKeyRepresentable, CustomStringConvertible {
    /// The identifier exactly as it was given or as Apple wrote it.
    public let rawValue: String

    /// Any text; what may stand in it is checked where it comes in.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Reads one string.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes one string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// Names a member of an object, where a dictionary has ids for its keys.
    public var codingKey: any CodingKey { TextKey(rawValue) }

    /// Reads the name of a member.
    public init?<Key: CodingKey>(codingKey: Key) { self.init(codingKey.stringValue) }

    /// The identifier itself.
    public var description: String { rawValue }

    /// By UTF-8 bytes: `String` itself takes canonically equivalent texts for the same, and neither Apple nor a database does.
    public static func == (left: Self, right: Self) -> Bool { ByteOrder.areEqual(left.rawValue, right.rawValue) }

    /// By the text, whose hash is the same wherever its bytes are.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// By UTF-8 bytes, so that the order is the same on every machine and in every locale.
    public static func < (left: Self, right: Self) -> Bool { ByteOrder.precedes(left.rawValue, right.rawValue) }
}
