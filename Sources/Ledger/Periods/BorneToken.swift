package import Primitives

/// A token that copies of one transaction bear, and since when (OWN-4 a, decision 0063).
package struct BorneToken: Sendable, Hashable, Comparable {
    package let token: AppAccountToken
    /// The `signedDate` of the first copy that bears it.
    package let since: Timestamp

    package init(token: AppAccountToken, since: Timestamp) {
        self.token = token
        self.since = since
    }

    /// By date; of equal dates the lower UUID comes first, so that the order never depends on arrival.
    package static func < (left: Self, right: Self) -> Bool { (left.since, left.token) < (right.since, right.token) }
}

extension [BorneToken] {
    /// Whether Apple's word about the next renewal, signed then, only repeats a token that its period's transaction bore: the
    /// purchase's own, or one of a copy signed by then. What is signed at once may bear dates a little apart.
    func repeats(_ token: AppAccountToken?, by signedDate: Timestamp) -> Bool {
        guard let index = firstIndex(where: { $0.token == token }) else { return false }
        return index == 0 || self[index].since <= signedDate.adding(.seconds(1))
    }
}
