import Ledger
import Storage

/// Subscriptions of which one continues the other after a switch to or from a bundle (PER-14): each hears what it needs to know
/// of the other one.
extension Ingest {
    /// What a subscription is to hear of others together with these inputs. What it continues hears of it first: else both would
    /// seem to be paid for at once.
    mutating func newsOfSwitches(
        for key: SubscriptionKey, with inputs: [LedgerInput], _ request: IngestRequest
    ) throws -> [LedgerInput] {
        let others = try switched(with: key)
        guard !others.isEmpty else { return [] }
        var history = desk.history(of: key)
        for input in inputs { _ = history.record(input) }
        for other in others where desk.isKnown(other) {
            let news = desk.history(of: other).news(ofNext: history)
            if !news.isEmpty { _ = try decide(on: news, about: other, request) }
        }
        return others.flatMap { news(for: history, of: $0) }
    }

    /// Has the others hear what they do not know yet of a subscription about which something was decided.
    mutating func tellSwitched(with key: SubscriptionKey, _ request: IngestRequest) throws {
        for other in try switched(with: key) where desk.isKnown(other) {
            let news = news(for: desk.history(of: other), of: key)
            if !news.isEmpty { _ = try decide(on: news, about: other, request) }
        }
    }

    private mutating func switched(with key: SubscriptionKey) throws -> [SubscriptionKey] {
        let others = desk.switched(with: key)
        // Hardly any subscription is one of two.
        if !others.isEmpty { try desk.addMore(others, in: transaction) }
        return others
    }

    private func news(for history: SubscriptionHistory, of other: SubscriptionKey) -> [LedgerInput] {
        guard let state = desk.stateBefore(of: other) else { return [] }
        let said = desk.history(of: other)
        return history.news(ofNext: said) + history.news(ofPrevious: said, state)
    }
}
