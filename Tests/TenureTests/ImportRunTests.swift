import AppStoreWire
import Foundation
import Ledger
import Logging
import Primitives
import Storage
import Synchronization
import Testing

@testable import Backend
@testable import tenure

/// An import whose database does not answer for a while.
@Suite struct `An import` {
    /// A file of two lines that name transactions, which proves nothing and needs no signature, and a database beside it.
    private func withFile(_ body: (_ path: String, ImportRun.Job, _ sleeps: Sleeps) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("import-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) } }
        let path = folder.appendingPathComponent("old.jsonl").path
        let lines = (1...2).map { #"{"transactionId":"\#($0)","environment":"Production"}"# + "\n" }
        try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: path))
        let json = """
            {"database":{"sqlite":"\(folder.path)/tenure.sqlite"},
             "apps":[{"id":"notes","bundleId":"com.example.notes","appAppleId":1,"publicKey":"appl_x",
               "serverKeySHA256":"\(String(repeating: "0", count: 64))","products":{"m":["plus"]}}]}
            """
        let configuration = try TenureConfiguration(json: Array(json.utf8), environment: [:])
        let opened = try await OpenDatabase(writing: configuration.database, logger: Logger(label: "test"))
        let backend = configuration.backend(on: opened.store, clock: MachineClock())
        try await body(path, ImportRun.Job(backend: backend, app: AppID("notes")), Sleeps())
        try await opened.close()
    }

    /// How long it waited, without waiting.
    private final class Sleeps: Sendable {
        private let all = Mutex<[Duration]>([])

        var seconds: [Int64] { all.withLock { $0.map(\.components.seconds) } }
        func add(_ duration: Duration) { all.withLock { $0.append(duration) } }
    }

    private static func run(_ path: String, _ sleeps: Sleeps) throws -> ImportRun {
        try ImportRun(
            path: path, format: .jsonl, kind: .restore, target: .init(name: "notes", fromBeginning: false)
        ) { sleeps.add($0) }
    }

    private static let away = BackendError.store(StoreFailure(StorageError(.unavailable, "the server is being replaced")))

    @Test func `An import waits for a database that comes back, and each line is counted once`() async throws {
        try await withFile { path, job, sleeps in
            var run = try Self.run(path, sleeps)
            let failures = Mutex(2)
            let counts = try await run.carryOut(as: job) { items in
                let fails = failures.withLock { left in
                    left -= 1
                    return left >= 0
                }
                if fails { throw Self.away }
                return items.map { _ in .success(.new) }
            }
            #expect(counts == ["new": 2])
            #expect(sleeps.seconds == [1, 2])
        }
    }

    @Test func `An import gives up a database that stays away, and the next one goes on where it was`() async throws {
        try await withFile { path, job, sleeps in
            var run: ImportRun? = try Self.run(path, sleeps)
            await #expect(throws: BackendError.self) { try await run?.carryOut(as: job) { _ in throw Self.away } }
            #expect(sleeps.seconds.reduce(0, +) == 248, "about as long as a replacement takes")
            run = nil
            var next = try Self.run(path, sleeps)
            #expect(try await next.carryOut(as: job) { $0.map { _ in .success(.known) } } == ["known": 2])
        }
    }

    @Test func `An import does not repeat what will not succeed`() async throws {
        try await withFile { path, job, sleeps in
            var run = try Self.run(path, sleeps)
            let corrupt = BackendError.store(StoreFailure(StorageError(.corrupt, "a page")))
            await #expect(throws: BackendError.self) { try await run.carryOut(as: job) { _ in throw corrupt } }
            #expect(sleeps.seconds.isEmpty)
        }
    }
}
