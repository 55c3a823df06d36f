package import Ledger
package import Primitives

/// What jobs need of a transaction.
package protocol JobTransaction: WorkTransaction {
    /// A job, which is this transaction's own until it ends; nil where none has the name.
    func lockJob(_ name: JobName) throws -> StoredJob?

    /// Keeps a job, new or as it is now.
    func save(_ job: StoredJob) throws

    /// Keeps what a job found.
    ///
    /// - Throws: `StorageError` with `constraint` where a number is taken.
    func keep(_ rows: [JobRow]) throws

    /// Forgets the jobs of an app that ended before the instant, with what they found.
    func forgetJobs(of app: AppID, endedBefore instant: Timestamp) throws
}
