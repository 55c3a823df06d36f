package import Primitives

/// Somebody says for which customer an `appAccountToken` stands; whether that names the customer, the facts decide (OWN-2).
package struct TokenRegistration: Sendable, Hashable {
    package let token: AppAccountToken
    package let customer: CustomerID
    /// The customer is not identified yet (OWN-10).
    package let isAnonymous: Bool
    /// On our clock.
    package let registeredAt: Timestamp
    /// The app's backend minted the token for the customer, an operator's import says so, or the token is the customer's own id:
    /// it names the customer whenever it was registered.
    package let isVouched: Bool
    /// A transaction of another subscription bore the token before it was registered, so that anyone who saw it could register
    /// it.
    package let wasBorneBefore: Bool

    package init(
        token: AppAccountToken, customer: CustomerID, isAnonymous: Bool = false, registeredAt: Timestamp,
        isVouched: Bool = false, wasBorneBefore: Bool = false
    ) {
        self.token = token
        self.customer = customer
        self.isAnonymous = isAnonymous
        self.registeredAt = registeredAt
        self.isVouched = isVouched
        self.wasBorneBefore = wasBorneBefore
    }

    /// A customer's id that is itself a UUID is registered by itself: an identified customer's always was, an anonymous one's
    /// from its first use (OWN-2). Nil where it is none, or one that names nobody.
    package init?(ofOwnId claimant: Claimant, firstUsedAt instant: Timestamp) {
        guard let token = AppAccountToken(claimant.customer.rawValue), !token.namesNobody else { return nil }
        self.init(
            token: token, customer: claimant.customer, isAnonymous: claimant.isAnonymous,
            registeredAt: claimant.isAnonymous ? instant : Self.before, isVouched: !claimant.isAnonymous)
    }

    /// The same, where it is known that the token was borne before.
    package var borneBefore: TokenRegistration {
        TokenRegistration(
            token: token, customer: customer, isAnonymous: isAnonymous, registeredAt: registeredAt, isVouched: isVouched,
            wasBorneBefore: true)
    }

    /// What two registrations of one token for one customer come to, in whatever order they are known.
    func joined(with other: TokenRegistration) -> TokenRegistration {
        // Whether it was borne before is said of the earliest: registering it again takes nothing from the first
        // registrant.
        let wasBorne =
            registeredAt == other.registeredAt
            ? wasBorneBefore || other.wasBorneBefore
            : registeredAt < other.registeredAt ? wasBorneBefore : other.wasBorneBefore
        return TokenRegistration(
            token: token, customer: customer, isAnonymous: isAnonymous && other.isAnonymous,
            registeredAt: min(registeredAt, other.registeredAt), isVouched: isVouched || other.isVouched,
            wasBorneBefore: wasBorne)
    }

    /// Whether another registration says nothing beside this one.
    package func covers(_ other: TokenRegistration) -> Bool {
        token == other.token && customer == other.customer && joined(with: other) == self
    }

    /// Whether a fact that bears the token may show that it was borne before it was registered, which is not known yet and
    /// matters; its history says so for certain (``SubscriptionHistory/firstInstant(bearing:)``).
    package func mayBeOvertaken(by fact: Fact) -> Bool {
        !isVouched && !wasBorneBefore && fact.appAccountToken == token && fact.borneFrom < registeredAt
    }

    /// The customer that one token names by its registrations; the facts of a subscription may name another (decision 0023,
    /// 2). Nil if none.
    package static func holder(by registrations: [TokenRegistration]) -> CustomerID? {
        var joined: [CustomerID: TokenRegistration] = [:]
        for said in registrations { joined[said.customer] = joined[said.customer].map { $0.joined(with: said) } ?? said }
        return joined.values.filter(\.mayName).min(by: inOrder)?.customer
    }

    /// Whether it can name the customer at all: the token is none that names nobody, and nobody could have copied it from another
    /// purchase.
    fileprivate var mayName: Bool { !token.namesNobody && (isVouched || !wasBorneBefore) }

    static func inOrder(_ left: TokenRegistration, _ right: TokenRegistration) -> Bool {
        (left.token, left.registeredAt, left.customer) < (right.token, right.registeredAt, right.customer)
    }

    private static var before: Timestamp { Timestamp(millisecondsSince1970: 0) }
}

/// The customers that the tokens of one subscription name (OWN-2, decision 0023, 2).
struct TokenNames: Sendable {
    private let names: [AppAccountToken: CustomerID]
    /// What a token names once its customer was erased: the next who registered it.
    private let later: [AppAccountToken: [CustomerID]]
    private let erasures: Erasures

    init(
        _ registrations: [TokenRegistration], periods: [Period], renewals: [RenewalFact],
        erasures: Erasures = Erasures(among: [])
    ) {
        self.erasures = erasures
        guard !registrations.isEmpty else {
            (names, later) = ([:], [:])
            return
        }
        var borneFrom: [AppAccountToken: Timestamp] = [:]
        func note(_ token: AppAccountToken?, _ instant: Timestamp) {
            guard let token else { return }
            borneFrom[token] = min(borneFrom[token] ?? instant, instant)
        }
        for period in periods {
            note(period.purchaseToken, period.purchaseDate)
            for borne in period.setTokens { note(borne.token, borne.since) }
        }
        for renewal in renewals { note(renewal.appAccountToken, renewal.signedDate) }
        var names: [AppAccountToken: CustomerID] = [:]
        var later: [AppAccountToken: [CustomerID]] = [:]
        // The first that names anybody stands: they are in the order in which they were registered.
        for registration in registrations where names[registration.token] == nil || !erasures.isEmpty {
            let isInTime = borneFrom[registration.token].map { registration.registeredAt <= $0 } ?? true
            guard registration.mayName, registration.isVouched || isInTime else { continue }
            if names[registration.token] == nil {
                names[registration.token] = registration.customer
            } else {
                later[registration.token, default: []].append(registration.customer)
            }
        }
        self.names = names
        self.later = later
    }

    var isEmpty: Bool { names.isEmpty }

    func customer(of token: AppAccountToken?) -> CustomerID? {
        guard !names.isEmpty, let token else { return nil }
        return names[token]
    }

    /// The customer whom it names at an instant: an erased customer's token names nobody any more, until somebody else registers
    /// it (I45).
    func customer(of token: AppAccountToken?, at instant: Timestamp) -> CustomerID? {
        guard let token, let first = customer(of: token) else { return nil }
        guard erasures.holds(first, by: instant) else { return first }
        return later[token]?.first { !erasures.holds($0, by: instant) }
    }
}
