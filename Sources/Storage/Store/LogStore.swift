/// What those need who read what was told, each at their own pace: the log of an app's environment in the order of its commits
/// (TELL-3).
package protocol LogStore: Sendable {
    /// The events after a place, at most `limit`. Whoever reads on from ``LogPage/end`` again and again reads every event exactly
    /// once, whatever writes meanwhile.
    func log(of scope: Scope, after place: LogPlace, limit: Int) async throws -> LogPage

    /// The events of one subscription or customer in their order, from a number of theirs on; at most `limit`.
    func events(of subject: OutboxEntry.Subject, from sequence: Int64, limit: Int) async throws -> [LoggedEvent]

    /// The place of the last event that can be read; ``LogPlace/start`` where there is none.
    func logEnd(of scope: Scope) async throws -> LogPlace

    /// The last events that can be read, the last one first; at most `limit`.
    func newestEvents(of scope: Scope, limit: Int) async throws -> [LoggedEvent]

    /// The place to which everything is forgotten; ``LogPlace/start`` where nothing is.
    func logFloor(of scope: Scope) async throws -> LogPlace
}
