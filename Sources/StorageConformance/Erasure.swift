import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// Customers who are erased (I45).
    static let erasure: [Behaviour] = [
        Behaviour("STORE-92", "An erased customer's rows name a pseudonym, and what is put together from them does too") {
            store in
            let name = CustomerName(Specimen.app, Specimen.alice)
            try await keep(in: store)
            _ = try await store.say([attribute] + customerInputs().filter { $0.customers.isEmpty })
            let inputs = try await store.customer(alice)?.account.inputs.count { $0.kind != .attribute }
            let audit = try await store.auditTexts(of: alice, after: 0, limit: 100)
            let pseudonyms = try await store.write { write in
                _ = try write.lockSettings(of: Specimen.app)
                return try write.erase([name, CustomerName(Specimen.app, CustomerID("nobody"))], from: [Specimen.key()])
            }
            try expect(pseudonyms.map(\.id), equals: [Specimen.alice], "who was known")
            guard let pseudonym = pseudonyms.first?.name else { return }
            let key = CustomerKey(Specimen.scope, pseudonym)
            try expect(try await store.customer(alice), equals: nil, "what was said about her")
            try expect(try await store.customer(key)?.account.inputs.count, equals: inputs, "all but attributes")
            try expect(try await store.customer(key)?.account.attributes, equals: [:], "her attributes")
            try expect(
                try await store.auditTexts(of: key, after: 0, limit: 100).map(\.text), equals: audit.map(\.text), "the chain")
            try expect(try await store.holdings(of: Specimen.alice, in: Specimen.scope), equals: [], "what she has")
            try expect(try await store.holdings(of: pseudonym, in: Specimen.scope).count, equals: 1, "what stands there for it")
            let stored = try await store.subscription(Specimen.key())
            try expect(stored?.state.owner(at: Specimen.start), equals: pseudonym, "the owner")
            try expect(stored?.history.claims.map(\.customer), equals: [pseudonym], "who claimed")
            let told = try await store.events(of: Specimen.key(), limit: 100).compactMap(\.event?.customer)
            try expect(Set(told), equals: [pseudonym], "of whom was told")
            try expect(try await store.subscriptions(naming: name), equals: [], "what names her")
            let named = try await store.subscriptions(naming: CustomerName(Specimen.app, pseudonym))
            try expect(named, equals: [Specimen.key()], "what names the pseudonym")
            _ = try await store.overwriteErased()
            // Whoever has the id from now on is somebody else.
            _ = try await store.say([try customerInputs()[0]])
            try expect(try await store.customer(alice)?.ends.audit.sequence, equals: 1, "another customer's chain")
        },
        Behaviour("STORE-93", "Those are found who turned out to be a customer") { store in
            try await keep(in: store)
            let anonymous = CustomerMerge(
                anonymous: Specimen.bob, identified: Specimen.alice, mergedAt: Specimen.start)
            try await store.write { try $0.keep(anonymous, app: Specimen.app) }
            let merged = try await store.write {
                try $0.anonymousCustomers(mergedInto: CustomerName(Specimen.app, Specimen.alice))
            }
            try expect(merged, equals: [Specimen.bob], "who turned out to be her")
            let others = try await store.write {
                try $0.anonymousCustomers(mergedInto: CustomerName(Specimen.app, Specimen.bob))
            }
            try expect(others, equals: [], "who turned out to be him")
        },
    ]

    private static let attribute = CustomerInput.attribute(
        CustomerAttribute(name: "mail", value: "a@example.com", saidAt: Specimen.day(2)))

    /// Alice claims what Apple signed.
    private static func keep(in store: any Store) async throws {
        let claim = Specimen.claim(Specimen.alice)
        _ = try await store.keep(Specimen.arrival([.transaction(Specimen.transaction())]))
        _ = try await store.write { write in
            _ = try write.lock([Specimen.key()], tokens: [])
            try write.keep(claim, on: Specimen.key())
            return try write.decide(on: [.fact(.transaction(Specimen.transaction())), .claim(claim)])
        }
    }
}
