package import Ledger
package import Primitives
import Storage

/// A key that somebody wants.
package struct KeyOrder: Sendable, Hashable {
    package let name: String
    package let kind: String
    package let scopes: [String]
    /// nil: without end.
    package var endsAt: Timestamp?
    /// Who wants it; nil: the app's backend.
    package var actor: String?

    package init(name: String, kind: String, scopes: [String]) { (self.name, self.kind, self.scopes) = (name, kind, scopes) }
}

/// Keys of apps by the hand of people (docs/operations/keys.md).
extension Backend {
    /// A key that was made, with its text, which is nowhere else.
    package struct MadeKey: Sendable {
        package let text: String
        package let report: KeyReport
    }

    package static let mostKeys = 1000
    /// What a public key can have: what is open to customers and new devices.
    package static let publicScopes: [KeyScope] = [.entitlementsRead, .customersWrite, .uploadsWrite, .offersSign]

    /// Makes a key.
    ///
    /// - Parameter digest: the SHA-256 of a text.
    /// - Throws: ``KeyRefusal``; `BackendError.unknownApp`; ``AnsweredBefore``.
    package func makeKey(
        _ order: KeyOrder, app id: AppID, digest: (String) -> [UInt8], once: Once<MadeKey> = .unkeyed
    ) async throws -> MadeKey {
        let (app, now) = (try settings(of: id).id, clock.now())
        let kind = try check(order, at: now)
        let text = tokens.key(kind)
        let making = StoredKey.Making(at: now, by: ActingKey.signed(try Ballot.checkedActor(order.actor)))
        var key = StoredKey(
            KeyName(app, order.name), kind, digest: KeyDigest(bytes: digest(text)), scopes: Array(Set(order.scopes)), made: making
        )
        key.endsAt = order.endsAt
        let made = MadeKey(text: text, report: KeyReport(key, at: now))
        return try await translatingStorageErrors {
            try await store.write { [key] transaction in
                try once.perform(in: transaction, at: now) {
                    try Self.keep(key, in: transaction)
                    return made
                }
            }
        }
    }

    private static func keep(_ new: StoredKey, in transaction: any KeyTransaction) throws {
        let known = try transaction.lockKeys(of: new.name.app)
        if let taken = known.first(where: { $0.name == new.name }) {
            // The commit of an attempt before this one may not have been heard of.
            guard taken == new else { throw KeyRefusal.nameTaken(new.name.name) }
            return
        }
        guard known.count < mostKeys else { throw KeyRefusal.tooMany(most: mostKeys) }
        try transaction.save(new)
    }

    /// The keys of an app that the database has, those that ended too; by name.
    package func keys(of id: AppID) async throws -> [KeyReport] {
        let (app, now) = (try settings(of: id).id, clock.now())
        return try await translatingStorageErrors { try await store.apiKeys(of: app).map { KeyReport($0, at: now) } }
    }

    /// Ends a key, at an instant or now; one that has ended stays as it is.
    ///
    /// - Parameter instant: nil, or what is past: now.
    /// - Throws: ``KeyRefusal/unknown(_:)``.
    package func endKey(_ name: String, of id: AppID, at instant: Timestamp?, by actor: String?) async throws -> KeyReport {
        let (app, now) = (try settings(of: id).id, clock.now())
        let (end, by) = (max(instant ?? now, now), ActingKey.signed(try Ballot.checkedActor(actor)))
        return try await translatingStorageErrors {
            let ended = try await store.write { transaction in
                guard var key = try transaction.lockKeys(of: app).first(where: { $0.name.name == name }) else {
                    throw KeyRefusal.unknown(name)
                }
                guard key.holds(at: now), key.endsAt != end else { return key }
                (key.endsAt, key.endedBy) = (end, by)
                try transaction.save(key)
                return key
            }
            try await keys.read()
            return KeyReport(ended, at: now)
        }
    }

    /// - Throws: ``KeyRefusal/invalid(field:reason:)``.
    private func check(_ order: KeyOrder, at now: Timestamp) throws -> StoredKey.Kind {
        guard Self.isKeyName(order.name) else {
            throw KeyRefusal.invalid(field: "name", reason: "must be 1 to 64 of a-z, 0-9 and -, and not \(ActingKey.ofFile)")
        }
        let kind = StoredKey.Kind(rawValue: order.kind)
        guard [.server, .public].contains(kind) else {
            throw KeyRefusal.invalid(field: "kind", reason: "must be server or public")
        }
        let known = (kind == .public ? Self.publicScopes : KeyScope.allCases).map(\.rawValue)
        guard !order.scopes.isEmpty, order.scopes.allSatisfy(known.contains) else {
            throw KeyRefusal.invalid(
                field: "scopes", reason: "must have at least one of \(known.joined(separator: ", ")), and nothing else")
        }
        if let end = order.endsAt, end <= now { throw KeyRefusal.invalid(field: "endsAt", reason: "is past") }
        return kind
    }

    /// The name of the keys of the configuration file is theirs.
    private static func isKeyName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name != ActingKey.ofFile
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || byte == UInt8(ascii: "-")
            }
    }
}
