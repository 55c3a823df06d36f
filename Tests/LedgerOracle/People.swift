/// The identity of customers: anonymous customers, merges (0023, 12) and joins (0037).
struct People {
    private let anonymous: Set<String>
    private var merged: [String: String] = [:]
    /// The pairs that were merged, whether that came to anything or not: said again it says nothing.
    private var said: Set<[String]> = []
    /// Who was joined into whom, by the id of the join.
    private var joined: [String: String] = [:]

    init(_ known: Known) {
        var unnamed = Set<String>()
        var named = Set<String>()
        func show(_ customer: String, _ anonymous: Bool) {
            if anonymous { unnamed.insert(customer) } else { named.insert(customer) }
        }
        for act in known.acts {
            switch act.delivery {
            case .claim(let claim): show(claim.customer, claim.anonymous)
            case .reservation(let reservation): show(reservation.customer, reservation.anonymous)
            case .merge(let merge):
                show(merge.anonymous, true)
                show(merge.identified, merge.intoAnonymous)
            default: break
            }
        }
        for intent in known.intents { show(intent.customer, intent.anonymous) }
        for registration in known.registrations { show(registration.customer, registration.anonymous) }
        anonymous = unnamed.subtracting(named)
    }

    /// The customer that a name refers to now.
    func customer(_ name: String) -> String {
        var found = name
        while let next = merged[found] { found = next }
        return found
    }

    func isAnonymous(_ name: String) -> Bool { anonymous.contains(customer(name)) }

    /// An anonymous customer never takes from an identified one, unless two settings of the policy allow it (0023, 13).
    func may(_ customer: String, takeFrom owner: String?, under policy: OraclePolicy) -> Bool {
        guard let owner, isAnonymous(customer), !isAnonymous(owner) else { return true }
        return policy.onRestore == .transfer && policy.anonymousMayTake
    }

    /// The first merge of an anonymous customer is final; an identified one is never merged away.
    mutating func merge(_ name: String, into target: String) {
        guard said.insert([name, target]).inserted else { return }
        guard merged[name] == nil, anonymous.contains(name), customer(target) != name else { return }
        merged[name] = target
    }

    /// Whoever is somebody else already stays that.
    mutating func join(_ join: OracleJoin) {
        guard merged[join.from] == nil, customer(join.into) != join.from else { return }
        merged[join.from] = join.into
        joined[join.id] = join.from
    }

    mutating func separate(_ separation: OracleSeparation) {
        guard let name = joined.removeValue(forKey: separation.join.id) else { return }
        merged[name] = nil
    }
}

/// The customers that the tokens of one subscription name, as far as registrations show (0023, 2).
struct TokenNames {
    private let names: [String: String]

    init(_ registrations: [OracleRegistration], infos: [OracleRenewalInfo], _ periods: [OraclePeriod]) {
        var borne: [String: Int64] = [:]
        // A token that was set later is borne from then on (0063, 4).
        let set = periods.flatMap { $0.tokens.dropFirst() }.map { (String?($0.token), $0.since) }
        let bearers =
            periods.map { ($0.purchaseToken, $0.purchaseDate) } + set + infos.map { ($0.appAccountToken, $0.signedDate) }
        for case (let token?, let instant) in bearers { borne[token] = min(borne[token] ?? instant, instant) }
        var names: [String: String] = [:]
        for registration in TokenNames.joined(registrations).sorted(by: TokenNames.isBefore)
        where names[registration.token] == nil {
            let isInTime = registration.registeredAt <= borne[registration.token] ?? Int64.max
            guard !registration.namesNobody, registration.vouched || (isInTime && !registration.borneBefore) else { continue }
            names[registration.token] = registration.customer
        }
        self.names = names
    }

    /// The name registered for a token, before merges.
    subscript(token: String?) -> String? { token.flatMap { names[$0] } }

    /// Joins one customer's registrations of one token.
    private static func joined(_ registrations: [OracleRegistration]) -> [OracleRegistration] {
        let groups = Dictionary(grouping: registrations) { [$0.token, $0.customer] }
        return groups.values.compactMap { group in
            guard var one = group.first else { return nil }
            one.registeredAt = group.map(\.registeredAt).min() ?? one.registeredAt
            one.vouched = group.contains(where: \.vouched)
            one.borneBefore = group.contains { $0.registeredAt == one.registeredAt && $0.borneBefore }
            return one
        }
    }

    private static func isBefore(_ one: OracleRegistration, _ other: OracleRegistration) -> Bool {
        (one.registeredAt, one.customer, one.token) < (other.registeredAt, other.customer, other.token)
    }
}
