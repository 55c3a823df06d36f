import Primitives
import Storage
import Testing

@Suite struct `The budget of calls` {
    private static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)
    /// Half of Apple's fifty a second.
    private static let ceiling: Int64 = 90_000

    private static func at(_ milliseconds: Int64) -> Timestamp { start.adding(Milliseconds(milliseconds)) }

    private static func hours(_ count: Int64) -> Timestamp { start.adding(.hours(count)) }

    private static func full(_ ceiling: Int64 = ceiling) -> CallBudget { CallBudget(callsPerHour: ceiling, at: start) }

    /// One question, and its answer.
    struct Case: Sendable, CustomStringConvertible {
        let description: String
        var ceiling: Int64 = 90_000
        /// How far `tat` is ahead of the instant of the question.
        var ahead: Int64 = 0
        let calls: Int
        let allowance: Milliseconds
        let answer: CallBudget.Grant
        /// How far it is then.
        let then: Int64
    }

    private static let cases = [
        Case(description: "as many as are wanted", calls: 25, allowance: .seconds(10), answer: .granted(25), then: 1000),
        Case(description: "as many as there are", calls: 1000, allowance: .seconds(10), answer: .granted(250), then: 10_000),
        Case(
            description: "what others left", ahead: 9_901, calls: 9, allowance: .seconds(10), answer: .granted(2), then: 9_981),
        Case(
            description: "the allowance is used up", ahead: 9_961, calls: 9, allowance: .seconds(10),
            answer: .wait(until: at(1)), then: 9_961),
        Case(
            description: "a smaller allowance is used up first", ahead: 5000, calls: 9, allowance: .seconds(1),
            answer: .wait(until: at(4040)), then: 5000),
        Case(
            description: "idle time is not saved", ahead: -86_400_000, calls: 1, allowance: .seconds(1), answer: .granted(1),
            then: 40),
        Case(description: "none is wanted", calls: 0, allowance: .seconds(1), answer: .granted(1), then: 40),
        Case(description: "fewer than none", calls: .min, allowance: .seconds(1), answer: .granted(1), then: 40),
        Case(description: "no allowance", calls: 9, allowance: Milliseconds(0), answer: .granted(1), then: 40),
        Case(
            description: "no allowance, and one is taken", ahead: 40, calls: 9, allowance: Milliseconds(.min),
            answer: .wait(until: at(40)), then: 40),
        Case(
            description: "an allowance beyond the longest", calls: .max, allowance: Milliseconds(.max),
            answer: .granted(90_000), then: 3_600_000),
        Case(
            description: "an hour does not divide", ceiling: 7, calls: .max, allowance: .hours(1), answer: .granted(7),
            then: 3_600_000),
        Case(
            description: "one of seven, rounded up", ceiling: 7, calls: 1, allowance: .hours(1), answer: .granted(1),
            then: 514_286),
        Case(
            description: "one an hour", ceiling: 1, ahead: 1, calls: 1, allowance: .hours(1), answer: .wait(until: at(1)), then: 1
        ),
        Case(
            description: "no ceiling", ceiling: 0, calls: 1, allowance: .hours(1), answer: .wait(until: at(3_600_000)), then: 0),
        Case(
            description: "a ceiling below none", ceiling: .min, calls: 1, allowance: .hours(1),
            answer: .wait(until: at(3_600_000)), then: 0),
        Case(
            description: "a ceiling beyond all", ceiling: .max, calls: 1000, allowance: .seconds(1), answer: .granted(1000),
            then: 4),
    ]

    @Test(arguments: cases)
    func `RECON-8 calls are granted as far as the allowance reaches`(_ question: Case) {
        var budget = CallBudget(
            tat: Self.at(question.ahead), blockedUntil: Self.start, callsPerHour: max(question.ceiling, 1), raisedAt: Self.start)
        let answer = budget.take(
            upTo: question.calls, at: Self.start, ceiling: question.ceiling, allowance: question.allowance)
        #expect(answer == question.answer)
        #expect(max(budget.tat, Self.start) == max(Self.at(question.then), Self.start))
    }

    @Test(arguments: cases)
    func `Who waits as long as is said is granted a call`(_ question: Case) {
        var budget = CallBudget(
            tat: Self.at(question.ahead), blockedUntil: Self.start, callsPerHour: max(question.ceiling, 1), raisedAt: Self.start)
        guard
            case .wait(let until) = budget.take(
                upTo: question.calls, at: Self.start, ceiling: question.ceiling, allowance: question.allowance),
            question.ceiling > 0
        else { return }
        var early = budget
        let before = until.adding(Milliseconds(-1))
        #expect(early.take(upTo: 1, at: before, ceiling: question.ceiling, allowance: question.allowance) == .wait(until: until))
        #expect(budget.take(upTo: 1, at: until, ceiling: question.ceiling, allowance: question.allowance) == .granted(1))
    }

    @Test func `RECON-8 a refusal stops everybody and halves the rate, once while it lasts`() {
        var budget = Self.full()
        budget.block(until: Self.at(60_000), at: Self.start)
        #expect(budget.callsPerHour == 45_000)
        budget.block(until: Self.at(30_000), at: Self.at(1000))
        budget.block(until: Self.at(90_000), at: Self.at(59_999))
        #expect(budget.callsPerHour == 45_000)
        #expect(budget.blockedUntil == Self.at(90_000))
        let early = budget.take(upTo: 1, at: Self.at(89_999), ceiling: Self.ceiling, allowance: .minutes(5))
        #expect(early == .wait(until: Self.at(90_000)))
        // Nothing is saved up: five minutes are taken, and whoever may run eight seconds ahead begins one call (80 ms) later than
        // eight seconds before that, with one call.
        let first = budget.take(upTo: .max, at: Self.at(90_000), ceiling: Self.ceiling, allowance: .seconds(8))
        #expect(first == .wait(until: Self.at(90_000 + 300_000 + 80 - 8000)))
        #expect(
            budget.take(upTo: .max, at: Self.at(382_080), ceiling: Self.ceiling, allowance: .seconds(8)) == .granted(1))
        budget = Self.full()
        budget.block(until: Self.at(90_000), at: Self.start)
        budget.block(until: Self.at(100_000), at: Self.at(95_000))
        #expect(budget.callsPerHour == 22_500, "another refusal after the first block")
    }

    @Test(
        arguments: [(Int64.min, 1000), (0, 1000), (999, 1000), (5000, 5000), (90_000_000, 86_400_000), (.max, 86_400_000)]
            as [(Int64, Int64)])
    func `A block lasts between a second and a day`(_ asked: Int64, _ lasts: Int64) {
        let epoch = Timestamp(millisecondsSince1970: 0)
        var budget = CallBudget(callsPerHour: Self.ceiling, at: epoch)
        budget.block(until: Timestamp(millisecondsSince1970: asked), at: epoch)
        #expect(budget.blockedUntil == Timestamp(millisecondsSince1970: lasts))
    }

    @Test func `The rate never falls below a sixtieth of the ceiling, and rises by a tenth in each quiet hour`() {
        var budget = Self.full()
        for hour in 0..<10 as Range<Int64> {
            budget.block(until: Self.hours(hour).adding(.minutes(1)), at: Self.hours(hour))
            _ = budget.take(upTo: 1, at: Self.hours(hour).adding(.minutes(2)), ceiling: Self.ceiling, allowance: .seconds(1))
        }
        #expect(budget.callsPerHour == 1500)
        let end = Self.hours(9).adding(.minutes(1))
        #expect(budget.raisedAt == end)
        for (quiet, rate) in [(0, 1500), (1, 10_500), (2, 19_500), (9, 82_500), (10, 90_000), (1_000_000, 90_000)]
            as [(Int64, Int64)]
        {
            var atOnce = budget
            _ = atOnce.take(upTo: 1, at: end.adding(.hours(quiet)), ceiling: Self.ceiling, allowance: .seconds(1))
            #expect(atOnce.callsPerHour == rate, "\(quiet) hours at once")
            var step = budget
            for hour in 0...min(quiet, 20) {
                let now = end.adding(.hours(hour)).adding(.minutes(59))
                _ = step.take(upTo: 1, at: now, ceiling: Self.ceiling, allowance: .seconds(1))
            }
            #expect(step.callsPerHour == rate, "\(quiet) hours, asked in each")
        }
        var small = CallBudget(callsPerHour: 3, at: Self.start)
        small.block(until: Self.start, at: Self.start)
        small.block(until: Self.hours(1), at: Self.hours(1))
        _ = small.take(upTo: 1, at: Self.hours(2).adding(.minutes(-1)), ceiling: 3, allowance: .hours(1))
        #expect(small.callsPerHour == 1)
        _ = small.take(upTo: 1, at: Self.hours(2).adding(.minutes(1)), ceiling: 3, allowance: .hours(1))
        #expect(small.callsPerHour == 2)
    }

    @Test func `Another ceiling counts at once where Apple refused nothing lately`() {
        var budget = Self.full()
        for (ceiling, day) in [(Self.ceiling, 1), (9_000, 2), (180_000, 3)] as [(Int64, Int64)] {
            _ = budget.take(upTo: 1, at: Self.start.adding(.days(day)), ceiling: ceiling, allowance: .seconds(1))
            #expect(budget.callsPerHour == ceiling)
        }
    }

    @Test func `A clock that was wrong stops nobody for longer than the longest block`() {
        let wrong = Self.start.adding(.days(365))
        var budget = Self.full()
        _ = budget.take(upTo: .max, at: wrong, ceiling: Self.ceiling, allowance: .minutes(5))
        #expect(
            budget.take(upTo: 1, at: Self.start, ceiling: Self.ceiling, allowance: .minutes(5))
                == .wait(until: Self.at(3_300_040)))
        #expect(budget.take(upTo: 1, at: Self.at(3_300_040), ceiling: Self.ceiling, allowance: .minutes(5)) == .granted(1))
        budget.block(until: wrong.adding(.hours(1)), at: wrong)
        let end = Self.start.adding(.hours(24))
        #expect(budget.take(upTo: 1, at: Self.start, ceiling: Self.ceiling, allowance: .minutes(5)) == .wait(until: end))
        _ = budget.take(upTo: 1, at: end, ceiling: Self.ceiling, allowance: .minutes(5))
        #expect(budget.raisedAt == end)
        _ = budget.take(upTo: 1, at: end.adding(.hours(5)), ceiling: Self.ceiling, allowance: .minutes(5))
        #expect(budget.callsPerHour == Self.ceiling)
    }

    @Test func `No value that a row may have ends the process`() {
        let counts: [Int64] = [.min, .min + 1, -1, 0, 1, 3_600_000, .max - 1, .max]
        var grants = 0
        for tat in counts {
            for blocked in counts {
                for rate in counts {
                    for now in counts {
                        var budget = CallBudget(
                            tat: Timestamp(millisecondsSince1970: tat), blockedUntil: Timestamp(millisecondsSince1970: blocked),
                            callsPerHour: rate, raisedAt: Timestamp(millisecondsSince1970: tat))
                        let instant = Timestamp(millisecondsSince1970: now)
                        for ceiling in counts {
                            let answer = budget.take(upTo: .max, at: instant, ceiling: ceiling, allowance: Milliseconds(rate))
                            if case .granted(let calls) = answer {
                                grants += 1
                                #expect(calls >= 1)
                            }
                        }
                        budget.block(until: Timestamp(millisecondsSince1970: rate), at: instant)
                        #expect(budget.callsPerHour >= 1)
                    }
                }
            }
        }
        #expect(grants > 1000)
    }

    /// What a caller was granted, and when.
    private struct Granted {
        let at: Timestamp
        let calls: Int64
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `However many callers take, no hour has more than the ceiling and the allowance's worth`(_ seed: UInt64) {
        var chance = SplitMix64(seed: seed)
        let ceiling = [1, 7, 180, 1800, 90_000, 3_600_001][Int(seed % 6)] as Int64
        let allowances = [Milliseconds(0), .seconds(10), .minutes(1), .minutes(5)]
        var budget = CallBudget(callsPerHour: ceiling, at: Self.start)
        var (now, granted) = (Self.start, [Granted]())
        for _ in 0..<3000 {
            // Bursts, pauses, and the clock of another server that is behind.
            let steps = [0, 0, 1, 40, 1000, 20_000, 400_000] as [UInt64]
            now = now.adding(Milliseconds(Int64(chance.next() % (1 + steps[Int(chance.next() % 7)]))))
            if chance.next() % 500 == 0 { budget.block(until: now.adding(.seconds(Int64(chance.next() % 600))), at: now) }
            let answer = budget.take(
                upTo: 1 + Int(chance.next() % 2000), at: now, ceiling: ceiling, allowance: allowances[Int(chance.next() % 4)])
            if case .granted(let calls) = answer { granted.append(Granted(at: now, calls: Int64(calls))) }
        }
        #expect(granted.count > 10)
        let most = ceiling + max(ceiling * Milliseconds.minutes(5).count / 3_600_000, 1)
        var (begin, calls) = (0, 0 as Int64)
        for grant in granted {
            calls += grant.calls
            while grant.at.since(granted[begin].at) >= .hours(1) {
                calls -= granted[begin].calls
                begin += 1
            }
            #expect(calls <= most, "in the hour before \(grant.at)")
        }
    }
}

/// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014).
private struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
