package import Ledger
package import Primitives

/// A seal with the hash that was written with it.
package struct StoredSeal: Sendable, Hashable {
    package let seal: AuditSeal
    package let hash: [UInt8]

    package init(seal: AuditSeal, hash: [UInt8]) {
        self.seal = seal
        self.hash = hash
    }
}

/// A head that a seal names and that is not in the books.
package struct MissedHead: Sendable, Hashable {
    package let entry: AuditSeal.Entry
    /// False where the whole subscription, or all that was said about the customer, is gone.
    package let isSubjectThere: Bool

    package init(entry: AuditSeal.Entry, isSubjectThere: Bool) {
        self.entry = entry
        self.isSubjectThere = isSubjectThere
    }
}

/// An audit row exactly as it is kept.
package struct AuditRowText: Sendable, Hashable {
    package let head: AuditHead
    package let text: String
    /// Of the customers whom it names by number.
    package let names: CustomerNames

    package init(head: AuditHead, text: String, names: CustomerNames) {
        self.head = head
        self.text = text
        self.names = names
    }

    /// The numbers of customers of whom nothing is kept, not even that they were erased.
    package var unknownCustomers: [Int64] { AuditRowCoding.customers(in: text).filter { !names.isKept($0) }.sorted() }

    /// Rows with their customers' names.
    ///
    /// - Parameter names: of some numbers.
    package static func named(
        _ rows: [SubscriptionRows.Audit], _ names: (Set<Int64>) throws -> CustomerNames
    ) rethrows -> [AuditRowText] {
        let numbers = rows.reduce(into: Set<Int64>()) { $0.formUnion(AuditRowCoding.customers(in: $1.text)) }
        let names = try names(numbers)
        return rows.map { AuditRowText(head: $0.head, text: $0.text, names: names) }
    }
}

/// What is kept of one subscription, as the rows say it.
package struct StoredContents: Sendable, Hashable {
    package let stored: StoredSubscription
    /// By `signedDate` and key; at most ``limit``.
    package let facts: [KeptFact]
    /// By when they were made; the rules bound how many are kept (OWN-3).
    package let claims: [Claim]
    /// What stands beside each of them.
    package let claimColumns: [ClaimColumns]
    /// Of the notifications among the facts; by UUID.
    package let notifications: [NotificationRow]
    /// Of the tokens that its transactions bear; by token.
    package let registrations: [TokenRegistration]
    /// Votes, merges, intents and reservations; by kind and id.
    package let inputs: [KeptInput]
    /// Of the last revision, by their beginning.
    package let tenures: [SubscriptionRows.TenureRow]
    /// By customer.
    package let holdings: [SubscriptionRows.HoldingRow]
    /// By alias.
    package let aliases: [SubscriptionRows.AliasRow]
    /// In order.
    package let refunds: [RefundPlace]

    /// What shows its Apple Account.
    package let sightings: [AccountSighting]
    /// What lists say of it, as ``ListingCoding`` writes it; nil where it has not been written yet.
    package let listing: [UInt8]?

    /// A fact, and which document proved it first: one receipt may prove thousands.
    package struct KeptFact: Sendable, Hashable {
        package let fact: Fact
        package let receivedAt: Timestamp
        /// For ``Store/evidence(_:)``, given by the database; nil for a failed question.
        package let evidence: Int64?
        /// When that document was received; nil where there is none.
        package let evidenceReceivedAt: Timestamp?
        /// What stands beside the fact.
        package let columns: FactColumns
    }

    /// A claim, and what stands beside it.
    package struct KeptClaim: Sendable, Hashable {
        package let claim: Claim
        package let columns: ClaimColumns

        package init(claim: Claim, columns: ClaimColumns) {
            self.claim = claim
            self.columns = columns
        }
    }

    /// A vote, a merge, an intent or a reservation, and what stands beside it.
    package struct KeptInput: Sendable, Hashable {
        package let input: LedgerInput
        package let columns: InputColumns

        package init(input: LedgerInput, columns: InputColumns) {
            self.input = input
            self.columns = columns
        }
    }

    /// What its state is folded from.
    package struct Sources: Sendable, Hashable {
        package let facts: [KeptFact]
        package let claims: [KeptClaim]
        package let registrations: [TokenRegistration]
        package let inputs: [KeptInput]

        package init(facts: [KeptFact], claims: [KeptClaim], registrations: [TokenRegistration], inputs: [KeptInput]) {
            self.facts = facts
            self.claims = claims
            self.registrations = registrations
            self.inputs = inputs
        }
    }

    /// What follows from its state.
    package struct Caches: Sendable, Hashable {
        package let tenures: [SubscriptionRows.TenureRow]
        package let holdings: [SubscriptionRows.HoldingRow]
        package let aliases: [SubscriptionRows.AliasRow]
        package let refunds: [RefundPlace]
        package let sightings: [AccountSighting]
        package let listing: [UInt8]?

        package init(
            tenures: [SubscriptionRows.TenureRow], holdings: [SubscriptionRows.HoldingRow],
            aliases: [SubscriptionRows.AliasRow], refunds: [RefundPlace], sightings: [AccountSighting], listing: [UInt8]?
        ) {
            self.tenures = tenures
            self.holdings = holdings
            self.aliases = aliases
            self.refunds = refunds
            self.sightings = sightings
            self.listing = listing
        }
    }

    /// How many facts of one subscription are read: more than any has that Apple's periods and a device's restores can bring
    /// about. What has more cannot be proved and is said to be so.
    package static let limit = 100_000

    package init(
        stored: StoredSubscription, sources: Sources, notifications: [NotificationRow],
        caches: Caches
    ) {
        self.stored = stored
        facts = sources.facts
        registrations = sources.registrations
        inputs = sources.inputs
        claims = sources.claims.map(\.claim)
        claimColumns = sources.claims.map(\.columns)
        self.notifications = notifications
        tenures = caches.tenures
        holdings = caches.holdings
        aliases = caches.aliases
        refunds = caches.refunds
        sightings = caches.sightings
        listing = caches.listing
    }
}
