package import Primitives

/// A promotional offer of one product, and who may have it (WALL-5).
package struct PromotionalOffer: Sendable, Hashable {
    /// Apple's `offerIdentifier`; unique in the product.
    package let offerIdentifier: String
    package let productId: ProductID
    package let subscriptionGroupIdentifier: String
    package let audience: Audience
    /// How often one customer may have it, ever; once unless changed.
    package let timesPerCustomer: Int
    /// How often within a time, beside that; nil for no such bound.
    package let window: Window?

    package init(
        offerIdentifier: String, productId: ProductID, subscriptionGroupIdentifier: String, audience: Audience = .presentOrFormer,
        timesPerCustomer: Int = 1, window: Window? = nil
    ) {
        self.offerIdentifier = offerIdentifier
        self.productId = productId
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.audience = audience
        self.timesPerCustomer = timesPerCustomer
        self.window = window
    }

    /// Apple gives promotional offers to present and former subscribers of the group only (apple.md D.3). The first is the
    /// default.
    package enum Audience: String, Sendable, Hashable, CaseIterable {
        case presentOrFormer
        /// Active in the group.
        case present
        /// Once a subscriber of the group and not active in it.
        case former
    }

    package struct Window: Sendable, Hashable {
        package let times: Int
        package let length: Milliseconds

        package init(times: Int, length: Milliseconds) {
            self.times = times
            self.length = length
        }
    }
}

/// The user value that is signed into an offer, and that the purchase must carry exactly (WALL-5).
package enum OfferedUser: Sendable, Hashable {
    /// StoreKit 2 without a token.
    case nobody
    /// StoreKit 2: a UUID, signed in lower case.
    case appAccountToken(AppAccountToken)
    /// Original StoreKit: any text; Apple compares it as it stands.
    case applicationUsername(String)

    /// What is signed, byte for byte.
    package var signedText: String {
        switch self {
        case .nobody: ""
        case .appAccountToken(let token): token.rawValue
        case .applicationUsername(let name): name
        }
    }

    /// What the purchase's transaction will show of it: a token, where it is one.
    package var token: AppAccountToken? {
        switch self {
        case .nobody: nil
        case .appAccountToken(let token): token
        case .applicationUsername(let name): AppAccountToken(name)
        }
    }
}

package enum OfferNonceEntity {}

/// A promotional offer that was signed for one customer; a row of the log of issued offers (WALL-5).
package struct IssuedOffer: Sendable, Hashable {
    /// A UUID in lower case, used once.
    package let nonce: ID<OfferNonceEntity>
    package let customer: CustomerID
    package let productId: ProductID
    package let offerIdentifier: String
    package let user: OfferedUser
    package let issuedAt: Timestamp

    package init(
        nonce: ID<OfferNonceEntity>, customer: CustomerID, productId: ProductID, offerIdentifier: String, user: OfferedUser,
        issuedAt: Timestamp
    ) {
        self.nonce = nonce
        self.customer = customer
        self.productId = productId
        self.offerIdentifier = offerIdentifier
        self.user = user
        self.issuedAt = issuedAt
    }

    /// Apple takes the signature before this instant.
    package var validUntil: Timestamp { issuedAt.adding(Self.validity) }

    /// Source: Apple, StoreKit, "Generating a signature for promotional offers".
    package static let validity = Milliseconds.hours(24)
}
