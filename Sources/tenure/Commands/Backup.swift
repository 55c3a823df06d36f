import ArgumentParser
import Backend
import Foundation
import Logging
import StorageSQLite

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a SQLite database while the server runs.",
        discussion: """
            The copy is the database as it was at one instant, one file, checked to be intact. To restore it, stop the server,
            put the copy in the place of the database file, remove the files beside it that end in -wal and -shm, and run
            `tenure verify --rebuild`. That it was made is noted in the database, for the console and for /metrics. A
            PostgreSQL database is copied by its own tools: docs/operations/backup.md.
            """)

    @Option(name: .long, help: "The configuration file, JSON.")
    var config: String

    @Option(name: .long, help: "The file to write; it must not exist yet.", completion: .file())
    var to: String

    func run() async throws {
        let configuration = try TenureConfiguration(path: config, environment: ProcessInfo.processInfo.environment)
        guard case .sqlite = configuration.database else {
            throw CommandError(
                """
                tenure backup copies SQLite files. For PostgreSQL see docs/operations/backup.md: pg_dump, or pg_basebackup with
                the WAL.
                """)
        }
        guard !FileManager.default.fileExists(atPath: to) else {
            throw CommandError("\(to) exists already; a backup never overwrites a file.")
        }
        let database = try await OpenDatabase(existing: configuration.database, logger: Logger(label: "tenure"))
        // Under another name until it is complete, so that a partial copy is never mistaken for a backup.
        let unfinished = to + ".unfinished"
        if FileManager.default.fileExists(atPath: unfinished) { try FileManager.default.removeItem(atPath: unfinished) }
        var bar = ProgressBar()
        let start = ContinuousClock.now
        try database.sqlite?.backUp(to: unfinished) { copied, all in
            bar.show("\(copied) of \(all) pages", fraction: all > 0 ? Double(copied) / Double(all) : 1)
        }
        bar.clear()
        try FileManager.default.moveItem(atPath: unfinished, toPath: to)
        let made = MachineClock().now()
        let size = try FileManager.default.attributesOfItem(atPath: to)[.size] as? Int64 ?? 0
        let seconds = ContinuousClock.now - start
        do {
            let file = URL(filePath: to).lastPathComponent
            try await Backend.noteBackup(in: database.store, file: file, size: size, at: made)
        } catch {
            Console.complain("The copy is intact, and the database could not note that it was made: \(error)")
        }
        Console.print("\(to): \(size) bytes in \(seconds); it is intact.")
    }
}
