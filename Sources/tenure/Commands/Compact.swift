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
        let isWhole = try await opened.sqlite?.compact() ?? false
        try await opened.close()
        guard isWhole else { throw CommandError("Somebody reads from the write-ahead log of \(path). Run it again.") }
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64 ?? 0
        Console.print("\(path) is written anew: \(size / 1_048_576) MiB, \((ContinuousClock.now - start).components.seconds) s.")
    }
}
