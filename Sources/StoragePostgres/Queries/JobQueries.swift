import Ledger
import Primitives
import Storage

/// Jobs and what they find.
enum JobQueries {
    private static let selectJob = "SELECT \(StoredJob.columns) FROM job WHERE app = $1 AND id = $2"

    static func job(_ name: JobName) -> PostgresStatement {
        PostgresStatement(selectJob, [.text(name.app.rawValue), .text(name.id)])
    }

    /// Others wait who would change it.
    static func locked(_ name: JobName) -> PostgresStatement {
        PostgresStatement(selectJob + " FOR UPDATE", [.text(name.app.rawValue), .text(name.id)])
    }

    private static let selectJobs = "SELECT \(StoredJob.columns) FROM job WHERE app = $1 ORDER BY startedAt DESC, id LIMIT $2"

    static func jobs(of app: AppID, limit: Int) -> PostgresStatement {
        PostgresStatement(selectJobs, [.text(app.rawValue), .count(limit)])
    }

    private static let selectRows = """
        SELECT \(JobRow.columns) FROM jobRow WHERE app = $1 AND job = $2 AND number > $3 ORDER BY number LIMIT $4
        """

    static func rows(of name: JobName, after number: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(selectRows, [.text(name.app.rawValue), .text(name.id), .integer(number), .count(limit)])
    }

    private static let insertion = PostgresInsertion<StoredJob>(
        "ON CONFLICT (app, id) DO UPDATE SET \(StoredJob.taken(except: StoredJob.key))")

    static func save(_ job: StoredJob) -> PostgresStatement { insertion.statement(job) }

    private static let rowInsertion = PostgresInsertion<JobRow>()

    static func insert(_ rows: [JobRow]) throws -> PostgresStatement { try rowInsertion.statement(rows) }

    static func forget(of app: AppID, endedBefore instant: Timestamp) -> [PostgresStatement] {
        let values: [PostgresValue] = [.text(app.rawValue), .instant(instant)]
        return [
            PostgresStatement(
                "DELETE FROM jobRow WHERE app = $1 AND job IN (SELECT id FROM job WHERE app = $1 AND endedAt < $2)", values),
            PostgresStatement("DELETE FROM job WHERE app = $1 AND endedAt < $2", values),
        ]
    }
}
