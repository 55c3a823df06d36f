import Primitives
import Testing

@Suite struct BackoffTests {
    private static let backoff = Backoff(first: Milliseconds(20), greatest: Milliseconds(200))

    @Test(arguments: [(1, 20), (2, 40), (3, 80), (4, 160), (5, 200), (1_000_000, 200), (0, 20), (.min, 20)] as [(Int, Int64)])
    func `Pauses double up to their bound, and chance takes at most half of them away`(failures: Int, longest: Int64) {
        #expect(Self.backoff.longestPause(afterFailures: failures) == Milliseconds(longest))
        #expect(Self.backoff.pause(afterFailures: failures, chance: 1) == Milliseconds(longest))
        #expect(Self.backoff.pause(afterFailures: failures, chance: 0.5) == Milliseconds(longest * 3 / 4))
        #expect(Self.backoff.pause(afterFailures: failures, chance: 0) == Milliseconds(longest / 2))
    }

    @Test func `A chance beyond its range and an unlimited bound are harmless`() {
        #expect(Self.backoff.pause(afterFailures: 1, chance: 7) == Milliseconds(20))
        #expect(Self.backoff.pause(afterFailures: 1, chance: -7) == Milliseconds(10))
        let endless = Backoff(first: .days(.max), greatest: Milliseconds(.max))
        #expect(endless.pause(afterFailures: .max, chance: 1) == Milliseconds(.max))
        #expect(Backoff(first: Milliseconds(1), greatest: .days(1)).pause(afterFailures: 1, chance: 0) == Milliseconds(1))
    }
}
