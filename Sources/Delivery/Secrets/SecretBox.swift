internal import Crypto
internal import Primitives

/// Keeps secrets encrypted at rest: AES-256-GCM, with the keys of the configuration.
///
/// A sealed text is `1.<key>.<sealed>`: the version of this form, the id of the key, and base64 (URL alphabet) of nonce,
/// ciphertext and tag. Whose secret it is, and of which kind, is authenticated with them: a sealed text that was copied to
/// another owner does not open.
///
/// To change the key while servers run, put the new one first and keep the old one behind it until everything is sealed anew
/// (``isSealedWithNewestKey(_:)``).
///
/// Source: T46; NIST SP 800-38D, sections 5.2 and 8.2.2 (random nonces of 96 bits).
package struct SecretBox: Sendable {
    private struct Key: Sendable {
        let id: String
        let key: SymmetricKey
    }

    /// The length of a key.
    package static let keyBytes = 32

    private let keys: [Key]

    /// - Parameter keys: each 32 bytes; the first one seals, all of them open. None: nothing can be sealed or opened.
    /// - Throws: ``SecretBoxError/keyLength(place:)``.
    package init(keys: [[UInt8]]) throws(SecretBoxError) {
        if let place = keys.firstIndex(where: { $0.count != Self.keyBytes }) { throw .keyLength(place: place) }
        self.keys = keys.map { Key(id: Self.id(of: $0), key: SymmetricKey(data: $0)) }
    }

    /// The id of a key, which says nothing about it: the first 8 hexadecimal digits of a SHA-256.
    package static func id(of key: [UInt8]) -> String {
        Hexadecimal.encode(SHA256.hash(data: Array("tenure secret box ".utf8) + key).prefix(4))
    }

    /// Whether there is a key to seal with.
    package var canSeal: Bool { !keys.isEmpty }

    /// Encrypts a secret with the newest key.
    ///
    /// - Parameters:
    ///   - owner: what the secret is of, such as `app/endpoint`.
    ///   - kind: what is done with it, such as `v1`; no line break in it.
    /// - Throws: ``SecretBoxError/noKey``, ``SecretBoxError/notSealed``.
    package func seal(_ secret: [UInt8], of owner: String, kind: String) throws(SecretBoxError) -> String {
        guard let key = keys.first else { throw .noKey }
        do {
            let box = try AES.GCM.seal(secret, using: key.key, authenticating: Self.bound(owner, kind, to: key.id))
            // Nil for a nonce of another length than the default one.
            guard let sealed = box.combined else { throw SecretBoxError.notSealed }
            return "1.\(key.id).\(StrictBase64.encodeURL(sealed))"
        } catch {
            throw .notSealed
        }
    }

    /// Decrypts what ``seal(_:of:kind:)`` returned for the same owner and kind.
    ///
    /// - Throws: ``SecretBoxError/notSealedText``, ``SecretBoxError/keyUnknown(_:)``, ``SecretBoxError/notOpened``.
    package func open(_ sealed: String, of owner: String, kind: String) throws(SecretBoxError) -> [UInt8] {
        guard let (id, text) = Self.parts(of: sealed), let bytes = StrictBase64.decodeURL(text) else { throw .notSealedText }
        // Two keys could share an id; the tag says which one it was.
        let candidates = keys.filter { $0.id == id }
        guard !candidates.isEmpty else { throw .keyUnknown(id) }
        for candidate in candidates {
            do {
                let box = try AES.GCM.SealedBox(combined: bytes)
                return Array(try AES.GCM.open(box, using: candidate.key, authenticating: Self.bound(owner, kind, to: id)))
            } catch {
                continue
            }
        }
        throw .notOpened
    }

    /// Whether a sealed text needs no other key than the newest one. False also where it is not a sealed text.
    package func isSealedWithNewestKey(_ sealed: String) -> Bool {
        guard let (id, _) = Self.parts(of: sealed) else { return false }
        return keys.first?.id == id
    }

    private static func parts(of sealed: String) -> (id: String, text: ArraySlice<UInt8>)? {
        let parts = Array(sealed.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].elementsEqual("1".utf8), parts[1].count == 8 else { return nil }
        return (String(decoding: parts[1], as: UTF8.self), parts[2])
    }

    private static func bound(_ owner: String, _ kind: String, to id: String) -> [UInt8] {
        Array("1.\(id)\n\(kind)\n\(owner)".utf8)
    }
}

/// Why a secret could not be sealed or opened. Nothing of the secret is in it.
package enum SecretBoxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key at this place, from 0, is not 32 bytes long.
    case keyLength(place: Int)
    case noKey
    /// The cryptographic library failed.
    case notSealed
    /// It does not have the form of a sealed text, or is of a later version.
    case notSealedText
    /// It was sealed with a key of this id, and the configuration has none.
    case keyUnknown(String)
    /// It was changed, or is another owner's or of another kind.
    case notOpened

    /// One line, for operators.
    package var description: String {
        switch self {
        case .keyLength(let place): "the key at place \(place + 1) is not \(SecretBox.keyBytes) bytes long"
        case .noKey: "the configuration has no key for secrets"
        case .notSealed: "the secret could not be encrypted"
        case .notSealedText: "the stored secret is not in a form that this version reads"
        case .keyUnknown(let id): "the secret was encrypted with the key \(id), which the configuration does not have"
        case .notOpened: "the stored secret was changed, or belongs to something else"
        }
    }
}
