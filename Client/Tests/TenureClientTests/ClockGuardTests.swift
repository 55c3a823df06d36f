import Testing

@testable import TenureClient

/// A device whose owner does with its clock what they like, and the true time beside it.
struct Device {
    /// True time, in milliseconds; nobody on the device sees it.
    var truth: Int64 = 1_700_000_000_000
    /// How far the wall clock is from the true time.
    var offset: Int64
    var bootedAt: Int64 = 1_699_990_000_000
    var boot = 1
    /// Monotonic clocks begin anywhere: a device that was off may show more than before.
    var base: Int64 = 0

    var reading: ClockReading {
        ClockReading(
            wall: Instant(millisecondsSince1970: truth + offset), monotonic: truth - bootedAt + base, boot: "boot-\(boot)")
    }
}

/// A generator whose numbers follow from a seed, so that one number reproduces a failure.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    /// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (SplitMix64).
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite("DEV-2 The clock guard")
struct ClockGuardTests {
    private static let start = Instant(millisecondsSince1970: 1_700_000_000_000)

    private func answer(_ device: Device, lasting milliseconds: Int64) -> HeldAnswer {
        let now = Instant(millisecondsSince1970: device.truth)
        let end = now.adding(milliseconds)
        let answer = ServerAnswer(
            customer: "alice", environment: "Production", at: now, isActive: true, start: now.adding(-Length.day), end: end,
            entitlements: [
                .init(id: "plus", isActive: true, start: now.adding(-Length.day), end: end, isProvisional: false, renews: true)
            ])
        return HeldAnswer(answer, asked: device.reading)
    }

    @Test func `DEV-2 setting the clock back in one boot changes nothing`() {
        var device = Device(offset: 0)
        var held = answer(device, lasting: 30 * Length.day)
        device.truth += 31 * Length.day
        device.offset = -20 * Length.day
        #expect(!held.access(at: device.reading, claims: nil).isActive)
    }

    @Test func `DEV-2 setting it ahead in one boot takes nothing away`() {
        var device = Device(offset: 0)
        var held = answer(device, lasting: 30 * Length.day)
        device.offset = 365 * Length.day
        #expect(held.access(at: device.reading, claims: nil).isActive)
        // Neither after another boot, once it is right again.
        device.truth += Length.minute
        device.offset = 0
        (device.boot, device.bootedAt) = (2, device.truth)
        #expect(held.access(at: device.reading, claims: nil).isActive)
    }

    @Test func `DEV-2 after another boot a clock that shows less than before makes nothing active`() {
        var device = Device(offset: 0)
        var held = answer(device, lasting: 30 * Length.day)
        device.truth += 10 * Length.day
        #expect(held.access(at: device.reading, claims: nil).isActive)
        (device.boot, device.bootedAt) = (2, device.truth)
        device.offset = -6 * Length.minute
        let access = held.access(at: device.reading, claims: nil)
        #expect(!access.isActive && access.doubt == .clockSetBack)
        device.offset = -4 * Length.minute
        #expect(held.access(at: device.reading, claims: nil).isActive, "so much clocks are corrected by the network")
    }

    @Test func `DEV-2 after another boot small corrections of the clock do not add up`() {
        var device = Device(offset: 0)
        var held = answer(device, lasting: 30 * Length.day)
        (device.boot, device.bootedAt) = (2, device.truth)
        device.offset = -4 * Length.minute
        #expect(held.access(at: device.reading, claims: nil).isActive)
        device.offset = -8 * Length.minute
        #expect(held.access(at: device.reading, claims: nil).doubt == .clockSetBack)
    }

    @Test func `a clock that is wrong all the time is no trouble`() {
        for offset in [-300 * Length.day, -2 * Length.hour, 9 * Length.hour, 4000 * Length.day] {
            var device = Device(offset: offset)
            var held = answer(device, lasting: 30 * Length.day)
            device.truth += 29 * Length.day
            (device.boot, device.bootedAt, device.base) = (2, device.truth, 77 * Length.day)
            #expect(held.access(at: device.reading, claims: nil).isActive)
            device.truth += 2 * Length.day
            #expect(!held.access(at: device.reading, claims: nil).isActive)
        }
    }

    @Test func `DEV-2 a boot that the system does not name is another one`() {
        var device = Device(offset: 0)
        var reading = device.reading
        reading.boot = nil
        let answered = ServerAnswer(
            customer: "alice", environment: "Production", at: Self.start, isActive: true, start: Self.start,
            end: Self.start.adding(Length.day), entitlements: [])
        var held = HeldAnswer(answered, asked: reading)
        device.truth += 2 * Length.day
        device.offset = -3 * Length.day
        var later = device.reading
        later.boot = nil
        #expect(held.access(at: later, claims: nil).doubt == .clockSetBack)
    }

    @Test func `instants at the ends of time are no trap`() {
        let ends = [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max]
        for wall in ends {
            for monotonic in ends {
                for end in ends {
                    let first = ClockReading(wall: Instant(millisecondsSince1970: wall), monotonic: monotonic, boot: "a")
                    var clock = ClockGuard(answeredAt: Instant(millisecondsSince1970: end), reading: first)
                    for other in ends {
                        for boot in ["a", "b"] {
                            _ = clock.judge(
                                ClockReading(wall: Instant(millisecondsSince1970: other), monotonic: end, boot: boot))
                        }
                    }
                }
            }
        }
    }

    // MARK: Random scripts

    /// What is known of a device to whom nobody can lie about the time.
    private struct Oracle {
        let answeredAt: Int64
        let length: Int64
        /// By how much the owner set the clock back since the answer, in all.
        var setBack: Int64 = 0
        var isTouched = false
        var isSameBoot = true
        /// The latest that the clock showed to the app while nobody had touched it.
        var highest: Int64

        /// Why what the app shows is wrong; nil where it is right.
        func fault(isActive: Bool, truth: Int64, wall: Int64) -> String? {
            let isInside = truth - answeredAt < length
            if isSameBoot || !isTouched, isActive != isInside { return "the true answer is \(isInside)" }
            if isActive, truth - answeredAt >= length + setBack { return "longer than the clock was set back" }
            if isActive, !isSameBoot, wall < highest - 5 * 60_000 { return "the clock shows less than it has shown" }
            return nil
        }
    }

    @Test(arguments: 0..<20)
    func `D3 100,000 random scripts: never true after the end, never false before it, and set back is false`(part: UInt64) {
        for number in 0..<5000 {
            let seed = part << 32 | UInt64(number)
            var generator = Seeded(state: seed)
            if let fault = fault(&generator) {
                Issue.record("seed \(seed): \(fault)")
                return
            }
        }
        Size.figure("D3", "5000 scripts")
    }

    /// Plays one script; nil where everything was as the oracle says.
    private func fault(_ generator: inout Seeded) -> String? {
        var device = Device(offset: Int64.random(in: -40...40, using: &generator) * Length.day / 4)
        var log: [String] = []
        var (held, oracle) = answered(device, &generator)
        for _ in 0..<Int.random(in: 2...25, using: &generator) {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0:
                (held, oracle) = answered(device, &generator)
                log.append("answer for \(oracle.length)")
            case 1, 2, 3, 4:
                let passed = Int64.random(in: 1...20 * Length.day, using: &generator)
                device.truth += passed
                log.append("\(passed) pass")
            case 5, 6:
                let change = Int64.random(in: -30...30, using: &generator) * Length.day / 3
                device.offset += change
                oracle.setBack += max(0, -change)
                oracle.isTouched = oracle.isTouched || change != 0
                log.append("clock set by \(change)")
            case 7:
                // Off for a while; its clock goes on.
                device.truth += Int64.random(in: 0...5 * Length.day, using: &generator)
                device.boot += 1
                device.bootedAt = device.truth
                device.base = Int64.random(in: 0...90, using: &generator) * Length.day
                oracle.isSameBoot = false
                log.append("reboot")
            default: break
            }
            let reading = device.reading
            let isActive = held.access(at: reading, claims: nil).isActive
            log.append("shown \(isActive)")
            let wall = reading.wall.millisecondsSince1970
            if let fault = oracle.fault(isActive: isActive, truth: device.truth, wall: wall) { return "\(fault): \(log)" }
            if !oracle.isTouched { oracle.highest = max(oracle.highest, wall) }
        }
        return nil
    }

    private func answered(_ device: Device, _ generator: inout Seeded) -> (HeldAnswer, Oracle) {
        let length = Int64.random(in: 1...60, using: &generator) * Length.day / 2
        let oracle = Oracle(
            answeredAt: device.truth, length: length, highest: device.reading.wall.millisecondsSince1970)
        return (answer(device, lasting: length), oracle)
    }
}
