/// A version of the app, compared component by component and not as text: 1.10 is later than 1.9 (LIC-3).
///
/// Source: Apple, Information Property List, `CFBundleVersion` (iOS) and `CFBundleShortVersionString` (macOS): integers with full
/// stops between them.
package struct ApplicationVersion: Sendable, Hashable, Comparable {
    /// The digits of each component without leading zeros, and without the components at the end that are zero: 1.0 is 1.
    private let components: [[UInt8]]

    /// Digits, with a full stop before each further number; what follows the numbers (`b3` in `2.0b3`) says nothing. Nil where
    /// the text does not begin with a digit: such a version is neither before nor after another.
    package init?(_ text: String) {
        var components: [[UInt8]] = []
        var rest = Array(text.utf8)[...]
        while true {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard !digits.isEmpty else { break }
            components.append(Array(digits.drop { $0 == UInt8(ascii: "0") }))
            rest = rest.dropFirst(digits.count)
            guard rest.first == UInt8(ascii: ".") else { break }
            rest = rest.dropFirst()
        }
        guard !components.isEmpty else { return nil }
        while components.last?.isEmpty == true { components.removeLast() }
        self.components = components
    }

    /// The version in digits and full stops: what reads back as the same version.
    package var text: String {
        guard !components.isEmpty else { return "0" }
        return components.map { $0.isEmpty ? "0" : String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
    }

    /// Lower is earlier. Digits are compared as texts of equal length, since no length of number is too long for a text.
    package static func < (left: Self, right: Self) -> Bool {
        for (mine, others) in zip(left.components, right.components) where mine != others {
            return mine.count == others.count ? mine.lexicographicallyPrecedes(others) : mine.count < others.count
        }
        return left.components.count < right.components.count
    }
}
