internal import Crypto

/// A code that takes the place of the second factor once, for who has lost it: 120 random bits, written as six groups of four
/// characters. So many bits need no salt and no slow hash.
///
/// Source: OWASP ASVS 4.0.3, 2.6.2 and 2.6.3.
package struct RecoveryCode: Sendable, Hashable {
    /// How many an operator has.
    package static let count = 10
    /// How many random bytes one is made of.
    package static let bytes = 15

    /// As people read and type it.
    package let text: String

    /// - Parameter random: ``bytes`` of them.
    package init(random: [UInt8]) {
        let characters = Array(Base32.encode(random))
        text = stride(from: 0, to: characters.count, by: 4)
            .map { String(characters[$0..<min($0 + 4, characters.count)]) }.joined(separator: "-")
    }

    /// What is kept of it.
    package var digest: [UInt8] { Self.digest(of: text) ?? [] }

    /// The digest of what somebody typed, with or without hyphens and blanks and in any case; nil where no code looks so.
    package static func digest(of typed: String) -> [UInt8]? {
        guard typed.utf8.count <= 64 else { return nil }
        let plain = typed.uppercased().filter { $0 != "-" && $0 != " " }
        guard plain.utf8.count == bytes * 8 / 5, Base32.decode(plain) != nil else { return nil }
        return Array(SHA256.hash(data: Array(plain.utf8)))
    }
}
