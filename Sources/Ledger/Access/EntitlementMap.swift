package import Primitives

/// Which product gives which entitlements, with its history: a change says from when it holds and does not reach into the past
/// (ENT-2). What a product gives grows at once and shrinks only with the next period (OWN-17).
package struct EntitlementMap: Sendable, Hashable {
    /// By product, then by `validFrom`.
    package let entries: [Entry]
    /// Every entitlement that any product ever gave; sorted.
    package let entitlements: [EntitlementID]
    /// Each product's entries, by `validFrom`.
    private let histories: [ProductID: [Entry]]
    /// ENT-3: since when the time of an entitlement adds up and since when it does not, by that; the first entry holds before,
    /// too. All other entitlements follow the subscription's own periods.
    private let accruals: [EntitlementID: [Accrual]]
    /// PER-9: how long each non-renewing subscription lasts, since when, by that; one without a duration gives nothing.
    private let durations: [ProductID: [DurationEntry]]

    /// From `validFrom` on, until a later entry for the same product, the product gives these entitlements.
    package struct Entry: Sendable, Hashable {
        package let productId: ProductID
        package let validFrom: Timestamp
        package let entitlements: [EntitlementID]

        package init(productId: ProductID, validFrom: Timestamp, entitlements: [EntitlementID]) {
            self.productId = productId
            self.validFrom = validFrom
            self.entitlements = Array(Set(entitlements)).sorted()
        }
    }

    private struct DurationEntry: Sendable, Hashable {
        let validFrom: Timestamp
        let duration: ProductDuration?
    }

    private struct Accrual: Sendable, Hashable {
        let validFrom: Timestamp
        let addsUp: Bool
    }

    /// - Parameter balanced: ENT-3: the entitlements whose time always added up.
    package init(entries: [Entry], balanced: Set<EntitlementID> = [], durations: [ProductID: ProductDuration] = [:]) {
        let always = Timestamp(millisecondsSince1970: .min)
        let accruals = balanced.map { ($0, [Accrual(validFrom: always, addsUp: true)]) }
        self.init(
            entries: entries, accruals: Dictionary(accruals) { first, _ in first },
            durationEntries: durations.mapValues { [DurationEntry(validFrom: always, duration: $0)] })
    }

    private init(
        entries: [Entry], accruals: [EntitlementID: [Accrual]], durationEntries: [ProductID: [DurationEntry]]
    ) {
        self.accruals = accruals
        durations = durationEntries
        let sorted = entries.sorted { ($0.productId, $0.validFrom) < ($1.productId, $1.validFrom) }
        self.entries = sorted
        entitlements = Set(sorted.flatMap(\.entitlements)).sorted()
        histories = Dictionary(grouping: sorted, by: \.productId)
    }

    /// What products gave and give by versions of which each holds until the next one does (OWN-17). A version's own history of a
    /// product does not reach behind the version; that of the first does.
    ///
    /// - Parameter versions: by `validFrom`, the first from the beginning of time.
    init(versions: [SettingsTimeline.Version]) {
        var entries: [Entry] = []
        var durationEntries: [ProductID: [DurationEntry]] = [:]
        for product in Set(versions.flatMap { $0.content.products.map(\.productId) }).sorted() {
            entries += Self.entries(of: product, in: versions)
        }
        for product in Set(versions.flatMap { $0.content.durations.keys }).sorted() {
            var known: [DurationEntry] = []
            for version in versions {
                let duration = version.content.durations[product]
                guard known.last?.duration != duration || known.isEmpty else { continue }
                known.append(DurationEntry(validFrom: version.validFrom, duration: duration))
            }
            durationEntries[product] = known
        }
        self.init(entries: entries, accruals: Self.accruals(in: versions), durationEntries: durationEntries)
    }

    private static func accruals(in versions: [SettingsTimeline.Version]) -> [EntitlementID: [Accrual]] {
        var accruals: [EntitlementID: [Accrual]] = [:]
        for entitlement in Set(versions.flatMap(\.content.policy.balanced)) {
            for version in versions {
                let addsUp = version.content.policy.balanced.contains(entitlement)
                guard accruals[entitlement]?.last?.addsUp != addsUp else { continue }
                accruals[entitlement, default: []].append(Accrual(validFrom: version.validFrom, addsUp: addsUp))
            }
        }
        return accruals
    }

    private static func entries(of product: ProductID, in versions: [SettingsTimeline.Version]) -> [Entry] {
        var entries: [Entry] = []
        for (index, version) in versions.enumerated() {
            let own = version.content.products.filter { $0.productId == product }
            let until = index + 1 < versions.count ? versions[index + 1].validFrom : nil
            if index > 0 {
                // A product that a version does not name gives nothing from then on.
                let given = own.last { $0.validFrom <= version.validFrom }?.entitlements ?? []
                entries.append(Entry(productId: product, validFrom: version.validFrom, entitlements: given))
            }
            entries += own.filter { entry in
                (index == 0 || entry.validFrom > version.validFrom) && until.map { entry.validFrom < $0 } ?? true
            }
        }
        // One that says what the one before says is none.
        return entries.reduce(into: []) { kept, entry in
            if kept.last.map({ $0.entitlements != entry.entitlements }) ?? !entry.entitlements.isEmpty { kept.append(entry) }
        }
    }

    /// What the product gives to a period that began at `start`, as of a later instant: what an entry gives that was in force at
    /// any instant between (OWN-17). Sorted.
    package func given(by product: ProductID, toPeriodFrom start: Timestamp, asOf instant: Timestamp) -> [EntitlementID] {
        guard let history = histories[product] else { return [] }
        return entitlements.filter { entitlement in
            firstGiven(entitlement, in: history, from: start).map { $0 <= max(start, instant) } ?? false
        }
    }

    /// Whether the product gives the entitlement at the instant, to a period that begins then.
    func gives(_ entitlement: EntitlementID, by product: ProductID, at instant: Timestamp) -> Bool {
        histories[product]?.last { $0.validFrom <= instant }?.entitlements.contains(entitlement) ?? false
    }

    /// ENT-3: whether the time of any entitlement ever adds up.
    var hasBalances: Bool { !accruals.isEmpty }

    /// ENT-3: whether the time of the entitlement ever adds up.
    func everAddsUp(_ entitlement: EntitlementID) -> Bool { accruals[entitlement] != nil }

    /// ENT-3: whether a period that is bought at the instant adds its time to a balance of the entitlement.
    func addsUp(_ entitlement: EntitlementID, at instant: Timestamp) -> Bool {
        guard let history = accruals[entitlement] else { return false }
        return (history.last { $0.validFrom <= instant } ?? history.first)?.addsUp ?? false
    }

    /// ENT-3: whether a period of the product that is bought at the instant adds its time to a balance.
    func addsUp(_ product: ProductID, at instant: Timestamp) -> Bool {
        hasBalances && given(by: product, toPeriodFrom: instant, asOf: instant).contains { addsUp($0, at: instant) }
    }

    /// The parts of what was paid for in which the periods are followed: those that began while their time did not add up.
    func following(_ entitlement: EntitlementID, in span: AccessSpan) -> [AccessSpan] {
        let starts = span.periodStarts.isEmpty ? [span.from] : span.periodStarts
        var parts: [AccessSpan] = []
        for (index, start) in starts.enumerated() where !addsUp(entitlement, at: start) {
            var part = span
            part.from = max(span.from, start)
            part.until = index + 1 < starts.count ? starts[index + 1] : span.until
            part.periodStarts = [start]
            if let last = parts.last, last.until == part.from {
                parts[parts.count - 1].until = part.until
                parts[parts.count - 1].periodStarts.append(start)
            } else {
                parts.append(part)
            }
        }
        return parts
    }

    /// Whether any non-renewing subscription has a duration.
    var hasDurations: Bool { !durations.isEmpty }

    /// PER-9: how long a non-renewing subscription lasts that was bought at the instant; nil where the app chose no duration.
    package func duration(of product: ProductID, boughtAt instant: Timestamp) -> ProductDuration? {
        durations[product].flatMap { entries in (entries.last { $0.validFrom <= instant } ?? entries.first)?.duration }
    }

    /// The parts of a span in which its product gives the entitlement: in each of its periods from the first instant on at which
    /// any entry that was in force since the period's beginning gives it (OWN-17).
    package func parts(of span: AccessSpan, giving entitlement: EntitlementID) -> [AccessSpan] {
        guard let history = histories[span.productId] else { return [] }
        if history.count == 1 {
            guard history[0].entitlements.contains(entitlement) else { return [] }
            return part(of: span, from: history[0].validFrom, until: nil).map { [$0] } ?? []
        }
        let starts = span.periodStarts.isEmpty ? [span.from] : span.periodStarts
        var parts: [AccessSpan] = []
        for (index, start) in starts.enumerated() {
            let next = index + 1 < starts.count ? starts[index + 1] : nil
            guard let from = firstGiven(entitlement, in: history, from: start),
                let part = part(of: span, from: from, until: next)
            else { continue }
            if let last = parts.last, last.until == part.from {
                parts[parts.count - 1].until = part.until
            } else {
                parts.append(part)
            }
        }
        return parts
    }

    /// The first instant, not before the start of the period, at which the product gives it; nil where it never does.
    private func firstGiven(_ entitlement: EntitlementID, in history: [Entry], from start: Timestamp) -> Timestamp? {
        let inForce = history.lastIndex { $0.validFrom <= start }
        if let inForce, history[inForce].entitlements.contains(entitlement) { return start }
        let later = history[(inForce.map { $0 + 1 } ?? 0)...]
        return later.first { $0.entitlements.contains(entitlement) }?.validFrom
    }

    private func part(of span: AccessSpan, from: Timestamp, until: Timestamp?) -> AccessSpan? {
        var part = span
        part.from = max(span.from, from)
        if let until, span.until.map({ until < $0 }) ?? true { part.until = until }
        if let end = part.until, end <= part.from { return nil }
        return part
    }
}
