import ArgumentParser
import Backend
import Foundation
import Ledger
import Logging
import Primitives

/// The options of a command that is about one app.
struct AppChoice: ParsableArguments {
    @Option(name: .long, help: "The configuration file, JSON.")
    var config: String

    @Option(name: .long, help: "The app; may be omitted if only one is configured.")
    var app: String?

    /// The configuration, and the settings of the chosen app.
    func read() throws -> (TenureConfiguration, AppSettings) {
        let configuration = try TenureConfiguration(path: config, environment: ProcessInfo.processInfo.environment)
        let settings = configuration.apps.map(\.settings)
        let ids = settings.map(\.id.rawValue).joined(separator: ", ")
        if let app {
            guard let named = settings.first(where: { $0.id.rawValue == app }) else {
                throw CommandError("No app \(app) is configured; configured: \(ids).")
            }
            return (configuration, named)
        }
        guard settings.count == 1 else { throw CommandError("Choose the app with --app: \(ids).") }
        return (configuration, settings[0])
    }
}

extension TenureConfiguration {
    /// Runs the body with the use cases on the existing database.
    func withBackend<Result>(_ body: (Backend, OpenDatabase) async throws -> Result) async throws -> Result {
        var logger = Logger(label: "tenure")
        logger.logLevel = .error
        let database = try await OpenDatabase(existing: self.database, logger: logger)
        let result: Result
        do {
            result = try await body(try backend(on: database.store, clock: clock()), database)
        } catch let refusal as SettingsRefusal {
            try await database.close()
            throw CommandError(refusal.description)
        } catch {
            try await database.close()
            throw error
        }
        try await database.close()
        return result
    }
}

/// An instant on the command line.
enum InstantArgument {
    /// Milliseconds since 1970, or a date and time such as 2026-01-31T00:00:00Z.
    static func read(_ text: String, option: String) throws -> Timestamp {
        if let milliseconds = Int64(text) { return Timestamp(millisecondsSince1970: milliseconds) }
        guard let instant = Timestamp(rfc3339: text) else {
            throw CommandError("\(option) must be milliseconds since 1970 or a time such as 2026-01-31T00:00:00Z.")
        }
        return instant
    }
}
