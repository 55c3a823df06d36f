import Foundation
import GRDB
import Ledger
import Primitives
import Storage
import StorageSQLite
import Testing

@Suite struct `A process that is killed` {
    /// Writes facts one after another, records each in a file beside the database once its write has returned, and is killed
    /// during this: so long after its begin, or after its first write was acknowledged. Runs in a separate process.
    private static func writeUntilKilled(
        _ path: String, from first: Int64, afterMilliseconds delay: UInt32, ofWriting: Bool
    ) async throws {
        let killer = Thread {
            usleep(delay * 1000)
            kill(getpid(), SIGKILL)
        }
        if !ofWriting { killer.start() }
        let store = try SQLiteStore(path: path)
        let notes = open(path + ".acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        for index in first... {
            try await store.write { transaction in
                var fact = Life.transaction(index)
                fact.signedDate = Life.start.adding(.seconds(index))
                let evidence = Life.evidence(String(repeating: "p", count: 3000))
                let arrival = Arrival(
                    scope: Life.scope, evidence: evidence, facts: [.transaction(fact)], receivedAt: Life.start)
                var known = try transaction.known(of: [arrival])
                guard let new = known.takeNew(of: arrival) else { return }
                try transaction.keep([new])
                try Life.decide(on: [.fact(.transaction(fact))], transaction)
            }
            let line = Array("\(index)\n".utf8)
            _ = write(notes, line, line.count)
            if ofWriting, index == first { killer.start() }
        }
    }

    @Test func `F01 A process killed at any moment loses no acknowledged write and keeps no partial one`() async throws {
        try await withDatabase { file in
            let path = file.path
            var first: Int64 = 0
            for (delay, ofWriting) in [(35, false), (60, true), (20, true), (80, false), (5, true)] as [(UInt32, Bool)] {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = path as String, first = first as Int64, delay = delay as UInt32, ofWriting = ofWriting as Bool] in
                    try await Self.writeUntilKilled(path, from: first, afterMilliseconds: delay, ofWriting: ofWriting)
                }
                let notes = FileManager.default.contents(atPath: path + ".acknowledged") ?? Data()
                let acknowledged = String(decoding: notes, as: UTF8.self).split(separator: "\n").compactMap { Int64($0) }
                first = (acknowledged.last ?? -1) + 1
                try await check(file, acknowledged: acknowledged)
            }
            // However busy the machine is, three of the five were killed after a write that was acknowledged.
            #expect(first > 2)
        }
    }

    private func check(_ file: DatabaseFile, acknowledged: [Int64]) async throws {
        let store = try SQLiteStore(path: file.path)
        #expect(try file.query { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
        let facts = try await store.facts(of: Life.key, limit: 1_000_000).map(\.fact)
        let kept = Set(facts.map(\.key))
        let lost = acknowledged.filter {
            !kept.contains("transaction/\($0)/\(Life.start.adding(.seconds($0)).millisecondsSince1970)")
        }
        #expect(lost.isEmpty)
        // In addition to them, at most the one that was being acknowledged is stored.
        #expect(kept.count <= acknowledged.count + 4)
        var history = SubscriptionHistory(key: Life.key)
        for fact in facts { _ = history.record(fact) }
        let stored = try await store.subscription(Life.key)
        #expect(stored.map(\.history.untold) ?? SubscriptionHistory(key: Life.key) == history.untold)
        let sequences = try await store.auditRows(of: Life.key, after: 0, limit: 1_000_000).map(\.sequence)
        #expect(sequences == Array(0..<Int64(sequences.count)).map { $0 + 1 })
    }
}
