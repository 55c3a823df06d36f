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
        case .busy, .full: true
        case .inputOutput, .corrupt, .schemaTooNew, .notDurable, .constraint, .other: false
        }
    }

    package var description: String { "\(code.rawValue): \(reason)" }

    package static func == (left: StorageError, right: StorageError) -> Bool { left.code == right.code }
}
