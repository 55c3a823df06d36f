import APIContract

/// Two texts in the one text of a cursor: the length of the first in bytes, a colon, and both.
struct TextPair {
    let first: String
    let second: String

    init(_ first: String, _ second: String) { (self.first, self.second) = (first, second) }

    var text: String { "\(first.utf8.count):\(first)\(second)" }

    /// - Throws: `CursorInvalid` for anything that ``text`` is not.
    init(text: Substring) throws(CursorInvalid) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let length = Int(parts[0]), (0...parts[1].utf8.count).contains(length) else {
            throw CursorInvalid()
        }
        let bytes = Array(parts[1].utf8)
        guard let first = String(validating: bytes[..<length], as: UTF8.self),
            let second = String(validating: bytes[length...], as: UTF8.self)
        else { throw CursorInvalid() }
        self.init(first, second)
    }
}
