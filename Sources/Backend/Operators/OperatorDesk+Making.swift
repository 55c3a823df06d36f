import Ledger
package import OperatorFactors
package import Primitives
import Storage

/// An operator as people see them.
package struct OperatorReport: Sendable, Hashable {
    package let name: String
    package let grants: [OperatorGrant]
    /// Whether password and second factor are set.
    package let isReady: Bool
    package let recoveryCodesLeft: Int
    package let madeAt: Timestamp
    package let madeBy: String
    package let endedAt: Timestamp?
    package let endedBy: String?

    init(_ stored: StoredOperator) {
        (name, grants) = (stored.name, stored.grants.compactMap(OperatorGrant.init))
        (isReady, recoveryCodesLeft) = (stored.factors != nil, stored.factors?.recoveryCodes.count ?? 0)
        (madeAt, madeBy, endedAt, endedBy) = (stored.madeAt, stored.madeBy, stored.endedAt, stored.endedBy)
    }
}

/// Who does something to operators: an operator from their browser, or whoever uses the command line.
package struct OperatorActor: Sendable, Hashable {
    package let name: String
    /// Nil on the command line.
    package let address: String?

    package static let commandLine = OperatorActor(name: OperatorName.commandLine, address: nil)

    private init(name: String, address: String?) { (self.name, self.address) = (name, address) }

    /// - Parameter name: of an operator who was let in.
    package init(name: String, from client: OperatorClient) { self.init(name: name, address: client.address) }

    package init(_ identity: OperatorIdentity, from client: OperatorClient) {
        self.init(name: identity.name, from: client)
    }
}

/// Operators by the hand of people.
extension OperatorDesk {
    /// Makes an operator, and the link with which they choose password and second factor.
    ///
    /// - Returns: the link's token, which is nowhere else.
    /// - Throws: ``OperatorRefusal``.
    package func make(_ name: String, grants: [OperatorGrant], by actor: OperatorActor) async throws -> SecretToken {
        let (name, now, token) = (try Self.checked(name), clock.now(), chance.token())
        let made = StoredOperator(name: name, grants: try stored(grants), madeAt: now, madeBy: actor.name)
        guard try await translatingStorageErrors({ try await store.operators() }).count < Self.mostOperators else {
            throw OperatorRefusal.tooMany(most: Self.mostOperators)
        }
        let note = Self.note(.madeOperator, by: actor, at: now, about: name, detail: Self.words(grants))
        try await write { transaction in
            if try transaction.lockOperator(name) != nil {
                // The commit of an attempt before this one may not have been heard of.
                guard try transaction.lockOperatorLink(token.digest) != nil else { throw OperatorRefusal.nameTaken(name) }
                return
            }
            try transaction.save(made)
            try transaction.save(StoredOperatorLink(digest: token.digest, name: name, endsAt: now.adding(Self.linkLife)))
            _ = try transaction.append(note)
        }
        return token
    }

    /// Makes another link for an operator: the way back for who has lost password and second factor. Links before it are good no
    /// more; what the operator has holds until the new link is used to its end.
    ///
    /// - Throws: ``OperatorRefusal``.
    package func makeLink(for name: String, by actor: OperatorActor) async throws -> SecretToken {
        let (name, now, token) = (try Self.checked(name), clock.now(), chance.token())
        try await write { transaction in
            _ = try Self.lockLive(name, in: transaction)
            try transaction.removeOperatorLinks(of: name)
            try transaction.save(StoredOperatorLink(digest: token.digest, name: name, endsAt: now.adding(Self.linkLife)))
            _ = try transaction.append(Self.note(.madeLink, by: actor, at: now, about: name))
        }
        return token
    }

    /// Changes what an operator may do. Each of their sessions goes on under the new roles with its next request.
    ///
    /// - Throws: ``OperatorRefusal``.
    package func setGrants(_ grants: [OperatorGrant], of name: String, by actor: OperatorActor) async throws -> OperatorReport {
        let (name, now, stored) = (try Self.checked(name), clock.now(), try stored(grants))
        return try await write { transaction in
            var changed = try Self.lockLive(name, in: transaction)
            changed.grants = stored
            try transaction.save(changed)
            _ = try transaction.append(
                Self.note(.changedRoles, by: actor, at: now, about: name, detail: Self.words(grants)))
            return OperatorReport(changed)
        }
    }

    /// Ends an operator, with all their sessions and links, for good; one who has ended stays as they are.
    ///
    /// - Throws: ``OperatorRefusal``.
    package func end(_ name: String, by actor: OperatorActor) async throws -> OperatorReport {
        let (name, now) = (try Self.checked(name), clock.now())
        return try await write { transaction in
            guard var ended = try transaction.lockOperator(name) else { throw OperatorRefusal.unknown(name) }
            guard ended.endedAt == nil else { return OperatorReport(ended) }
            (ended.endedAt, ended.endedBy, ended.factors) = (now, actor.name, nil)
            try transaction.save(ended)
            try transaction.removeOperatorLinks(of: name)
            _ = try transaction.endOperatorSessions(of: name, but: nil, at: now)
            _ = try transaction.append(Self.note(.endedOperator, by: actor, at: now, about: name))
            return OperatorReport(ended)
        }
    }

    /// All operators, those that ended too; by name.
    package func operators() async throws -> [OperatorReport] {
        try await translatingStorageErrors { try await store.operators().map { OperatorReport($0) } }
    }

    // MARK: Together

    static func checked(_ name: String) throws -> String {
        guard let checked = OperatorName.checked(name) else {
            throw OperatorRefusal.invalid(field: "name", reason: "must be 1 to 64 of a-z, 0-9 and . _ + @ -")
        }
        return checked
    }

    /// An operator who has not ended.
    static func lockLive(_ name: String, in transaction: any OperatorTransaction) throws -> StoredOperator {
        guard let stored = try transaction.lockOperator(name) else { throw OperatorRefusal.unknown(name) }
        guard stored.endedAt == nil else { throw OperatorRefusal.ended(name) }
        return stored
    }

    private func stored(_ grants: [OperatorGrant]) throws -> [StoredOperator.Grant] {
        guard !grants.isEmpty else { throw OperatorRefusal.invalid(field: "roles", reason: "must be one at least") }
        guard Set(grants.map(\.app)).count == grants.count else {
            throw OperatorRefusal.invalid(field: "roles", reason: "must be one for an app")
        }
        if let unknown = grants.compactMap(\.app).first(where: { !apps.contains($0) }) {
            throw OperatorRefusal.invalid(field: "app", reason: "must be a configured one; \(unknown) is not")
        }
        return grants.map { StoredOperator.Grant(app: $0.app, role: $0.role.rawValue) }
    }

    /// For people: `support in app, viewer`.
    private static func words(_ grants: [OperatorGrant]) -> String {
        grants.map { grant in grant.app.map { "\(grant.role.rawValue) in \($0)" } ?? grant.role.rawValue }.joined(separator: ", ")
    }

    static func note(
        _ act: AuditedAct, by actor: OperatorActor, at now: Timestamp, about subject: String?, detail: String? = nil
    ) -> OperatorNote {
        var note = OperatorNote(by: actor.name, at: now, act.rawValue)
        (note.address, note.subject, note.detail) = (actor.address, subject, detail)
        return note
    }
}
