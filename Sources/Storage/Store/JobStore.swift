package import Ledger

/// Jobs for those who look at them.
package protocol JobStore: Sendable {
    /// Nil where none has the name.
    func job(_ name: JobName) async throws -> StoredJob?

    /// Those of an app, the last started first; at most `limit`.
    func jobs(of app: AppID, limit: Int) async throws -> [StoredJob]

    /// What a job found, by number; at most `limit` after `number`.
    func rows(of job: JobName, after number: Int64, limit: Int) async throws -> [JobRow]
}
