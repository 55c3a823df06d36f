package import Primitives

/// What those need who make operators, let them in, and note what they do. Locks are taken in the order of these functions, so
/// that transactions do not wait for each other in a circle.
package protocol OperatorTransaction {
    /// The failures of logins with a name or from an address, which are this transaction's own until it ends, also where there
    /// are none yet.
    func lockLoginFailures(of subject: String) throws -> LoginFailures?

    /// Keeps the failures of a locked subject in place of those before.
    func save(_ failures: LoginFailures) throws

    /// Nothing failed for a locked subject any more.
    func forgetLoginFailures(of subject: String) throws

    /// The operator of a name, which is this transaction's own until it ends, also where nobody has it yet.
    func lockOperator(_ name: String) throws -> StoredOperator?

    /// Keeps a locked operator, new or in place of what was kept; when and by whom one was made stays.
    func save(_ stored: StoredOperator) throws

    /// A link that is this transaction's own until it ends; nil where there is none.
    func lockOperatorLink(_ digest: [UInt8]) throws -> StoredOperatorLink?

    /// Keeps a link, new or with its use.
    func save(_ link: StoredOperatorLink) throws

    /// No link of an operator that was not used is good any more.
    func removeOperatorLinks(of name: String) throws

    /// A session that is this transaction's own until it ends; nil where there is none.
    func lockOperatorSession(_ digest: [UInt8]) throws -> StoredOperatorSession?

    /// Keeps a session, new or with its use and its end.
    func save(_ session: StoredOperatorSession) throws

    /// Ends the sessions of an operator that did not end before.
    ///
    /// - Parameter digest: of the one that goes on; nil: none does.
    /// - Returns: how many.
    func endOperatorSessions(of name: String, but digest: [UInt8]?, at now: Timestamp) throws -> Int

    /// Appends to the chain of what operators did. Where the act's customer is not known the row names none.
    func append(_ act: OperatorNote) throws -> AuditHead

    /// Forgets links and sessions of which nothing happened since an instant, and failures since another; at most `limit` of
    /// each.
    func forgetOperatorTraces(before instant: Timestamp, failuresBefore failed: Timestamp, limit: Int) throws

    /// Forgets what was searched before an instant; the rows that say that something was stay. At most `limit`.
    ///
    /// - Returns: how many.
    func forgetSearches(before instant: Timestamp, limit: Int) throws -> Int
}
