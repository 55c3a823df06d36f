import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// What is said about customers, and who is who.
    static let customers: [Behaviour] = [
        Behaviour("STORE-46", "What was said about a customer is read back equal, in each ledger apart") { store in
            let inputs = try customerInputs()
            let decisions = try await store.say(inputs)
            let kept = try await store.customer(alice)
            try expect(kept?.account, equals: decisions.last?.account, "the account")
            try expect(kept?.account.inputs.count, equals: inputs.count, "inputs")
            try expect(
                try await store.access(of: Specimen.alice, in: Specimen.scope).account, equals: kept?.account, "of an answer")
            let others = [CustomerKey(Specimen.sandbox, Specimen.alice), CustomerKey(Specimen.otherApp, Specimen.alice)]
            for other in others + [CustomerKey(Specimen.scope, Specimen.bob)] {
                try expect(try await store.customer(other), equals: nil, "what was said about \(other)")
                let access = try await store.access(of: other.customer, in: other.scope)
                try expect(access.account, equals: nil, "of an answer about \(other)")
            }
        },
        Behaviour("STORE-47", "An input has one row by kind and id, and a second one of the same name is a constraint's refusal")
        {
            store in
            let vote = try customerInputs()[0]
            _ = try await store.say([vote])
            try await expectError("constraint", "an input of a known kind and id") {
                try await store.write { write in
                    let empty = CustomerAccount(alice, [])
                    let decision = CustomerDecision(
                        on: vote, account: empty, holdings: [], map: map, learnedAt: Specimen.start)
                    try write.save([CustomerSaving(alice, stored: nil, decisions: [decision], learnedAt: Specimen.start)])
                }
            }
        },
        Behaviour("STORE-48", "A customer's audit rows are numbered and chained, and a seal names the head of the chain") {
            store in
            let rows = try await store.say(try customerInputs()).flatMap(\.auditRows)
            let kept = try await store.auditRows(of: alice, after: 0, limit: 100)
            try expect(kept.map(\.row), equals: rows, "audit rows")
            try expect(kept.map(\.sequence), equals: Array(1...Int64(rows.count)), "their numbers")
            try expect(
                try await store.auditRows(of: alice, after: 1, limit: 1).map(\.sequence), equals: [2], "one after the first")
            let number = try await store.contents(of: alice)?.number ?? 0
            var head = AuditHead()
            for row in try await store.auditTexts(of: alice, after: 0, limit: 100) {
                head = head.followed(by: row.text, of: .customer(Specimen.scope, number))
                try expect(row.head, equals: head, "head \(head.sequence)")
            }
            try expect(try await store.customer(alice)?.ends.audit, equals: head, "the end of the chain")
            _ = try await store.decide(on: [.fact(.transaction(Specimen.transaction())), .claim(Specimen.claim(Specimen.bob))])
            let seal = try await store.write { try $0.seal(Specimen.app, at: Specimen.day(1), limit: 100) }
            try expect(
                seal?.heads.map(\.subject),
                equals: [.subscription(Specimen.key()), .customer(Specimen.scope, number)], "what the seal names")
            try expect(seal?.heads.last?.head, equals: head, "the head that it names")
            let again = try await store.write { try $0.seal(Specimen.app, at: Specimen.day(2), limit: 100) }
            try expect(again, equals: nil, "nothing moved since")
            let sealed = try await store.seals(of: Specimen.app, after: 0, limit: 10)
            try expect(sealed.map(\.seal), equals: [seal].compactMap { $0 }, "seals")
            try expect(try await store.missedHeads(of: Specimen.app, seal: 1), equals: [], "what the seal misses")
        },
        Behaviour("STORE-49", "Events about customers stand in the one outbox, numbered for each customer") { store in
            let events = try await store.say(try customerInputs()).flatMap(\.events)
            let rows = try await store.outbox(after: 0, limit: 100)
            try expect(rows.compactMap(\.customerEvent), equals: events, "events")
            try expect(rows.map(\.sequence), equals: Array(1...Int64(events.count)), "their numbers")
            try expect(rows.allSatisfy { $0.event == nil }, "none of them is about a subscription")
        },
        Behaviour(
            "STORE-62",
            "What is told of a customer of whom nothing was said is numbered with the rest, and leaves nothing to seal"
        ) { store in
            let told = ["1", "2"].map { id in
                CustomerEvent(.entitlementChanged, of: Specimen.alice, at: Specimen.start, by: .answer, id: id) {
                    $0.entitlement = EntitlementID("plus")
                    $0.windows = [TimeWindow(from: Specimen.start, until: Specimen.day(1))]
                }
            }
            try await store.tell([told[0]], alice)
            try expect(try await store.customer(alice)?.account.inputs, equals: [], "inputs")
            let empty = try await store.write { try $0.seal(Specimen.app, at: Specimen.day(1), limit: 100) }
            try expect(empty, equals: nil, "what the seal names where nothing was said")
            let said = try await store.say(try customerInputs()).flatMap(\.events)
            try await store.tell([told[1]], alice)
            let rows = try await store.outbox(after: 0, limit: 100)
            let all = [told[0]] + said + [told[1]]
            try expect(rows.compactMap(\.customerEvent), equals: all, "events")
            try expect(rows.map(\.sequence), equals: Array(1...Int64(all.count)), "their numbers")
            let newest = try await store.write { try $0.newestEvents(of: alice, rows: 2) }
            try expect(newest, equals: said + [told[1]], "those of the two newest rows")
            for other in [CustomerKey(Specimen.sandbox, Specimen.alice), CustomerKey(Specimen.scope, Specimen.bob)] {
                try expect(try await store.write { try $0.newestEvents(of: other, rows: 2) }, equals: [], "those of \(other)")
            }
            let seal = try await store.write { try $0.seal(Specimen.app, at: Specimen.day(1), limit: 100) }
            let head = try await store.customer(alice)?.ends.audit
            try expect(seal?.heads.map(\.head), equals: [head].compactMap { $0 }, "what was said is still to be sealed")
        },
        Behaviour(
            "STORE-50",
            "Votes, intents, reservations and who is who of a subscription are kept, and its history is put together from them"
        ) {
            store in
            let inputs = subscriptionInputs
            // Each by itself, since hardly any comes with others that name a customer.
            for input in inputs {
                try await store.write { write in
                    _ = try write.lock([Specimen.key()], tokens: [])
                    for _ in 1...2 { try write.keep(input, on: Specimen.key()) }
                }
            }
            try await store.write { write in
                _ = try write.lock([Specimen.key()], tokens: [])
                _ = try write.decide(on: inputs)
            }
            let contents = try await store.contents(of: Specimen.key())
            try expect(Set(contents?.inputs.map(\.input) ?? []), equals: Set(inputs), "inputs")
            let history = SubscriptionHistory(
                key: Specimen.key(), facts: [], claims: [], registrations: [], inputs: contents?.inputs.map(\.input) ?? [])
            try expect(contents?.stored.history.untold, equals: history.untold, "the history")
        },
        Behaviour("STORE-51", "The subscriptions that name a customer are found by owner, claim, input and token") { store in
            try await checkNamed(in: store)
        },
        Behaviour("STORE-52", "A customer has one device and is merged once; the first stands") { store in
            let name = CustomerName(Specimen.app, Specimen.bob)
            let first = CustomerDevice(name, secretDigest: [UInt8](repeating: 1, count: 32), registeredAt: Specimen.start)
            let second = CustomerDevice(name, secretDigest: [UInt8](repeating: 2, count: 32), registeredAt: Specimen.day(1))
            for device in [first, second] { try await store.write { try $0.keep(device) } }
            try expect(try await store.device(of: name), equals: first, "the device")
            try expect(try await store.device(of: CustomerName(Specimen.app, Specimen.alice)), equals: nil, "of another")
            let merges = [Specimen.alice, CustomerID("carol")].map {
                CustomerMerge(anonymous: Specimen.bob, identified: $0, mergedAt: Specimen.start)
            }
            for merge in merges { try await store.write { try $0.keep(merge, app: Specimen.app) } }
            try expect(try await store.merge(of: name), equals: merges[0], "the merge")
            let locked = try await store.write {
                try $0.lock([], tokens: [], customers: [CustomerKey(Specimen.scope, Specimen.bob)])
            }
            try expect(locked.devices, equals: [name: first], "devices of a lock")
            try expect(locked.merges, equals: [name: merges[0]], "merges of a lock")
        },
        Behaviour("STORE-128", "A customer is whom one merge after another leads to, anonymous or not") { store in
            let devices = [Specimen.bob, CustomerID("carol")].map {
                CustomerDevice(
                    CustomerName(Specimen.app, $0), secretDigest: [UInt8](repeating: 1, count: 32), registeredAt: Specimen.start)
            }
            for device in devices { try await store.write { try $0.keep(device) } }
            let (bob, carol) = (devices[0].name, devices[1].name)
            let first = CustomerMerge(
                anonymous: bob.customer, identified: carol.customer, mergedAt: Specimen.start, isIntoAnonymous: true)
            try await store.write { try $0.keep(first, app: Specimen.app) }
            try expect(try await store.merge(of: bob), equals: first, "into an anonymous one")
            let second = CustomerMerge(anonymous: carol.customer, identified: Specimen.alice, mergedAt: Specimen.day(2))
            try await store.write { try $0.keep(second, app: Specimen.app) }
            let whole = CustomerMerge(anonymous: bob.customer, identified: Specimen.alice, mergedAt: Specimen.day(2))
            try expect(try await store.merge(of: bob), equals: whole, "of the first one")
            let locked = try await store.write {
                try $0.lock([], tokens: [], customers: devices.map { CustomerKey(Specimen.scope, $0.name.customer) })
            }
            try expect(locked.merges, equals: [bob: whole, carol: second], "merges of a lock")
            let into = try await store.write { try $0.anonymousCustomers(mergedInto: carol) }
            try expect(into, equals: [bob.customer], "by one merge each")
        },
        Behaviour("STORE-53", "Customers are paged in the order of their ledgers and ids") { store in
            let keys =
                ["a", "b", "c"].map { CustomerKey(Specimen.scope, CustomerID($0)) }
                + [CustomerKey(Specimen.sandbox, CustomerID("a")), CustomerKey(Specimen.otherApp, CustomerID("0"))]
            let sorted = keys.sorted()
            for key in keys { _ = try await store.say([try customerInputs(of: key.customer)[0]], about: key) }
            try expect(try await store.customers(after: nil, limit: 100), equals: sorted, "customers")
            try expect(
                try await store.customers(after: sorted[1], limit: 2), equals: Array(sorted[2..<4]), "two after the second")
        },
    ]

    static let alice = CustomerKey(Specimen.scope, Specimen.alice)
    private static let map = EntitlementMap(entries: [
        .init(productId: ProductID("plus.monthly"), validFrom: Specimen.start, entitlements: [EntitlementID("plus")])
    ])

    /// One of each kind, each later than the one before.
    static func customerInputs(of customer: CustomerID = Specimen.alice) throws -> [CustomerInput] {
        let window = TimeWindow(from: Specimen.day(1), until: Specimen.day(8))
        let plus = EntitlementID("plus")
        let votes: [CustomerVote.Kind] = [
            .grant(plus, window), .hold(nil, TimeWindow(from: Specimen.day(2), until: nil)),
            .credit(plus, at: Specimen.day(3), .days(7)),
            .withdraw(.init("vote-1")), .join(CustomerPair(CustomerID("robert/é"), into: customer)),
            .redelivery(TransactionID("2000")),
        ]
        var inputs = votes.enumerated().map { index, kind in
            CustomerInput.vote(
                CustomerVote(
                    id: .init("vote-\(index)"), kind: kind, actor: "mia", reason: "“é” 💎", votedAt: Specimen.day(Int64(index))))
        }
        var knowledge = ConsumptionKnowledge(customerConsented: true, deliveryStatus: .undeliveredOther)
        (knowledge.consumptionPercentage, knowledge.playTime) = (50_000, .hours(3))
        (knowledge.accountCreatedAt, knowledge.userStatus) = (Specimen.start, .suspended)
        let purchase = AppPurchase(
            customer: customer, originalPurchaseDate: Specimen.start, originalApplicationVersion: "1.4", environment: .production,
            platform: .macOS)
        inputs += [
            .intent(
                PurchaseIntent(
                    id: .init("intent"), customer: customer, isAnonymous: true, productId: ProductID("plus.monthly"),
                    madeAt: Specimen.day(5))),
            .unlock(
                ContentUnlock(
                    customer: customer, content: ContentID("2026-01"), kind: ContentKindID("issue"),
                    unlockedAt: Specimen.day(6))),
            .delivery(ConsumableDelivery(transactionId: TransactionID("2000"), deliveredAt: Specimen.day(7))),
            .refusedDelivery(RefusedDelivery(transactionId: TransactionID("2001"), refusedAt: Specimen.day(7))),
            .appPurchase(ShownAppPurchase(purchase, appTransactionId: "704", shownAt: Specimen.day(8))),
            .consumption(
                ConsumptionNote(transactionId: TransactionID("2000"), knowledge: knowledge, notedAt: Specimen.day(9))),
            .attribute(CustomerAttribute(name: "“plan”", value: "gold 💎", saidAt: Specimen.day(10))),
            .attribute(CustomerAttribute(name: "seat", value: nil, saidAt: Specimen.day(11))),
        ]
        return inputs
    }

    private static let subscriptionInputs: [LedgerInput] = [
        .vote(
            OwnershipVote(
                id: .init("v1"), kind: .transfer(to: Specimen.alice), actor: .operatorOfTenure("olga"), votedAt: Specimen.day(1),
                reason: "“é”")),
        .vote(
            OwnershipVote(
                id: .init("v2"), kind: .approve(.init("claim")), actor: .owner(Specimen.bob), votedAt: Specimen.day(2))),
        .vote(
            OwnershipVote(id: .init("v3"), kind: .deny(.init("claim")), actor: .operatorOfTenure("o"), votedAt: Specimen.day(3))),
        .merge(CustomerMerge(anonymous: CustomerID("anonymous"), identified: Specimen.alice, mergedAt: Specimen.day(4))),
        .intent(
            PurchaseIntent(
                id: .init("i1"), customer: Specimen.bob, isAnonymous: true, productId: ProductID("plus.monthly"),
                madeAt: Specimen.day(5))),
        .reservation(Reservation(id: .init("r1"), customer: Specimen.alice, isAnonymous: false, reservedAt: Specimen.day(6))),
        .join(
            CustomerJoin(
                id: .init("j/1"), of: CustomerPair(Specimen.bob, into: CustomerID("robert/é")), joinedAt: Specimen.day(7),
                reason: "“é”")),
        .separation(
            CustomerSeparation(
                id: .init("s1"), of: .init("j/1"), CustomerPair(Specimen.bob, into: CustomerID("robert/é")),
                separatedAt: Specimen.day(8))),
        .chargeElsewhere(ChargeElsewhere(charge(nil), signedFirst: Specimen.start)),
        .chargeElsewhere(
            ChargeElsewhere(
                charge(Revocation(revocationDate: Specimen.day(9), revocationPercentage: 50)), signedFirst: Specimen.start,
                reversals: [Specimen.day(11), Specimen.day(12)])),
        .predecessor(
            Predecessor(
                of: OriginalTransactionID("2"), switchedAt: Specimen.day(12), productId: ProductID("plus.monthly"),
                owner: .init(Specimen.bob, isAnonymous: true, shownAt: Specimen.day(13)), number: 1)),
        .predecessor(
            Predecessor(of: OriginalTransactionID("2"), switchedAt: Specimen.day(12), productId: nil, owner: nil, number: 2)),
        .continuation(Continuation(by: OriginalTransactionID("3"), switchedAt: Specimen.day(14), number: 1)),
    ]

    /// A charge of another subscription.
    private static func charge(_ revocation: Revocation?) -> TransactionFact {
        var fact = Specimen.transaction(of: "2")
        fact.webOrderLineItemId = "910"
        fact.revocation = revocation
        return fact
    }

    private static func checkNamed(in store: any Store) async throws {
        let token = try Specimen.token()
        func decide(_ id: String, in scope: Scope = Specimen.scope, _ inputs: [LedgerInput]) async throws {
            let facts: [LedgerInput] = [.fact(.transaction(Specimen.transaction(of: id)))]
            _ = try await store.decide(on: facts + inputs, about: Specimen.key(id, in: scope))
        }
        try await decide("1", [.claim(Specimen.claim(Specimen.alice, of: "1"))])
        try await decide("2", in: Specimen.sandbox, [.claim(Specimen.claim(Specimen.alice, of: "2"))])
        try await decide("3", in: Specimen.otherApp, [.claim(Specimen.claim(Specimen.alice, of: "3"))])
        try await decide("4", [.claim(Specimen.claim(Specimen.bob, of: "4"))])
        let refused = Specimen.claim(Specimen.alice, .restore, of: "4", at: Specimen.day(1))
        let reservation = LedgerInput.reservation(
            Reservation(id: .init("r"), customer: Specimen.alice, reservedAt: Specimen.start))
        try await store.write { write in
            try write.keep(refused, on: Specimen.key("4"))
            try write.keep(reservation, on: Specimen.key("5"))
            try write.register(Specimen.registration(token, Specimen.alice), app: Specimen.app, by: "deploy-1")
        }
        _ = try await store.keep(Specimen.arrival([.transaction(Specimen.transaction(of: "6", token: token))]))
        let expected = ["1", "4", "5", "6"].map { Specimen.key($0) } + [Specimen.key("2", in: Specimen.sandbox)]
        let name = CustomerName(Specimen.app, Specimen.alice)
        try expect(try await store.subscriptions(naming: name), equals: expected, "subscriptions that name her")
        try expect(try await store.write { try $0.subscriptions(naming: name) }, equals: expected, "inside a transaction")
        let tokens = try await store.write { try $0.tokens(of: name) }
        try expect(tokens.map(\.registration), equals: [Specimen.registration(token, Specimen.alice)], "her tokens")
        try expect(tokens.map(\.keyName), equals: ["deploy-1"], "and with which key they were said")
        let holdings = try await store.write { try $0.holdings(of: CustomerKey(Specimen.scope, Specimen.alice)) }
        try expect(holdings.map(\.originalTransactionId.rawValue), equals: ["1"], "what she has, inside a transaction")
        let bought = try await store.subscriptions(having: TransactionID("6-0"), app: Specimen.app)
        try expect(bought, equals: [Specimen.key("6")], "what has the transaction 6-0")
        let elsewhere = try await store.subscriptions(having: TransactionID("6-0"), app: Specimen.otherApp.app)
        try expect(elsewhere, equals: [], "in another app")
        let nobody = CustomerName(Specimen.app, CustomerID("nobody"))
        try expect(try await store.subscriptions(naming: nobody), equals: [], "subscriptions that name nobody")
    }
}

extension Store {
    /// Says things about a customer, one after the other, in one transaction; returns what was decided.
    func say(
        _ inputs: [CustomerInput], about key: CustomerKey = CustomerKey(Specimen.scope, Specimen.alice)
    ) async throws -> [CustomerDecision] {
        try await write { write in
            let stored = try write.lock([], tokens: [], customers: [key]).customers[key]
            var account = stored?.account ?? CustomerAccount(key, [])
            let map = EntitlementMap(entries: [
                .init(productId: ProductID("plus.monthly"), validFrom: Specimen.start, entitlements: [EntitlementID("plus")])
            ])
            let decisions = inputs.map { input in
                let decision = CustomerDecision(
                    on: input, account: account, holdings: [], map: map, learnedAt: Specimen.start)
                account = decision.account
                return decision
            }
            try write.save([CustomerSaving(key, stored: stored, decisions: decisions, learnedAt: Specimen.start)])
            return decisions
        }
    }

    /// Tells something of a customer beside what was said.
    func tell(_ events: [CustomerEvent], _ key: CustomerKey) async throws {
        try await write { write in
            let stored = try write.lock([], tokens: [], customers: [key]).customers[key]
            var saving = CustomerSaving(key, stored: stored, decisions: [], learnedAt: Specimen.start)
            saving.told = events
            try write.save([saving])
        }
    }
}
