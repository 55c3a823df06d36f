import Primitives

/// A refund that copies of a charge show, whether or not it stands. Copies with one `revocationDate` show the same refund.
struct ShownRefund: Sendable, Hashable {
    /// In the words of the newest copy, with what the others say beside it.
    private(set) var revocation: Revocation
    /// When the newest copy that shows it was signed.
    private(set) var signedDate: Timestamp

    /// Each refund once, by the date of its newest copy. The date of an upgrade is none (ENT-4).
    static func all(in copies: some Sequence<TransactionFact>) -> [ShownRefund] {
        joined(
            copies.compactMap { copy in
                guard let revocation = copy.revocation, !copy.isUpgraded else { return nil }
                return ShownRefund(revocation: revocation, signedDate: copy.signedDate)
            })
    }

    /// The same refunds as several books show them.
    static func joined(_ shown: [ShownRefund]) -> [ShownRefund] {
        guard shown.count > 1 else { return shown }
        var joined: [ShownRefund] = []
        for refund in shown.sorted(by: { isBefore($1, $0) }) {
            let same = joined.firstIndex { $0.second == refund.second }
            if let same { joined[same].revocation.learn(from: refund.revocation) } else { joined.append(refund) }
        }
        return joined.reversed()
    }

    /// Sources write whole seconds or milliseconds.
    private var second: Timestamp { revocation.revocationDate.truncatedToSecond }

    private static func isBefore(_ left: Self, _ right: Self) -> Bool {
        (left.signedDate, left.revocation.revocationDate) < (right.signedDate, right.revocation.revocationDate)
    }
}

/// A refund that a REFUND_REVERSED withdrew (ENT-5). One that only a silent copy withdrew counts as never made: the silence has
/// no date of its own.
struct WithdrawnRefund: Sendable, Hashable {
    let revocation: Revocation
    /// The `signedDate` of the notification.
    let withdrawnAt: Timestamp

    /// A reversal withdraws only what was signed before it; of several refunds the one that was signed last.
    ///
    /// - Parameters:
    ///   - refunds: as ``ShownRefund`` orders them.
    ///   - reversals: when the notifications that name the charge were signed; sorted.
    static func all(among refunds: [ShownRefund], by reversals: [Timestamp]) -> [WithdrawnRefund] {
        reversals.indices.compactMap { index in
            let earlier = index > 0 ? reversals[index - 1] : nil
            let last = refunds.last { refund in
                refund.signedDate < reversals[index] && earlier.map { refund.signedDate >= $0 } ?? true
            }
            return last.map { WithdrawnRefund(revocation: $0.revocation, withdrawnAt: reversals[index]) }
        }
    }
}
