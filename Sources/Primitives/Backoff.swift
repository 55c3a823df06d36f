/// How long to wait before the next try: twice as long after each failure, up to a bound, and by chance somewhere in the upper
/// half of that, so that many who failed together do not come back together.
package struct Backoff: Sendable, Hashable {
    /// The longest pause after the first failure.
    package let first: Milliseconds
    /// The longest pause after any number of them.
    package let greatest: Milliseconds

    package init(first: Milliseconds, greatest: Milliseconds) {
        self.first = first
        self.greatest = greatest
    }

    /// The pause without any chance in it.
    ///
    /// - Parameter failures: how many tries have failed; fewer than one count as one.
    package func longestPause(afterFailures failures: Int) -> Milliseconds {
        // 2^20 times the first is beyond any bound in use.
        let (doubled, isTooMuch) = first.count.multipliedReportingOverflow(by: 1 << Int64(min(max(failures, 1) - 1, 20)))
        return isTooMuch ? greatest : min(Milliseconds(doubled), greatest)
    }

    /// - Parameters:
    ///   - failures: how many tries have failed; fewer than one count as one.
    ///   - chance: 0 for half of the longest pause to 1 for all of it, another one each time.
    package func pause(afterFailures failures: Int, chance: Double) -> Milliseconds {
        let longest = longestPause(afterFailures: failures).count
        return Milliseconds(longest - Int64(Double(longest / 2) * (1 - min(max(chance, 0), 1))))
    }
}
