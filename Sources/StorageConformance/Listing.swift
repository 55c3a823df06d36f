import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// What those read who keep a copy of their own (docs/decisions/0057).
    static let listing: [Behaviour] = [
        Behaviour("STORE-110", "Subscriptions are listed by their last change, each once and as it is now") { store in
            var states: [String: Ledger.SubscriptionState] = [:]
            for id in ["3", "1", "2"] {
                states[id] = try await store.decide(on: bought(id), about: Specimen.key(id)).state
            }
            func expectList(_ ids: [String], after place: ChangePlace = .start, _ words: String) async throws {
                let page = try await store.listedSubscriptions(in: Specimen.scope, after: place, limit: 100)
                let expected = ids.compactMap { states[$0] }.map { ListedSubscription(of: $0, changedAt: Specimen.start) }
                try expect(page.items, equals: expected, words)
                try expect(page.hasMore, equals: false, "more than \(words)")
            }
            try await expectList(["3", "1", "2"], "in the order of their purchases")
            let end = try await store.listedSubscriptions(in: Specimen.scope, after: .start, limit: 100).end
            try await expectList([], after: end, "after the last")
            let renewed = Fact.transaction(Specimen.transaction(1, of: "1"))
            states["1"] = try await store.decide(on: [.fact(renewed)], about: Specimen.key("1")).state
            try await expectList(["3", "2", "1"], "the renewed one last")
            try await expectList(["1"], after: end, "what changed since")
            for limit in [1, 2, 3] {
                let read = try await pages(limit) {
                    try await store.listedSubscriptions(in: Specimen.scope, after: $0, limit: limit)
                }
                try expect(read.map(\.originalTransactionId.rawValue), equals: ["3", "2", "1"], "pages of \(limit)")
            }
            let other = try await store.listedSubscriptions(in: Specimen.otherApp, after: end, limit: 10)
            try expect(other, equals: ChangePage(after: end), "those of an app that has none")
        },
        Behaviour("STORE-111", "Customers are listed by the last change of what they have or what was said of them") { store in
            for (id, customer) in [("1", Specimen.alice), ("2", Specimen.bob)] {
                _ = try await store.decide(
                    on: bought(id) + [.claim(Specimen.claim(customer, of: id))], about: Specimen.key(id))
            }
            let first = try await store.listedCustomers(in: Specimen.scope, after: .start, limit: 100)
            try expect(first.items.map(\.customer), equals: [Specimen.alice, Specimen.bob], "in the order of their purchases")
            for listed in first.items {
                try expect(
                    listed.holdings, equals: try await store.holdings(of: listed.customer, in: Specimen.scope),
                    "what \(listed.customer) has")
            }
            let renewed = Fact.transaction(Specimen.transaction(1, of: "1"))
            _ = try await store.decide(on: [.fact(renewed)], about: Specimen.key("1"))
            let second = try await store.listedCustomers(in: Specimen.scope, after: first.end, limit: 100)
            try expect(second.items.map(\.customer), equals: [Specimen.alice], "whose subscription renewed")
            try expect(second.items.first?.number, equals: first.items.first?.number, "her number")
            let granted = CustomerInput.vote(
                CustomerVote(
                    id: .init("g"), kind: .grant(EntitlementID("plus"), TimeWindow(from: Specimen.start, until: nil)),
                    actor: "mia", reason: "", votedAt: Specimen.start))
            let carol = CustomerKey(Specimen.scope, CustomerID("carol"))
            _ = try await store.say([granted], about: carol)
            let third = try await store.listedCustomers(in: Specimen.scope, after: second.end, limit: 100)
            try expect(third.items.map(\.customer), equals: [carol.customer], "of whom something was said")
            try expect(third.items.first?.holdings, equals: [], "what carol has")
            for limit in [1, 2, 3] {
                let read = try await pages(limit) {
                    try await store.listedCustomers(in: Specimen.scope, after: $0, limit: limit)
                }
                let names = [Specimen.bob, Specimen.alice, carol.customer]
                try expect(read.map(\.customer), equals: names, "pages of \(limit)")
            }
        },
        Behaviour("STORE-112", "What Apple said of each purchase is listed with its subscription, and whose it was") { store in
            let facts = (0..<3 as Range<Int64>).map { Specimen.transaction($0, of: "7") }
            _ = try await store.decide(
                on: facts.reversed().map { .fact(.transaction($0)) } + [.claim(Specimen.claim(Specimen.alice, of: "7"))],
                about: Specimen.key("7"))
            _ = try await store.decide(on: bought("8"), about: Specimen.key("8"))
            let page = try await store.listedPeriods(in: Specimen.scope, after: .start, limit: 1)
            try expect(page.items.map(\.transactions), equals: [facts], "its purchases, by date")
            try expect(page.items.first?.owner(at: facts[1].purchaseDate), equals: Specimen.alice, "whose the second was")
            try expect(page.hasMore, equals: true, "there is more")
            let rest = try await store.listedPeriods(in: Specimen.scope, after: page.end, limit: 10)
            try expect(rest.items.map(\.originalTransactionId.rawValue), equals: ["8"], "the other one")
            try expect(rest.items.first?.owner(at: Specimen.start), equals: nil, "nobody's")
            try expect(rest.hasMore, equals: false, "there is no more")
        },
        Behaviour("STORE-113", "Who follows the changes while eight write ends with what is there") { store in
            try await checkFollowing(store)
        },
        Behaviour("STORE-114", "I45 An erased customer comes again under the same number, and their subscriptions do") { store in
            let claim = Specimen.claim(Specimen.alice)
            _ = try await store.keep(Specimen.arrival([.transaction(Specimen.transaction())]))
            try await store.write { write in
                _ = try write.lock([Specimen.key()], tokens: [])
                try write.keep(claim, on: Specimen.key())
                _ = try write.decide(on: [.fact(.transaction(Specimen.transaction())), .claim(claim)])
            }
            _ = try await store.decide(on: bought("8"), about: Specimen.key("8"))
            let customers = try await store.listedCustomers(in: Specimen.scope, after: .start, limit: 10)
            let subscriptions = try await store.listedSubscriptions(in: Specimen.scope, after: .start, limit: 10)
            let pseudonyms = try await store.write { write in
                _ = try write.lockSettings(of: Specimen.app)
                return try write.erase([CustomerName(Specimen.app, Specimen.alice)], from: [Specimen.key()])
            }
            let erased = try await store.listedCustomers(in: Specimen.scope, after: customers.end, limit: 10).items
            try expect(erased.map(\.customer), equals: pseudonyms.map(\.name), "the pseudonym")
            try expect(erased.map(\.number), equals: customers.items.map(\.number), "the same number")
            try expect(erased.first?.holdings.count, equals: 1, "what was hers")
            let changed = try await store.listedSubscriptions(in: Specimen.scope, after: subscriptions.end, limit: 10).items
            try expect(changed.map(\.originalTransactionId), equals: [Specimen.key().originalTransactionId], "the subscription")
            try expect(changed.flatMap(\.owners).compactMap(\.customer), equals: pseudonyms.map(\.name), "its owner")
            try expect(changed.first?.changedAt, equals: nil, "put together anew")
            let periods = try await store.listedPeriods(in: Specimen.scope, after: subscriptions.end, limit: 10).items
            try expect(periods.map(\.transactions), equals: [[Specimen.transaction()]], "what Apple signed stays")
            try expect(
                periods.first?.owner(at: Specimen.start), equals: pseudonyms.first?.name, "and is the pseudonym's")
            let all = try await store.listedCustomers(in: Specimen.scope, after: .start, limit: 10).items
            try expect(all.map(\.customer), equals: pseudonyms.map(\.name), "nobody else is named")
        },
    ]

    private static func bought(_ id: String) -> [LedgerInput] {
        [.fact(.transaction(Specimen.transaction(of: id)))]
    }

    /// Everything, page by page.
    private static func pages<Item>(
        _ limit: Int, _ read: (ChangePlace) async throws -> ChangePage<Item>
    ) async throws -> [Item] {
        var (items, place) = ([] as [Item], ChangePlace.start)
        while true {
            let page = try await read(place)
            try expect(page.items.count <= limit, "a page of at most \(limit)")
            (items, place) = (items + page.items, page.end)
            if !page.hasMore { return items }
        }
    }

    /// Eight write, each about a subscription of its own and then about one that others write about too; one keeps a copy, and
    /// reads a page of each after each commit.
    private static func checkFollowing(_ store: any Store) async throws {
        let (commits, committed) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        async let following = follow(store, after: commits)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 as Range<Int64> {
                group.addTask {
                    for turn in 0..<20 as Range<Int64> {
                        try await write(turn, by: writer, to: store)
                        committed.yield()
                    }
                }
            }
            defer { committed.finish() }
            try await group.waitForAll()
        }
        let copy = try await following
        let subscriptions = try await store.listedSubscriptions(in: Specimen.scope, after: .start, limit: 100).items
        let customers = try await store.listedCustomers(in: Specimen.scope, after: .start, limit: 100).items
        try expect(subscriptions.count, equals: 12, "subscriptions")
        try expect(
            copy.subscriptions, equals: Dictionary(uniqueKeysWithValues: subscriptions.map { ($0.originalTransactionId, $0) }),
            "the copy of the subscriptions")
        try expect(
            copy.customers, equals: Dictionary(uniqueKeysWithValues: customers.map { ($0.number, $0) }),
            "the copy of the customers")
    }

    private static func write(_ turn: Int64, by writer: Int64, to store: any Store) async throws {
        let ids = ["own\(writer)", "shared\((writer + turn) % 4)"]
        let claimant = CustomerID("customer\((writer + turn) % 3)")
        try await store.write { write in
            for id in ids {
                let fact = Fact.transaction(Specimen.transaction(turn * 8 + writer, of: id))
                _ = try write.decide(on: [.fact(fact), .claim(Specimen.claim(claimant, of: id))], about: Specimen.key(id))
            }
        }
    }

    private static func follow(_ store: any Store, after commits: AsyncStream<Void>) async throws -> Copy {
        var copy = Copy()
        for await _ in commits { _ = try await copy.follow(store) }
        while try await copy.follow(store) {}
        return copy
    }

    /// What somebody has who follows.
    private struct Copy: Sendable {
        private(set) var subscriptions: [OriginalTransactionID: ListedSubscription] = [:]
        private(set) var customers: [Int64: ListedCustomer] = [:]
        private var places = (ChangePlace.start, ChangePlace.start)

        /// Reads one page of each; whether there was anything.
        mutating func follow(_ store: any Store) async throws -> Bool {
            let subscriptions = try await store.listedSubscriptions(in: Specimen.scope, after: places.0, limit: 3)
            let customers = try await store.listedCustomers(in: Specimen.scope, after: places.1, limit: 2)
            places = (subscriptions.end, customers.end)
            for listed in subscriptions.items { self.subscriptions[listed.originalTransactionId] = listed }
            for listed in customers.items { self.customers[listed.number] = listed }
            return !subscriptions.items.isEmpty || !customers.items.isEmpty
        }
    }
}
