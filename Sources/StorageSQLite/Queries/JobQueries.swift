import GRDB
import Ledger
import Primitives
import Storage

/// Jobs and what they find.
enum JobQueries {
    static let selectJob = "SELECT \(StoredJob.columns) FROM job WHERE app = ? AND id = ?"

    static func job(_ name: JobName, _ database: Database) throws -> StoredJob? {
        try database.row(selectJob, [.text(name.app.rawValue), .text(name.id)])
    }

    static let selectJobs = "SELECT \(StoredJob.columns) FROM job WHERE app = ? ORDER BY startedAt DESC, id LIMIT ?"

    static func jobs(of app: AppID, limit: Int, _ database: Database) throws -> [StoredJob] {
        try database.rows(selectJobs, [.text(app.rawValue), .count(limit)])
    }

    static let selectRows = """
        SELECT \(JobRow.columns) FROM jobRow WHERE app = ? AND job = ? AND number > ? ORDER BY number LIMIT ?
        """

    static func rows(of name: JobName, after number: Int64, limit: Int, _ database: Database) throws -> [JobRow] {
        try database.rows(selectRows, [.text(name.app.rawValue), .text(name.id), .integer(number), .count(limit)])
    }

    private static let insertion = SQLiteInsertion<StoredJob>(
        "ON CONFLICT DO UPDATE SET \(StoredJob.taken(except: StoredJob.key))")

    static func save(_ job: StoredJob, _ database: Database) throws { try database.run(insertion, job) }

    private static let rowInsertion = SQLiteInsertion<JobRow>()

    static func insert(_ rows: [JobRow], _ database: Database) throws {
        for row in rows { try database.run(rowInsertion, row) }
    }

    static let forgetRows = """
        DELETE FROM jobRow WHERE app = ?1 AND job IN (SELECT id FROM job WHERE app = ?1 AND endedAt < ?2)
        """
    static let forgetJobs = "DELETE FROM job WHERE app = ?1 AND endedAt < ?2"

    static func forget(of app: AppID, endedBefore instant: Timestamp, _ database: Database) throws {
        for statement in [forgetRows, forgetJobs] { try database.run(statement, [.text(app.rawValue), .instant(instant)]) }
    }
}
