package import Primitives

/// Names the kind of ``ID`` that an Apple Account has here; Apple never gives it to an app.
package enum AccountName {}
package typealias AccountID = ID<AccountName>

/// A `transactionId` or `originalTransactionId`: Apple's are decimal numbers of 15 or 16 digits.
package struct TransactionNumber: Sendable, Hashable, Comparable, CustomStringConvertible, SavedAsOne, SavedAsKey {
    package let number: Int64

    init(number: Int64) { self.number = number }

    /// Reads decimal digits without sign and leading zero; nil for anything else.
    package init?(_ text: String) {
        guard let number = Int64(text), number > 0, String(number) == text else { return nil }
        self.number = number
    }

    /// As Apple writes it.
    package var rawValue: String { String(number) }

    package var description: String { rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A UUID as sixteen bytes, so that many take little memory; written in lower case, as Apple does.
///
/// Source: RFC 9562.
package struct CompactUUID: Sendable, Hashable, CustomStringConvertible, SavedAsOne {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads 36 characters in either case; nil for anything else.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 36, Self.hyphens.allSatisfy({ bytes[$0] == UInt8(ascii: "-") }) else { return nil }
        var words: [UInt64] = [0, 0]
        var digits = 0
        for (place, byte) in bytes.enumerated() where !Self.hyphens.contains(place) {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            words[digits / 16] = words[digits / 16] << 4 | UInt64(digit)
            digits += 1
        }
        (high, low) = (words[0], words[1])
    }

    private static let hyphens = [8, 13, 18, 23]

    package var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for place in 0..<32 {
            let word = place < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - place % 16 * 4)) & 0xF
            text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            if [7, 11, 15, 19].contains(place) { text.append(UInt8(ascii: "-")) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// From sixteen bytes; fewer bytes are padded with leading zeros.
    package init(bytes: [UInt8]) {
        var words: (UInt64, UInt64) = (0, 0)
        for byte in bytes.suffix(16) { words = (words.0 << 8 | words.1 >> 56, words.1 << 8 | UInt64(byte)) }
        (high, low) = words
    }

    /// Its sixteen bytes, the first digit first.
    package var bytes: [UInt8] {
        [high, low].flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }
}
