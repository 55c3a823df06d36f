import LedgerOracle
import StrictJSON

/// Compares the events that the server would deliver with what happened (docs/events.md, I37, I38).
struct EventAudit: Sendable {
    /// By subscription, in their order.
    private let events: [String: [JSONObject]]
    private let repeated: [String]

    /// A period's beginning is announced by exactly one of these (PER-1).
    private static let announcements: Set<String> = [
        "subscription.started", "subscription.renewed", "subscription.recovered", "subscription.resubscribed",
        "subscription.changed",
    ]

    /// Events that may repeat in a row, each for a reason (docs/operations/chaos.md). Access that changes in the middle and back
    /// reports its start and end twice; a claim may be refused again after older news made it count for a while; an owner's
    /// stretch may come back in the same way, and is compared with the earlier events instead. An extension is announced again
    /// where a later copy without it came between, which no event reports.
    private static let mayRepeat: Set<String> = [
        "access.changed", "owner.changed", "claim.waiting", "claim.refused", "subscription.extended",
    ]

    /// After these the subscription is not over, or not in the same way: it was paid, refunded, restored, or is in retry.
    private static let takingBack: Set<String> = announcements.union([
        "news.late", "purchase.refunded", "refund.reversed", "billing.failed",
    ])

    /// What news may revoke and still later news bring back, and is then told once more: an end, and what was told of a period
    /// that was the last one until another was learned of (I38).
    private static let takenBack = [
        "access.ended", "subscription.expired", "change.scheduled", "gracePeriod.began", "gracePeriod.ended", "billing.failed",
        "priceIncrease.pending", "payment.doubled",
    ]

    /// What a link from another subscription may take back, and one that moves its switch gives again (PER-14): the end, what
    /// follows it, and a refund of the switch's minute.
    private static let takenByLinks = Set(takenBack + ["access.provisional", "purchase.refunded"])

    /// - Parameter contents: its events are in the order of their sequences.
    init(_ contents: ServerContents) throws {
        // How often each kind may still be repeated for a subscription that others continue.
        var left: [String: Int] = [:]
        var (events, texts): ([String: [JSONObject]], [String: [String]]) = ([:], [:])
        var last: [String: String] = [:]
        var repeated: [String] = []
        for text in contents.events {
            guard let event = try JSONDocument(Array(text.utf8)).root.object,
                let id = event["subscription"]?.object?["originalTransactionId"]?.string
            else { throw ChaosError("the outbox holds what is no event: \(text)") }
            let kind = event["kind"]?.string ?? ""
            if !Self.mayRepeat.contains(kind), last.updateValue(text, forKey: "\(id) \(kind)") == text {
                let count = left["\(id) \(kind)"] ?? contents.continuations[id] ?? 0
                if count > 0, Self.takenByLinks.contains(kind) {
                    left["\(id) \(kind)"] = count - 1
                } else {
                    let heard = contents.continuations[id] ?? 0
                    let words = "an event occurs twice, of a subscription that heard of switches \(heard) times"
                    let before = (texts[id] ?? []).suffix(8).joined(separator: ", ")
                    repeated.append("\(words): \(text); before it \(before)")
                }
            }
            if Self.takingBack.contains(kind) {
                for other in Self.takenBack where other != kind { last["\(id) \(other)"] = nil }
            }
            // An end takes both back: later facts may begin them again.
            if kind == "access.ended" {
                for other in ["access.provisional", "news.late"] { last["\(id) \(other)"] = nil }
            }
            events[id, default: []].append(event)
            texts[id, default: []].append(text)
        }
        self.events = events
        self.repeated = repeated
    }

    /// What was reported twice.
    var double: [String] {
        repeated
            + events.sorted { $0.key < $1.key }.flatMap { id, events in
                needless(events)
                    + Dictionary(grouping: announcements(in: events)) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
                    .map { "the period \($0) of \(id) was announced more than once" }
            }
    }

    /// Changes of owner that change nothing, or whose former owner is not the one that earlier events named: then an event was
    /// lost or repeated.
    private func needless(_ events: [JSONObject]) -> [String] {
        events.indices.compactMap { index in
            let event = events[index]
            guard event["kind"]?.string == "owner.changed", let from = event["effectiveAt"]?.int64 else { return nil }
            let believed = owner(at: from, by: Array(events[..<index]))
            guard event["previousCustomer"]?.string != believed || event["customer"]?.string == believed else { return nil }
            return "owner.changed does not follow what was reported before, \(believed ?? "nobody"): \(event)"
        }
    }

    /// How many events of a kind there are for a subscription.
    func count(of kind: String, _ id: String) -> Int { events[id]?.count { $0["kind"]?.string == kind } ?? 0 }

    /// Periods and final owners that no event reports.
    func missing(_ life: ChaosLife, _ oracle: OracleAnswer) -> [String] {
        oracle.subscriptions.filter { !$0.periods.isEmpty }.flatMap { subscription -> [String] in
            let id = subscription.originalTransactionId
            let told = Set(announcements(in: events[id] ?? []))
            // A renewal that an upgrade replaced before it began (PER-13) is announced only where it came before the upgrade.
            let served = subscription.periods.filter {
                $0.beginning != .renewal || $0.endReason != .replaced || $0.end != $0.purchaseDate
            }
            let periods = served.map { "\($0.productId) from \($0.purchaseDate)" }.filter { !told.contains($0) }
            let owner = subscription.owner(at: life.quiet.upperBound)
            let toldOwner = self.owner(at: life.quiet.upperBound, by: events[id] ?? [])
            return periods.map { "life \(life.number): the period \($0) of \(id) was never announced" }
                + (owner == toldOwner
                    ? []
                    : [
                        "life \(life.number): by its events \(id) is \(toldOwner ?? "nobody")'s, by the oracle "
                            + "\(owner ?? "nobody")'s"
                    ])
        }
    }

    /// The owner according to all events in order: the last event about the instant counts.
    private func owner(at instant: Int64, by events: [JSONObject]) -> String? {
        events.last { event in
            guard event["kind"]?.string == "owner.changed", let from = event["effectiveAt"]?.int64, from <= instant else {
                return false
            }
            return event["until"]?.int64.map { instant < $0 } ?? true
        }?["customer"]?.string
    }

    private func announcements(in events: [JSONObject]) -> [String] {
        events.filter { Self.announcements.contains($0["kind"]?.string ?? "") }.map {
            "\($0["productId"]?.string ?? "") from \($0["effectiveAt"]?.int64 ?? 0)"
        }
    }
}
