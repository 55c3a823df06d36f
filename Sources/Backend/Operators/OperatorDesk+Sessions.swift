import Ledger
package import OperatorFactors
package import Primitives
import Storage

/// Somebody who was let in: what their browser keeps, and who they are.
package struct SignedIn: Sendable, Hashable {
    /// Of the cookie. It replaces whatever token the browser had before.
    package let token: SecretToken
    package let identity: OperatorIdentity
}

/// A session as people see it.
package struct OperatorSessionReport: Sendable, Hashable {
    package let id: String
    package let name: String
    package let begunAt: Timestamp
    /// Kept to the minute.
    package let seenAt: Timestamp
    package let provedAt: Timestamp
    package let address: String
    package let userAgent: String
    /// Whether it lets anybody in now.
    package let isLive: Bool

    init(_ stored: StoredOperatorSession, at now: Timestamp) {
        (id, name) = (stored.id, stored.name)
        (begunAt, seenAt, provedAt) = (stored.begunAt, stored.seenAt, stored.provedAt)
        (address, userAgent, isLive) = (stored.address, stored.userAgent, stored.isLive(at: now))
    }
}

/// From login to logout.
extension OperatorDesk {
    /// Who asks, by the token of the cookie; nil where they must log in. To be asked for each request: it notes the use, and
    /// finds roles and ends that have changed since.
    package func identity(_ token: SecretToken) async throws -> OperatorIdentity? {
        let now = clock.now()
        return try await translatingStorageErrors {
            guard var session = try await store.operatorSession(token.digest), session.isLive(at: now),
                let stored = try await store.storedOperator(session.name), stored.endedAt == nil
            else { return nil }
            if now.since(session.seenAt) >= SessionLimits.noted {
                session.seenAt = now
                try await store.write { transaction in
                    guard var kept = try transaction.lockOperatorSession(token.digest) else { return }
                    kept.seenAt = max(kept.seenAt, now)
                    try transaction.save(kept)
                }
            }
            return OperatorIdentity(stored, session)
        }
    }

    /// Whether the second factor must be proved again before an act that asks for it.
    package func needsProof(_ identity: OperatorIdentity) -> Bool { identity.needsProof(at: clock.now()) }

    /// Lets in whom a trusted proxy names: a session begins, in which the second factor counts as proved, since the proxy asked
    /// for what it asks for. The caller compares the session's name with the header at each request.
    ///
    /// - Throws: ``OperatorRefusal/loginRefused`` where there is no such operator, or they were ended.
    package func logIn(proxied name: String, from client: OperatorClient) async throws -> SignedIn {
        let (now, begun) = (clock.now(), chance.token())
        let session = Self.session(begun, of: name, from: client, at: now)
        let stored = try await write { transaction in
            guard let stored = try transaction.lockOperator(name), stored.endedAt == nil else {
                throw OperatorRefusal.loginRefused
            }
            if try transaction.lockOperatorSession(begun.digest) != nil { return stored }
            try transaction.save(session)
            _ = try transaction.append(Self.note(.loggedIn, of: name, from: client, at: now, detail: "by the proxy"))
            return stored
        }
        return SignedIn(token: begun, identity: OperatorIdentity(stored, session))
    }

    /// Proves the second factor once more, for acts that ask for it. The session goes on under another token.
    ///
    /// - Throws: ``OperatorRefusal``: `sessionOver`, `proofRefused`, `tooSoon`, `secretUnreadable`.
    package func prove(_ code: String, in token: SecretToken, from client: OperatorClient) async throws -> SignedIn {
        guard let identity = try await identity(token) else { throw OperatorRefusal.sessionOver }
        let attempt = try await begin(identity.name, from: client)
        let (now, next, name) = (clock.now(), chance.token(), identity.name)
        let outcome: Outcome = try await write { transaction in
            let hash = try transaction.lockOperator(name)?.factors?.passwordHash
            let outcome = try prove(code, of: name, hash, at: now, in: transaction)
            guard case .proved(_, let words) = outcome else { return outcome }
            try Self.replace(token, by: next, at: now, from: client, in: transaction)
            _ = try transaction.append(Self.note(.provedSecondFactor, of: name, from: client, at: now, detail: words))
            return outcome
        }
        if case .refused = outcome { try await noteFailure(attempt, .proofFailed, of: name, from: client) }
        let stored = try await finish(attempt, outcome, otherwise: .proofRefused)
        let session = Self.session(next, of: name, from: client, at: now)
        return SignedIn(token: next, identity: OperatorIdentity(stored, session))
    }

    /// Ends the session of a token; one that has ended stays so.
    package func logOut(_ token: SecretToken, from client: OperatorClient) async throws {
        let now = clock.now()
        try await write { transaction in
            guard var session = try transaction.lockOperatorSession(token.digest), session.endedAt == nil else { return }
            session.endedAt = now
            try transaction.save(session)
            _ = try transaction.append(Self.note(.loggedOut, of: session.name, from: client, at: now))
        }
    }

    /// An operator's sessions of the last 30 days, the one that was seen last first; at most 100.
    package func sessions(of name: String) async throws -> [OperatorSessionReport] {
        let (name, now) = (try Self.checked(name), clock.now())
        return try await translatingStorageErrors {
            try await store.operatorSessions(of: name, limit: 100).map { OperatorSessionReport($0, at: now) }
        }
    }

    /// Ends one session of an operator, by the id that its report has.
    ///
    /// - Returns: whether there was one to end.
    package func endSession(_ id: String, of name: String, by actor: OperatorActor) async throws -> Bool {
        let (name, now) = (try Self.checked(name), clock.now())
        let sessions = try await translatingStorageErrors { try await store.operatorSessions(of: name, limit: 100) }
        guard let digest = sessions.first(where: { $0.id == id })?.digest else { return false }
        return try await write { transaction in
            guard var session = try transaction.lockOperatorSession(digest), session.endedAt == nil else { return false }
            session.endedAt = now
            try transaction.save(session)
            _ = try transaction.append(Self.note(.endedSession, by: actor, at: now, about: name, detail: "session \(id)"))
            return true
        }
    }

    /// Ends all sessions of an operator.
    ///
    /// - Parameter token: of the one that goes on; nil: none does.
    /// - Returns: how many ended.
    package func endSessions(of name: String, but token: SecretToken? = nil, by actor: OperatorActor) async throws -> Int {
        let (name, now) = (try Self.checked(name), clock.now())
        return try await write { transaction in
            let count = try transaction.endOperatorSessions(of: name, but: token?.digest, at: now)
            if count > 0 {
                _ = try transaction.append(
                    Self.note(.endedSessions, by: actor, at: now, about: name, detail: "\(count) sessions"))
            }
            return count
        }
    }

    // MARK: Together

    static func session(
        _ token: SecretToken, of name: String, from client: OperatorClient, at now: Timestamp
    ) -> StoredOperatorSession {
        StoredOperatorSession(digest: token.digest, name: name, begunAt: now, provedAt: now, from: client.stored)
    }

    /// Puts a new token in the place of a session's, whose beginning stays.
    ///
    /// - Throws: ``OperatorRefusal/sessionOver``.
    static func replace(
        _ token: SecretToken, by next: SecretToken, at now: Timestamp, from client: OperatorClient,
        in transaction: any OperatorTransaction
    ) throws {
        if try transaction.lockOperatorSession(next.digest) != nil { return }
        guard var old = try transaction.lockOperatorSession(token.digest), old.isLive(at: now) else {
            throw OperatorRefusal.sessionOver
        }
        old.endedAt = now
        try transaction.save(old)
        try transaction.save(
            StoredOperatorSession(digest: next.digest, name: old.name, begunAt: old.begunAt, provedAt: now, from: client.stored))
    }
}
