import Primitives
import Storage
import Testing

@Suite struct `The plan of sweeps` {
    /// 2026-01-01T12:00:00Z
    private static let noon = Timestamp(millisecondsSince1970: 1_767_268_800_000)
    private static let terms = SweepPlan.Terms(reach: .hours(180 * 24), isNightly: false)

    private static func at(_ minutes: Int64) -> Timestamp { noon.adding(.minutes(minutes)) }

    /// A stretch in minutes since noon, and why it is looked through.
    private static func stretches(_ slices: [SweepSlice]) -> [String] {
        slices.map { "\($0.purpose) \(minutes($0.from))...\(minutes($0.until))" }
    }

    private static func minutes(_ instant: Timestamp) -> Int64 { instant.since(noon).count / 60_000 }

    /// A server that looks each minute, and whose slices end at once.
    private static func living(until minute: Int64) -> SweepPlan {
        var plan = SweepPlan(at: noon)
        for minute in 0...minute {
            for slice in plan.plan(minute == 0 ? .start : .minute, at: at(minute), terms) { plan.end(slice.number) }
        }
        return plan
    }

    @Test func `RECON-2 at the start and every hour what Apple told is looked through, from an hour before what is sure`() {
        var plan = SweepPlan(at: Self.noon)
        #expect(plan.sureUntil == Self.noon, "of what came before nothing is said")
        let first = plan.plan(.start, at: Self.noon, Self.terms)
        #expect(Self.stretches(first) == ["hourly -60...-1"])
        for slice in first { plan.end(slice.number) }
        for minute in 1...59 { #expect(plan.plan(.minute, at: Self.at(Int64(minute)), Self.terms) == []) }
        let second = plan.plan(.minute, at: Self.at(60), Self.terms)
        #expect(Self.stretches(second) == ["hourly -60...59"], "from an hour before what is sure")
        #expect(plan.sureUntil == Self.at(-60), "nothing is sure before it was looked through")
        for slice in second { plan.end(slice.number) }
        #expect(plan.sureUntil == Self.at(59))
    }

    @Test func `RECON-2 whoever wants it so has only what Apple could not deliver looked through by the hour`() {
        let failures = SweepPlan.Terms(reach: .hours(180 * 24), isNightly: false, hourly: .failures)
        var plan = SweepPlan(at: Self.noon)
        let first = plan.plan(.start, at: Self.noon, failures)
        #expect(Self.stretches(first) == ["failures -60...-1"])
        let wantsFailures = first.allSatisfy(\.purpose.wantsFailuresOnly)
        #expect(wantsFailures && SweepSlice.Purpose.allCases.filter(\.wantsFailuresOnly) == [.failures])
        #expect(
            plan.plan(.afterRefusals, at: Self.at(5), Self.terms) == [], "while one is open, no other one of the hour is planned"
        )
        for minute in 6...59 { _ = plan.plan(.minute, at: Self.at(Int64(minute)), failures) }
        for slice in first { plan.end(slice.number) }
        #expect(Self.stretches(plan.plan(.minute, at: Self.at(60), Self.terms)) == ["hourly -60...59"])
    }

    @Test func `RECON-7 a clock that is moved while a server lives is no outage, and hides none of before it`() {
        var moved = Self.living(until: 90)
        moved.live(since: Self.at(90), until: Self.at(90 + 3000))
        #expect(Self.stretches(moved.plan(.minute, at: Self.at(90 + 3000), Self.terms)) == ["hourly -1...3089"])
        var dead = Self.living(until: 90)
        dead.live(since: Self.at(91), until: Self.at(90 + 3000))
        #expect(dead.aliveAt == Self.at(90), "the server began to live later")
        let isOutage = dead.plan(.minute, at: Self.at(90 + 3000), Self.terms).allSatisfy { $0.purpose == .outage }
        #expect(isOutage)
    }

    @Test func `RECON-2 a sweep that is not done is not planned again, and the next one covers what it left`() {
        var stuck = Self.living(until: 119)
        let slices = stuck.plan(.minute, at: Self.at(120), Self.terms)
        #expect(Self.stretches(slices) == ["hourly -1...119"])
        for minute in 121...299 { #expect(stuck.plan(.minute, at: Self.at(Int64(minute)), Self.terms) == []) }
        for slice in slices { stuck.end(slice.number) }
        #expect(Self.stretches(stuck.plan(.minute, at: Self.at(300), Self.terms)) == ["hourly 59...299"])
    }

    @Test func `RECON-2 after refusals of ours what Apple told is looked through at once, and at most every five minutes`() {
        var plan = Self.living(until: 20)
        let first = plan.plan(.afterRefusals, at: Self.at(21), Self.terms)
        #expect(Self.stretches(first) == ["hourly -60...20"])
        for slice in first { plan.end(slice.number) }
        for minute in 22...25 { #expect(plan.plan(.afterRefusals, at: Self.at(Int64(minute)), Self.terms) == []) }
        #expect(Self.stretches(plan.plan(.afterRefusals, at: Self.at(26), Self.terms)) == ["hourly -40...25"])
    }

    @Test func `RECON-7 a stretch in which no server lived is looked through whole, and nothing in it is sure before`() {
        var plan = Self.living(until: 90)
        #expect(plan.sureUntil == Self.at(59))
        let missed = plan.plan(.start, at: Self.at(90 + 170), Self.terms)
        guard missed.count == 4 else {
            Issue.record("not four slices: \(missed)")
            return
        }
        #expect(
            Self.stretches(missed)
                == ["outage 54...114", "outage 114...174", "outage 174...234", "outage 234...260"],
            "by the hour, from before what was planned last")
        #expect(plan.sureUntil == Self.at(54))
        plan.end(missed[2].number)
        plan.end(missed[0].number)
        #expect(plan.sureUntil == Self.at(114), "the second slice is not done")
        plan.end(missed[1].number)
        #expect(plan.sureUntil == Self.at(234))
        plan.end(missed[3].number)
        #expect(plan.sureUntil == Self.at(260))
    }

    @Test func `RECON-7 a pause of five minutes is no outage, a longer one is, whichever server lives`() {
        for (pause, isOutage) in [(5, false), (6, true)] as [(Int64, Bool)] {
            var plan = Self.living(until: 30)
            let slices = plan.plan(.minute, at: Self.at(30 + pause), Self.terms)
            let foundOutage = slices.contains { $0.purpose == .outage }
            #expect(foundOutage == isOutage, "\(pause)")
        }
    }

    /// G12: a backup knows when a server last lived before it was made.
    @Test func `RECON-7 a restored backup is a stretch in which no server lived`() {
        let backup = Self.living(until: 300)
        var restored = backup
        let slices = restored.plan(.start, at: Self.at(300 + 3 * 24 * 60), Self.terms)
        #expect(slices.count == 8, "side by side")
        #expect(slices.allSatisfy { $0.purpose == .outage })
        #expect(restored.sureUntil <= Self.at(300), "nothing since the backup is sure")
        #expect(slices.map(\.until).max() == Self.at(300 + 3 * 24 * 60))
        for (slice, next) in zip(slices, slices.dropFirst()) { #expect(slice.until == next.from, "no hole") }
    }

    @Test func `RECON-2 a long stretch is looked through in eight slices, and nothing that Apple does not keep`() {
        var plan = Self.living(until: 1)
        let now = Self.at(400 * 24 * 60)
        let slices = plan.plan(.start, at: now, Self.terms)
        #expect(slices.count == 8)
        #expect(slices.map(\.from).min() == now.adding(.hours(-180 * 24)))
        #expect(slices.map(\.until).max() == now)
    }

    @Test func `RECON-2 every night everything of the last 25 hours is looked through, and takes nothing from what is sure`() {
        let nightly = SweepPlan.Terms(reach: .hours(180 * 24))
        var plan = SweepPlan(at: Self.noon)
        var nights: [Int64] = []
        for minute in stride(from: Int64(0), through: 3 * 24 * 60, by: 1) {
            let slices = plan.plan(.minute, at: Self.at(minute), nightly)
            for slice in slices where slice.purpose != .nightly { plan.end(slice.number) }
            let sure = plan.sureUntil
            let own = slices.filter { $0.purpose == .nightly }
            guard let first = own.first else { continue }
            nights.append(minute)
            #expect(own.count == 8 && first.from == Self.at(minute - 25 * 60))
            #expect(sure >= Self.at(minute - 62), "a nightly sweep that is open takes nothing away")
            for slice in own { plan.end(slice.number) }
        }
        // 03:00 UTC, of which the first is 15 hours after noon.
        #expect(nights == [900, 2340, 3780])
    }

    @Test func `RECON-7 a clock that was ahead hides no outage, and one that goes back plans none`() {
        var plan = Self.living(until: 30)
        _ = plan.plan(.minute, at: Self.at(10_000), Self.terms)
        for slice in plan.open { plan.end(slice.number) }
        #expect(plan.plan(.minute, at: Self.at(31), Self.terms) == [], "the clock is right again")
        #expect(plan.sureUntil <= Self.at(31))
        let missed = plan.plan(.minute, at: Self.at(31 + 30), Self.terms)
        #expect(missed.allSatisfy { $0.purpose == .outage })
        #expect(missed.first.map { $0.from <= Self.at(31) } == true)
        #expect(missed.last?.until == Self.at(61))
    }

    @Test func `RECON-2 a slice that is divided leaves no hole, and both parts are open`() {
        var plan = SweepPlan(at: Self.noon)
        let asked = plan.plan(from: Self.noon, until: Self.at(60), at: Self.at(70))
        #expect(Self.stretches(asked) == ["asked 0...60"])
        guard let whole = asked.first else { return }
        let rest = plan.divide(whole.number, at: Self.at(40))
        #expect(Self.stretches(plan.open) == ["asked 0...40", "asked 40...60"])
        #expect(rest == plan.open.last && rest?.number != whole.number)
        #expect(plan.divide(whole.number, at: Self.at(40)) == nil, "an end is not within")
        #expect(plan.divide(99, at: Self.at(10)) == nil, "there is none")
        plan.end(whole.number)
        #expect(plan.sureUntil == Self.noon, "what was planned lies before")
        #expect(plan.plan(from: Self.at(1), until: Self.at(1), at: Self.at(70)) == [])
    }
}
