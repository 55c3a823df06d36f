import OperatorFactors
import Primitives
import Storage

/// An attempt that was counted before it was decided, so that many at once do not count as one.
struct CountedAttempt: Sendable {
    /// Of the name and of the address.
    fileprivate let subjects: [String]
    /// How many failures the name has with this one, should it be one.
    fileprivate let failures: Int64

    /// A right login forgives what failed with the name. The address keeps its other failures, so that whoever tries names cannot
    /// free it with a name of their own.
    func succeed(in transaction: any OperatorTransaction) throws {
        for subject in subjects.sorted() {
            guard var failures = try transaction.lockLoginFailures(of: subject) else { continue }
            failures.count -= 1
            if failures.count <= 0 || subject == subjects.first {
                try transaction.forgetLoginFailures(of: subject)
            } else {
                try transaction.save(failures)
            }
        }
    }

    /// It was no attempt: it was never looked at.
    func takeBack(in transaction: any OperatorTransaction) throws {
        for subject in subjects.sorted() {
            guard var failures = try transaction.lockLoginFailures(of: subject) else { continue }
            failures.count = max(0, failures.count - 1)
            try transaction.save(failures)
        }
    }

    /// Whether its failure is written into the audit.
    var isNoted: Bool { LoginSlowing.isNoted(failures) }

    /// For people.
    var words: String { "failure \(failures)" }
}

extension OperatorDesk {
    /// Counts an attempt as a failure, until it is known to be none.
    ///
    /// - Parameter name: as it was typed.
    /// - Throws: ``OperatorRefusal/tooSoon(seconds:)``.
    func begin(_ name: String, from client: OperatorClient) async throws -> CountedAttempt {
        let now = clock.now()
        let plain = OperatorName.checked(name) ?? name
        let subjects = ["name/\(TypedName.digest(plain))", "address/\(client.failureGroup)"]
        let sessions = try await translatingStorageErrors { try await store.operatorSessions(of: plain, limit: 50) }
        // Whoever tries a name from elsewhere does not slow down the operator where they have logged in before.
        let isFamiliar = sessions.contains {
            $0.address == client.address && now.since($0.seenAt) < SessionLimits.remembered
        }
        return try await write { transaction in
            try transaction.forgetOperatorTraces(
                before: Timestamp(millisecondsSince1970: now.millisecondsSince1970 - SessionLimits.remembered.count),
                failuresBefore: Timestamp(millisecondsSince1970: now.millisecondsSince1970 - LoginSlowing.remembered.count),
                limit: 20)
            var known: [LoginFailures?] = []
            for subject in subjects.sorted() { known.append(try transaction.lockLoginFailures(of: subject)) }
            let failures = subjects.map { subject in
                known.compactMap(\.self).first { $0.subject == subject } ?? LoginFailures(of: subject, count: 0, lastAt: now)
            }
            for (place, subject) in failures.enumerated() where place > 0 || !isFamiliar {
                if let seconds = LoginSlowing.wait(after: subject, at: now) { throw OperatorRefusal.tooSoon(seconds: seconds) }
            }
            for var counted in failures {
                (counted.count, counted.lastAt) = (counted.count + 1, now)
                try transaction.save(counted)
            }
            return CountedAttempt(subjects: subjects, failures: (failures.map(\.count).max() ?? 0) + 1)
        }
    }

    /// Writes a failure into the audit.
    func noteFailure(
        _ attempt: CountedAttempt, _ act: AuditedAct, of name: String, from client: OperatorClient
    ) async throws {
        guard attempt.isNoted else { return }
        let note = Self.note(act, of: name, from: client, at: clock.now(), detail: attempt.words)
        try await write { _ = try $0.append(note) }
    }
}
