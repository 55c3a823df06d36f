package import Primitives
import Storage

/// A key as people see it.
package struct KeyReport: Sendable, Hashable {
    package let name: String
    package let kind: String
    package let scopes: [String]
    /// Whether it opens anything now.
    package let holds: Bool
    package let madeAt: Timestamp
    package let madeBy: String
    package let endsAt: Timestamp?
    package let endedBy: String?
    /// The hour of its last use.
    package let lastUsedAt: Timestamp?
    /// Whether it was used in the 7 days before its end.
    package let isUsedNearEnd: Bool

    init(_ key: StoredKey, at now: Timestamp) {
        (name, kind, scopes) = (key.name.name, key.kind.rawValue, key.scopes)
        (holds, madeAt, madeBy) = (key.holds(at: now), key.madeAt, key.madeBy)
        (endsAt, endedBy) = (key.endsAt, key.endedBy)
        (lastUsedAt, isUsedNearEnd) = (key.lastUsedAt, key.isUsedNearEnd)
    }
}
