/// A place in the order in which the last changes of subscriptions or customers were committed (docs/decisions/0057).
package struct ChangePlace: Sendable, Hashable {
    /// The place of the transaction that made the change, as in ``LogPlace``; a database with one writer counts changes.
    package let transaction: Int64
    /// Which of those with that place: a subscription's id, or a customer's number.
    package let id: String

    package init(transaction: Int64, id: String) { (self.transaction, self.id) = (transaction, id) }

    /// Before everything.
    package static let start = ChangePlace(transaction: 0, id: "")

    /// As it is sent.
    package var text: String { "\(transaction)/\(id)" }

    /// - Returns: nil for anything that ``text`` never is.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let transaction = Int64(parts[0]), transaction >= 0, "\(transaction)" == parts[0] else {
            return nil
        }
        self.init(transaction: transaction, id: String(parts[1]))
    }

    /// A customer's number; the least one at ``start``, and nil where it is none.
    package var number: Int64? { id.isEmpty ? .min : Int64(id).flatMap { "\($0)" == id ? $0 : nil } }
}

/// A stretch of what changed, in that order.
package struct ChangePage<Item: Sendable & Hashable>: Sendable, Hashable {
    package let items: [Item]
    /// After which to read on, now or later.
    package let end: ChangePlace
    /// Whether there is more by now.
    package let hasMore: Bool

    /// - Parameters:
    ///   - found: up to one more than the page may have.
    ///   - begin: after which it was looked for.
    package init(_ found: [(item: Item, place: ChangePlace)], after begin: ChangePlace, limit: Int) {
        let page = found.prefix(limit)
        items = page.map(\.item)
        end = page.last?.place ?? begin
        hasMore = found.count > limit
    }

    /// Of nothing.
    package init(after begin: ChangePlace) { (items, end, hasMore) = ([], begin, false) }
}
