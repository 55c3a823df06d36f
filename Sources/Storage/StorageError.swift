/// Why a store could not do what was asked. Equal by code.
package struct StorageError: Error, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// Another process or connection holds the database; trying again later may help.
        case busy
        /// The disk or the database is full; reads go on.
        case full
        /// The disk refused a read or a write; the process must stop and be started again.
        case inputOutput
        /// The file is not a database of ours, or is damaged.
        case corrupt
        /// The schema was written by a newer version of Tenure.
        case schemaTooNew
        /// Commits would not be durable; the store refuses to open.
        case notDurable
        /// The store was asked for something that its constraints forbid.
        case constraint
        /// Work is held by another, or was taken back; whoever did it comes too late and must keep nothing of it.
        case staleLease
        /// A text cannot be kept as it is: it has a NUL, or is not UTF-8.
        case invalidText
        /// The database cannot be reached, or is starting or stopping.
        case unavailable
        /// Transactions stood in each other's way, and none of the repetitions got through.
        case conflict
        /// The connection broke while the commit was awaited, and no repetition could find out what became of it.
        case unknownOutcome
        /// Anything else.
        case other
    }

    package let code: Code
    package let reason: String
    package let underlying: (any Error)?

    package init(_ code: Code, _ reason: String, underlying: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.underlying = underlying
    }

    /// Whether the same request may succeed later with nobody doing anything.
    package var isRetryable: Bool {
        switch code {
        case .busy, .full, .unavailable, .conflict, .unknownOutcome: true
        case .inputOutput, .corrupt, .schemaTooNew, .notDurable, .constraint, .staleLease, .invalidText, .other: false
        }
    }

    package var description: String { "\(code.rawValue): \(reason)" }

    package static func == (left: StorageError, right: StorageError) -> Bool { left.code == right.code }
}
