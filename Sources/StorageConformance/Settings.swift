import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// Versions of what an app chose, and reading everything page by page (OWN-16, OWN-17).
    static let settings: [Behaviour] = [
        Behaviour("STORE-40", "Versions are read back as they were kept, by number, and each app has its own") { store in
            try expect(try await store.settings(of: Specimen.app), equals: [], "versions before any was kept")
            let first = try version(1, of: Specimen.app, .keep)
            let second = try version(2, of: Specimen.app, .transfer)
            let other = try version(1, of: Specimen.otherApp.app, .ask)
            for version in [first, other, second] {
                let kept = try await store.write { write in
                    let before = try write.lockSettings(of: version.app)
                    try write.keep(version)
                    return (before, try write.settings(of: version.app))
                }
                try expect(kept.1, equals: kept.0 + [version], "versions inside the transaction")
            }
            try expect(try await store.settings(of: Specimen.app), equals: [first, second], "versions")
            try expect(try await store.settings(of: Specimen.otherApp.app), equals: [other], "versions of another app")
            let content = try await store.settings(of: Specimen.app).last?.version.content
            try expect(content, equals: Self.content(.transfer), "the content of the newest version")
        },
        Behaviour("STORE-41", "A number is used once: another version with it is refused, and nothing of it is kept") {
            store in
            let first = try version(1, of: Specimen.app, .keep)
            try await store.write { try $0.keep(first) }
            let again = try version(1, of: Specimen.app, .transfer)
            try await expectError("constraint", "a second version 1") { try await store.write { try $0.keep(again) } }
            try expect(try await store.settings(of: Specimen.app), equals: [first], "versions")
        },
        Behaviour("STORE-42", "Locks and a customer's holdings come with the newest number, even where there are no holdings") {
            store in
            _ = try await store.decide(on: [
                .fact(.transaction(Specimen.transaction())), .claim(Specimen.claim(Specimen.alice)),
            ])
            for number in 0...2 as ClosedRange<Int64> {
                if number > 0 {
                    let next = try version(number, of: Specimen.app, .keep)
                    try await store.write { try $0.keep(next) }
                }
                let locked = try await store.write { write in
                    let other = Specimen.key(in: Specimen.otherApp)
                    return try write.lock([Specimen.key(), Specimen.key("none"), other], tokens: []).settings
                }
                try expect(locked, equals: number == 0 ? [:] : [Specimen.app: number], "the newest numbers")
                let tokens = try [TokenName(app: Specimen.app, token: Specimen.token())]
                let byToken = try await store.write { try $0.lock([], tokens: tokens).settings }
                try expect(byToken, equals: locked, "the newest numbers, asked for a token")
                for (customer, count) in [(Specimen.alice, 1), (Specimen.bob, 0)] {
                    let access = try await store.access(of: customer, in: Specimen.scope)
                    try expect(access.settings, equals: number, "the newest number for \(customer)")
                    try expect(access.holdings.count, equals: count, "holdings of \(customer)")
                }
                try expect(
                    try await store.access(of: Specimen.alice, in: Specimen.otherApp).settings, equals: 0, "that of another app")
            }
        },
        Behaviour("STORE-43", "Concurrent writers of the next version write one after the other, without gaps") { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for turn in 0..<8 as Range<Int64> {
                    group.addTask {
                        try await store.write { write in
                            let kept = try write.lockSettings(of: Specimen.app)
                            try write.keep(try Self.version(Int64(kept.count) + 1, of: Specimen.app, .keep, at: turn))
                        }
                    }
                    group.addTask { _ = try await store.write { try $0.lock([Specimen.key()], tokens: []) } }
                }
                try await group.waitForAll()
            }
            let numbers = try await store.settings(of: Specimen.app).map(\.number)
            try expect(numbers, equals: Array(1...8), "their numbers")
        },
        Behaviour("STORE-44", "The holder of work can note its progress; one whose lease or order was replaced cannot") {
            store in
            try await checkNotes(of: store)
        },
        Behaviour("STORE-45", "Everything is read page by page: each subscription and each holding once, by its key") { store in
            try await checkPages(of: store)
        },
    ]

    private static func content(_ onRestore: RestorePolicy) -> SettingsContent {
        SettingsContent(
            policy: AppPolicy(onRestore: onRestore),
            products: [
                .init(productId: ProductID("plus"), validFrom: Specimen.start, entitlements: [EntitlementID("é \"plus\"")])
            ], durations: [ProductID("season"): .months(1)])
    }

    private static func version(
        _ number: Int64, of app: AppID, _ onRestore: RestorePolicy, at turn: Int64 = 0
    ) throws -> SettingsVersion {
        try SettingsVersion(
            content(onRestore), of: app, number: number,
            adopted: .init(
                from: Specimen.day(number), appliedAt: Specimen.day(number).adding(.minutes(turn)), by: "Jose\u{301}"))
    }

    private static func checkNotes(of store: any Store) async throws {
        let order = Specimen.order("settings", kind: .applySettings)
        try await store.write { try $0.order([order]) }
        let request = WorkRequest(kinds: [.applySettings], worker: "w")
        let taken = try await store.write { try $0.lease(request, at: Specimen.start) }
        guard let work = taken.first else { throw ConformanceFailure("work that is due is taken") }
        let later = Specimen.start.adding(.minutes(10))
        try await store.write { try $0.note(#"{"after":"1"}"#, on: work, until: later) }
        let kept = try await store.work(after: 0, limit: 10).first
        try expect(kept?.order.body, equals: #"{"after":"1"}"#, "what was noted")
        try expect(kept?.attempts, equals: 1, "attempts of work that made progress")
        let early = try await store.write { try $0.lease(request, at: later.adding(Milliseconds(-1))) }
        try expect(early.count, equals: 0, "work that is held, though the first lease is over")
        let next = try await store.write { try $0.lease(request, at: later) }
        try expect(next.map(\.order.body), equals: [#"{"after":"1"}"#], "what the next holder continues from")
        try await expectError("staleLease", "a note by the former holder") {
            try await store.write { try $0.note("{}", on: work, until: later) }
        }
        guard let second = next.first else { throw ConformanceFailure("work whose lease is over is taken") }
        try await store.write { try $0.order([order]) }
        try await expectError("staleLease", "a note on work that was ordered again") {
            try await store.write { try $0.note("{}", on: second, until: later) }
        }
        try expect(try await store.work(after: 0, limit: 10).first?.order.body, equals: order.body, "work that was ordered again")
    }

    private static func checkPages(of store: any Store) async throws {
        let ids = ["9", "1", "10", "é", "2"]
        for id in ids {
            let transaction = Specimen.transaction(of: id)
            let claim = Claim(
                id: .init("claim/\(id)"), customer: id == "2" ? Specimen.bob : Specimen.alice, kind: .purchase,
                transaction: transaction, productId: transaction.productId, claimedAt: Specimen.start)
            _ = try await store.decide(on: [.fact(.transaction(transaction)), .claim(claim)], about: Specimen.key(id))
        }
        _ = try await store.decide(
            on: [.fact(.transaction(Specimen.transaction(of: "3")))], about: Specimen.key("3", in: Specimen.sandbox))
        var read: [String] = []
        while true {
            let page = try await store.subscriptions(
                in: Specimen.scope, after: read.last.map { OriginalTransactionID($0) }, limit: 2)
            if page.isEmpty { break }
            for stored in page {
                let alone = try await store.subscription(stored.history.key)
                try expect(stored, equals: alone, "a subscription of a page")
                read.append(stored.history.key.originalTransactionId.rawValue)
            }
        }
        try expect(read, equals: ["1", "10", "2", "9", "é"], "subscriptions page by page")
        var (held, place) = ([HeldByCustomer](), HeldByCustomer.Place?.none)
        while true {
            let page = try await store.holdings(in: Specimen.scope, after: place, limit: 2)
            guard let last = page.last else { break }
            held += page
            place = last.place
        }
        var expected: [HeldByCustomer] = []
        for customer in [Specimen.alice, Specimen.bob] {
            expected += try await store.holdings(of: customer, in: Specimen.scope).map {
                HeldByCustomer(customer: customer, holding: $0)
            }
        }
        try expect(held, equals: expected, "holdings page by page")
    }
}
