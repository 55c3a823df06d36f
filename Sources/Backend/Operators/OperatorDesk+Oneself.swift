package import OperatorFactors
import Primitives
import Storage

/// What operators change of themselves. Each asks for a proof of the second factor that is not older than ten minutes.
extension OperatorDesk {
    /// Chooses another password. Every other session ends, and this one goes on under another token.
    ///
    /// - Throws: ``OperatorRefusal``: `proofNeeded`; `proofRefused` where the present password is another one; those of a new
    ///   password.
    ///
    /// Source: OWASP ASVS 4.0.3, 2.1.5, 2.1.6, 3.3.3.
    package func changePassword(
        from current: String, to new: String, in token: SecretToken, client: OperatorClient
    ) async throws -> SignedIn {
        let name = try await provedIdentity(token).name
        try Self.check(new, of: name)
        let attempt = try await begin(name, from: client)
        let kept = try await translatingStorageErrors { try await store.storedOperator(name) }?.factors?.passwordHash
        guard try await takingBackIfOverloaded(attempt, { try await matches(current, kept) }), let kept else {
            try await noteFailure(attempt, .proofFailed, of: name, from: client)
            throw OperatorRefusal.proofRefused
        }
        let hashed = try await takingBackIfOverloaded(attempt) { try await hash(new) }
        let (now, next) = (clock.now(), chance.token())
        let stored = try await write { transaction in
            try attempt.succeed(in: transaction)
            var stored = try Self.lockLive(name, in: transaction)
            // The commit of an attempt before this one may not have been heard of.
            if try transaction.lockOperatorSession(next.digest) != nil { return stored }
            guard stored.factors?.passwordHash == kept else { throw OperatorRefusal.proofRefused }
            stored.factors?.passwordHash = hashed
            try transaction.save(stored)
            try Self.replace(token, by: next, at: now, from: client, in: transaction)
            _ = try transaction.endOperatorSessions(of: name, but: next.digest, at: now)
            _ = try transaction.append(Self.note(.changedPassword, of: name, from: client, at: now))
            return stored
        }
        let session = Self.session(next, of: name, from: client, at: now)
        return SignedIn(token: next, identity: OperatorIdentity(stored, session))
    }

    /// What happened lately to an operator's login, the newest first: so that they see what they did not do. At most `limit`,
    /// among the last 500 things that are noted of them.
    ///
    /// Source: OWASP ASVS 4.0.3, 2.2.3 (Tenure sends no mail).
    package func loginNotes(of name: String, limit: Int) async throws -> [AuditedNote] {
        let notes = try await audit(actor: try Self.checked(name), limit: 500).notes
        return Array(notes.filter { AuditedAct(rawValue: $0.act)?.isOfLogin ?? false }.prefix(limit))
    }

    /// Begins to change the second factor: the new secret holds once ``confirm(_:code:from:)`` has heard a code of it.
    ///
    /// - Throws: ``OperatorRefusal``: `proofNeeded`, `secretKeyMissing`.
    package func beginFactor(in token: SecretToken) async throws -> Enrolment {
        let name = try await provedIdentity(token).name
        let (enrolment, now) = (try newEnrolment(of: name), clock.now())
        let chosen = StoredOperatorLink.Chosen(passwordHash: nil, codeSecret: enrolment.kept)
        try await write { transaction in
            _ = try Self.lockLive(name, in: transaction)
            try transaction.save(Self.enrolmentLink(enrolment.shown.token, of: name, chosen, at: now))
        }
        return enrolment.shown
    }

    /// Makes ten recovery codes in place of those before.
    ///
    /// - Throws: ``OperatorRefusal``: `proofNeeded`.
    package func makeRecoveryCodes(in token: SecretToken, from client: OperatorClient) async throws -> [String] {
        let name = try await provedIdentity(token).name
        let (codes, now) = (newRecoveryCodes(), clock.now())
        try await write { transaction in
            var stored = try Self.lockLive(name, in: transaction)
            stored.factors?.recoveryCodes = codes.map(\.digest)
            try transaction.save(stored)
            _ = try transaction.append(Self.note(.madeRecoveryCodes, of: name, from: client, at: now))
        }
        return codes.map(\.text)
    }

    /// Chooses language and time zone of the pages; asks for no proof.
    ///
    /// - Parameters:
    ///   - language: nil: what the browser asks for. The caller checks that there is such a one.
    ///   - timeZone: nil: UTC. The caller checks that there is such a one.
    /// - Throws: ``OperatorRefusal/sessionOver``.
    package func setReading(language: String?, timeZone: String?, in token: SecretToken, from client: OperatorClient) async throws
    {
        guard let name = try await identity(token)?.name else { throw OperatorRefusal.sessionOver }
        let now = clock.now()
        try await write { transaction in
            var stored = try Self.lockLive(name, in: transaction)
            (stored.language, stored.timeZone) = (language?.bounded(to: 35), timeZone?.bounded(to: 64))
            try transaction.save(stored)
            _ = try transaction.append(Self.note(.changedSettings, of: name, from: client, at: now))
        }
    }

    /// - Throws: ``OperatorRefusal``: `sessionOver`, `proofNeeded`.
    private func provedIdentity(_ token: SecretToken) async throws -> OperatorIdentity {
        guard let identity = try await identity(token) else { throw OperatorRefusal.sessionOver }
        guard !identity.needsProof(at: clock.now()) else { throw OperatorRefusal.proofNeeded }
        return identity
    }
}
