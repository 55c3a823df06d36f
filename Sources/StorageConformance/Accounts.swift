import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// Which subscriptions are of one Apple Account (OWN-14), what is reserved before it is known (OWN-18), and whose a
    /// subscription was as it was known from time to time.
    static let accounts: [Behaviour] = [
        Behaviour("STORE-57", "What shows an Apple Account is kept once, and found by subscription and by what shows it") {
            store in
            let sightings = [
                sighting("1000", "a"), sighting("1001", "a"), sighting("1001", "é\u{1}"), sighting("1002", "b"),
            ]
            for _ in 0..<2 { try await store.write { try $0.keep(sightings, in: Specimen.scope) } }
            try await store.write { try $0.keep([sighting("1000", "a")], in: Specimen.sandbox) }
            let of = try await store.sightings(of: ids("1001", "1002", "9"), limit: 10, in: Specimen.scope)
            try expect(Set(of), equals: Set(sightings[1...]), "of subscriptions")
            let by = try await store.sightings(by: [.appTransactionId("a"), .receipt("a")], limit: 10, in: Specimen.scope)
            try expect(Set(by), equals: Set(sightings[..<2]), "by what shows them")
            let elsewhere = try await store.sightings(of: ids("1001"), limit: 10, in: Specimen.otherApp)
            try expect(elsewhere, equals: [], "another app's")
            let few = try await store.sightings(of: ids("1001", "1002"), limit: 2, in: Specimen.scope)
            try expect(few.count, equals: 2, "of subscriptions, at most two in all")
            let both = [AppleAccount.Evidence.appTransactionId("a"), .appTransactionId("b")]
            let first = try await store.sightings(by: both, limit: 1, in: Specimen.scope)
            try expect(first, equals: [sightings[0], sightings[3]], "the first one of each, in their order")
            let within = try await store.write { write in
                try write.keep([sighting("1003", "b")], in: Specimen.scope)
                return (
                    try write.sightings(by: [.appTransactionId("b")], limit: 10, in: Specimen.scope),
                    try write.sightings(of: ids("1003"), limit: 10, in: Specimen.scope)
                )
            }
            try expect(Set(within.0), equals: [sightings[3], sighting("1003", "b")], "in the transaction that keeps one")
            try expect(within.1, equals: [sighting("1003", "b")], "of a subscription there")
        },
        Behaviour("STORE-61", "Of two transactions that list one Apple Account at once, one sees what the other lists") { store in
            for turn in 0..<25 as Range<Int> {
                let seen = try await withThrowingTaskGroup(of: Int.self) { group in
                    for id in ["1", "2"] {
                        group.addTask {
                            try await store.write { write in
                                try write.keep([sighting("\(turn)-\(id)", "\(turn)")], in: Specimen.scope)
                                return try write.sightings(by: [.appTransactionId("\(turn)")], limit: 10, in: Specimen.scope)
                                    .count
                            }
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                try expect(seen.sorted(), equals: [1, 2], "what the two see of each other")
            }
        },
        Behaviour("STORE-124", "OWN-14 Which subscriptions have or had an owner is known without reading them") { store in
            for id in ["1000", "1001", "1002"] {
                _ = try await store.decide(on: [.fact(.transaction(Specimen.transaction(of: id)))], about: Specimen.key(id))
            }
            _ = try await store.decide(
                on: [.claim(Specimen.claim(Specimen.bob, .restore, of: "1001"))], about: Specimen.key("1001"))
            let owned = try await store.write { write in
                try write.owned(among: ids("1000", "1001", "9", "a\u{1}\"é"), in: Specimen.scope)
            }
            try expect(owned, equals: ids("1001"), "what has an owner")
            let none = try await store.write { try $0.owned(among: [], in: Specimen.scope) }
            try expect(none, equals: [], "of nothing")
            try await store.write { write in
                try write.keep(
                    [sighting("1000", "a"), sighting("1002", "a"), sighting("1001", "b"), sighting("1002", "é")],
                    in: Specimen.scope)
            }
            func isOwnedOrShownOtherwise(
                by ids: [String], limit: Int = 10, in scope: Scope = Specimen.scope
            ) async throws -> Bool {
                try await store.write {
                    try $0.isOwnedOrShownOtherwise(by: ids.map { .appTransactionId($0) }, limit: limit, in: scope)
                }
            }
            for (ids, expected) in [([], false), (["9"], false), (["b"], true), (["a"], true), (["9", "é"], true)] {
                try expect(try await isOwnedOrShownOtherwise(by: ids), equals: expected, "what \(ids) show")
            }
            try expect(try await isOwnedOrShownOtherwise(by: ["a"], limit: 1), equals: false, "1000 is shown by a alone")
            try expect(try await isOwnedOrShownOtherwise(by: ["b"], in: Specimen.sandbox), equals: false, "in the Sandbox")
        },
        Behaviour("STORE-58", "Subscriptions for which an owner is proposed are read in pages, until it ends") { store in
            for id in ["1000", "1001", "1002"] {
                _ = try await store.decide(on: [.fact(.transaction(Specimen.transaction(of: id)))], about: Specimen.key(id))
            }
            for _ in 0..<2 {
                try await store.write { write in
                    for id in ["1002", "1000"] { try write.propose(Specimen.key(id)) }
                }
            }
            func proposed(after id: String? = nil, limit: Int = 10) async throws -> [String] {
                try await store.subscriptionsWithProposals(
                    in: Specimen.scope, after: id.map { OriginalTransactionID($0) }, limit: limit
                ).map(\.state.key.originalTransactionId.rawValue)
            }
            try expect(try await proposed(), equals: ["1000", "1002"], "all")
            try expect(try await proposed(limit: 1), equals: ["1000"], "the first")
            try expect(try await proposed(after: "1000"), equals: ["1002"], "the rest")
            let elsewhere = try await store.subscriptionsWithProposals(in: Specimen.sandbox, after: nil, limit: 10)
            try expect(elsewhere, equals: [], "in the Sandbox")
            for _ in 0..<2 { try await store.write { try $0.endProposal(of: Specimen.key("1000")) } }
            try expect(try await proposed(), equals: ["1002"], "once one has ended")
        },
        Behaviour("STORE-59", "A reservation waits until a fact names its transaction, or is the first one of its subscription") {
            store in
            let reservations = [
                reserved("1000-1", "r2"), reserved("1000-1", "r1"), reserved("1000", "r1"), reserved("9", "r1", Specimen.bob),
            ]
            for _ in 0..<2 {
                try await store.write { write in for reservation in reservations { try write.keep(reservation) } }
            }
            let elsewhere = PendingReservation(Specimen.sandbox, TransactionID("1000"), reservations[0].reservation)
            try await store.write { try $0.keep(elsewhere) }
            func page(after place: PendingReservation.Place? = nil, limit: Int = 10) async throws -> [PendingReservation] {
                try await store.pendingReservations(in: Specimen.scope, after: place, limit: limit)
            }
            let sorted = [reservations[2], reservations[1], reservations[0], reservations[3]]
            try expect(try await page(), equals: sorted, "all")
            try expect(try await page(limit: 2), equals: Array(sorted[..<2]), "the first page")
            try expect(try await page(after: sorted[1].place, limit: 2), equals: Array(sorted[2...]), "the second page")
            let known = try await store.write { write in
                _ = try write.lock([Specimen.key()], tokens: [])
                return try write.known(of: [Specimen.arrival([.transaction(Specimen.transaction(1))])])
            }
            let fact = Fact.transaction(Specimen.transaction(1))
            try expect(
                Set(known.reservations(of: fact, in: Specimen.scope)), equals: Set(reservations[..<3]), "what a fact finds")
            try expect(known.reservations(of: fact, in: Specimen.sandbox), equals: [], "in another ledger")
            for _ in 0..<2 { try await store.write { try $0.forget(Array(reservations[..<3])) } }
            try expect(try await page(), equals: [reservations[3]], "what still waits")
        },
        Behaviour("STORE-60", "Each revision of the owners is read back with the instant at which it was learned") { store in
            let token = try Specimen.token()
            let facts: [LedgerInput] = [.fact(.transaction(Specimen.transaction(token: token)))]
            let first = try await store.decide(on: facts + [.claim(Specimen.claim(Specimen.bob, .restore))])
            let second = try await store.decide(on: [.registration(Specimen.registration(token, Specimen.alice))])
            let revisions = try await store.ownerRevisions(of: Specimen.key(), limit: 10)
            let expected = [first, second].enumerated().map { index, decision in
                OwnerRevision(
                    number: Int64(index + 1), learnedAt: Specimen.start, owners: SubscriptionRows.tenures(of: decision.state))
            }
            try expect(revisions, equals: expected, "the revisions")
            try expect(try await store.ownerRevisions(of: Specimen.key("9"), limit: 10), equals: [], "of what is unknown")
        },
        Behaviour("STORE-122", "PER-1 A subscription is found by the key of one of its periods, in every environment of its app")
        {
            store in
            for (id, scope) in [
                ("1", Specimen.scope), ("2", Specimen.scope), ("1", Specimen.sandbox), ("1", Specimen.otherApp),
            ] {
                let facts = (0..<2).map { LedgerInput.fact(.transaction(Specimen.transaction($0, of: id))) }
                _ = try await store.decide(on: facts, about: Specimen.key(id, in: scope))
            }
            // What was shown before Apple had keys of periods is called by its product and its second.
            var old = Specimen.transaction(of: "3")
            old.webOrderLineItemId = nil
            _ = try await store.decide(on: [.fact(.transaction(old))], about: Specimen.key("3"))
            func found(_ name: PeriodAlias, limit: Int = 10) async throws -> [SubscriptionKey] {
                try await store.subscriptions(withPeriod: name, app: Specimen.app, limit: limit)
            }
            let both = [Specimen.key("1"), Specimen.key("1", in: Specimen.sandbox)]
            for name in ["910", "911"] {
                try expect(try await found(.webOrderLineItem(name)), equals: both, "what has the period \(name)")
            }
            try expect(try await found(.webOrderLineItem("920")), equals: [Specimen.key("2")], "what has another's")
            try expect(try await found(.webOrderLineItem("91")), equals: [], "the beginning of a key is none")
            try expect(try await found(.webOrderLineItem("910"), limit: 1).count, equals: 1, "at most so many")
            let second = PeriodAlias.productAndSecond(old.productId, old.purchaseDate)
            try expect(try await found(second), equals: [Specimen.key("3")], "what has no key of Apple")
        },
        Behaviour("STORE-125", "PER-1 The subscriptions that name a charge are found in its app and environment alone") { store in
            for (id, scope) in [
                ("1", Specimen.scope), ("2", Specimen.scope), ("3", Specimen.sandbox), ("4", Specimen.otherApp),
            ] {
                var fact = Specimen.transaction(of: id)
                fact.webOrderLineItemId = "77"
                _ = try await store.decide(on: [.fact(.transaction(fact))], about: Specimen.key(id, in: scope))
            }
            func bearers(
                _ keys: [String], limit: Int = 16, in scope: Scope = Specimen.scope
            ) async throws -> [NameBearer] {
                let names = keys.map { PeriodAlias.webOrderLineItem($0).key }
                return try await store.write { try $0.bearers(of: names, limit: limit, in: scope) }
            }
            let both = ids("1", "2").map { NameBearer(named: PeriodAlias.webOrderLineItem("77").key, $0) }
            try expect(try await bearers(["77", "78", "77"]), equals: both, "who names it")
            try expect(try await bearers(["77"], limit: 1), equals: Array(both.prefix(1)), "at most so many")
            try expect(try await bearers(["7"]), equals: [], "the beginning of a key is none")
            try expect(try await bearers([]), equals: [], "of no key")
            try expect(try await bearers(["77"], in: Specimen.sandbox).count, equals: 1, "in another environment")
        },
    ]

    private static func ids(_ ids: String...) -> [OriginalTransactionID] { ids.map { OriginalTransactionID($0) } }

    private static func sighting(_ id: String, _ transaction: String) -> AccountSighting {
        AccountSighting(of: OriginalTransactionID(id), by: .appTransactionId(transaction))
    }

    private static func reserved(
        _ transaction: String, _ id: String, _ customer: CustomerID = Specimen.alice
    ) -> PendingReservation {
        PendingReservation(
            Specimen.scope, TransactionID(transaction),
            Reservation(id: .init(id), customer: customer, isAnonymous: id == "r2", reservedAt: Specimen.day(3)))
    }
}
