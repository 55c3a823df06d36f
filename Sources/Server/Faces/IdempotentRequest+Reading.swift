import APIContract
import Backend
import Crypto
import HTTPTypes
import Hummingbird
import Ledger
import Primitives

/// The header `Idempotency-Key` says no key, or stands there twice.
struct IdempotencyKeyInvalid: Error, Hashable {}

extension Request {
    /// Its idempotency key; nil where it has none.
    ///
    /// - Throws: `IdempotencyKeyInvalid`.
    func idempotencyKey() throws(IdempotencyKeyInvalid) -> IdempotencyKey? {
        let fields = headers[values: .idempotencyKey]
        guard let field = fields.first else { return nil }
        guard fields.count == 1, let key = IdempotencyKey(field) else { throw IdempotencyKeyInvalid() }
        return key
    }

    /// What makes it the same request as another one.
    ///
    /// - Parameters:
    ///   - body: its bytes.
    ///   - caller: who sent it.
    func keyed(_ key: IdempotencyKey, _ body: [UInt8], by caller: Caller, _ subject: Subject) -> IdempotentRequest? {
        guard let app = subject.app else { return nil }
        let secret: [UInt8]
        let holder: [UInt8]
        switch caller {
        // The server key that is shown: another key is another holder.
        case .appBackend:
            secret = Array((headers[.authorization] ?? "").utf8.dropFirst(Doorkeeper.scheme.count))
            holder = Self.digest(["key"], secret)
        // A customer's token is another one each time.
        case .customer(let customer):
            secret = []
            holder = Self.digest(["customer", customer.rawValue], [])
        case .anyone: return nil
        }
        let isByCustomer = caller != .appBackend
        return IdempotentRequest(
            app, holder: holder, key: Self.digest(["idempotency key", key.text], []),
            content: Self.digest([method.rawValue, uri.string], body), about: subject.customer, isByCustomer: isByCustomer,
            seal: .init(secret: secret, key))
    }

    /// Of texts, each with its length before it, and of what follows.
    private static func digest(_ texts: [String], _ rest: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        for text in texts { hash.update(data: Array("\(text.utf8.count):\(text)".utf8)) }
        hash.update(data: rest)
        return Array(hash.finalize())
    }
}

extension IdempotentRequest.Seal {
    /// By a key that is made of the caller's own key and of the idempotency key; of a customer's request, of the latter alone.
    ///
    /// Source: RFC 5869 (HKDF); RFC 8439 (ChaCha20-Poly1305).
    fileprivate init(secret: [UInt8], _ key: IdempotencyKey) {
        let material = SymmetricKey(data: secret + [0] + Array(key.text.utf8))
        let sealing = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: material, info: Array("tenure kept answer".utf8), outputByteCount: 32)
        self.init(
            close: { Array(try ChaChaPoly.seal($0, using: sealing).combined) },
            open: { Array(try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: $0), using: sealing)) })
    }
}

extension HTTPField.Name {
    /// The names are valid field names, so they can always be made.
    fileprivate static let idempotencyKey = HTTPField.Name(IdempotencyKey.header) ?? .authorization
}
