/// Why a store could not do what was asked. Equal by code.
package struct StorageError: Error, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        /// Another process or connection holds what is needed, or more waits already than may; trying again later may help.
        case busy
        /// The database cannot be reached, starts up, shuts down, or was lost before anything was committed.
        case unavailable
        /// The database undid the transaction because of another one at work; the same transaction may succeed when it is run
        /// again.
        case conflict
        /// The connection was lost while the commit was awaited: all of the transaction was kept, or nothing. Only a caller
        /// that writes under semantic keys may try again.
        case unknownOutcome
        /// It took longer than it may; nothing of it was kept.
        case timedOut
        /// The caller went away before it was begun; nothing was done.
        case cancelled
        /// The disk or the database is full; reads go on.
        case full
        /// The database takes no writes: a standby, or one that was told so; the one that does may be found by trying again.
        case readOnly
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
        /// A text that the database cannot hold, or that is not one: NUL, or bytes that are not UTF-8.
        case invalidText
        /// More, or longer, than the database or its protocol can take.
        case tooLarge
        /// The database knows us and forbids it, or does not let us in.
        case notPermitted
        /// The operator must change something: the URL, a package that is missing, a version that is too old.
        case misconfigured
        /// Work is held by another, or was taken back; its worker is too late and must keep nothing of it.
        case staleLease
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

    /// Whether the same request may succeed later with nobody doing anything. Trying again is safe too, except after
    /// `unknownOutcome`, where it is safe for what is written under semantic keys.
    package var isRetryable: Bool {
        switch code {
        case .busy, .unavailable, .conflict, .unknownOutcome, .timedOut, .full, .readOnly: true
        case .cancelled, .inputOutput, .corrupt, .schemaTooNew, .notDurable, .constraint, .staleLease, .invalidText, .tooLarge,
            .notPermitted, .misconfigured, .other:
            false
        }
    }

    package var description: String { "\(code.rawValue): \(reason)" }

    package static func == (left: StorageError, right: StorageError) -> Bool { left.code == right.code }
}
