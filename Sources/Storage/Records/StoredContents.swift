package import Ledger

/// A seal with the hash that was written with it.
package struct StoredSeal: Sendable, Hashable {
    package let seal: AuditSeal
    package let hash: [UInt8]

    package init(seal: AuditSeal, hash: [UInt8]) {
        self.seal = seal
        self.hash = hash
    }
}

/// Everything that is kept of one subscription, as the rows say it.
package struct StoredContents: Sendable, Hashable {
    package let stored: StoredSubscription
    package let facts: [StoredFact]
    /// By when they were made.
    package let claims: [Claim]
    /// Of the tokens that its transactions bear; by token.
    package let registrations: [TokenRegistration]
    /// Of the last revision, by their beginning.
    package let tenures: [SubscriptionRows.TenureRow]
    /// By customer.
    package let holdings: [SubscriptionRows.HoldingRow]
    /// By alias.
    package let aliases: [SubscriptionRows.AliasRow]
    package let audit: [AuditRowText]

    /// An audit row exactly as it is kept.
    package struct AuditRowText: Sendable, Hashable {
        package let head: AuditHead
        package let text: String

        package init(head: AuditHead, text: String) {
            self.head = head
            self.text = text
        }
    }

    package init(
        stored: StoredSubscription, evidence: (facts: [StoredFact], claims: [Claim], registrations: [TokenRegistration]),
        tenures: [SubscriptionRows.TenureRow], holdings: [SubscriptionRows.HoldingRow],
        names: (aliases: [SubscriptionRows.AliasRow], audit: [AuditRowText])
    ) {
        self.stored = stored
        (facts, claims, registrations) = evidence
        self.tenures = tenures
        self.holdings = holdings
        (aliases, audit) = names
    }
}
