import GRDB
package import Ledger
package import Storage

/// Jobs for those who look at them.
extension SQLiteStore {
    package func job(_ name: JobName) async throws -> StoredJob? { try read { try JobQueries.job(name, $0) } }

    package func jobs(of app: AppID, limit: Int) async throws -> [StoredJob] {
        try read { try JobQueries.jobs(of: app, limit: limit, $0) }
    }

    package func rows(of job: JobName, after number: Int64, limit: Int) async throws -> [JobRow] {
        try read { try JobQueries.rows(of: job, after: number, limit: limit, $0) }
    }
}
