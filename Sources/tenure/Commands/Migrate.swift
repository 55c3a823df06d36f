import ArgumentParser
import Foundation
import Logging

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Migrate a PostgreSQL database to this version, as its owner.",
        discussion: """
            `tenure serve` does it by itself if its role may. If it should not, give the tables an owner of their own: run
            this with the owner's URL, in the environment variable TENURE_DATABASE or in --database, and name the role that
            `tenure serve` uses. That role can then add evidence and audit rows, and never change or delete one. Safe to run
            again, and while servers of the previous version run. A SQLite file is migrated when it is opened.
            """)

    @Option(name: .long, help: "The owner's postgres:// URL; otherwise TENURE_DATABASE.")
    var database: String?

    @Option(name: .long, help: "The role that the servers use; without it, no rights are granted.")
    var applicationRole: String?

    func run() async throws {
        var variables = ProcessInfo.processInfo.environment
        if let database { variables["TENURE_DATABASE"] = database }
        guard case .postgres(let url) = try DatabaseAddress(nil, variables) else {
            throw CommandError("A SQLite file is migrated when it is opened; there is nothing to do.")
        }
        try await OpenDatabase.migrate(url, applicationRole: applicationRole, logger: Logger(label: "tenure"))
        Console.print("The database is up to date.")
    }
}
