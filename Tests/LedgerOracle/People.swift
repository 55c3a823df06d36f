/// Who is who: registered tokens, anonymous customers, merges (0017, 18).
struct People {
    private let registrations: [String: String]
    private let anonymous: Set<String>
    private var merged: [String: String] = [:]

    init(_ known: Known) {
        registrations = Dictionary(known.registrations.map { ($0.token, $0.customer) }, uniquingKeysWith: { one, _ in one })
        var unnamed = Set<String>()
        var named = Set<String>()
        for act in known.acts {
            switch act.delivery {
            case .claim(let claim):
                if claim.anonymous { unnamed.insert(claim.customer) } else { named.insert(claim.customer) }
            case .merge(let merge): unnamed.insert(merge.anonymous)
            default: break
            }
        }
        anonymous = unnamed.subtracting(named)
    }

    /// The customer that a name means now.
    func customer(_ name: String) -> String {
        var found = name
        while let next = merged[found] { found = next }
        return found
    }

    func isAnonymous(_ name: String) -> Bool { anonymous.contains(customer(name)) }

    /// Whom a token names, if it is registered.
    func named(by token: String?) -> String? {
        guard let token, let name = registrations[token] else { return nil }
        return customer(name)
    }

    /// The first merge of an anonymous customer stands; an identified one is never merged away.
    mutating func merge(_ name: String, into target: String) {
        guard merged[name] == nil, anonymous.contains(name), customer(target) != name else { return }
        merged[name] = target
    }
}
