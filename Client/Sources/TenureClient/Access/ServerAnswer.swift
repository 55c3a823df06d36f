/// What the server answered about a customer: `GET …/entitlements`, the part that a device needs. Members that are not named here
/// are left aside, so that a newer server can say more.
///
/// Source: `Entitlements` in the server's OpenAPI document (ENT-1).
struct ServerAnswer: Sendable, Hashable, Codable {
    let customer: String
    let environment: String
    /// The instant that is answered for, by the server's clock.
    let at: Instant
    let isActive: Bool
    let start: Instant?
    let end: Instant?
    let entitlements: [Item]

    struct Item: Sendable, Hashable, Codable {
        let id: String
        let isActive: Bool
        let start: Instant?
        let end: Instant?
        let isProvisional: Bool
        let renews: Bool?

        var window: Window { Window(start: start, end: end) }
    }

    var window: Window { Window(start: start, end: end) }

    /// More than an app has: an answer that lists more is none of ours.
    static let mostEntitlements = 1000
}

/// What is believed between two answers: the last complete one, when it came, and what was signed with it.
struct HeldAnswer: Sendable, Hashable, Codable {
    let answer: ServerAnswer
    private(set) var clock: ClockGuard
    /// An answer that the server signed, as it came; it is verified again at each start.
    var signed: String?

    /// - Parameter reading: of the device's clocks when the request was sent.
    init(_ answer: ServerAnswer, asked reading: ClockReading) {
        (self.answer, clock) = (answer, ClockGuard(answeredAt: answer.at, reading: reading))
    }

    /// Whether it is of a later answer than another copy, or of the same one and has seen a later time.
    func isNewer(than other: HeldAnswer) -> Bool {
        (answer.at, clock.highWater) > (other.answer.at, other.clock.highWater)
    }

    /// What the customer may use now. What was seen of the clock is remembered.
    ///
    /// - Parameters:
    ///   - reading: of the device's clocks.
    ///   - claims: of ``signed``, if they were verified.
    ///   - isFresh: whether the answer has just come.
    ///   - signedOnly: whether nothing is active that `claims` do not say.
    mutating func access(
        at reading: ClockReading, claims: SignedClaims?, isFresh: Bool = false, signedOnly: Bool = false
    ) -> Access {
        access(at: clock.judge(reading).instant, claims: claims, isFresh: isFresh, signedOnly: signedOnly)
    }

    /// - Parameter now: nil where nobody can say what time it is.
    private func access(at now: Instant?, claims: SignedClaims?, isFresh: Bool, signedOnly: Bool) -> Access {
        func holds(_ wasActive: Bool, _ window: Window, _ until: Instant?) -> Hold {
            guard let now, wasActive else { return .ended }
            if signedOnly, until.map({ now < $0 }) != true { return .ended }
            if window.contains(now) { return .inside }
            guard let until, let end = window.end, end <= now, now < until else { return .ended }
            return .past
        }
        var entitlements: [String: Access.Entitlement] = [:]
        for item in answer.entitlements {
            let hold = holds(item.isActive, item.window, now.flatMap { claims?.offlineUntil(item.id, at: $0) })
            entitlements[item.id] = Access.Entitlement(
                isActive: hold != .ended, start: item.start?.date, end: item.end?.date,
                isProvisional: hold == .past || hold == .inside && item.isProvisional)
        }
        let hold = holds(answer.isActive, answer.window, now.flatMap { claims?.offlineUntil(nil, at: $0) })
        let doubt: Access.Doubt? =
            if now == nil { .clockSetBack } else if hold == .ended, answer.isActive { .ended } else { nil }
        return Access(
            isActive: hold != .ended, start: answer.start?.date, end: answer.end?.date, entitlements: entitlements,
            customer: answer.customer, source: isFresh ? .server : hold == .past ? .signed : .window, doubt: doubt)
    }

    private enum Hold { case inside, past, ended }
}
