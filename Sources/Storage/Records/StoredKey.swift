package import Ledger
package import Primitives

/// The SHA-256 of a key: what is kept of it, looked up and compared.
package struct KeyDigest: Sendable, Hashable {
    /// 32 of them.
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }
}

/// A key of an app by its name, which stands in the audit and is never another key's.
package struct KeyName: Sendable, Hashable, Comparable {
    package let app: AppID
    package let name: String

    package init(_ app: AppID, _ name: String) { (self.app, self.name) = (app, name) }

    package static func < (lesser: KeyName, greater: KeyName) -> Bool {
        (lesser.app, lesser.name) < (greater.app, greater.name)
    }
}

/// A key that an app's callers show, without the key itself (docs/decisions/0053).
package struct StoredKey: Sendable, Hashable {
    /// Who is to have it. The spellings stand in the table; what a newer version of Tenure adds opens nothing here.
    package struct Kind: Sendable, Hashable, RawRepresentable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The app's backend, as a secret.
        package static let server = Kind(rawValue: "server")
        /// Whoever has the app.
        package static let `public` = Kind(rawValue: "public")
    }

    package let name: KeyName
    package let kind: Kind
    package let digest: KeyDigest
    /// What it may do, sorted: the spellings of ``KeyScope``, and those of newer versions.
    package let scopes: [String]
    package let madeAt: Timestamp
    /// An operator, and after a slash the key with which they made it.
    package let madeBy: String
    /// From then on it opens nothing; nil: without end.
    package var endsAt: Timestamp?
    /// Who last changed its end; nil where nobody did since it was made.
    package var endedBy: String?
    /// The beginning of the hour of its last use that was noted; nil where there was none.
    package var lastUsedAt: Timestamp?

    package init(_ name: KeyName, _ kind: Kind, digest: KeyDigest, scopes: [String], made: Making) {
        (self.name, self.kind, self.digest) = (name, kind, digest)
        self.scopes = scopes.sorted()
        (madeAt, madeBy) = (made.at, made.by)
    }

    /// When a key was made, and by whom.
    package struct Making: Sendable {
        let at: Timestamp
        let by: String

        package init(at instant: Timestamp, by actor: String) { (at, by) = (instant, actor) }
    }

    /// Whether it opens anything at an instant.
    package func holds(at instant: Timestamp) -> Bool { endsAt.map { instant < $0 } ?? true }

    /// Whether it may do what needs the scope.
    package func has(_ scope: KeyScope) -> Bool { scopes.contains(scope.rawValue) }

    /// So long before its end it should not be used any more.
    package static let rotation = Milliseconds.days(7)

    /// Whether an instant lies in its last days.
    package func isNearEnd(at instant: Timestamp) -> Bool { endsAt.map { $0.since(instant) <= Self.rotation } ?? false }

    /// Whether it was used in its last days.
    package var isUsedNearEnd: Bool { lastUsedAt.map { isNearEnd(at: $0.adding(.hours(1))) } ?? false }
}
