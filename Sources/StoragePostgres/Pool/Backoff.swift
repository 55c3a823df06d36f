/// How long to wait before the next try: twice as long each time up to a bound, and by chance somewhere in the upper half of it,
/// so that many who failed together do not come back together.
package struct Backoff: Sendable, Hashable {
    package let first: Duration
    package let greatest: Duration

    package init(first: Duration, greatest: Duration) {
        self.first = first
        self.greatest = greatest
    }

    /// - Parameter failures: how many tries have failed; at least 1.
    package func delay(afterFailures failures: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        // 2^20 times the first is beyond any bound in use.
        let doubled = first * (1 << min(max(failures, 1) - 1, 20))
        let bound = min(doubled, greatest)
        return bound * Double.random(in: 0.5...1, using: &generator)
    }
}
