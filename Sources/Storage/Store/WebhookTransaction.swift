package import Primitives

/// What endpoints need of a transaction.
package protocol WebhookTransaction {
    /// An endpoint, which is this transaction's own until it ends; nil where none has the name.
    func lockEndpoint(_ name: EndpointName) throws -> StoredEndpoint?

    /// Keeps a locked endpoint, or a new one.
    func save(_ endpoint: StoredEndpoint) throws

    /// Forgets a locked endpoint, its attempts and what is parked of it.
    func remove(_ name: EndpointName) throws

    /// Keeps attempts of a locked endpoint.
    ///
    /// - Throws: `StorageError` with `constraint` where a number is taken.
    func keep(_ attempts: [StoredAttempt]) throws

    /// Forgets the attempts that ended in one way: those with numbers to `number`, and those before `instant`.
    func forgetAttempts(of name: EndpointName, delivered: Bool, to number: Int64, before instant: Timestamp?) throws

    /// Keeps events of a locked endpoint as parked.
    func park(_ events: [StoredParkedEvent]) throws

    /// Forgets parked events of a locked endpoint.
    func unpark(_ numbers: [Int64], of name: EndpointName) throws
}
