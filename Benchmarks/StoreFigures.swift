import AppStoreModel
import AppStoreSimulator
import BenchmarkSamples
import Crypto
import Foundation
import Hummingbird
import Logging
import Primitives
import ServiceLifecycle

/// Figures of the local App Store: how many notifications it signs, how much memory it needs for each period, how soon it is
/// ready, and how long a year of a shop takes.
struct StoreFigures {
    let effort: Effort

    private var accounts: Int { effort.part(of: 10_000) }
    private var subscribers: Int { effort.part(of: 1000) }
    private static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)

    func measure() async throws -> [Figure] {
        var figures = try await shop()
        figures.append(try await year())
        figures.append(try start())
        return figures
    }

    private static func configuration(notificationURL: String? = nil) throws -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration(
            bundleId: "com.example.shop", appAppleId: 1, environment: .production,
            catalogue: try Catalogue(storeKitFile: Array(try Data(contentsOf: URL(filePath: "Examples/shop.storekit")))),
            startsAt: start)
        configuration.notificationURL = notificationURL
        return configuration
    }

    /// Accounts that buy a monthly subscription.
    private static func open(_ count: Int, in simulator: AppStoreSimulator) async throws {
        let app = try await simulator.app(nil)
        for number in 0..<count {
            let account = try await simulator.openAccount("customer-\(number)").account.id
            _ = try await simulator.buy(PurchaseOrder(app: app, account: account, product: ID("pro.monthly")))
        }
    }

    private static func liveAYear(_ simulator: AppStoreSimulator) async throws {
        while try await !simulator.advance(to: start.adding(.days(365))).isComplete {}
    }

    // MARK: Signing and keeping

    /// One after another on one core: the renewal's transaction, renewal info and notification are signed.
    private func shop() async throws -> [Figure] {
        var (rates, floors, sizes): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<min(effort.rounds, 3) {
            floors.append(Self.signaturesASecond() / 3)
            let simulator = try AppStoreSimulator(configuration: try Self.configuration())
            let empty = Machine.residentBytes
            try await Self.open(accounts, in: simulator)
            let before = Machine.processorSeconds
            try await Self.liveAYear(simulator)
            let seconds = Machine.processorSeconds - before
            // The first period of each was bought; the last of the twelve renewals is at the year's end.
            let renewals = await simulator.notificationCount - accounts
            guard renewals == accounts * 12 else { throw BenchError("\(renewals) renewals in a year") }
            rates.append(Double(renewals) / seconds)
            sizes.append(Double(Machine.residentBytes - empty) / Double(accounts * 13))
        }
        let ratios = zip(rates, floors).map { $0 / $1 }
        return [
            Figure(
                name: "local App Store: notifications of \(accounts) accounts' year, for each second of one core", unit: "1/s",
                floor: 5000, ours: rates.median, ratio: rates.median / 5000, target: 1,
                remark: "the floor is the rate that is wanted"),
            Figure(
                name: "local App Store: the same / three bare P-256 signatures", unit: "1/s", floor: floors.median,
                ours: rates.median, ratio: ratios.median),
            Figure(
                name: "local App Store: resident memory for each period", unit: "B", ours: sizes.max() ?? 0, atMost: 2048,
                remark: "13 periods and notifications of each of \(accounts) accounts; the largest of the rounds"),
        ]
    }

    private static func signaturesASecond() -> Double {
        let key = P256.Signing.PrivateKey()
        let payload = Data(repeating: 7, count: 800)
        return Stopwatch.rate(of: 20_000) {
            do { _ = try key.signature(for: payload) } catch { preconditionFailure("a key signs") }
        }
    }

    // MARK: A year

    /// A thousand subscribers' year, each notification posted to a sink of this machine that answers at once.
    private func year() async throws -> Figure {
        var seconds: [Double] = []
        for _ in 0..<min(effort.rounds, 3) { seconds.append(try await deliveredYear()) }
        return Figure(
            name: "local App Store: a year of \(subscribers) subscribers, delivered to a local sink", unit: "s",
            ours: seconds.median,
            atMost: 10, remark: "\(subscribers * 13) notifications, one after another, each answered before the next")
    }

    private func deliveredYear() async throws -> Double {
        let sink = Router()
        sink.post("/") { request, _ in
            var request = request
            _ = try await request.collectBody(upTo: 1 << 20)
            return HTTPResponse.Status.ok
        }
        var logger = Logger(label: "sink")
        logger.logLevel = .error
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        let receiver = Application(
            router: sink, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { found.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let simulator = try AppStoreSimulator(configuration: try Self.configuration())
        let store = simulator.buildApplication(logger: logger) { _, port in found.yield(port) }
        let group = ServiceGroup(configuration: .init(services: [receiver], logger: logger))
        let shop = ServiceGroup(configuration: .init(services: [store], logger: logger))
        return try await withThrowingTaskGroup(of: Double?.self) { tasks in
            var next = ports.makeAsyncIterator()
            tasks.addTask {
                try await group.run()
                return nil
            }
            guard let port = await next.next() else { throw BenchError("no sink") }
            tasks.addTask {
                try await shop.run()
                return nil
            }
            _ = await next.next()
            try await simulator.setNotificationURL("http://127.0.0.1:\(port)/")
            let clock = ContinuousClock.now
            try await Self.open(subscribers, in: simulator)
            try await Self.liveAYear(simulator)
            let took = ContinuousClock.now - clock
            let told = try await simulator.notifications(limit: subscribers * 20)
            guard told.count == subscribers * 13, told.allSatisfy(\.record.isDelivered) else {
                throw BenchError("\(told.count) notifications, not all delivered")
            }
            await shop.triggerGracefulShutdown()
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return took.seconds
        }
    }

    // MARK: The start

    /// From the start of the process until it prints where it listens.
    private func start() throws -> Figure {
        guard let tenure = try ChildProcess.tenure() else {
            throw BenchError("build tenure first: swift build -c release --product tenure")
        }
        let arguments = [
            "simulate", "--catalogue", "Examples/shop.storekit", "--bundle", "com.example.shop", "--port", "0",
            "--production-port", "0", "--sandbox-port", "0",
        ]
        var milliseconds: [Double] = []
        for _ in 0..<max(effort.rounds, 5) {
            milliseconds.append(try ChildProcess.milliseconds(until: 3, of: tenure, arguments))
        }
        return Figure(
            name: "local App Store: from the start of the process until it listens", unit: "ms", ours: milliseconds.median,
            atMost: 100, remark: "new keys and certificates")
    }
}
