package import Ledger
import Primitives
import Storage

/// Who a customer is, whatever ids they have (OWN-10).
extension Backend {
    /// A person, and under which of their ids something is to be said that is said of a customer.
    package struct KnownPerson: Sendable {
        package let person: Person
        /// The customer who was asked about; of an anonymous one who logged in, whom they turned out to be.
        let key: CustomerKey

        /// Whose everything is.
        var customer: CustomerID { person.customer }
        var account: CustomerAccount { person.account }

        /// What was said of them, once more was said under one id.
        func account(with newest: CustomerAccount) -> CustomerAccount { Person(newest, person.accounts).account }
    }

    func person(of key: CustomerKey) async throws -> KnownPerson {
        try await translatingStorageErrors {
            var key = key
            if let merge = try await store.merge(of: key.name) { key = CustomerKey(key.scope, merge.identified) }
            let stored = try await store.customer(key)
            let own = stored?.account ?? CustomerAccount(key, [])
            var person = Person(own)
            while !person.missing.isEmpty {
                var accounts = person.accounts
                for customer in person.missing {
                    let other = CustomerKey(key.scope, customer)
                    accounts.append(try await store.customer(other)?.account ?? CustomerAccount(other, []))
                }
                person = Person(own, accounts)
            }
            return KnownPerson(person: person, key: key)
        }
    }

    /// The states of everything that names the person, in the environment; by id.
    func states(of known: KnownPerson) async throws -> [Ledger.SubscriptionState] {
        try await states(of: try await subscriptions(of: known).map(\.originalTransactionId), in: known.key.scope)
    }

    /// What the person has whom a read of one customer is about: whoever was merged into another has nothing under their own id,
    /// and of several who were joined everything counts.
    ///
    /// - Parameter read: what the store has of the customer.
    func whole(_ read: CustomerHoldings, of key: CustomerKey) async throws -> CustomerHoldings {
        let isJoined = read.account.map { !$0.joined.isEmpty } ?? false
        guard isJoined || read.holdings.isEmpty else { return read }
        return try await translatingStorageErrors {
            var (key, read) = (key, read)
            if read.holdings.isEmpty, let merge = try await store.merge(of: key.name) {
                key = CustomerKey(key.scope, merge.identified)
                read = try await store.access(of: key.customer, in: key.scope)
            }
            guard let account = read.account, !account.joined.isEmpty else { return read }
            var person = Person(account)
            var reads = [read]
            // Everybody in one go, so that what they have is of one instant.
            while !person.missing.isEmpty {
                let customers = (person.customers + person.missing).sorted()
                reads = try await store.access(of: customers, in: key.scope)
                let accounts = zip(customers, reads).map { $1.account ?? CustomerAccount(CustomerKey(key.scope, $0), []) }
                person = Person(accounts.first { $0.customer == key.customer } ?? account, accounts)
            }
            return CustomerHoldings(
                holdings: reads.flatMap(\.holdings).sorted { $0.originalTransactionId < $1.originalTransactionId },
                account: person.account, settings: reads.map(\.settings).max() ?? read.settings)
        }
    }
}
