package import Primitives

/// Whether a customer may use one entitlement at one instant, since when and until when, and what that rests on (ENT-1).
package struct EntitlementAnswer: Sendable, Hashable {
    /// Nil for the answer over all entitlements together.
    package let entitlement: EntitlementID?
    package let at: Timestamp
    package let isActive: Bool
    /// Start of the present window; of the last one if there is none now; nil if there never was one.
    package let start: Timestamp?
    /// End of that window; nil if it does not end, or if there never was one.
    package let end: Timestamp?
    /// The window rests on late news (ENT-6) at the instant.
    package let isProvisional: Bool
    package let restsOn: Source?
    /// Nil where Apple has not said, or where nothing is active.
    package let renews: Bool?
    package let renewsInto: ProductID?
    /// Why the window ended; nil while it is open.
    package let endedBecause: AccessSpan.End?
    /// The first instant after `at` at which the answer can change without news; nil if none is known.
    package let nextChangeDate: Timestamp?

    package struct Source: Sendable, Hashable {
        package let originalTransactionId: OriginalTransactionID
        package let productId: ProductID
        package let kind: AccessSpan.Kind
    }
}

/// All answers about one customer at one instant.
package struct CustomerAnswer: Sendable, Hashable {
    package let at: Timestamp
    /// Over everything that gives any entitlement: the one Bool and the two timestamps.
    package let overall: EntitlementAnswer
    /// Sorted by entitlement; one for each that the app knows.
    package let entitlements: [EntitlementAnswer]

    package init(at instant: Timestamp, holdings: [Holding], map: EntitlementMap) {
        at = instant
        var all: [Grant] = []
        entitlements = map.entitlements.map { entitlement in
            let grants = map.grants(of: entitlement, in: holdings)
            all += grants
            return EntitlementAnswer(about: entitlement, at: instant, grants: grants)
        }
        overall = EntitlementAnswer(about: nil, at: instant, grants: all)
    }
}

/// One span of one holding that gives an entitlement.
struct Grant {
    let holding: Holding
    let span: AccessSpan
}

extension EntitlementMap {
    fileprivate func grants(of entitlement: EntitlementID, in holdings: [Holding]) -> [Grant] {
        var grants: [Grant] = []
        for holding in holdings {
            for span in holding.spans {
                for part in parts(of: span, giving: entitlement) { grants.append(Grant(holding: holding, span: part)) }
            }
        }
        return grants
    }
}

extension EntitlementAnswer {
    /// The answer from all spans that give the entitlement; spans that touch or overlap are one window. What may yet be given for
    /// want of news (ENT-6) belongs to no window before its time: until then the end is the one that Apple signed.
    init(about entitlement: EntitlementID?, at instant: Timestamp, grants: [Grant]) {
        let sorted = grants.filter { $0.span.kind != .provisional || $0.span.from <= instant }.sorted { $0.precedes($1) }
        let windows = Self.windows(of: sorted)
        let present = windows.first { $0.contains(instant) }
        let shown = present ?? windows.last { $0.from <= instant }
        let current = sorted.filter { $0.span.contains(instant) }.max { $1.outranks($0) }
        let last = shown.flatMap { shown in sorted.last { $0.span.until == shown.until } }
        self.entitlement = entitlement
        at = instant
        isActive = present != nil
        start = shown?.from
        end = shown?.until
        isProvisional = current?.span.kind == .provisional
        restsOn = (current ?? last).map {
            Source(originalTransactionId: $0.holding.originalTransactionId, productId: $0.span.productId, kind: $0.span.kind)
        }
        renews = current?.span.until == nil ? nil : current?.holding.autoRenewStatus
        renewsInto = renews == true ? current?.holding.autoRenewProductId ?? current?.span.productId : nil
        endedBecause = present == nil ? last?.span.endsBecause : nil
        nextChangeDate = present.map(\.until) ?? windows.first { $0.from > instant }?.from
    }

    private struct Window {
        let from: Timestamp
        var until: Timestamp?

        func contains(_ instant: Timestamp) -> Bool {
            guard from <= instant else { return false }
            return until.map { instant < $0 } ?? true
        }
    }

    private static func windows(of sorted: [Grant]) -> [Window] {
        sorted.reduce(into: []) { windows, grant in
            guard let last = windows.last, last.until.map({ grant.span.from <= $0 }) ?? true else {
                windows.append(Window(from: grant.span.from, until: grant.span.until))
                return
            }
            guard let end = last.until else { return }
            windows[windows.count - 1].until = grant.span.until.map { max(end, $0) }
        }
    }
}

extension Grant {
    /// Of several spans at one instant the answer rests on what was paid for before grace and late news, then on what lasts
    /// longest.
    fileprivate func outranks(_ other: Grant) -> Bool {
        if span.kind != other.span.kind { return span.kind.rank > other.span.kind.rank }
        let (end, otherEnd) = (span.until ?? .latestAccepted, other.span.until ?? .latestAccepted)
        if end != otherEnd { return end > otherEnd }
        return holding.originalTransactionId < other.holding.originalTransactionId
    }

    /// By start, then by end, then by subscription: the order must not depend on how holdings were read.
    fileprivate func precedes(_ other: Grant) -> Bool {
        if span.from != other.span.from { return span.from < other.span.from }
        let (end, otherEnd) = (span.until ?? .latestAccepted, other.span.until ?? .latestAccepted)
        if end != otherEnd { return end < otherEnd }
        return holding.originalTransactionId < other.holding.originalTransactionId
    }
}

extension AccessSpan.Kind {
    fileprivate var rank: Int {
        switch self {
        case .paid: 2
        case .gracePeriod: 1
        case .provisional: 0
        }
    }
}
