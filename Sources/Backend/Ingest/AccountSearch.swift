import Ledger
import Storage

/// Finds everything that is shown to be of one Apple Account with some subscriptions: what shows them, what else that shows, and
/// so on (OWN-14). The caller asks the store each question until there is none.
struct AccountSearch {
    /// Everything that was found.
    private(set) var sightings: Set<AccountSighting> = []
    private var subscriptions: Set<OriginalTransactionID> = []
    private var evidence: Set<AppleAccount.Evidence> = []
    private var unasked: (subscriptions: Set<OriginalTransactionID>, evidence: Set<AppleAccount.Evidence>)

    /// How many subscriptions are looked for. An Apple Account has as many at one app as it has moved between countries and
    /// groups; what is more is left out.
    static let most = 64

    /// How many sightings of subscriptions one question reads: an account with thousands of purchases must not make a
    /// notification slow.
    static let mostSightings = 1024

    enum Question {
        case sightingsOf([OriginalTransactionID])
        case sightingsBy([AppleAccount.Evidence])
    }

    init(of subscriptions: Set<OriginalTransactionID>, by evidence: Set<AppleAccount.Evidence> = []) {
        let first = Set(subscriptions.sorted().prefix(Self.most))
        unasked = (first, evidence)
        self.subscriptions = first
        self.evidence = evidence
    }

    /// The subscriptions that were asked about or found; sorted.
    var found: [OriginalTransactionID] { subscriptions.sorted() }

    /// The next question; nil where all is found.
    mutating func next() -> Question? {
        if !unasked.subscriptions.isEmpty {
            defer { unasked.subscriptions = [] }
            return .sightingsOf(unasked.subscriptions.sorted())
        }
        guard !unasked.evidence.isEmpty, subscriptions.count < Self.most else { return nil }
        defer { unasked.evidence = [] }
        return .sightingsBy(unasked.evidence.sorted())
    }

    /// - Parameter answer: in the order of the store, so that of many subscriptions the first ones are found each time.
    mutating func take(_ answer: [AccountSighting]) {
        for sighting in answer {
            guard subscriptions.contains(sighting.subscription) || subscriptions.count < Self.most else { continue }
            sightings.insert(sighting)
            if subscriptions.insert(sighting.subscription).inserted { unasked.subscriptions.insert(sighting.subscription) }
            if evidence.insert(sighting.evidence).inserted { unasked.evidence.insert(sighting.evidence) }
        }
    }

    /// With what a transaction answers, until there is no question.
    func answered(by transaction: any DecidingTransaction, in scope: Scope) throws -> AccountSearch {
        var search = self
        while let question = search.next() {
            switch question {
            case .sightingsOf(let subscriptions):
                search.take(try transaction.sightings(of: subscriptions, limit: Self.mostSightings, in: scope))
            case .sightingsBy(let evidence):
                search.take(try transaction.sightings(by: evidence, limit: Self.most, in: scope))
            }
        }
        return search
    }
}
