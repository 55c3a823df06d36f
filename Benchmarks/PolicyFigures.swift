import Backend
import BenchmarkSamples
import Foundation
import Ledger
import Primitives
import Storage
import Synchronization

/// The cost of trying and applying a version of the policy, with many subscriptions of 12 facts (OWN-16, OWN-17).
struct PolicyFigures {
    let effort: Effort
    let kinds: [DatabaseKind]
    private var subscriptions: Int { effort.subscriptions }

    /// Eleven charges and a renewal info.
    private static let periods = 11
    private static let uploadsPerSecond = 50

    func measure() async throws -> [Figure] { try await kinds.figures { try await measure($0, $1) } }

    private func measure(_ store: any Store, _ kind: DatabaseKind) async throws -> [Figure] {
        let renewals = try Renewals(subscriptions: subscriptions)
        let backend = renewals.backend(store)
        _ = try await backend.adoptSettings()
        try await fill(store, renewals)
        let server = Server(kind: kind, store: store, backend: backend)
        var figures = try await whatIf(server)
        figures += try await apply(Self.policy { $0.restoreLimit = 5 }, "nothing differs", server, renewals)
        figures += try await apply(
            Self.policy { $0.productionLeeway = .hours(2) }, "all differ and are written", server, renewals)
        return figures
    }

    private struct Server: Sendable {
        let kind: DatabaseKind
        let store: any Store
        let backend: Backend
    }

    private static func policy(_ change: (inout AppPolicy) -> Void) -> AppPolicy {
        var policy = AppPolicy()
        change(&policy)
        return policy
    }

    private func life(_ number: Int, _ renewals: Renewals) -> Life {
        Life(number: number, periods: Self.periods, lastEnds: renewals.life(0).lastEnds)
    }

    private func fill(_ store: any Store, _ renewals: Renewals) async throws {
        try await store.fill(with: (0..<subscriptions).map { life($0, renewals) }, shownBy: renewals.samples)
    }

    // MARK: Trying

    /// The floor reads and decodes the same rows and does nothing else.
    private func whatIf(_ server: Server) async throws -> [Figure] {
        let content = SettingsContent(
            policy: Self.policy { $0.onRestore = .transfer }, products: Renewals.entitlements.entries)
        let from = Timestamp(millisecondsSince1970: 0)
        _ = try await scan(server.store)
        let before = try Self.peakMemory()
        var (floors, ours) = ([Double](), [Double]())
        for _ in 0..<effort.rounds {
            floors.append(Double(subscriptions) / (try await seconds { _ = try await scan(server.store) }))
            ours.append(
                Double(subscriptions)
                    / (try await seconds {
                        let summary = try await server.backend.whatIf(content, app: Life.app, from: from, row: { _ in }) { _ in }
                        guard summary.subscriptions == Int64(subscriptions) else { throw BenchError("\(summary)") }
                    }))
        }
        let ratios = zip(ours, floors).map { $0 / $1 }
        return [
            Figure(
                name: "policy: \(server.kind.rawValue), what-if, subscriptions of 12 facts", unit: "1/s", floor: floors.median,
                ours: ours.median,
                ratio: ratios.median, target: 0.5, remark: "the floor reads and decodes the same rows"),
            Figure(
                name: "policy: \(server.kind.rawValue), what-if, peak resident memory beyond the scan's", unit: "MiB",
                ours: Double(try Self.peakMemory() - before) / 1024, remark: "\(before / 1024) MiB before"),
        ]
    }

    private func scan(_ store: any Store) async throws -> Int {
        var (count, last) = (0, OriginalTransactionID?.none)
        while true {
            let page = try await store.subscriptions(in: Life.scope, after: last, limit: 512)
            guard let end = page.last else { break }
            count += page.count
            last = end.history.key.originalTransactionId
        }
        guard count == subscriptions else { throw BenchError("\(count) of \(subscriptions) subscriptions were read") }
        return count
    }

    /// In KiB.
    private static func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { throw BenchError("/proc/self/status says no VmHWM") }
        return kibibytes
    }

    // MARK: Applying

    /// Applies a version that takes effect from the beginning, during a number of renewals per second.
    private func apply(
        _ policy: AppPolicy, _ words: String, _ server: Server, _ renewals: Renewals
    ) async throws -> [Figure] {
        let backend = server.backend
        let content = SettingsContent(policy: policy, products: Renewals.entitlements.entries)
        var order = SettingsOrder(app: Life.app, content: content, actor: "bench")
        let newest = try await backend.settingsVersions(of: Life.app).last?.number ?? 0
        order.from = Timestamp(millisecondsSince1970: 0)
        order.code = try ConfirmationCode.of(content, app: Life.app, newest: newest, from: order.from)
        _ = try await backend.apply(order)
        let isOver = Mutex(false)
        async let latencies = uploads(backend, renewals, until: { isOver.withLock { $0 } })
        let changed = Mutex<Int64>(0)
        let performer = SettingsPerformer(backend: backend) { _, progress, _ in
            changed.withLock { $0 = max($0, progress.changed) }
        }
        let loop = WorkLoop(
            store: server.store, clock: MachineClock(), lanes: [WorkLane(performer)], worker: "bench", jitter: { 0.5 })
        let took = try await seconds { while try await loop.runOnce() > 0 {} }
        isOver.withLock { $0 = true }
        let milliseconds = try await latencies.sorted()
        let worst = milliseconds.isEmpty ? 0 : milliseconds[min(milliseconds.count - 1, milliseconds.count * 99 / 100)]
        let reckoned = Int((took / Double(subscriptions) * 1_000_000 / 60).rounded(.up))
        return [
            Figure(
                name: "policy: \(server.kind.rawValue), a version applied, \(words)", unit: "1/s",
                ours: Double(subscriptions) / took,
                remark: """
                    \(subscriptions) subscriptions in \(Int(took)) s, \(changed.withLock { $0 }) changed\
                    \(subscriptions < 1_000_000 ? "; reckoned for a million: \(reckoned) min" : "")
                    """),
            Figure(
                name: "policy: \(server.kind.rawValue), a renewal meanwhile, 99 of 100", unit: "ms", ours: worst,
                remark: "\(milliseconds.count) renewals, \(Self.uploadsPerSecond) a second"),
        ]
    }

    private func uploads(
        _ backend: Backend, _ renewals: Renewals, until isOver: @Sendable () -> Bool
    ) async throws -> [Double] {
        var (latencies, number) = ([Double](), 0)
        let start = ContinuousClock.now
        while !isOver() {
            let renewal = try renewals.renewal(of: life((number * 7919) % subscriptions, renewals))
            let due = start + .milliseconds(number * 1000 / Self.uploadsPerSecond)
            try await Task.sleep(until: due, clock: .continuous)
            let began = ContinuousClock.now
            _ = try await backend.receiveNotification(renewal.body, app: Life.app)
            latencies.append((ContinuousClock.now - began).seconds * 1000)
            number += 1
        }
        return latencies
    }

    private func seconds(_ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start).seconds
    }
}
