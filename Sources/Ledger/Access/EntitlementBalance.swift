package import Primitives

/// One customer's balance of an entitlement whose time adds up, with everything that was ever added to it and taken back (ENT-3,
/// ENT-4).
package struct EntitlementBalance: Sendable, Hashable {
    package let entitlement: EntitlementID
    /// By instant; of one instant what was added comes first, then by source.
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

    /// What added the time.
    package enum Source: Sendable, Hashable {
        /// A period that was credited to the customer; the subscription or purchase that it is of.
        case period(TransactionID, of: OriginalTransactionID)
        /// Time that was paid elsewhere.
        case vote(ID<VoteEvidence>)

        fileprivate var name: ID<Line> {
            switch self {
            case .period(let transaction, _): ID("p/\(transaction)")
            case .vote(let vote): ID("v/\(vote)")
            }
        }
    }

    init(of entitlement: EntitlementID, _ lines: [Line], showing productId: ProductID?, of holding: Holding?) {
        self.entitlement = entitlement
        self.lines = lines.sorted {
            ($0.entry.at, $1.entry.change, $0.source.name) < ($1.entry.at, $0.entry.change, $1.source.name)
        }
        windows = Balance(lines.map(\.entry)).windows
        (self.productId, self.holding) = (productId, holding)
    }

    /// What it gives.
    var stretches: [Stretch] { windows.map { Stretch(ofBalance: $0, of: productId, in: holding) } }
}
