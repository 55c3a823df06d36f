import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// What was refunded, and to whom consumables were delivered (PER-9, PER-11).
    static let refunds: [Behaviour] = [
        Behaviour("STORE-126", "PER-11 Refunds are listed by when they were given, the last one first, in their ledger alone") {
            store in
            for (index, id) in ["1000", "1001", "1002"].enumerated() {
                let decided = try await store.decide(
                    on: [.fact(.transaction(refunded(id, day: Int64(5 - index))))], about: Specimen.key(id))
                try expect(decided.changesHistory, equals: true, "a refund")
            }
            let all = try await store.refunds(in: Specimen.scope, before: nil, limit: 10)
            try expect(all.map(\.transactionId.rawValue), equals: ["1000", "1001", "1002"], "by when")
            try expect(all.map(\.revokedAt), equals: [5, 4, 3].map { Specimen.day($0) }, "their dates")
            let first = try await store.refunds(in: Specimen.scope, before: nil, limit: 2)
            let rest = try await store.refunds(in: Specimen.scope, before: first.last, limit: 2)
            try expect(first + rest, equals: all, "page by page")
            try expect(try await store.refunds(in: Specimen.sandbox, before: nil, limit: 10), equals: [], "of another ledger")
            let contents = try await store.contents(of: Specimen.key("1001"))
            try expect(contents?.refunds, equals: [all[1]], "of one subscription")
        },
        Behaviour("STORE-127", "PER-9 To whom a consumable was delivered is found by any of its ids, in its ledger alone") {
            store in
            let made = [("2000", Specimen.alice, 7), ("2000", Specimen.bob, 3), ("2009", Specimen.alice, 8)]
                .map { id, customer, number in
                    CustomerDelivery(
                        ConsumableDelivery(transactionId: TransactionID(id), deliveredAt: Specimen.day(Int64(number))),
                        to: customer)
                }
            for one in made { try await store.say(.delivery(one.delivery), of: one.customer) }
            let refused = RefusedDelivery(transactionId: TransactionID("2000"), refusedAt: Specimen.day(9))
            try await store.say(.refusedDelivery(refused), of: CustomerID("carol"))
            func found(_ ids: [String], _ scope: Scope = Specimen.scope) async throws -> Set<CustomerDelivery> {
                Set(try await store.deliveries(of: ids.map { TransactionID($0) }, in: scope))
            }
            try expect(try await found(["2000"]), equals: Set(made[..<2]), "of one id")
            try expect(try await found(["2000", "2009", "7"]), equals: Set(made), "of several")
            try expect(try await found([]), equals: [], "of none")
            try expect(try await found(["2000"], Specimen.sandbox), equals: [], "of another ledger")
            let within = try await store.write { try $0.deliveries(of: [TransactionID("2009")], in: Specimen.scope) }
            try expect(within, equals: [made[2]], "in a transaction")
        },
    ]

    private static func refunded(_ id: String, day number: Int64) -> TransactionFact {
        var fact = Specimen.transaction(of: id)
        (fact.transactionId, fact.signedDate) = (TransactionID(id), Specimen.day(9))
        fact.revocation = Revocation(revocationDate: Specimen.day(number))
        return fact
    }
}

extension Store {
    /// Keeps what was said of a customer.
    fileprivate func say(_ input: CustomerInput, of customer: CustomerID) async throws {
        let key = CustomerKey(Specimen.scope, customer)
        try await write { write in
            let locked = try write.lock([], tokens: [], customers: [key])
            let decision = CustomerDecision(
                on: input, account: locked.customers[key]?.account ?? CustomerAccount(key, []), holdings: [],
                map: EntitlementMap(entries: []), learnedAt: input.recordedAt)
            try write.save([
                CustomerSaving(key, stored: locked.customers[key], decisions: [decision], learnedAt: input.recordedAt)
            ])
        }
    }
}
