package import Primitives

/// How far a customer's access from one subscription reaches: the difference between "none" and "without end" that a bare end
/// cannot say.
package enum AccessReach: Sendable, Hashable {
    case none
    /// `signed` is the last end that rests on what Apple signed, or, where nothing else was given, on late news (ENT-6);
    /// `provisional` the end with late news counted in, where that is later.
    case until(signed: Timestamp, provisional: Timestamp?)
    case withoutEnd

    /// The word for it in an event; stable.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case none
        case until
        case withoutEnd
    }

    package var kind: Kind {
        switch self {
        case .none: .none
        case .until: .until
        case .withoutEnd: .withoutEnd
        }
    }

    /// How far a customer's access reaches by an audit row.
    init(of extent: AuditRow.Extent) {
        self =
            switch (extent.exists, extent.until, extent.provisionalUntil) {
            case (false, _, _): .none
            case (true, let signed?, let provisional): .until(signed: signed, provisional: provisional)
            case (true, nil, let provisional?): .until(signed: provisional, provisional: nil)
            case (true, nil, nil): .withoutEnd
            }
    }

    /// How far these spans reach.
    init(of spans: [AccessSpan]) {
        let signed = spans.filter { $0.kind != .provisional }
        if signed.contains(where: { $0.until == nil }) {
            self = .withoutEnd
            return
        }
        let provisional = spans.filter { $0.kind == .provisional }.compactMap(\.until).max()
        guard let end = signed.compactMap(\.until).max() ?? provisional else {
            self = .none
            return
        }
        self = .until(signed: end, provisional: provisional.flatMap { $0 > end ? $0 : nil })
    }
}

extension LedgerEvent {
    /// What the event tells of the customer's access; nil where it tells nothing of it.
    package var reach: AccessReach? {
        switch access {
        case nil: nil
        case .some(.none): AccessReach.none
        case .withoutEnd: .withoutEnd
        case .until: accessUntil.map { .until(signed: $0, provisional: provisionalUntil) }
        }
    }

    /// Writes what is told of the customer's access.
    mutating func tell(_ reach: AccessReach) {
        access = reach.kind
        guard case .until(let signed, let provisional) = reach else { return }
        (accessUntil, provisionalUntil) = (signed, provisional)
    }
}
