import Foundation
import Glibc
import LedgerOracle

/// F12: the periods of many subscriptions end while all servers run, and one server that holds leases of due work is stopped
/// (SIGSTOP) and then continues as if nothing had happened.
struct StoppedHolder {
    let stage: Stage
    let database: Database
    let serverCount: Int

    /// When a lease is over, another server must take its work within this time.
    private static let longestRetake = Duration.seconds(60)
    /// By when all events must exist after the stopped server continues.
    private static let longestEnd = Duration.seconds(70)
    private static let mostTries = 400

    private var subscriptions: Int { stage.isFull ? 1000 : 200 }
    /// At full size longer than the lease, which is 60 s; else shorter, so that nobody takes what the stopped server holds.
    private var standstill: Duration { stage.isFull ? .seconds(90) : .seconds(5) }
    /// In milliseconds, from the beginning of the loading to the end of the periods.
    private var lead: Int64 { stage.isFull ? 30_000 : 12_000 }
    private var outlastsLeases: Bool { stage.isFull }

    /// The stopped server, and what it holds.
    private struct Stopped {
        let server: TenureServer
        let held: [WorkContents.Row]
        let since: ContinuousClock.Instant
    }

    func run() async throws -> FaultReport {
        let title = "\(subscriptions) ends fall due, a holder stopped for \(standstill.words), \(serverCount) server(s)"
        var report = FaultReport("F12 \(database.kind)", title)
        let folder = try stage.folder("F12-\(database.kind)")
        let world = try ChaosWorld(seed: stage.seed &+ 1200, now: stage.now, size: .init())
        let starts = (0..<serverCount).map {
            TenureServer.Start(binary: stage.binary, database: database, folder: folder, name: "server-\($0)")
        }
        let shell = DatabaseShell(database: database, folder: folder)
        try await ChaosClient.with { client in
            try await stage.serving(starts, world: world, client: client) { servers in
                let sunset = Sunset(app: world.apps[0], signer: world.signer, count: subscriptions, end: Self.now + lead)
                try await load(sunset, servers, client, &report)
                guard let stopped = try await stop(servers, shell, after: sunset.end, &report) else { return }
                try await observe(stopped, shell, sunset, &report)
                await stopped.server.send(SIGCONT)
                try await finish(servers, client, shell, &report)
                try await audit(sunset, folder, &report)
            }
        }
        return report
    }

    /// The machine's clock, which the servers also read.
    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    // MARK: Loading

    private func load(_ sunset: Sunset, _ servers: [TenureServer], _ client: ChaosClient, _ report: inout FaultReport)
        async throws
    {
        let messages = try sunset.messages()
        let senders = 16
        let refused = await withTaskGroup(of: [String].self) { group in
            for sender in 0..<senders {
                group.addTask {
                    var refused: [String] = []
                    for index in stride(from: sender, to: messages.count, by: senders) {
                        let answer = await client.send(messages[index], to: servers[index % servers.count].address)
                        if case .answered(200, _, _) = answer { continue }
                        refused.append("\(messages[index].name) was answered \(answer.words)")
                    }
                    return refused
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        report.counts.sent = messages.count
        report.counts.acknowledged = messages.count - refused.count
        report.findings += refused.sorted().prefix(5)
        report.expect(Self.now < sunset.end, "loading took so long that the periods ended meanwhile")
    }

    // MARK: Stopping

    /// Stops all of them for a moment, checks which one holds a lease, and lets all others continue; repeats until one is found.
    private func stop(
        _ servers: [TenureServer], _ shell: DatabaseShell, after end: Int64, _ report: inout FaultReport
    ) async throws -> Stopped? {
        var chance = stage.chance("F12")
        try await Task.sleep(for: .milliseconds(max(0, end - Self.now)))
        for attempt in 1...Self.mostTries {
            try await Task.sleep(for: .milliseconds(chance.between(1, 20)))
            for server in servers { await server.send(SIGSTOP) }
            let since = ContinuousClock.now
            let work = try await WorkContents(of: shell)
            var caught: Stopped?
            for server in servers {
                let held = try await held(by: server, work)
                if held.count > caught?.held.count ?? 0 { caught = Stopped(server: server, held: held, since: since) }
            }
            for server in servers where server !== caught?.server { await server.send(SIGCONT) }
            if let caught {
                report.figures += [("held when stopped", "\(caught.held.count)"), ("open then", "\(work.open.count)")]
                report.figures.append(("caught at try", "\(attempt)"))
                return caught
            }
            if work.open.isEmpty { break }
        }
        report.findings.append("no server was ever found to hold a lease, so nothing was tried")
        return nil
    }

    /// A worker is named after its host and its process.
    private func held(by server: TenureServer, _ work: WorkContents) async throws -> [WorkContents.Row] {
        guard let pid = await server.pid else { throw ChaosError("a server has ended:\n\(try server.lastWords)") }
        return work.held.filter { $0.worker?.contains("/\(pid)/") == true }
    }

    /// Waits while it is stopped; at full size its leases end meanwhile, and others must take what it held.
    private func observe(_ stopped: Stopped, _ shell: DatabaseShell, _ sunset: Sunset, _ report: inout FaultReport) async throws {
        let mine = Set(stopped.held.map(\.subject))
        let leaseEnd = stopped.held.map(\.availableAt).max() ?? Self.now
        var retaken: Int64?
        while ContinuousClock.now - stopped.since < standstill {
            try await Task.sleep(for: .milliseconds(200))
            guard outlastsLeases, retaken == nil, serverCount > 1 else { continue }
            if try await WorkContents(of: shell).open.allSatisfy({ !mine.contains($0.subject) }) { retaken = Self.now }
        }
        let open = try await WorkContents(of: shell).open.filter { !mine.contains($0.subject) }
        report.expect(serverCount == 1 || open.isEmpty, "\(open.count) that others could do were not done while one stood still")
        guard outlastsLeases, serverCount > 1 else { return }
        guard let retaken else {
            return report.findings.append("what the stopped one held was not done by others in \(standstill.words)")
        }
        let late = Duration.milliseconds(retaken - leaseEnd)
        report.figures.append(("done after the leases' end", late.words))
        report.expect(late <= Self.longestRetake, "what the stopped one held was done \(late.words) after its leases' end")
        report.expect(late >= .zero, "what the stopped one held was done before its leases ended")
    }

    // MARK: After

    /// Waits until no work is open, and a little longer to detect late events.
    private func finish(
        _ servers: [TenureServer], _ client: ChaosClient, _ shell: DatabaseShell, _ report: inout FaultReport
    ) async throws {
        let begin = ContinuousClock.now
        while ContinuousClock.now - begin < Self.longestEnd {
            if try await WorkContents(of: shell).open.isEmpty { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        report.figures.append(("over after going on", (ContinuousClock.now - begin).words))
        for server in servers {
            let ready = try await stage.waitUntilReady(server, client, within: .seconds(10))
            report.expect(ready != nil, "a server is not ready any more")
        }
        try await Task.sleep(for: .seconds(stage.isFull ? 5 : 2))
        let work = try await WorkContents(of: shell)
        report.expect(work.open.isEmpty, "\(work.open.count) were not done, \(work.held.count) of them are held")
        report.expect(work.failed == 0, "\(work.failed) were given up")
    }

    /// Each end must be reported exactly once, and nothing else.
    private func audit(_ sunset: Sunset, _ folder: String, _ report: inout FaultReport) async throws {
        let contents = try await ServerContents(of: database, folder: folder)
        let events = try EventAudit(contents)
        let expected = (0..<sunset.count).map(sunset.originalTransactionId)
        var double: [String] = []
        for kind in ["access.ended", "subscription.expired"] {
            for id in expected {
                let count = events.count(of: kind, id)
                if count > 1 { double.append("\(kind) of \(id) occurs \(count) times") }
                if count == 0 { report.findings.append("\(kind) of \(id) was never told") }
            }
        }
        double += events.double + contents.faults
        report.counts.double = double.count
        report.findings = Array((report.findings + double).prefix(12))
        report.figures.append(("events", "\(contents.events.count)"))
    }
}
