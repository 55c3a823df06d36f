internal import Crypto
package import Primitives

/// The codes that an authenticator application shows, one for each 30 seconds.
///
/// Source: RFC 6238 with HMAC-SHA1, which is what every such application understands; RFC 4226, section 5.3.
package struct TimeBasedCodes: Sendable {
    /// How long a secret is that we make. Source: RFC 4226, section 4, requirement 6.
    package static let secretBytes = 20
    /// For how long a code holds.
    package static let stepSeconds: Int64 = 30

    private let secret: [UInt8]
    private let digits: Int

    /// - Parameter digits: 6 to 8.
    package init(secret: [UInt8], digits: Int = 6) { (self.secret, self.digits) = (secret, min(max(digits, 6), 8)) }

    /// The number of the 30 seconds in which an instant lies.
    package static func step(at instant: Timestamp) -> Int64 {
        let (quotient, rest) = instant.millisecondsSince1970.quotientAndRemainder(dividingBy: stepSeconds * 1000)
        return rest < 0 ? quotient - 1 : quotient
    }

    /// The code of a step.
    package func code(ofStep step: Int64) -> String {
        let counter = UInt64(bitPattern: step)
        let bytes = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: counter >> UInt64($0)) }
        let code = Array(HMAC<Insecure.SHA1>.authenticationCode(for: bytes, using: SymmetricKey(data: secret)))
        let offset = Int(code[code.count - 1] & 0x0F)
        let number = code[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(number % [6: 1_000_000, 7: 10_000_000, 8: 100_000_000][digits, default: 1_000_000])
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }

    /// The step that a code is of, if it is of the present one or of one beside it; nil where it is of none of these, or was used
    /// already. Blanks in it are ignored.
    ///
    /// - Parameter last: the step of the last code that was accepted: neither it nor one before it is accepted again.
    ///
    /// Source: RFC 6238, section 5.2.
    package func step(of code: String, at instant: Timestamp, after last: Int64?) -> Int64? {
        let typed = Array(code.utf8.filter { $0 != UInt8(ascii: " ") })
        let present = Self.step(at: instant)
        // All three are compared, whichever matches.
        let matching = [present, present - 1, present + 1].filter {
            ConstantTime.areEqual(Array(self.code(ofStep: $0).utf8), typed)
        }
        return matching.first { last == nil || $0 > last ?? 0 }
    }
}
