package import Primitives

/// All that is known of one subscription: what Apple signed, what customers showed, which tokens the app registered. State is a
/// fold over it and over nothing else (FACT-1); recording is independent of order and of repetition (FACT-2).
package struct SubscriptionHistory: Sendable, Hashable, Codable {
    package let key: SubscriptionKey
    package private(set) var book = PeriodBook()
    /// By `signedDate`.
    package private(set) var renewals: [RenewalFact] = []
    /// By `signedDate`; one per `notificationUUID`.
    package private(set) var notices: [NoticeFact] = []
    package private(set) var questions: [FailedQuestion] = []
    /// In the order in which we received them.
    package private(set) var claims: [Claim] = []
    /// Which customer the app's backend registered each token for; by token.
    package private(set) var registrations: [TokenRegistration] = []
    /// Up to which instant it was told what time had brought by itself; nil while there was nothing to tell. No state depends on
    /// it: like the outbox it is about what was said, and whoever rebuilds a history from facts carries it over (decision 0019).
    package private(set) var toldUntil: Timestamp?

    package init(key: SubscriptionKey) { self.key = key }

    /// Takes a fact; true if it says anything new. Calling it again with the same fact is safe.
    package mutating func record(_ fact: Fact) -> Bool {
        switch fact {
        case .transaction(let transaction): return book.record(transaction)
        case .renewal(let renewal): return Self.insert(renewal, into: &renewals, inOrder: RenewalFact.inOrder)
        case .notice(let notice, _):
            guard !notices.contains(where: { $0.notificationUUID == notice.notificationUUID }) else { return false }
            return Self.insert(notice, into: &notices) {
                ($0.signedDate, $0.notificationUUID) < ($1.signedDate, $1.notificationUUID)
            }
        case .failedQuestion(let question, _):
            return Self.insert(question, into: &questions) { ($0.askedAt, $0.reason) < ($1.askedAt, $1.reason) }
        }
    }

    /// Takes a claim; true if it is not known yet.
    package mutating func record(_ claim: Claim) -> Bool {
        guard !claims.contains(where: { $0.id == claim.id }) else { return false }
        return Self.insert(claim, into: &claims, inOrder: Claim.inOrder)
    }

    /// Takes a registration; a token that is registered already keeps its first customer.
    package mutating func record(_ registration: TokenRegistration) -> Bool {
        guard !registrations.contains(where: { $0.token == registration.token }) else { return false }
        return Self.insert(registration, into: &registrations) { $0.token < $1.token }
    }

    /// Takes that what time had brought by the instant was told; true if that is later than was known.
    package mutating func record(toldUntil instant: Timestamp) -> Bool {
        guard toldUntil.map({ $0 < instant }) ?? true else { return false }
        toldUntil = instant
        return true
    }

    private static func insert<Element: Hashable>(
        _ element: Element, into sorted: inout [Element], inOrder: (Element, Element) -> Bool
    ) -> Bool {
        let position = sorted.lastIndex { !inOrder(element, $0) }.map { $0 + 1 } ?? 0
        guard !sorted.contains(element) else { return false }
        sorted.insert(element, at: position)
        return true
    }
}

/// The app's backend says for which customer a token stands (OWN-2).
package struct TokenRegistration: Sendable, Hashable, Codable {
    package let token: AppAccountToken
    package let customer: CustomerID

    package init(token: AppAccountToken, customer: CustomerID) {
        self.token = token
        self.customer = customer
    }
}
