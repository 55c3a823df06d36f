/// Makes a failing life small: halves and smaller chunks first, then single deliveries, until nothing more can go.
package enum Shrinker {
    /// The smallest deliveries found that still fail. `isFailing` must be true for `deliveries`; otherwise they are returned
    /// unchanged.
    package static func shrink(
        _ deliveries: [Delivery], whileFailing isFailing: ([Delivery]) -> Bool
    ) -> [Delivery] {
        guard isFailing(deliveries) else { return deliveries }
        var smallest = deliveries
        var chunk = max(1, smallest.count / 2)
        while true {
            let before = smallest.count
            smallest = withoutChunks(of: chunk, smallest, isFailing)
            if chunk > 1 {
                chunk /= 2
            } else if smallest.count == before {
                return smallest
            }
        }
    }

    /// Removes one chunk after the other where the rest still fails.
    private static func withoutChunks(
        of size: Int, _ deliveries: [Delivery], _ isFailing: ([Delivery]) -> Bool
    ) -> [Delivery] {
        var rest = deliveries
        var start = 0
        while start < rest.count {
            let end = min(start + size, rest.count)
            let fewer = Array(rest[..<start]) + Array(rest[end...])
            if isFailing(fewer) { rest = fewer } else { start = end }
        }
        return rest
    }
}
