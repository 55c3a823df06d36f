package import Ledger
package import Primitives

/// What was said about a customer, as it is kept.
package struct StoredCustomer: Sendable, Hashable {
    package let account: CustomerAccount
    package let ends: Ends

    package init(account: CustomerAccount, ends: Ends) {
        self.account = account
        self.ends = ends
    }

    /// Where the customer's numbered rows end; the next of each takes the next number.
    package struct Ends: Sendable, Hashable {
        package var audit: AuditHead
        /// The number of the last event; 0 for none.
        package var events: Int64

        package init(audit: AuditHead = AuditHead(), events: Int64 = 0) {
            self.audit = audit
            self.events = events
        }
    }
}

/// An anonymous customer's device, by the secret that it made at its first use (OWN-10).
package struct CustomerDevice: Sendable, Hashable {
    package let name: CustomerName
    /// SHA-256 of the secret, which itself is not kept.
    package let secretDigest: [UInt8]
    /// On our clock.
    package let registeredAt: Timestamp

    package init(_ name: CustomerName, secretDigest: [UInt8], registeredAt: Timestamp) {
        self.name = name
        self.secretDigest = secretDigest
        self.registeredAt = registeredAt
    }
}

/// What is to be written of one customer after one or more decisions, in their order.
package struct CustomerSaving: Sendable {
    package let key: CustomerKey
    /// What was kept before; nil where nothing was.
    package let stored: StoredCustomer?
    /// Those that said something new.
    package let decisions: [CustomerDecision]
    /// What is told beside the events of the decisions, after them.
    package var told: [CustomerEvent] = []
    package let learnedAt: Timestamp

    /// - Parameter decisions: each on what the one before left; none where something is told only.
    package init(_ key: CustomerKey, stored: StoredCustomer?, decisions: [CustomerDecision], learnedAt: Timestamp) {
        self.key = key
        self.stored = stored
        self.decisions = decisions
        self.learnedAt = learnedAt
    }

    /// All customers that its rows name.
    package var customers: Set<CustomerName> {
        Set([key.name] + decisions.flatMap(\.input.customers).map { CustomerName(key.scope.app, $0) })
    }
}

/// The rows that it comes to: the same for every store, which only has to write them.
package struct CustomerRows: Sendable, Hashable {
    package let key: CustomerKey
    /// What stands for the customer in rows that are never changed (I45).
    package let number: Int64
    package let inputs: [Input]
    package let audit: [SubscriptionRows.Audit]
    /// What is told of the customer; nil where nothing is.
    package let outbox: SubscriptionRows.Outbox?
    /// As ``CustomerCoding`` writes it.
    package let account: [UInt8]
    /// After these rows are written.
    package let ends: StoredCustomer.Ends

    /// One thing that was said, and what its columns say of it.
    package struct Input: Sendable, Hashable {
        package let columns: InputColumns
        /// As ``CustomerCoding`` writes it.
        package let decoded: [UInt8]
    }

    /// - Parameter numbered: the number of a customer.
    package init(_ saving: CustomerSaving, _ numbered: (CustomerName) throws -> Int64) throws {
        key = saving.key
        let app = saving.key.scope.app
        number = try numbered(saving.key.name)
        inputs = try saving.decisions.map(\.input).map { input in
            Input(
                columns: InputColumns(input),
                decoded: try CustomerCoding.encode(input) { try numbered(CustomerName(app, $0)) })
        }
        var head = saving.stored?.ends.audit ?? AuditHead()
        let subject = ChainSubject.customer(saving.key.scope, number)
        audit = saving.decisions.flatMap(\.auditRows).map { row in
            let text = CustomerAuditCoding.text(of: row)
            head = head.followed(by: text, of: subject)
            return SubscriptionRows.Audit(head: head, text: text)
        }
        let events = saving.decisions.flatMap(\.events) + saving.told
        let told = saving.stored?.ends.events ?? 0
        outbox =
            events.isEmpty
            ? nil : SubscriptionRows.Outbox(first: told + 1, events: CustomerEventCoding.encode(events))
        account = CustomerCoding.encode(
            saving.decisions.last?.account ?? saving.stored?.account ?? CustomerAccount(saving.key, []))
        ends = StoredCustomer.Ends(audit: head, events: told + Int64(events.count))
    }
}

/// An audit row of a customer with its place in the chain: 1, 2, 3, … without gaps.
package struct StoredCustomerAuditRow: Sendable, Hashable {
    package let sequence: Int64
    package let row: CustomerAuditRow
    /// Of this row and, through the one before, of all before it (AUDIT-2).
    package let hash: [UInt8]

    /// - Throws: `StorageError` with `corrupt` where the text is none of ours.
    package init(_ kept: SubscriptionRows.Audit, of key: CustomerKey) throws {
        sequence = kept.head.sequence
        row = try CustomerAuditCoding.row(of: kept.text, key)
        hash = kept.head.hash
    }
}

/// What is kept of one customer, as the rows say it.
package struct CustomerContents: Sendable, Hashable {
    package let stored: StoredCustomer
    package let number: Int64
    /// By kind and id.
    package let inputs: [KeptInput]

    /// An input, and what stands beside it.
    package struct KeptInput: Sendable, Hashable {
        package let input: CustomerInput
        package let columns: InputColumns

        package init(input: CustomerInput, columns: InputColumns) {
            self.input = input
            self.columns = columns
        }
    }

    package init(stored: StoredCustomer, number: Int64, inputs: [KeptInput]) {
        self.stored = stored
        self.number = number
        self.inputs = inputs
    }
}
