/// A property list in NeXT's style of names and texts, such as `{ "pod" = "100"; }`: the format of receipts from before iOS 7.
///
/// Only what those receipts use is read: one dictionary of texts, quoted or plain words. A name that occurs twice, anything
/// nested and anything after the dictionary is refused. Time and memory are in proportion to the text.
///
/// Source: Apple, "Property List Programming Guide", "Old-Style ASCII Property Lists".
struct PropertyListText {
    /// The names and their texts, in the order of the list.
    let entries: [(name: String, text: String)]

    /// nil where the bytes are not such a list.
    init?(_ bytes: ArraySlice<UInt8>) {
        var scanner = Scanner(bytes: bytes, position: bytes.startIndex)
        guard scanner.skip(UInt8(ascii: "{")) else { return nil }
        var entries: [(name: String, text: String)] = []
        var names: Set<String> = []
        while !scanner.skip(UInt8(ascii: "}")) {
            guard let name = scanner.word(), scanner.skip(UInt8(ascii: "=")), let text = scanner.word(),
                scanner.skip(UInt8(ascii: ";")), names.insert(name).inserted
            else { return nil }
            entries.append((name, text))
        }
        guard scanner.isAtEnd else { return nil }
        self.entries = entries
    }

    subscript(_ name: String) -> String? { entries.first { $0.name == name }?.text }

    private struct Scanner {
        let bytes: ArraySlice<UInt8>
        var position: Int

        var isAtEnd: Bool {
            mutating get {
                skipSpace()
                return position == bytes.endIndex
            }
        }

        mutating func skip(_ byte: UInt8) -> Bool {
            skipSpace()
            guard position < bytes.endIndex, bytes[position] == byte else { return false }
            position += 1
            return true
        }

        /// A text in quotes, or a run of plain characters.
        mutating func word() -> String? { skip(UInt8(ascii: "\"")) ? quoted() : plain() }

        private mutating func skipSpace() {
            while position < bytes.endIndex, bytes[position] == 0x20 || (0x09...0x0D).contains(bytes[position]) { position += 1 }
        }

        private mutating func quoted() -> String? {
            var text: [UInt8] = []
            while position < bytes.endIndex {
                let byte = bytes[position]
                position += 1
                switch byte {
                case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let escaped = escape() else { return nil }
                    text.append(escaped)
                case 0: return nil
                default: text.append(byte)
                }
            }
            return nil
        }

        /// The escapes of quotation marks, backslashes and white space; Apple's receipts use none, and octal ones have no fixed
        /// meaning.
        private mutating func escape() -> UInt8? {
            guard position < bytes.endIndex else { return nil }
            defer { position += 1 }
            switch bytes[position] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "'"): return bytes[position]
            case UInt8(ascii: "n"): return 0x0A
            case UInt8(ascii: "r"): return 0x0D
            case UInt8(ascii: "t"): return 0x09
            default: return nil
            }
        }

        private mutating func plain() -> String? {
            let start = position
            while position < bytes.endIndex, Self.isPlain(bytes[position]) { position += 1 }
            return position == start ? nil : String(validating: bytes[start..<position], as: UTF8.self)
        }

        private static func isPlain(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            case UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }
}
