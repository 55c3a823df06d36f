import Primitives
import Testing

@testable import AppStoreGateway

@Suite struct `The circuit breaker` {
    private let start = GatewayWorld.start

    private func at(_ seconds: Int64) -> Timestamp { start.adding(.seconds(seconds)) }

    /// Records the results of ordinary calls: `x` failed, `.` answered, `?` says nothing.
    private func breaker(after results: String) -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for result in results {
            let outcome: CircuitBreaker.Outcome = result == "x" ? .failed : result == "." ? .answered : .unknown
            breaker.record(outcome, of: .ordinary, at: start, chance: 1)
        }
        return breaker
    }

    @Test(arguments: [
        ("", false), ("xxxx", false), ("xxxxx", true), ("xxxx.xxxx", false), ("xx?xx?x", true), ("xxxx?", false),
        // Nine and ten of twenty; a success never opens it.
        ("x.x.x.x.x.x.x.x.x..x", true), ("x.x.x.x.x.x.x.x....x", false), ("x.x.x.x.x.x.x.x.x.x.", false),
        // Half of fewer than twenty does not count yet.
        ("x.x.x.x.x.x.x.x.x.", false),
        // What is older than twenty results is forgotten.
        ("xxxx......xxxx......xxxx", false), ("xxxx....................", false),
    ])
    func `opens after five failures in a row or half of the last twenty`(results: String, isOpen: Bool) {
        let state = breaker(after: results).state
        #expect(state == (isOpen ? .open(until: at(30)) : .closed), "\(results)")
    }

    @Test func `refuses until its pause is over, then admits one call alone`() {
        var breaker = breaker(after: "xxxxx")
        #expect(breaker.admit(at: start) == .refused(until: at(30)))
        #expect(breaker.admit(at: start.adding(Milliseconds(29_999))) == .refused(until: at(30)))
        #expect(breaker.admit(at: at(30)) == .admitted(.probe(1)))
        #expect(breaker.state == .probing)
        #expect(breaker.admit(at: at(31)) == .refused(until: at(150)))
        breaker.record(.answered, of: .probe(1), at: at(32), chance: 1)
        #expect(breaker.state == .closed)
        #expect(breaker.admit(at: at(32)) == .admitted(.ordinary))
    }

    @Test func `one success closes it and forgets the failures before it`() {
        var breaker = breaker(after: "xxxxx")
        breaker.record(.answered, of: .ordinary, at: at(1), chance: 1)
        #expect(breaker.state == .closed)
        for _ in 0..<4 { breaker.record(.failed, of: .ordinary, at: at(2), chance: 1) }
        #expect(breaker.state == .closed)
        breaker.record(.failed, of: .ordinary, at: at(2), chance: 1)
        #expect(breaker.state == .open(until: at(32)))
    }

    /// 30 s, then 60, 120, 240, 480, 600 s at most, and half of that by chance.
    @Test(arguments: [(1.0, [60, 120, 240, 480, 600, 600, 600]), (0.0, [30, 60, 120, 240, 300, 300, 300])])
    func `each failed probe doubles the pause up to ten minutes`(chance: Double, pauses: [Int64]) {
        var breaker = breaker(after: "xxxxx")
        var now = at(30)
        for (index, pause) in pauses.enumerated() {
            #expect(breaker.admit(at: now) == .admitted(.probe(Int64(index) + 1)))
            breaker.record(.failed, of: .probe(Int64(index) + 1), at: now, chance: chance)
            #expect(breaker.state == .open(until: now.adding(.seconds(pause))))
            now = now.adding(.seconds(pause))
        }
    }

    @Test func `results of calls from before it opened neither prolong the pause nor end the probe`() {
        var breaker = breaker(after: "xxxxx")
        breaker.record(.failed, of: .ordinary, at: at(20), chance: 1)
        #expect(breaker.state == .open(until: at(30)))
        _ = breaker.admit(at: at(30))
        breaker.record(.failed, of: .ordinary, at: at(31), chance: 1)
        breaker.record(.unknown, of: .ordinary, at: at(31), chance: 1)
        #expect(breaker.state == .probing)
    }

    @Test func `a cancelled probe leaves its place to the next call, with the same pause after it`() {
        var breaker = breaker(after: "xxxxx")
        _ = breaker.admit(at: at(30))
        breaker.record(.unknown, of: .probe(1), at: at(31), chance: 1)
        #expect(breaker.admit(at: at(31)) == .admitted(.probe(2)))
        breaker.record(.failed, of: .probe(2), at: at(32), chance: 1)
        #expect(breaker.state == .open(until: at(92)))
    }

    @Test func `a probe whose result never arrives is given up, and its late failure does not count`() {
        var breaker = breaker(after: "xxxxx")
        _ = breaker.admit(at: at(30))
        #expect(breaker.admit(at: at(149)) == .refused(until: at(150)))
        #expect(breaker.admit(at: at(150)) == .admitted(.probe(2)))
        breaker.record(.failed, of: .probe(1), at: at(151), chance: 1)
        #expect(breaker.state == .probing)
    }

    @Test func `a clock that was set back does not keep a host closed off`() {
        var breaker = breaker(after: "xxxxx")
        #expect(breaker.admit(at: start.adding(.days(-1))) == .admitted(.probe(1)))
    }
}
