package import Primitives

/// What is told of endpoints, and what of the log is forgotten.
package protocol LogTransaction {
    /// Tells an event about a locked endpoint.
    ///
    /// - Parameter number: the next of the endpoint's own.
    func tell(_ event: EndpointEvent, of key: EndpointKey, number: Int64, at now: Timestamp) throws

    /// Forgets the oldest events of a log that were told before an instant, and notes to where; at most `limit` rows. The last
    /// row of all logs stays.
    ///
    /// - Returns: how many rows.
    func forgetEvents(in scope: Scope, before instant: Timestamp, limit: Int, at now: Timestamp) throws -> Int
}
