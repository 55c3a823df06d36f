package import Ledger
import Primitives
import Storage

/// A request with an idempotency key: however often it is sent, it is carried out once, and each time it is answered what it was
/// answered first, for 24 hours (docs/decisions/0056).
///
/// Source: draft-ietf-httpapi-idempotency-key-header-07, section 2.
package struct IdempotentRequest: Sendable {
    /// Encrypts and decrypts what was answered. Only who sends the request again has what the key is made of, so that a copy of
    /// the database opens no answer: some have secrets in them.
    package struct Seal: Sendable {
        let close: @Sendable ([UInt8]) throws -> [UInt8]
        let open: @Sendable ([UInt8]) throws -> [UInt8]

        package init(
            close: @escaping @Sendable ([UInt8]) throws -> [UInt8], open: @escaping @Sendable ([UInt8]) throws -> [UInt8]
        ) {
            (self.close, self.open) = (close, open)
        }
    }

    /// How many answers are kept for one customer at a time; the app's backend is limited by how often it may ask.
    package static let mostOfCustomer = 100

    let name: IdempotencyName
    /// SHA-256 of what is asked.
    let content: [UInt8]
    let about: SubjectDigest?
    let isByCustomer: Bool
    let seal: Seal

    /// - Parameters:
    ///   - holder: SHA-256 of what tells callers apart.
    ///   - key: SHA-256 of the idempotency key.
    ///   - content: SHA-256 of everything that is asked.
    ///   - customer: whom it is about; nil where no customer stands in the request's address.
    package init(
        _ app: AppID, holder: [UInt8], key: [UInt8], content: [UInt8], about customer: CustomerID?, isByCustomer: Bool, seal: Seal
    ) {
        name = IdempotencyName(app, holder: holder, key: key)
        about = customer.map { SubjectDigest($0) }
        (self.content, self.isByCustomer, self.seal) = (content, isByCustomer, seal)
    }

    /// What was answered first.
    ///
    /// - Throws: ``IdempotencyRefusal/reused`` where something else was asked under the key.
    func answer(kept: KeptAnswer?, at now: Timestamp) throws -> GivenAnswer? {
        guard let kept, kept.counts(at: now) else { return nil }
        guard kept.request == content else { throw IdempotencyRefusal.reused }
        return GivenAnswer(status: kept.status, bytes: try seal.open(kept.sealed))
    }

    func kept(_ answer: GivenAnswer, at now: Timestamp) throws -> KeptAnswer {
        KeptAnswer(
            name, request: content, about: about, status: answer.status, sealed: try seal.close(answer.bytes), keptAt: now)
    }
}

/// An answer as it was given: the same bytes whenever its request comes again.
package struct GivenAnswer: Sendable, Hashable {
    /// Of HTTP.
    package let status: Int
    package let bytes: [UInt8]

    package init(status: Int, bytes: [UInt8]) { (self.status, self.bytes) = (status, bytes) }
}

/// The request was carried out before: nothing was done now, and this is what it was answered.
///
/// It is thrown out of the transaction that would have done it again, which ends without a trace.
package struct AnsweredBefore: Error, Hashable {
    package let answer: GivenAnswer
}

/// Why a request with an idempotency key is refused; nothing was done.
package enum IdempotencyRefusal: Error, Hashable {
    /// Something else was asked under the key.
    case reused
    /// A customer used too many keys within 24 hours.
    case tooMany(most: Int)
}
