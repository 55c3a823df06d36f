/// The place of an element in an array, where `Codable` wants a key.
struct JSONIndexKey: CodingKey {
    let index: Int

    init(_ index: Int) { self.index = index }

    init?(stringValue: String) { nil }

    init?(intValue: Int) { index = intValue }

    var stringValue: String { String(index) }
    var intValue: Int? { index }
}

/// A member's name where no type of the caller's names it: what a class keeps for its parent.
struct JSONNameKey: CodingKey {
    let stringValue: String

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }

    var intValue: Int? { nil }

    static let parent = JSONNameKey(stringValue: "super")
}

/// A place in a document for people: `data[0].lastTransactions[1].status`; empty for the outermost value.
enum JSONCodingPath {
    static func text(_ keys: [any CodingKey]) -> String {
        var text = ""
        for key in keys {
            if let index = key as? JSONIndexKey {
                text += "[\(index.index)]"
            } else {
                text += text.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
        return text
    }
}
