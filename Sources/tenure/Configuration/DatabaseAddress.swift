import Storage
import StorageSQLite
import StrictJSON

/// Where everything is stored: a SQLite file, or a PostgreSQL database.
enum DatabaseAddress: CustomStringConvertible {
    case sqlite(path: String)
    case postgres(url: String)

    /// From the configuration's `database`, or from `TENURE_DATABASE`, which overrides it: a URL that begins with `postgres://`,
    /// or a path.
    init(_ configured: JSONFields?, _ variables: [String: String]) throws {
        if let text = variables["TENURE_DATABASE"] {
            self = Self.isPostgres(text) ? .postgres(url: text) : .sqlite(path: text)
            return
        }
        switch (try configured?.text("sqlite"), try configured?.text("postgres")) {
        case (let path?, nil): self = .sqlite(path: path)
        case (nil, let url?):
            guard Self.isPostgres(url) else {
                throw CommandError("database.postgres must begin with postgres:// or postgresql://.")
            }
            self = .postgres(url: url)
        case (nil, nil):
            throw CommandError(
                "database is missing: {\"sqlite\": path of the file, created if missing} or {\"postgres\": \"postgres://…\"}.")
        case (_?, _?): throw CommandError("database names both sqlite and postgres; it must be one.")
        }
    }

    private static func isPostgres(_ text: String) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// Identifies the database, without user and password.
    var name: String {
        switch self {
        case .sqlite(let path): path
        case .postgres(let url): url.split(separator: "@").last.map(String.init) ?? url
        }
    }

    /// Without the password.
    var description: String {
        switch self {
        case .sqlite(let path): path
        case .postgres: "PostgreSQL"
        }
    }
}
