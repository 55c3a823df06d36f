import Backend
import Foundation
import Ledger
import Logging
import Primitives

extension TenureConfiguration {
    /// The app that a command is about.
    ///
    /// - Parameter named: may be nil where only one is configured.
    func app(_ named: String?) throws -> AppSettings {
        let settings = apps.map(\.settings)
        let ids = settings.map(\.id.rawValue).joined(separator: ", ")
        if let named {
            guard let app = settings.first(where: { $0.id.rawValue == named }) else {
                throw CommandError("No app \(named) is configured; there are: \(ids).")
            }
            return app
        }
        guard settings.count == 1 else { throw CommandError("Say which app with --app: \(ids).") }
        return settings[0]
    }

    /// Runs the body with the use cases on the database that is there.
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
