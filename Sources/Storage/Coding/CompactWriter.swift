import Primitives

/// Writes values as few bytes: numbers in as many as they need, a text that stood before as its number, an instant as its
/// distance from the one before. What ``CompactReader`` reads back.
struct CompactWriter {
    private(set) var bytes: [UInt8] = []
    /// The texts that were written, by their bytes: texts that only look alike are two.
    private var texts: [ID<CompactWriter>] = []
    /// Their numbers, once there are more than are quickly looked through.
    private var numbers: [ID<CompactWriter>: UInt64] = [:]
    private static let fewTexts = 16
    private var lastInstant: Int64 = 0

    init(reservingCapacity capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func append(_ values: some Collection<UInt8>) { bytes.append(contentsOf: values) }

    /// Seven bits to a byte, the lowest first.
    mutating func number(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Small numbers of either sign are short.
    mutating func signed(_ value: Int64) {
        number(UInt64(bitPattern: value << 1) ^ UInt64(bitPattern: value >> 63))
    }

    mutating func count(_ count: Int) { number(UInt64(count)) }

    /// How many there are, then each.
    mutating func list<Element>(_ elements: [Element], _ write: (inout CompactWriter, Element) -> Void) {
        count(elements.count)
        for element in elements { write(&self, element) }
    }

    mutating func instant(_ instant: Timestamp) {
        let milliseconds = instant.millisecondsSince1970
        signed(milliseconds &- lastInstant)
        lastInstant = milliseconds
    }

    /// A text that is rarely said twice. Apple's ids are decimal numbers, and written as such.
    mutating func text(_ text: String) {
        if let decimal = Self.decimal(text) {
            number(TextForm.decimal.rawValue)
            number(decimal)
        } else {
            let utf8 = text.utf8
            number(TextForm.first.rawValue + UInt64(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    /// A text that is said again and again; the second time it is one or two bytes.
    mutating func word(_ text: String) {
        let word = ID<CompactWriter>(text)
        if let known = place(of: word) {
            number(TextForm.known.rawValue)
            number(known)
        } else {
            note(word)
            self.text(text)
        }
    }

    private func place(of word: ID<CompactWriter>) -> UInt64? {
        guard texts.count <= Self.fewTexts else { return numbers[word] }
        return texts.firstIndex(of: word).map { UInt64($0) }
    }

    private mutating func note(_ word: ID<CompactWriter>) {
        texts.append(word)
        if texts.count == Self.fewTexts + 1 {
            for (place, text) in texts.enumerated() { numbers[text] = UInt64(place) }
        } else if texts.count > Self.fewTexts {
            numbers[word] = UInt64(texts.count - 1)
        }
    }

    /// The number whose decimal digits the text is; nil for any other text, such as one that begins with a 0.
    private static func decimal(_ text: String) -> UInt64? {
        let utf8 = text.utf8
        guard (1...19).contains(utf8.count), let first = utf8.first, first != UInt8(ascii: "0") else { return nil }
        var value: UInt64 = 0
        for digit in utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + UInt64(digit - UInt8(ascii: "0"))
        }
        return value
    }
}

/// The first number of a text: which form it has, or, from ``first`` on, how many bytes follow.
enum TextForm: UInt64 {
    case decimal = 0
    case known = 1
    case first = 2
}
