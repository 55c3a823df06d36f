public import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// The public keys that signed answers are verified with: those that the app was built with, and no others. Two while one is
/// being changed.
public struct AnswerKeys: Sendable, Hashable {
    private let keys: [String: AnswerKey]

    /// No signed answer is believed: past its window's end nothing is active until the server answers.
    public static let none = AnswerKeys(keys: [:])

    private init(keys: [String: AnswerKey]) { self.keys = keys }

    /// - Parameter jwks: what `/.well-known/jwks.json` of the server says, kept in the app. Fetching it when the app runs would
    ///   let whoever stands between say which keys are right.
    /// - Throws: ``Refusal``.
    public init(jwks: Data) throws(Refusal) {
        let set: JWKSet
        do {
            set = try JSONDecoder().decode(JWKSet.self, from: jwks)
        } catch {
            throw .unreadable
        }
        guard set.keys.count <= 10 else { throw .tooMany }
        var keys: [String: AnswerKey] = [:]
        for one in set.keys {
            guard one.kty == "EC", one.crv == "P-256", let x = Base64URL.decode(Array(one.x.utf8)[...]), x.count == 32,
                let y = Base64URL.decode(Array(one.y.utf8)[...]), y.count == 32, let key = AnswerKey(rawRepresentation: x + y)
            else { throw .noKeyOnP256(one.kid) }
            keys[one.kid] = key
        }
        self.init(keys: keys)
    }

    /// Why a set of keys is not taken.
    public enum Refusal: Error, Sendable, Hashable {
        /// It is no JWK set (RFC 7517, section 5).
        case unreadable
        /// The key of that `kid` is no public key on the curve P-256.
        case noKeyOnP256(String)
        /// There are more than ten.
        case tooMany
    }

    func key(_ kid: String) -> AnswerKey? { keys[kid] }
}

/// A public key on the curve P-256.
struct AnswerKey: Sendable, Hashable {
    private let rawRepresentation: [UInt8]

    /// - Parameter rawRepresentation: x and y, 32 bytes each; nil where they are no point of the curve.
    init?(rawRepresentation: [UInt8]) {
        do {
            _ = try P256.Signing.PublicKey(rawRepresentation: rawRepresentation)
        } catch {
            return nil
        }
        self.rawRepresentation = rawRepresentation
    }

    /// - Parameter signature: r and s, 32 bytes each.
    func isValid(_ signature: [UInt8], for content: ArraySlice<UInt8>) -> Bool {
        do {
            let key = try P256.Signing.PublicKey(rawRepresentation: rawRepresentation)
            return key.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: signature), for: content)
        } catch {
            return false
        }
    }
}

private struct JWKSet: Decodable {
    let keys: [Key]

    struct Key: Decodable {
        let kty: String
        let crv: String
        let kid: String
        let x: String
        let y: String
    }
}

/// Base64 as JWS has it: without padding, and of each value one spelling only.
///
/// Source: RFC 7515, section 2 and appendix C; RFC 4648, section 3.5.
enum Base64URL {
    /// Nil where it is not that.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var (bits, count): (UInt32, Int) = (0, 0)
        for character in text {
            guard let value = value(of: character) else { return nil }
            (bits, count) = (bits << 6 | UInt32(value), count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            bits &= (1 << UInt32(count)) - 1
        }
        // What is left over must be zero, else several texts were one value.
        return bits == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
