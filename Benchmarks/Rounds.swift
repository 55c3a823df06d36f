/// The rates of several rounds, each of which measured the floor and ours one after the other.
struct Pairs {
    private(set) var floors: [Double] = []
    private(set) var ours: [Double] = []

    mutating func add(floor: Double, ours mine: Double) {
        floors.append(floor)
        ours.append(mine)
    }

    /// Each round's own ratio.
    var ratios: [Double] { zip(ours, floors).map { $0 / $1 } }
}

extension Array where Element == Double {
    /// The middle value, or the mean of the two in the middle; 0 for none.
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = self.sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// The least value that the given share of all values does not exceed; 0 for none.
    func percentile(_ share: Double) -> Double {
        guard !isEmpty else { return 0 }
        let sorted = self.sorted()
        return sorted[Swift.min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
}

/// Times one thread's work.
enum Stopwatch {
    /// How often `body` runs per second, measured with one batch.
    static func rate(of count: Int, _ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        for _ in 0..<count { try body() }
        return Double(count) / (ContinuousClock.now - start).seconds
    }

    /// The same for work that may suspend; it runs where its caller runs.
    static nonisolated(nonsending) func rate(
        of count: Int, _ body: nonisolated(nonsending) () async throws -> Void
    ) async rethrows -> Double {
        let start = ContinuousClock.now
        for _ in 0..<count { try await body() }
        return Double(count) / (ContinuousClock.now - start).seconds
    }
}

extension Duration {
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
