import Primitives

/// A page, or a piece of one, as it is written: elements, attributes and text.
///
/// It escapes by type. Names of elements are cases, markup that we write ourselves is `StaticString`, texts of ours are ``Said``,
/// addresses are ``ConsoleAddress``, and everything else is data, which is escaped and isolated. There is no way to put in a
/// string as markup.
///
/// Source: WHATWG HTML, section 13.1 (the syntax) and 13.3 (which characters a text escapes).
package struct HTML: Sendable {
    /// What was written so far, in UTF-8.
    package private(set) var bytes: [UInt8] = []

    package init(reservingCapacity capacity: Int = 32 * 1024) { bytes.reserveCapacity(capacity) }

    /// What was written so far, as text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    // MARK: Elements

    /// An element and what stands in it.
    package mutating func element(
        _ tag: HTMLTag, _ attributes: HTMLAttribute..., content: (inout HTML) -> Void
    ) {
        open(tag, attributes)
        content(&self)
        close(tag)
    }

    /// An element with a text of ours.
    package mutating func element(_ tag: HTMLTag, _ attributes: HTMLAttribute..., say words: Said) {
        open(tag, attributes)
        say(words)
        close(tag)
    }

    /// An element with data.
    package mutating func element(_ tag: HTMLTag, _ attributes: HTMLAttribute..., data: String) {
        open(tag, attributes)
        self.data(data)
        close(tag)
    }

    /// An element that has no end and holds nothing.
    package mutating func void(_ tag: HTMLVoidTag, _ attributes: HTMLAttribute...) { void(tag, attributes) }

    /// The same with attributes that were collected before.
    mutating func void(_ tag: HTMLVoidTag, _ attributes: [HTMLAttribute]) {
        bytes.append(UInt8(ascii: "<"))
        bytes.append(contentsOf: tag.rawValue.utf8)
        for attribute in attributes { write(attribute) }
        bytes.append(UInt8(ascii: ">"))
    }

    /// The line with which every page begins.
    package mutating func doctype() { fixed("<!doctype html>\n") }

    // MARK: Texts

    /// A text of ours.
    package mutating func say(_ words: Said) { escape(words.text) }

    /// Anything that is not a text of ours: an id, a name, somebody's words. Its direction is its own, whatever it holds.
    package mutating func data(_ text: String) {
        fixed("<bdi>")
        escape(text)
        fixed("</bdi>")
    }

    /// Data inside an element that isolates its direction itself, such as `<bdi lang>`, or that shows none, such as `<text>` of
    /// SVG.
    package mutating func bareData(_ text: String) { escape(text) }

    /// Punctuation and spaces of ours between two things.
    package mutating func fixed(_ markup: StaticString) {
        markup.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// A line feed, so that a page can be read and compared line by line.
    package mutating func line() { bytes.append(UInt8(ascii: "\n")) }

    // MARK: Writing

    private mutating func open(_ tag: HTMLTag, _ attributes: [HTMLAttribute]) {
        bytes.append(UInt8(ascii: "<"))
        bytes.append(contentsOf: tag.rawValue.utf8)
        for attribute in attributes { write(attribute) }
        bytes.append(UInt8(ascii: ">"))
    }

    private mutating func close(_ tag: HTMLTag) {
        fixed("</")
        bytes.append(contentsOf: tag.rawValue.utf8)
        bytes.append(UInt8(ascii: ">"))
        if tag.endsALine { line() }
    }

    private mutating func write(_ attribute: HTMLAttribute) {
        if case .absent = attribute.value { return }
        bytes.append(UInt8(ascii: " "))
        fixed(attribute.name)
        guard attribute.value.isWritten else { return }
        fixed("=\"")
        switch attribute.value {
        case .fixed(let text): fixed(text)
        case .text(let text): escape(text)
        case .number(let number): bytes.append(contentsOf: "\(number)".utf8)
        case .tenths(let tenths): bytes.append(contentsOf: Self.decimal(tenths).utf8)
        case .present, .absent: break
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// A number of tenths, such as `12.5`; without a fraction that is 0.
    private static func decimal(_ tenths: Int) -> String {
        let sign = tenths < 0 ? "-" : ""
        let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
        return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest)"
    }

    /// The text with what means something in HTML escaped; what controls a terminal or a parser, NUL first, becomes U+FFFD.
    private mutating func escape(_ text: String) {
        var text = text
        text.withUTF8 { escape($0) }
    }

    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        var index = 0
        var begin = 0
        while index < text.count {
            let byte = text[index]
            // Of C1 control characters the first byte is C2 and the second 80 to 9F.
            let isLaterControl = byte == 0xC2 && index + 1 < text.count && text[index + 1] < 0xA0
            guard byte < 0x3F || byte == 0x7F || isLaterControl, let instead = Self.replacement(byte) else {
                index += 1
                continue
            }
            bytes.append(contentsOf: text[begin..<index])
            fixed(instead)
            index += isLaterControl ? 2 : 1
            begin = index
        }
        bytes.append(contentsOf: text[begin...])
    }

    /// What is written instead of a byte; nil where the byte itself is.
    private static func replacement(_ byte: UInt8) -> StaticString? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        case 0x09, 0x0A: nil
        case 0x00..<0x20, 0x7F, 0xC2: "\u{FFFD}"
        default: nil
        }
    }
}
