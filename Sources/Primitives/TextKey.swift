/// A member's name in something that is encoded; any text.
package struct TextKey: CodingKey {
    package let stringValue: String

    package init(_ text: String) { stringValue = text }

    package init?(stringValue: String) { self.init(stringValue) }

    package var intValue: Int? { nil }

    package init?(intValue: Int) { nil }
}
