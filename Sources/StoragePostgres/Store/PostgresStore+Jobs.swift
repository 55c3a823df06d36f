package import Ledger
package import Storage

/// Jobs for those who look at them.
extension PostgresStore {
    package func job(_ name: JobName) async throws -> StoredJob? {
        try await read { try $0.connection.execute(JobQueries.job(name)).first.map(StoredJob.init(row:)) }
    }

    package func jobs(of app: AppID, limit: Int) async throws -> [StoredJob] {
        try await read { try $0.connection.execute(JobQueries.jobs(of: app, limit: limit)).map(StoredJob.init(row:)) }
    }

    package func rows(of job: JobName, after number: Int64, limit: Int) async throws -> [JobRow] {
        try await read {
            try $0.connection.execute(JobQueries.rows(of: job, after: number, limit: limit)).map(JobRow.init(row:))
        }
    }
}
