import Backend
import Primitives
import Synchronization
import Testing

@testable import Delivery

/// A courier with clocks that stand still until they are moved, and a resolver that knows what the test says.
struct CourierWorld: Sendable {
    static let owner = "app/endpoint"
    static let start = Timestamp(millisecondsSince1970: 1_767_225_600_789)
    static let key = [UInt8](repeating: 7, count: 32)

    let courier: DeliveryCourier
    let clock: StandingClock
    let steady = SteadyClock()

    /// Runs a test with a courier, which is shut down at its end.
    ///
    /// - Parameters:
    ///   - allow: as in the configuration.
    ///   - resolver: what names mean.
    ///   - pause: nil: the deadline of an attempt never comes.
    static func run<Value>(
        allow: [String] = [], clock: StandingClock = StandingClock(start), resolver: some NameResolver,
        configuration: DeliveryConfiguration = .waiting(),
        pause: (@Sendable () async -> Void)? = nil, _ body: (CourierWorld) async throws -> Value
    ) async throws -> Value {
        let addresses = AddressGuard(allowed: try AllowedAddresses(allow), resolver: resolver)
        let world = try CourierWorld(configuration, addresses, clock, pause)
        return try await world.courier.closing { try await body(world) }
    }

    private init(
        _ configuration: DeliveryConfiguration, _ addresses: AddressGuard, _ clock: StandingClock,
        _ pause: (@Sendable () async -> Void)?
    ) throws {
        self.clock = clock
        let steady = steady
        courier = try DeliveryCourier(
            configuration, secrets: try SecretBox(keys: [Self.key]), addresses: addresses, clock: clock,
            steadyClock: { steady.now },
            pause: { duration in
                guard let pause else { return try await Task.sleep(for: .seconds(3600)) }
                #expect(duration == configuration.deadline)
                await pause()
            })
    }

    /// Sends a parcel of no importance, unsigned unless there are secrets.
    func send(
        _ url: String, _ parcel: Parcel = Parcel(id: "evt_1", body: Array("{}".utf8)), secrets: [SealedSecret] = []
    ) async -> ParcelOutcome.Answer {
        await courier.send(parcel, to: ParcelTarget(url: url, secrets: secrets), of: Self.owner).answer
    }

    /// What such a parcel failed of; nil: it was answered.
    func failure(_ url: String) async -> ParcelFailure? {
        if case .failed(let failure, _) = await send(url) { return failure }
        return nil
    }

    /// The status that such a parcel is answered with; nil: it failed.
    func status(_ url: String) async -> Int? {
        if case .answered(let status, _, _) = await send(url) { return status }
        return nil
    }
}

extension DeliveryConfiguration {
    /// Longer than any machine is busy, so that only what a test is about comes to its end.
    static func waiting() -> DeliveryConfiguration {
        var configuration = DeliveryConfiguration()
        configuration.deadline = .minutes(10)
        configuration.connectTimeout = .minutes(5)
        // A connection that is closed between two requests of a test would be counted as one that was not kept.
        configuration.idleTimeout = .minutes(60)
        return configuration
    }
}

/// A clock that is moved by hand.
final class StandingClock: TimeSource {
    private let instant: Mutex<Timestamp>
    private let (readings, wasRead) = AsyncStream<Void>.makeStream()

    init(_ instant: Timestamp) { self.instant = Mutex(instant) }

    func now() -> Timestamp {
        wasRead.yield()
        return instant.withLock { $0 }
    }

    /// Returns once somebody has read the clock.
    func waitForReading() async { for await _ in readings { return } }

    func move(by duration: Milliseconds) { instant.withLock { $0 = $0.adding(duration) } }
}

/// A steady clock that is moved by hand.
final class SteadyClock: Sendable {
    private let instant = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { instant.withLock { $0 } }

    func move(by duration: Duration) { instant.withLock { $0 += duration } }
}

/// A resolver whose answers are those of a test, in turn; the last one stays.
final class TableResolver: NameResolver {
    private let answers: Mutex<[String: [[IPAddress]]]>
    private let asked = Mutex(0)
    private let fallback: [IPAddress]

    /// How often it was asked.
    var count: Int { asked.withLock { $0 } }

    /// - Parameters:
    ///   - answers: the addresses of each name, once for each time it is asked.
    ///   - fallback: the addresses of every other name; none: it is unknown.
    init(_ answers: [String: [[String]]], fallback: [String] = []) {
        self.answers = Mutex(answers.mapValues { $0.map { $0.compactMap { IPAddress($0) } } })
        self.fallback = fallback.compactMap { IPAddress($0) }
    }

    func addresses(of name: String) async throws(NameFailure) -> [IPAddress] {
        asked.withLock { $0 += 1 }
        let found = answers.withLock { answers in
            guard var rest = answers[name], let first = rest.first else { return fallback }
            if rest.count > 1 { rest.removeFirst() }
            answers[name] = rest
            return first
        }
        if found.isEmpty { throw .unknown }
        return found
    }
}
