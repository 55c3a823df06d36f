package import OperatorFactors
import Primitives
import Storage

/// What an operator who chose a new password or a new second factor needs for an authenticator application.
package struct Enrolment: Sendable {
    /// Confirms the choice together with a code; good for 15 minutes.
    package let token: SecretToken
    package let name: String
    /// The secret as people type it: base32.
    package let secretText: String
    /// The same as applications read it, `otpauth://…`.
    package let uri: String
    /// The same as a picture; nil where it does not fit into one.
    package let picture: QRCode?
}

/// An operator who has set everything, with what is shown once.
package struct Welcome: Sendable {
    package let signedIn: SignedIn
    /// Each takes the place of a code once.
    package let recoveryCodes: [String]
}

/// The way in, and the way back, over links that are good once.
extension OperatorDesk {
    /// Whose link it is, for the page that asks for a password; uses nothing up, since programs that scan mail open links too.
    ///
    /// - Returns: nil where the link is not good.
    package func name(ofLink token: SecretToken) async throws -> String? {
        let now = clock.now()
        return try await translatingStorageErrors {
            guard let link = try await store.operatorLink(token.digest), link.isGood(at: now), link.chosen == nil else {
                return nil
            }
            return link.name
        }
    }

    /// Uses a link up: the operator has chosen a password and is given a secret for codes. Nothing of it holds before
    /// ``confirm(_:code:from:)``.
    ///
    /// - Throws: ``OperatorRefusal``.
    package func redeem(_ token: SecretToken, password: String, from client: OperatorClient) async throws -> Enrolment {
        guard let name = try await name(ofLink: token) else { throw OperatorRefusal.linkNotGood }
        try Self.check(password, of: name)
        let enrolment = try newEnrolment(of: name)
        let chosen = StoredOperatorLink.Chosen(passwordHash: try await hash(password), codeSecret: enrolment.kept)
        let now = clock.now()
        try await write { transaction in
            guard let stored = try transaction.lockOperator(name), stored.endedAt == nil,
                var link = try transaction.lockOperatorLink(token.digest)
            else { throw OperatorRefusal.linkNotGood }
            // The commit of an attempt before this one may not have been heard of.
            if try transaction.lockOperatorLink(enrolment.shown.token.digest) != nil { return }
            guard link.isGood(at: now), link.chosen == nil else { throw OperatorRefusal.linkNotGood }
            link.usedAt = now
            try transaction.save(link)
            try transaction.save(Self.enrolmentLink(enrolment.shown.token, of: name, chosen, at: now))
            _ = try transaction.append(Self.note(.usedLink, of: name, from: client, at: now))
        }
        return enrolment.shown
    }

    /// Confirms what was chosen with a code of the new secret: from then on only that holds. All sessions end, and a new one
    /// begins.
    ///
    /// - Throws: ``OperatorRefusal``.
    package func confirm(_ token: SecretToken, code: String, from client: OperatorClient) async throws -> Welcome {
        let now = clock.now()
        let found = try await translatingStorageErrors { try await store.operatorLink(token.digest) }
        guard let found, found.isGood(at: now), let chosen = found.chosen else { throw OperatorRefusal.linkNotGood }
        let attempt = try await begin(found.name, from: client)
        guard let secret = secrets.reveal(chosen.codeSecret, of: Self.owner(found.name)) else {
            throw OperatorRefusal.secretUnreadable
        }
        guard let step = TimeBasedCodes(secret: secret).step(of: code, at: now, after: nil) else {
            try await noteFailure(attempt, .proofFailed, of: found.name, from: client)
            throw OperatorRefusal.proofRefused
        }
        let (recovery, begun) = (newRecoveryCodes(), chance.token())
        let stored = try await write { transaction in
            try attempt.succeed(in: transaction)
            var stored = try Self.lockLive(found.name, in: transaction)
            guard var link = try transaction.lockOperatorLink(token.digest) else { throw OperatorRefusal.linkNotGood }
            if try transaction.lockOperatorSession(begun.digest) != nil { return stored }
            guard link.isGood(at: now), let passwordHash = chosen.passwordHash ?? stored.factors?.passwordHash else {
                throw OperatorRefusal.linkNotGood
            }
            link.usedAt = now
            try transaction.save(link)
            try transaction.removeOperatorLinks(of: found.name)
            stored.factors = StoredOperator.Factors(
                passwordHash: passwordHash, codeSecret: chosen.codeSecret, lastStep: step,
                recoveryCodes: recovery.map(\.digest))
            try transaction.save(stored)
            _ = try transaction.endOperatorSessions(of: found.name, but: nil, at: now)
            try transaction.save(Self.session(begun, of: found.name, from: client, at: now))
            _ = try transaction.append(Self.note(.setFactors, of: found.name, from: client, at: now))
            return stored
        }
        let session = Self.session(begun, of: found.name, from: client, at: now)
        return Welcome(
            signedIn: SignedIn(token: begun, identity: OperatorIdentity(stored, session)), recoveryCodes: recovery.map(\.text))
    }

    // MARK: Together

    /// What is shown of a new secret, and what is kept of it.
    struct NewEnrolment: Sendable {
        let shown: Enrolment
        let kept: String
    }

    func newEnrolment(of name: String) throws -> NewEnrolment {
        let secret = chance.bytes(TimeBasedCodes.secretBytes)
        let kept: String
        do throws(SecretRefusal) {
            kept = try secrets.keep(secret, of: Self.owner(name))
        } catch {
            throw OperatorRefusal.secretKeyMissing
        }
        let uri = AuthenticatorURI.text(secret: secret, issuer: "Tenure", account: name)
        let shown = Enrolment(
            token: chance.token(), name: name, secretText: Base32.encode(secret), uri: uri, picture: QRCode(Array(uri.utf8)))
        return NewEnrolment(shown: shown, kept: kept)
    }

    func newRecoveryCodes() -> [RecoveryCode] {
        (0..<RecoveryCode.count).map { _ in RecoveryCode(random: chance.bytes(RecoveryCode.bytes)) }
    }

    static func enrolmentLink(
        _ token: SecretToken, of name: String, _ chosen: StoredOperatorLink.Chosen, at now: Timestamp
    ) -> StoredOperatorLink {
        StoredOperatorLink(digest: token.digest, name: name, endsAt: now.adding(linkLife), chosen: chosen)
    }

    static func note(
        _ act: AuditedAct, of name: String, from client: OperatorClient, at now: Timestamp, detail: String? = nil
    ) -> OperatorNote {
        var note = OperatorNote(by: name, at: now, act.rawValue)
        (note.address, note.detail) = (client.address, detail)
        return note
    }
}
