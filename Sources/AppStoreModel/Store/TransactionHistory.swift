internal import Primitives

/// In which order a customer's transactions are listed.
package enum HistoryOrder: String, Sendable, Hashable {
    /// What was modified last comes last.
    case ascending
    /// What was modified last comes first.
    case descending
    /// By the date of the refund, the oldest first; of refunded transactions only.
    case refunds

    /// Smaller for what comes earlier; no two transactions have the same.
    func key(of transaction: StorePurchase) -> HistoryPlace.Key {
        let first =
            switch self {
            case .ascending: transaction.lastChange
            case .descending: -transaction.lastChange
            case .refunds: (transaction.revocation?.date ?? transaction.purchaseDate).millisecondsSince1970
            }
        return HistoryPlace.Key(first, transaction.transactionId.number)
    }
}

/// How far somebody has read a list of transactions, which changes while they read it.
///
/// They read one window after the other: the transactions whose last change came after ``since`` and not after ``until``, the
/// newest change when the window was opened. A transaction that is modified meanwhile leaves the window and is in the next one.
/// So it comes once more where it was read already, and is never missed, in whatever order the list is.
package struct HistoryPlace: Sendable, Hashable {
    /// A transaction's place in a list.
    package struct Key: Sendable, Hashable, Comparable {
        package let first: Int64
        package let second: Int64

        package init(_ first: Int64, _ second: Int64) { (self.first, self.second) = (first, second) }

        package static func < (left: Self, right: Self) -> Bool { (left.first, left.second) < (right.first, right.second) }
    }

    package let since: Int64
    package let until: Int64
    /// The last that was read of the window; nil at its beginning.
    package let after: Key?

    /// Nothing was read.
    package static let beginning = Self(since: 0, until: 0)

    package init(since: Int64, until: Int64, after: Key? = nil) {
        (self.since, self.until, self.after) = (since, until, after)
    }

    /// What is left of the window, in its order.
    fileprivate func rest(of transactions: [StorePurchase], _ order: HistoryOrder) -> [StorePurchase] {
        transactions.filter { transaction in
            transaction.lastChange > since && transaction.lastChange <= until
                && after.map { order.key(of: transaction) > $0 } ?? true
        }
        .sorted { order.key(of: $0) < order.key(of: $1) }
    }

    /// The window that follows this one.
    fileprivate func next(until newest: Int64) -> Self { Self(since: until, until: max(until, newest)) }
}

/// A page of a customer's transactions.
package struct HistoryPage: Sendable, Hashable {
    package let transactions: [StorePurchase]
    /// Where the next page begins, also the one after the last: it then has what was modified since.
    package let end: HistoryPlace
    package let hasMore: Bool

    /// The most transactions of a page.
    ///
    /// Source: Apple, Get Transaction History and Get Refund History.
    package static let limit = 20
}

extension AppStore {
    /// The page of an account's transactions that begins at a place.
    ///
    /// - Parameter admits: whether a transaction is listed.
    package func history(
        of account: StoreAccount, in app: AppNumber, _ order: HistoryOrder, from place: HistoryPlace,
        admits: (StorePurchase) -> Bool
    ) -> HistoryPage {
        let transactions = (account.installations[app]?.transactions ?? []).compactMap { find($0) }
        let newest = transactions.map(\.lastChange).max() ?? 0
        let listed = transactions.filter(admits)
        var window = place
        var rest = window.rest(of: listed, order)
        if rest.isEmpty {
            window = window.next(until: newest)
            rest = window.rest(of: listed, order)
        }
        let page = Array(rest.prefix(HistoryPage.limit))
        if page.count < rest.count, let last = page.last {
            let end = HistoryPlace(since: window.since, until: window.until, after: order.key(of: last))
            return HistoryPage(transactions: page, end: end, hasMore: true)
        }
        return HistoryPage(
            transactions: page, end: HistoryPlace(since: window.until, until: window.until),
            hasMore: listed.contains { $0.lastChange > window.until })
    }
}
