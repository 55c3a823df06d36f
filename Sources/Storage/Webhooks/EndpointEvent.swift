package import Ledger
package import Primitives

/// Something that happened to an endpoint, told to the app's other endpoints and in the log (docs/events.md).
package struct EndpointEvent: Sendable, Hashable, Codable {
    package let kind: Kind
    package let effectiveAt: Timestamp
    /// By which rule it follows (docs/rules.md).
    package let rule: String
    /// What came of the last attempt: a status, or why no answer came.
    package let reason: String

    /// What happened. The spellings are stable: they stand in stored events and in what is sent.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// It takes nothing; it is tried from time to time.
        case failing = "endpoint.failing"
        /// Nothing is sent to it until somebody resumes it: it answered 410, or took nothing for five days.
        case disabled = "endpoint.disabled"
    }

    package init(_ kind: Kind, at effectiveAt: Timestamp, because reason: String) {
        (self.kind, self.effectiveAt, self.reason) = (kind, effectiveAt, reason)
        rule = "TELL-3"
    }

    /// As it is kept: a JSON object of one line.
    package var text: String { get throws { try StateCoding.encode(self) } }
}

/// An endpoint in the log of one of its environments.
package struct EndpointKey: Sendable, Hashable {
    package let scope: Scope
    package let id: String

    package init(_ scope: Scope, _ id: String) { (self.scope, self.id) = (scope, id) }

    /// No id of Apple's has a slash in it.
    private static let prefix = "endpoint/"

    /// - Parameter row: what stands in the place of an original transaction id; nil where it is one.
    init?(_ scope: Scope, row: String) {
        guard row.hasPrefix(Self.prefix) else { return nil }
        self.init(scope, String(row.dropFirst(Self.prefix.count)))
    }

    /// What stands in its rows in the place of a subscription.
    package var rowKey: SubscriptionKey { SubscriptionKey(scope, OriginalTransactionID(Self.prefix + id)) }
}
