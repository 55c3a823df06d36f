import ArgumentParser
import Foundation
import Logging

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring a PostgreSQL database to this version, as its owner.",
        discussion: """
            `tenure serve` does it by itself where its role may. Where it should not, give the tables an owner of their own: run
            this with the owner's URL, in the environment variable TENURE_DATABASE or in --database, and name the role that
            `tenure serve` uses. That role can then add evidence and audit rows, and never change or delete one. Safe to run
            again, and while servers of the version before are at work. A SQLite file is brought up to date by whoever opens it.
            """)

    @Option(name: .long, help: "The owner's postgres:// URL; otherwise TENURE_DATABASE.")
    var database: String?

    @Option(name: .long, help: "The role that the servers use; nothing is granted to anybody without it.")
    var applicationRole: String?

    func run() async throws {
        var variables = ProcessInfo.processInfo.environment
        if let database { variables["TENURE_DATABASE"] = database }
        guard case .postgres(let url) = try DatabaseAddress(nil, variables) else {
            throw CommandError("A SQLite file is brought up to date by whoever opens it; there is nothing to do.")
        }
        try await OpenDatabase.migrate(url, applicationRole: applicationRole, logger: Logger(label: "tenure"))
        Console.print("The database is up to date.")
    }
}
