package import Primitives

/// Keeps what Apple posts for those to whom it is passed on (TELL-5).
package protocol ForwardingTransaction {
    /// Keeps copies where their app has an endpoint of the format `raw` and no copy has the name; safe to call twice.
    func keep(_ copies: [NotificationCopy]) throws

    /// Forgets copies that nobody needs, the oldest first; at most `limit`. The last one of all stays, since a database may give
    /// its number again.
    func forgetCopies(in scope: Scope, upTo bound: CopyBound, limit: Int) throws
}

/// Which copies nobody needs: those of which all three are true.
package struct CopyBound: Sendable, Hashable {
    /// They stand there or before it.
    package let place: LogPlace
    /// Their number is below it.
    package let number: Int64
    /// They were received before it.
    package let instant: Timestamp

    package init(place: LogPlace, number: Int64, instant: Timestamp) {
        (self.place, self.number, self.instant) = (place, number, instant)
    }
}
