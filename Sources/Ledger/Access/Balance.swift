package import Primitives

/// Time that adds up (ENT-3): each credit lengthens what is left, or begins anew where nothing is; each take-back shortens it
/// (ENT-4).
///
/// `paidThrough = max(paidThrough, instant) + duration`, in the order of the instants, credits before take-backs. Everything is
/// computed anew from all credits and take-backs that are known, so that late news gives what news in time would have given.
package struct Balance: Sendable, Hashable {
    /// When there was anything left; by start.
    package private(set) var windows: [TimeWindow] = []

    /// One change of a balance.
    package struct Entry: Sendable, Hashable {
        /// When it counts, on the clock of its source.
        package let at: Timestamp
        /// Positive for a credit, negative for a take-back.
        package let change: Milliseconds

        package init(at instant: Timestamp, change: Milliseconds) {
            at = instant
            self.change = change
        }
    }

    package init(_ entries: [Entry]) {
        // Credits of one instant add up and so do take-backs: among equals the order does not matter.
        for entry in entries.sorted(by: { ($0.at, $1.change) < ($1.at, $0.change) }) { take(entry) }
        windows.removeAll(where: \.isEmpty)
    }

    /// Until when the customer has paid; nil where they never did.
    package var paidThrough: Timestamp? { windows.last?.until }

    private mutating func take(_ entry: Entry) {
        guard entry.change.count >= 0 else {
            guard let last = windows.last, let end = last.until else { return }
            windows[windows.count - 1] = TimeWindow(from: last.from, until: max(last.from, end.adding(entry.change)))
            return
        }
        if let last = windows.last, let end = last.until, end >= entry.at {
            windows[windows.count - 1] = TimeWindow(from: last.from, until: end.adding(entry.change))
        } else {
            windows.append(TimeWindow(from: entry.at, until: entry.at.adding(entry.change)))
        }
    }
}

extension CreditedPeriod {
    /// What it adds and what of it was taken back: max(0, expiresDate − max(purchaseDate, effective instant)).
    ///
    /// - Parameter configured: how long a non-renewing subscription of this product lasts (PER-9); else Apple's dates count.
    func entries(lasting configured: ProductDuration? = nil) -> [Balance.Entry] {
        let end: Timestamp
        if let configured {
            end = configured.end(from: purchaseDate, quantity: quantity)
        } else {
            guard let expiresDate else { return [] }
            end = expiresDate
        }
        return Balance.entries(from: purchaseDate, until: end, takenBackAt: takenBackAt)
    }
}

extension Balance {
    /// A credit that counts from an instant to another one, and what was taken back of it.
    static func entries(from: Timestamp, until end: Timestamp, takenBackAt: Timestamp?) -> [Entry] {
        guard end > from else { return [] }
        let credit = Entry(at: from, change: end.since(from))
        guard let takenBackAt else { return [credit] }
        let effective = max(from, takenBackAt)
        guard effective < end else { return [credit] }
        return [credit, Entry(at: effective, change: Milliseconds(-end.since(effective).count))]
    }
}
