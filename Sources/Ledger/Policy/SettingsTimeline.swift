package import Primitives

/// What an app chose where the rules leave a choice, as one version of it: the policy, what each product gives, and how long
/// non-renewing subscriptions last.
package struct SettingsContent: Sendable, Hashable {
    /// Its own `version` is 1 always: the number of the version that has this content says which one it is.
    package let policy: AppPolicy
    /// By product, then by `validFrom`.
    package let products: [EntitlementMap.Entry]
    /// PER-9: by product.
    package let durations: [ProductID: ProductDuration]
    /// What the app sells and has released.
    package let offerings: AppOfferings
    /// ABUSE-1: from which counts on something is a signal.
    package let signals: AbuseThresholds

    package init(
        policy: AppPolicy, products: [EntitlementMap.Entry], durations: [ProductID: ProductDuration] = [:],
        offerings: AppOfferings = AppOfferings(), signals: AbuseThresholds = AbuseThresholds()
    ) {
        var policy = policy
        policy.version = 1
        self.policy = policy
        self.products = EntitlementMap(entries: products).entries
        self.durations = durations
        self.offerings = offerings
        self.signals = signals
    }

    /// Every product that it names, whatever it says of it.
    fileprivate var named: Set<ProductID> {
        Set(products.map(\.productId)).union(durations.keys).union(offerings.products.map(\.productId))
    }
}

/// The versions of what an app chose, since when each holds, and what follows from all of them (OWN-17).
package struct SettingsTimeline: Sendable, Hashable {
    /// By number: 1, 2, 3, …; never empty.
    package let versions: [Version]
    /// By what purchases, claims and refunds are judged; each policy's `version` is the number of the version it came with.
    package let policies: PolicyTimeline
    /// What products gave and give.
    package let entitlements: EntitlementMap
    /// What the app sells and has released by the newest version: it says what is true now, and decides nothing of the past.
    package var offerings: AppOfferings { newest.content.offerings }
    /// From which counts on something is a signal (ABUSE-1), by the newest version: no signal decides anything.
    package var signals: AbuseThresholds { newest.content.signals }
    /// The subscriptions that the app sells, by the newest version.
    package let catalogue: PlanCatalogue
    /// When each product was named last; nil where the version that holds to the end names it.
    private let lastNamed: [ProductID: Timestamp?]

    package struct Version: Sendable, Hashable {
        package let number: Int64
        /// Number 1 also holds for everything before it.
        package let validFrom: Timestamp
        package let content: SettingsContent

        package init(number: Int64, validFrom: Timestamp, content: SettingsContent) {
            self.number = number
            self.validFrom = validFrom
            self.content = content
        }
    }

    /// A content that always held, under the number 1.
    package init(_ content: SettingsContent) {
        self.init([], first: Version(number: 1, validFrom: Timestamp(millisecondsSince1970: .min), content: content))
    }

    /// Nil where there is none.
    ///
    /// - Parameter versions: in any order. A later number replaces from its instant on what earlier ones say.
    package init?(_ versions: [Version]) {
        let sorted = versions.sorted { $0.number < $1.number }
        guard let first = sorted.first else { return nil }
        self.init(Array(sorted.dropFirst()), first: first)
    }

    private init(_ rest: [Version], first: Version) {
        versions = [first] + rest
        let held = Self.held(first, rest)
        policies = Self.policies(held)
        lastNamed = Self.lastNamed(held)
        entitlements = EntitlementMap(versions: held)
        catalogue = PlanCatalogue(sound: versions[versions.count - 1].content.offerings.plans)
    }

    /// The same with one more version.
    package func adding(_ content: SettingsContent, from instant: Timestamp) -> SettingsTimeline {
        let next = Version(number: newest.number + 1, validFrom: instant, content: content)
        return SettingsTimeline(Array(versions.dropFirst()) + [next], first: versions[0])
    }

    /// Whether a version that holds at the instant or later names the product: as one that gives something, lasts for a time, or
    /// is sold. A product that none names gives nothing to a period that begins then, and is worth a warning (FACT-5).
    package func names(_ product: ProductID, at instant: Timestamp) -> Bool {
        lastNamed[product].map { end in end.map { instant < $0 } ?? true } ?? false
    }

    private static func lastNamed(_ held: [Version]) -> [ProductID: Timestamp?] {
        var last: [ProductID: Timestamp?] = [:]
        for (index, version) in held.enumerated() {
            let until = index + 1 < held.count ? held[index + 1].validFrom : nil
            for product in version.content.named { last.updateValue(until, forKey: product) }
        }
        return last
    }

    /// The version with the greatest number: what the app chose last, also where it does not hold yet.
    package var newest: Version { versions[versions.count - 1] }

    /// How a version stands among all that are known.
    package enum Standing: Sendable, Hashable {
        /// It holds from `from` until the version `next` takes its place at `until`. `from` is nil of the first, which always
        /// held; `until` and `next` are nil of the one that holds to the end.
        case holds(from: Timestamp?, until: Timestamp?, next: Int64?)
        /// It holds at no instant: a later version holds from where it began, or from before.
        case replaced(by: Int64)
    }

    /// - Returns: nil where there is no version of the number.
    package func standing(of number: Int64) -> Standing? {
        guard let version = versions.first(where: { $0.number == number }) else { return nil }
        let held = Self.held(versions[0], Array(versions.dropFirst()))
        guard let place = held.firstIndex(where: { $0.number == number }) else {
            // The number 1 always holds, so what is gone was followed by what took its place.
            let next = versions.first { $0.number > number && $0.validFrom <= version.validFrom }
            return .replaced(by: next?.number ?? newest.number)
        }
        let next = held.indices.contains(place + 1) ? held[place + 1] : nil
        return .holds(from: place == 0 ? nil : version.validFrom, until: next?.validFrom, next: next?.number)
    }

    /// Those that hold at some instant, by that instant; the first from the beginning of time.
    private static func held(_ first: Version, _ rest: [Version]) -> [Version] {
        var held = [Version(number: first.number, validFrom: Timestamp(millisecondsSince1970: .min), content: first.content)]
        for version in rest {
            // The first stays: what came before every instant is judged by it.
            while held.count > 1, let last = held.last, last.validFrom >= version.validFrom { held.removeLast() }
            held.append(version)
        }
        return held
    }

    /// Neighbours with one policy are one version of it: a change of products alone changes no decision.
    private static func policies(_ held: [Version]) -> PolicyTimeline {
        var distinct: [Version] = []
        for version in held where distinct.last?.content.policy != version.content.policy { distinct.append(version) }
        let numbered = distinct.map { version in
            var policy = version.content.policy
            policy.version = version.number
            return PolicyTimeline.Version(validFrom: version.validFrom, policy: policy)
        }
        guard let first = numbered.first else { return PolicyTimeline(AppPolicy()) }
        return PolicyTimeline(first.policy, then: Array(numbered.dropFirst()))
    }
}
