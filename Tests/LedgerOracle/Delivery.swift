/// A registration of the customer of an `appAccountToken` (0023, 2).
package struct OracleRegistration: Sendable, Hashable {
    package var token: String
    package var customer: String
    package var anonymous: Bool
    package var registeredAt: Int64
    /// The backend minted the token, an import says so, or it is the customer's own id.
    package var vouched: Bool
    /// Whether the store says that another subscription of the app carried the token before.
    package var borneBefore: Bool

    package init(
        token: String, customer: String, anonymous: Bool = false, registeredAt: Int64, vouched: Bool = false,
        borneBefore: Bool = false
    ) {
        self.token = token
        self.customer = customer
        self.anonymous = anonymous
        self.registeredAt = registeredAt
        self.vouched = vouched
        self.borneBefore = borneBefore
    }

    /// What an SDK sends for everybody (OWN-2).
    static let nilUUID = "00000000-0000-0000-0000-000000000000"
    /// The nil UUID names nobody.
    var namesNobody: Bool { token == Self.nilUUID }
}

/// A customer asked, before buying, whether to buy (0023, 3). It belongs to no subscription.
package struct OracleIntent: Sendable, Hashable {
    package var id: String
    package var customer: String
    package var anonymous: Bool
    package var productId: String
    package var madeAt: Int64

    package init(id: String, customer: String, anonymous: Bool = false, productId: String, madeAt: Int64) {
        self.id = id
        self.customer = customer
        self.anonymous = anonymous
        self.productId = productId
        self.madeAt = madeAt
    }
}

/// An import or an operator reserves a subscription for a customer (0023, 4), perhaps before anything about it is known.
package struct OracleReservation: Sendable, Hashable {
    package var id: String
    package var originalTransactionId: String
    package var customer: String
    package var anonymous: Bool
    package var reservedAt: Int64

    package init(
        id: String, originalTransactionId: String, customer: String, anonymous: Bool = false, reservedAt: Int64
    ) {
        self.id = id
        self.originalTransactionId = originalTransactionId
        self.customer = customer
        self.anonymous = anonymous
        self.reservedAt = reservedAt
    }
}

/// Why a customer shows a transaction (OWN-4).
package enum OracleClaimKind: Sendable, Hashable {
    case purchase, queue, restore
}

/// A customer shows evidence of a purchase.
package struct OracleClaim: Sendable, Hashable {
    package var id: String
    package var originalTransactionId: String
    package var customer: String
    package var anonymous: Bool
    package var kind: OracleClaimKind
    package var shown: OracleTransaction
    /// The product that the upload names; for a deferred change it differs from the shown transaction's.
    package var productId: String
    package var claimedAt: Int64
    /// The customers that other subscriptions of the same Apple Account served when the claim was made (0023, 14).
    package var othersServed: [String]
    /// The client asks before every purchase (OWN-18): a `queue` upload without an intent only shows possession.
    package var keepsIntents: Bool

    package init(
        id: String, originalTransactionId: String, customer: String, anonymous: Bool = false, kind: OracleClaimKind,
        shown: OracleTransaction, productId: String, claimedAt: Int64, othersServed: [String] = [],
        keepsIntents: Bool = false
    ) {
        self.id = id
        self.originalTransactionId = originalTransactionId
        self.customer = customer
        self.anonymous = anonymous
        self.kind = kind
        self.shown = shown
        self.productId = productId
        self.claimedAt = claimedAt
        self.othersServed = othersServed
        self.keepsIntents = keepsIntents
    }
}

/// An anonymous customer turns out to be an identified one (0023, 12), or another anonymous one (0069).
package struct OracleMerge: Sendable, Hashable {
    package var anonymous: String
    package var identified: String
    package var at: Int64
    package var intoAnonymous: Bool

    package init(anonymous: String, identified: String, at: Int64, intoAnonymous: Bool = false) {
        self.anonymous = anonymous
        self.identified = identified
        self.at = at
        self.intoAnonymous = intoAnonymous
    }
}

/// An operator decided that one customer is another one (0037, 1).
package struct OracleJoin: Sendable, Hashable {
    package var id: String
    package var from: String
    package var into: String
    package var at: Int64

    package init(id: String, from: String, into: String, at: Int64) {
        self.id = id
        self.from = from
        self.into = into
        self.at = at
    }
}

/// An operator withdrew a join (0037, 2).
package struct OracleSeparation: Sendable, Hashable {
    package var id: String
    package var join: OracleJoin
    package var at: Int64

    package init(id: String, join: OracleJoin, at: Int64) {
        self.id = id
        self.join = join
        self.at = at
    }
}

/// What was decided about a subscription or a claim (0023, 15).
package enum OracleVoteKind: Sendable, Hashable {
    case transfer(originalTransactionId: String, to: String)
    /// `byOwner` nil: an operator; else the customer who consents.
    case approve(claim: String, byOwner: String?)
    case deny(claim: String)
}

/// A decision about a subscription or a claim.
package struct OracleVote: Sendable, Hashable {
    package var id: String
    package var at: Int64
    package var kind: OracleVoteKind

    package init(id: String, at: Int64, kind: OracleVoteKind) {
        self.id = id
        self.at = at
        self.kind = kind
    }
}

/// What an operator decided about a customer (0017, 24 and 25).
package enum OracleCustomerVoteKind: Sendable, Hashable {
    case grant(customer: String, entitlement: String, from: Int64, until: Int64?)
    case hold(customer: String, entitlement: String, from: Int64, until: Int64?)
    case credit(customer: String, entitlement: String, at: Int64, duration: Int64)
    /// The vote with that id is no longer valid from `at`.
    case withdraw(vote: String, at: Int64)
}

/// A decision about a customer.
package struct OracleCustomerVote: Sendable, Hashable {
    package var id: String
    package var at: Int64
    package var kind: OracleCustomerVoteKind

    package init(id: String, at: Int64, kind: OracleCustomerVoteKind) {
        self.id = id
        self.at = at
        self.kind = kind
    }
}

/// Anything that reaches the server and may change an answer.
package enum Delivery: Sendable, Hashable {
    case transaction(OracleTransaction)
    case renewalInfo(OracleRenewalInfo)
    case notice(OracleNotice)
    case status(OracleStatus)
    case failedQuestion(OracleFailedQuestion)
    case registration(OracleRegistration)
    case intent(OracleIntent)
    case reservation(OracleReservation)
    case claim(OracleClaim)
    case merge(OracleMerge)
    case join(OracleJoin)
    case separation(OracleSeparation)
    case vote(OracleVote)
    case customerVote(OracleCustomerVote)
}
