import ArgumentParser
import Foundation
import Logging
import StorageSQLite

struct Compact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a SQLite file anew, so that nothing is left in it of what was erased or forgotten.",
        discussion: """
            After a customer was erased, a file of more than 128 MiB may still spell the id in space that nobody reads
            (`leftInFiles` of eraseCustomer). This writes the file anew; it needs as much free space again, and while it does so
            servers answer questions and keep nothing new: choose a quiet time. PostgreSQL does the same by VACUUM, by itself.
            """)

    @Option(name: .long, help: "The configuration file, JSON.")
    var config: String

    func run() async throws {
        let address = try TenureConfiguration(path: config, environment: ProcessInfo.processInfo.environment).database
        guard case .sqlite(let path) = address else {
            throw CommandError("PostgreSQL overwrites what nobody sees any more by VACUUM; there is nothing to do here.")
        }
        let opened = try await OpenDatabase(existing: address, logger: Logger(label: "tenure"))
        let start = ContinuousClock.now
        let isWhole = try await Self.compact(opened.sqlite)
        try await opened.close()
        guard isWhole else {
            throw CommandError(
                """
                The file is written anew, and for a minute somebody read from the write-ahead log of \(path), in which old pages \
                are left. Run it again.
                """)
        }
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64 ?? 0
        Console.print("\(path) is written anew: \(size / 1_048_576) MiB, \((ContinuousClock.now - start).components.seconds) s.")
    }

    /// Readers hold the log back only while they read, so it is tried again for a minute.
    private static func compact(_ store: SQLiteStore?) async throws -> Bool {
        guard let store else { return false }
        if try await store.compact() { return true }
        for _ in 0..<60 {
            try await Task.sleep(for: .seconds(1))
            if try await store.truncateLog() { return true }
        }
        return false
    }
}
