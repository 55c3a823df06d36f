import Ledger
import Primitives
import Storage

/// Signals of abuse (ABUSE-1): what a subscription shows by itself is found where it is decided, and what only several show
/// together by a review that is ordered here (``SignalPerformer``). Either is kept and told once, and decides nothing.
extension Ingest {
    /// What the requests of one transaction show.
    struct Signs {
        /// By name; of several the last.
        private var found: [SignalName: (signal: FoundSignal, request: IngestRequest)] = [:]
        private var reviews: [Review: Timestamp] = [:]

        private struct Review: Hashable {
            let scope: Scope
            let review: SignalReview
        }

        /// The last one of a name.
        func signal(_ name: SignalName) -> AbuseSignal? { found[name]?.signal.signal }

        mutating func take(_ signal: FoundSignal, _ request: IngestRequest) { found[signal.name] = (signal, request) }

        mutating func order(_ review: SignalReview, in scope: Scope, at instant: Timestamp) {
            reviews[Review(scope: scope, review: review)] = instant.adding(SignalReview.pause)
        }

        /// In the order in which everybody locks them.
        var inOrder: [(signal: FoundSignal, request: IngestRequest)] {
            found.sorted { $0.key < $1.key }.map(\.value)
        }

        var orders: [WorkOrder] {
            reviews.map { WorkOrder($0.key.review, in: $0.key.scope, at: $0.value) }
                .sorted { ($0.scope, $0.subject) < ($1.scope, $1.subject) }
        }
    }

    /// A renewal shows nothing and orders nothing.
    mutating func noteSigns(in decision: Decision, _ request: IngestRequest) {
        guard decision.showsSigns else { return }
        let key = decision.state.key
        for signal in decision.signals(under: timeline(of: request.app).signals, at: request.learnedAt) {
            signs.take(FoundSignal(signal, in: key.scope, isWhole: false), request)
        }
        signs.order(.account(key.originalTransactionId), in: key.scope, at: request.learnedAt)
        for customer in decision.customersWithSigns {
            signs.order(.customer(customer), in: key.scope, at: request.learnedAt)
        }
    }

    /// Two customers who are one may show together what neither shows alone. How much of a purchase was used counts only where
    /// it was said before the refund, and the refund asks for its own review.
    mutating func noteSigns(in input: CustomerInput, about key: CustomerKey, at instant: Timestamp) {
        guard case .vote(let vote) = input, CustomerJoin(vote) != nil else { return }
        signs.order(.customer(key.customer), in: key.scope, at: instant)
    }

    /// Keeps what was found, and tells what is new of it or has grown beyond what was acknowledged.
    mutating func raiseSignals() throws {
        for (found, request) in signs.inOrder {
            let kept = try keptSignal(found)
            var stored = kept ?? StoredSignal(raising: found.signal, in: found.scope, at: request.learnedAt)
            let change =
                kept == nil ? .raised : stored.take(found.signal, isWhole: found.isWhole, at: request.learnedAt)
            guard change != .nothing else { continue }
            try transaction.keep(stored)
            guard change == .raised, let key = found.toldOf else { continue }
            var about: CustomerID?
            if case .customer(let customer) = stored.signal.subject { about = customer }
            try desk.addMore([key], in: transaction)
            guard desk.stateBefore(of: key) != nil else { continue }
            try tell(
                .signalRaised(stored.signal.kind.rawValue, about: about, on: key, at: request.learnedAt), of: key, request)
        }
    }

    /// The signal as it is kept. An Apple Account is named by the first of its subscriptions, and a new one may come first: of
    /// its names the first one counts that a signal is kept under.
    private func keptSignal(_ found: FoundSignal) throws -> StoredSignal? {
        guard case .appleAccount(let id) = found.signal.subject else { return try transaction.signal(found.name) }
        let members = try found.members ?? AccountSearch(of: [id]).answered(by: transaction, in: found.scope).found
        for member in members {
            let name = SignalName(found.scope, found.signal.kind, .appleAccount(member))
            if let kept = try transaction.signal(name) { return kept }
        }
        return nil
    }
}
