package import Primitives

/// One customer's balance of an entitlement whose time adds up, with everything that was ever added to it and taken back (ENT-3,
/// ENT-4).
package struct EntitlementBalance: Sendable, Hashable {
    package let entitlement: EntitlementID
    /// In the order in which they counted: by instant; of one instant what was added comes first, then by source.
    package let lines: [Line]
    /// When there was anything left; by start.
    package let windows: [TimeWindow]
    /// The product of the last period that was added, and its subscription; nil where only other sources added.
    private let productId: ProductID?
    private let holding: Holding?

    /// Until when the customer has paid; nil where everything was taken back before it began.
    package var paidThrough: Timestamp? { windows.last?.until }

    /// One addition, or what was taken back of one.
    package struct Line: Sendable, Hashable {
        package let entry: Balance.Entry
        package let source: Source
    }

    /// A credit and what added it.
    struct Added {
        let credit: Balance.Credit
        let source: Source

        init(_ credit: Balance.Credit, by source: Source) { (self.credit, self.source) = (credit, source) }
    }

    /// What added the time.
    package enum Source: Sendable, Hashable {
        /// A period that was credited to the customer; the subscription or purchase that it is of.
        case period(TransactionID, of: OriginalTransactionID)
        /// Time that was paid elsewhere.
        case vote(ID<VoteEvidence>)

        /// The credit's, in a balance of credits of several sources.
        var name: ID<Balance.Credit> {
            switch self {
            case .period(let transaction, let subscription): ID("p/\(transaction)/\(subscription)")
            case .vote(let vote): ID("v/\(vote)")
            }
        }
    }

    init(of entitlement: EntitlementID, _ added: [Added], showing productId: ProductID?, of holding: Holding?) {
        self.entitlement = entitlement
        let balance = Balance(added.map(\.credit))
        let sources = Dictionary(added.map { ($0.credit.name, $0.source) }) { first, _ in first }
        lines = balance.entries.compactMap { entry in sources[entry.credit].map { Line(entry: entry, source: $0) } }
        windows = balance.windows
        (self.productId, self.holding) = (productId, holding)
    }

    /// What it gives.
    var stretches: [Stretch] { windows.map { Stretch(ofBalance: $0, of: productId, in: holding) } }
}
