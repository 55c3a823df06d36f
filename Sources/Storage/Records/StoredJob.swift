package import Ledger
package import Primitives

/// Long work that somebody asked for under an id of their own: it is done page by page by whichever server has time, may be
/// looked at and ended meanwhile, and what it finds is read in pages (OWN-16).
package struct StoredJob: Sendable, Hashable {
    package let name: JobName
    /// Which kind of work it is; stable.
    package let kind: String
    /// What was asked for: JSON, in a form of the kind's own.
    package let request: String
    /// On our clock.
    package let startedAt: Timestamp
    /// How far it is: JSON, in a form of the kind's own.
    package var progress: String
    package var state: State
    /// How many rows it has found.
    package var rows: Int64
    /// When it came to its end; nil while it goes on.
    package var endedAt: Timestamp?
    /// Why it failed.
    package var reason: String?

    /// Who moves it on: from `running` the server that does it, or whoever ends it; nobody from the others. The spellings are
    /// stable: they stand in the table.
    package enum State: String, Sendable, Hashable, CaseIterable { case running, done, failed, canceled }

    package init(_ name: JobName, kind: String, request: String, progress: String, startedAt: Timestamp) {
        self.name = name
        self.kind = kind
        self.request = request
        self.progress = progress
        self.startedAt = startedAt
        (state, rows) = (.running, 0)
    }

    /// Goes on with one that was ended.
    package mutating func goOn() { (state, endedAt, reason) = (.running, nil, nil) }

    /// Brings it to its end.
    package mutating func end(_ state: State, at instant: Timestamp, because reason: String? = nil) {
        (self.state, endedAt, self.reason) = (state, instant, reason)
    }
}

/// A job of an app, by the id that its caller chose.
package struct JobName: Sendable, Hashable {
    package let app: AppID
    package let id: String

    package init(_ app: AppID, _ id: String) {
        self.app = app
        self.id = id
    }
}

/// One thing that a job found.
package struct JobRow: Sendable, Hashable {
    package let name: JobName
    /// 1, 2, 3, … of its job.
    package let number: Int64
    /// JSON, in a form of the job's kind.
    package let content: String

    package init(_ name: JobName, number: Int64, content: String) {
        self.name = name
        self.number = number
        self.content = content
    }
}
