package import Ledger
package import Primitives
import Storage

/// Signals of abuse for people: listing and acknowledging (ABUSE-1).
extension Backend {
    /// Which signals are asked for; nil: whichever.
    package struct SignalFilter: Sendable, Hashable {
        let isOpen: Bool?
        let kind: AbuseSignal.Kind?
        package var subject: AbuseSignal.Subject?

        package init(isOpen: Bool? = nil, kind: AbuseSignal.Kind? = nil) { (self.isOpen, self.kind) = (isOpen, kind) }
    }

    /// A signal as it is kept.
    package struct ListedSignal: Sendable, Hashable {
        package let id: Int64
        package let signal: AbuseSignal
        package let isOpen: Bool
        package let firstRaisedAt: Timestamp
        package let raisedAt: Timestamp
        package let raises: Int64
        package let changedAt: Timestamp
        /// What was said of it last; nil where nothing was.
        package let acknowledgement: Acknowledgement?

        /// Somebody has looked at it.
        package struct Acknowledgement: Sendable, Hashable {
            package let at: Timestamp
            package let actor: String
            package let reason: String
            package let count: Int64
        }

        init(_ stored: StoredSignal) {
            (id, signal, isOpen) = (stored.id, stored.signal, stored.isOpen)
            (firstRaisedAt, raisedAt, raises) = (stored.firstRaisedAt, stored.raisedAt, stored.raises)
            changedAt = stored.changedAt
            acknowledgement = stored.acknowledgement.map {
                Acknowledgement(at: $0.at, actor: $0.actor, reason: $0.reason, count: Int64($0.count))
            }
        }
    }

    /// Signals, the one that was raised for the first time last first.
    ///
    /// - Parameter last: where the page before ended; nil for the first page.
    package func signals(
        _ filter: SignalFilter, app id: AppID, environment: Environment, before last: Int64?, limit: Int
    ) async throws -> [ListedSignal] {
        try settings(of: id).checkTakes(environment)
        let search = SignalSearch(isOpen: filter.isOpen, kind: filter.kind, subject: filter.subject, before: last)
        return try await translatingStorageErrors {
            try await store.signals(search, in: Scope(app: id, environment: environment), limit: limit)
        }.map { ListedSignal($0) }
    }

    /// The open ones about some subjects, the one that was raised for the first time last first.
    func openSignals(about subjects: [AbuseSignal.Subject], in scope: Scope) async throws -> [ListedSignal] {
        try await translatingStorageErrors {
            var found: [ListedSignal] = []
            for subject in subjects {
                // One for each kind at the most.
                let search = SignalSearch(isOpen: true, subject: subject)
                found += try await store.signals(search, in: scope, limit: AbuseSignal.Kind.allCases.count)
                    .map { ListedSignal($0) }
            }
            return found.sorted { $0.id > $1.id }
        }
    }

    /// - Throws: `BackendError.unknownSignal`.
    package func signal(_ number: Int64, app id: AppID, environment: Environment) async throws -> ListedSignal {
        ListedSignal(try await stored(number, app: id, environment: environment))
    }

    private func stored(_ number: Int64, app id: AppID, environment: Environment) async throws -> StoredSignal {
        try settings(of: id).checkTakes(environment)
        let found = try await translatingStorageErrors {
            try await store.signal(number, in: Scope(app: id, environment: environment))
        }
        guard let found else { throw BackendError.unknownSignal(number) }
        return found
    }

    /// Acknowledges a signal as somebody saw it. Saying the same again changes nothing.
    ///
    /// - Parameters:
    ///   - seen: the signal's `changedAt` when they looked.
    ///   - ballot: who says it, and why.
    /// - Throws: `BackendError.unknownSignal`; `BackendError.signalChanged` where it is another one by now than they saw.
    package func acknowledge(
        _ number: Int64, seen: Timestamp, by ballot: Ballot, app id: AppID, environment: Environment
    ) async throws -> ListedSignal {
        let known = try await stored(number, app: id, environment: environment)
        let acknowledged = try await translatingStorageErrors {
            try await store.write { transaction in
                guard let stored = try transaction.signal(known.name) else { throw BackendError.unknownSignal(number) }
                var acknowledged = stored
                // Whoever says the same again saw it as it was before.
                guard acknowledged.acknowledge(by: ballot.actor, because: ballot.reason, at: ballot.votedAt) else {
                    return stored
                }
                guard stored.changedAt == seen else { throw BackendError.signalChanged(number) }
                try transaction.keep(acknowledged)
                return acknowledged
            }
        }
        return ListedSignal(acknowledged)
    }
}
