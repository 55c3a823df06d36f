package import Ledger
package import Primitives

/// A row of the log of what was signed so that a customer may have an offer (WALL-5, WALL-6). It is kept before the signature is
/// given out, and never forgotten.
package struct OfferIssue: Sendable, Hashable {
    package let scope: Scope
    /// A UUID in lower case; Apple takes a signature with it once.
    package let nonce: ID<OfferNonceEntity>
    /// For whom.
    package let customer: CustomerID
    package let productId: ProductID
    /// What was signed last; whoever asks again before it is over is given the same offer once more, perhaps in another form.
    package var form: Form
    /// When it was signed first: the instant that stands in every signature of it.
    package let issuedAt: Timestamp
    /// How many signatures there are with this nonce.
    package var signatures: Int64
    /// When the last of them was made.
    package var lastSignedAt: Timestamp
    /// With which of the app's keys at Apple.
    package var keyId: String
    /// With which API key it was asked for last; nil where that is not known.
    package var askedWith: String?

    package init(
        _ name: Name, for customer: CustomerID, of productId: ProductID, _ form: Form, at issuedAt: Timestamp, by keyId: String
    ) {
        (scope, nonce) = (name.scope, name.nonce)
        self.customer = customer
        self.productId = productId
        self.form = form
        self.issuedAt = issuedAt
        signatures = 1
        lastSignedAt = issuedAt
        self.keyId = keyId
    }

    /// What makes it one.
    package struct Name: Sendable, Hashable {
        package let scope: Scope
        package let nonce: ID<OfferNonceEntity>

        package init(_ scope: Scope, _ nonce: ID<OfferNonceEntity>) { (self.scope, self.nonce) = (scope, nonce) }
    }

    /// What is signed.
    package enum Form: Sendable, Hashable {
        /// A promotional offer for the original StoreKit.
        ///
        /// - Parameter token: what the purchase must carry, where it is a UUID. Another `applicationUsername` is not kept.
        case promotionalV1(offerIdentifier: String, token: AppAccountToken?)
        /// A promotional offer as a JWS.
        ///
        /// - Parameter transactionId: to which it is bound, of a transaction or of the app's download; nil: to none.
        case promotionalV2(offerIdentifier: String, transactionId: String?)
        /// Whether the customer may have an introductory offer, as a JWS.
        case introductory(isAllowed: Bool, transactionId: String)

        package var offerIdentifier: String? {
            switch self {
            case .promotionalV1(let offer, _), .promotionalV2(let offer, _): offer
            case .introductory: nil
            }
        }

        /// To which Apple Account's transaction or download it is bound.
        package var transactionId: String? {
            switch self {
            case .promotionalV1: nil
            case .promotionalV2(_, let transactionId): transactionId
            case .introductory(_, let transactionId): transactionId
            }
        }
    }

    /// Apple takes it before this instant.
    package var validUntil: Timestamp { issuedAt.adding(IssuedOffer.validity) }

    /// As the rules read it; nil for what is no promotional offer.
    package var promotional: IssuedOffer? {
        switch form {
        case .promotionalV1(let offer, let token):
            issued(offer, token.map { .appAccountToken($0) } ?? .nobody)
        case .promotionalV2(let offer, _): issued(offer, .nobody)
        case .introductory: nil
        }
    }

    private func issued(_ offerIdentifier: String, _ user: OfferedUser) -> IssuedOffer {
        IssuedOffer(
            nonce: nonce, customer: customer, productId: productId, offerIdentifier: offerIdentifier, user: user,
            issuedAt: issuedAt)
    }

    package var place: Place { Place(issuedAt: issuedAt, nonce: nonce) }

    /// Where it stands in the log of its ledger.
    package struct Place: Sendable, Hashable {
        package let issuedAt: Timestamp
        package let nonce: ID<OfferNonceEntity>

        package init(issuedAt: Timestamp, nonce: ID<OfferNonceEntity>) { (self.issuedAt, self.nonce) = (issuedAt, nonce) }
    }
}
