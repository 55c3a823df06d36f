import Crypto
package import Ledger
package import Primitives

/// What was answered to a request with an idempotency key, so that the same request sent again is not carried out again
/// (docs/decisions/0056). Whatever a client chose stands here as digests, and the answer encrypted.
package struct KeptAnswer: Sendable, Hashable {
    /// How long an answer is kept after it was given.
    package static let life = Milliseconds.hours(24)

    package let name: IdempotencyName
    /// SHA-256 of what was asked.
    package let request: [UInt8]
    /// Whom it is about; nil where no customer stands in the request's address.
    package let about: SubjectDigest?
    /// Of HTTP.
    package let status: Int
    /// The answer's bytes, encrypted by whoever gave it.
    package let sealed: [UInt8]
    /// When it was given, on our clock.
    package let keptAt: Timestamp

    package init(
        _ name: IdempotencyName, request: [UInt8], about: SubjectDigest?, status: Int, sealed: [UInt8], keptAt: Timestamp
    ) {
        (self.name, self.request, self.about) = (name, request, about)
        (self.status, self.sealed, self.keptAt) = (status, sealed, keptAt)
    }

    /// Whether it still counts at an instant.
    package func counts(at now: Timestamp) -> Bool { now < keptAt.adding(Self.life) }
}

/// An idempotency key: of an app, of whoever sent it.
package struct IdempotencyName: Sendable, Hashable {
    package let app: AppID
    /// SHA-256 of what tells callers apart: their key, or the customer's id.
    package let holder: [UInt8]
    /// SHA-256 of the key itself.
    package let key: [UInt8]

    package init(_ app: AppID, holder: [UInt8], key: [UInt8]) { (self.app, self.holder, self.key) = (app, holder, key) }
}

/// SHA-256 of a customer's id: enough to find what is about a customer who is erased, and nothing that names one.
package struct SubjectDigest: Sendable, Hashable {
    /// 32 of them.
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    package init(_ customer: CustomerID) { bytes = Array(SHA256.hash(data: Array(customer.rawValue.utf8))) }
}
