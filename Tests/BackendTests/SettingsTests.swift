import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// Versions of an app's settings, from the file to the answer (OWN-16, OWN-17).
@Suite struct SettingsTests {
    private static let scope = Scope(app: World.app, environment: .production)
    private static let upgrade = purchase("2001", "pro.monthly", day: 2)

    private static func purchase(
        _ id: String, _ product: String = "plus.monthly", day: Int64, of original: String = "1001", reason: String = "PURCHASE"
    ) -> Purchase {
        Purchase().with { purchase in
            (purchase.transactionId, purchase.originalTransactionId) = (id, original)
            (purchase.webOrderLineItemId, purchase.productId) = ("9" + id, product)
            purchase.purchaseDate = PretendAppStore.june.adding(.days(day))
            purchase.signedDate = purchase.purchaseDate
            purchase.expiresDate = purchase.purchaseDate.adding(.days(30))
            purchase.transactionReason = reason
        }
    }

    /// A server with another configuration file on the same store.
    private static func server(
        _ world: World, _ policy: AppPolicy, gives: [String: [String]] = ["plus.monthly": ["plus"]], validFrom: Timestamp? = nil,
        on store: (any Store)? = nil
    ) -> Backend {
        let content = SettingsContent(
            policy: policy,
            products: gives.map { product, names in
                EntitlementMap.Entry(
                    productId: ProductID(product), validFrom: Timestamp(millisecondsSince1970: 0),
                    entitlements: names.map { EntitlementID($0) })
            })
        var settings = AppSettings(
            id: World.app, expected: World.productionOnly,
            content: content)
        settings.validFrom = validFrom
        return Backend(store: store ?? world.store, verifier: world.apple.verifier, apps: [settings], clock: world.clock)
    }

    /// Performs the ordered work; returns how often something was taken.
    @discardableResult
    private static func workThrough(_ backend: Backend, most: Int = 100) async throws -> Int {
        let loop = WorkLoop(
            store: backend.store, clock: backend.clock, lanes: [WorkLane(SettingsPerformer(backend: backend))], worker: "worker",
            pauses: .patient, jitter: { 0.5 })
        var count = 0
        while count < most, try await loop.runOnce() > 0 { count += 1 }
        return count
    }

    private static func audit(_ world: World, _ id: String = "1001") async throws -> [AuditRow] {
        try await world.store.auditRows(of: World.key(id), after: 0, limit: 100).map(\.row)
    }

    private static func owner(_ world: World, _ id: String = "1001") async throws -> CustomerID? {
        try await world.store.subscription(World.key(id))?.state.owner(at: world.clock.now().adding(.minutes(1)))
    }

    /// Alice buys, and Bob buys the upgrade of her subscription.
    private static func story(_ backend: Backend, _ world: World) async throws {
        _ = try await claim(backend, world, World.alice, .purchase, Purchase())
        world.clock.set(upgrade.purchaseDate.adding(.minutes(1)))
        _ = try await claim(backend, world, World.bob, .purchase, upgrade)
    }

    /// Olga's order that the policy is valid from the instant.
    private static func order(_ policy: AppPolicy, from: Timestamp, _ world: World) throws -> SettingsOrder {
        let content = server(world, policy).apps[World.app]?.content
        var order = SettingsOrder(app: World.app, content: try #require(content), actor: "olga")
        order.from = from
        return order
    }

    private static func claim(
        _ backend: Backend, _ world: World, _ customer: CustomerID, _ kind: Claim.Kind, _ purchase: Purchase
    ) async throws -> Backend.ClaimResult {
        try await backend.claim(
            Backend.Upload(
                customer: customer, kind: kind, productId: nil, signedTransactionInfo: try world.apple.sign(purchase),
                signedRenewalInfo: nil),
            app: World.app)
    }

    // MARK: The story

    @Test func `ENT-3 once an entitlement adds up, what follows is tried, worked through, kept by period and shown line by line`()
        async throws
    {
        try await withWorld { world in
            let plus = EntitlementID("plus")
            let follows = Self.server(world, AppPolicy())
            _ = try await follows.adoptSettings()
            _ = try await Self.claim(follows, world, World.alice, .purchase, Purchase())
            #expect(try await world.store.holdings(of: World.alice, in: World.key().scope).first?.credited.isEmpty == true)
            var policy = AppPolicy()
            policy.balanced = [plus]
            world.clock.set(PretendAppStore.june.adding(.days(10)))
            let draft = try #require(Self.server(world, policy).apps[World.app]?.content)
            // Grace and late news apart, nobody loses anything where each period begins when the one before ends.
            let tried = try await follows.whatIf(
                draft, app: World.app, from: PretendAppStore.june.adding(.days(-1)), row: { _ in }, progress: { _ in })
            #expect(tried.customers == 1 && tried.productsDiffer && tried.customersWhoseEntitlementsDiffer == 0)
            let balanced = Self.server(world, policy)
            _ = try await balanced.adoptSettings()
            try await Self.workThrough(balanced)
            let held = try await world.store.holdings(of: World.alice, in: World.key().scope)
            #expect(held.first?.credited.map(\.transactionId.rawValue) == ["1001"])
            #expect(try await balanced.prove(ProofDepth(rebuild: true)).findings == [])
            let ballot = try Backend.Ballot(id: "voucher", at: world.clock.now())
            _ = try await balanced.vote(
                .credit(plus, at: PretendAppStore.june.adding(.days(25)), .days(10)), ballot, of: World.alice, app: World.app,
                environment: .production)
            let renewal = Purchase().renewed()
            world.clock.set(renewal.purchaseDate.adding(.minutes(1)))
            _ = try await Self.claim(balanced, world, World.alice, .queue, renewal)
            let report = try await balanced.customer(World.alice, app: World.app, environment: .production, at: nil)
            // Five days of the voucher are left when the renewal begins.
            #expect(report.balances.map(\.entitlement) == [plus])
            #expect(report.balances.first?.lines.map(\.entry.change) == [.days(10), .days(30)])
            #expect(report.balances.first?.paidThrough == PretendAppStore.june.adding(.days(65)))
            #expect(report.answer.overall.end == PretendAppStore.june.adding(.days(65)))
            world.clock.set(PretendAppStore.june.adding(.days(64)))
            let answer = try await balanced.entitlements(
                of: World.alice, app: World.app, environment: .production, at: nil)
            #expect(answer.overall.isActive && answer.overall.restsOn?.right == .balance)
            #expect(try await balanced.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `OWN-17 B keeps the upgrade bought under another policy, after the next fact and a refused restore too`()
        async throws
    {
        try await withWorld { world in
            let first = Self.server(world, AppPolicy())
            #expect(try await first.adoptSettings()[World.app] == .applied(number: 1, validFrom: world.clock.now()))
            try await Self.story(first, world)
            #expect(try await Self.owner(world) == World.bob)
            let before = try await Self.audit(world)

            world.clock.set(world.clock.now().adding(.hours(1)))
            let second = Self.server(world, AppPolicy(onPurchase: .stay))
            #expect(try await second.adoptSettings()[World.app] == .applied(number: 2, validFrom: world.clock.now()))
            try await Self.workThrough(second)
            #expect(try await Self.owner(world) == World.bob)
            let renewed = Self.purchase("2002", "pro.monthly", day: 32, reason: "RENEWAL")
            world.clock.set(renewed.purchaseDate.adding(.minutes(1)))
            _ = try await Self.claim(second, world, World.bob, .restore, renewed)
            #expect(try await Self.owner(world) == World.bob)
            let refused = try await Self.claim(second, world, CustomerID("stranger"), .restore, renewed)
            #expect(refused.owner == World.bob)
            #expect(try await Self.owner(world) == World.bob)
            let after = try await Self.audit(world).dropFirst(before.count)
            #expect(!after.isEmpty && after.allSatisfy { $0.customer == World.bob && $0.after.exists })
        }
    }

    @Test func `OWN-17 a version that changes the past needs the code of that change, and its audit rows name the operator`()
        async throws
    {
        try await withWorld { world in
            let first = Self.server(world, AppPolicy())
            _ = try await first.adoptSettings()
            let start = world.clock.now()
            try await Self.story(first, world)
            let count = try await Self.audit(world).count
            var order = try Self.order(AppPolicy(onPurchase: .stay), from: start, world)
            await #expect(throws: SettingsRefusal.self) { try await first.apply(order) }
            var rows: [WhatIfRow] = []
            let summary = try await first.whatIf(order.content, app: World.app, from: start, row: { rows.append($0) }) { _ in }
            #expect(rows.map(\.customer) == [World.alice, World.bob] && rows.map(\.effect) == [.gains, .loses])
            #expect(summary.subscriptions == 1 && summary.subscriptionsThatDiffer == 1 && summary.newest == 1)
            #expect(try await Self.audit(world).count == count, "what-if changes nothing (OWN-16)")
            order.code = try ConfirmationCode.of(order.content, app: World.app, newest: 1, from: start.adding(Milliseconds(1)))
            await #expect(throws: SettingsRefusal.self) { try await first.apply(order) }
            order.code = summary.code
            #expect(try await first.apply(order) == .applied(number: 2, validFrom: start))
            #expect(try await first.settingsVersions(of: World.app).last?.actor == "olga")
            try await Self.workThrough(first)
            #expect(try await Self.owner(world) == World.alice)
            let after = Array(try await Self.audit(world).dropFirst(count))
            #expect(after.map(\.customer) == [World.alice, World.bob])
            #expect(after.allSatisfy { $0.actor == .operatorOfTenure && $0.evidence == [.settingsVersion(2)] })
            #expect(try await Self.workThrough(first) == 0)
        }
    }

    @Test func `OWN-17 a fact that arrives before the version is applied does not hide who made the change`()
        async throws
    {
        try await withWorld { world in
            let first = Self.server(world, AppPolicy())
            _ = try await first.adoptSettings()
            let start = world.clock.now()
            try await Self.story(first, world)
            let count = try await Self.audit(world).count
            var order = try Self.order(AppPolicy(onPurchase: .stay), from: start, world)
            order.code = try ConfirmationCode.of(order.content, app: World.app, newest: 1, from: start)
            _ = try await first.apply(order)
            let renewed = Self.purchase("2002", "pro.monthly", day: 32, reason: "RENEWAL")
            world.clock.set(renewed.purchaseDate.adding(.minutes(1)))
            _ = try await first.receiveNotification(try world.apple.body(Notification("n1", about: renewed)), app: World.app)
            let after = Array(try await Self.audit(world).dropFirst(count))
            #expect(after.map(\.actor) == [.operatorOfTenure, .operatorOfTenure, .appStore])
            #expect(after.last?.customer == World.alice)
            try await Self.workThrough(first)
            #expect(try await Self.audit(world).count == count + 3, "there is nothing left to change")
        }
    }

    // MARK: Files

    @Test func `OWN-17 a file that is served twice is one version, and one that is changed back is not applied again`()
        async throws
    {
        try await withWorld { world in
            let (one, two) = (AppPolicy(), AppPolicy(onRestore: .transfer))
            _ = try await Self.server(world, one).adoptSettings()
            #expect(try await Self.server(world, one).adoptSettings()[World.app] == .inForce(number: 1))
            world.clock.set(world.clock.now().adding(.hours(1)))
            let running = Self.server(world, one)
            _ = try await running.adoptSettings()
            _ = try await Self.server(world, two).adoptSettings()
            try await running.checkHealth()
            let old = Self.server(world, one)
            #expect(try await old.adoptSettings()[World.app] == .superseded(number: 1, newest: 2))
            await #expect(throws: BackendError.self) { try await old.checkHealth() }
            #expect(try await old.settingsVersions(of: World.app).count == 2)
            // It continues with the version in force.
            _ = try await Self.claim(old, world, World.alice, .purchase, Purchase())
            _ = try await Self.claim(old, world, World.bob, .restore, Purchase())
            #expect(try await Self.owner(world) == World.bob)
            // Going back is a command.
            var order = SettingsOrder(
                app: World.app, content: try #require(old.apps[World.app]?.content), actor: "olga")
            await #expect(throws: SettingsRefusal.self) { try await old.apply(order) }
            order.again = true
            #expect(try await old.apply(order) == .applied(number: 3, validFrom: world.clock.now()))
            try await old.checkHealth()
        }
    }

    @Test func `OWN-17 a file may say from when it holds, but not from an instant that is past`() async throws {
        try await withWorld { world in
            _ = try await Self.server(world, AppPolicy()).adoptSettings()
            let (now, later) = (world.clock.now(), world.clock.now().adding(.days(3)))
            let past = Self.server(world, AppPolicy(onRestore: .transfer), validFrom: now.adding(.hours(-1)))
            await #expect(throws: SettingsRefusal.self) { try await past.adoptSettings() }
            let planned = Self.server(world, AppPolicy(onRestore: .transfer), validFrom: later)
            #expect(try await planned.adoptSettings()[World.app] == .applied(number: 2, validFrom: later))
            _ = try await Self.claim(planned, world, World.alice, .purchase, Purchase())
            _ = try await Self.claim(planned, world, World.bob, .restore, Purchase())
            #expect(try await Self.owner(world) == World.alice)
            world.clock.set(later)
            #expect(try await planned.adoptSettings()[World.app] == .inForce(number: 2))
            _ = try await Self.claim(planned, world, World.bob, .restore, Purchase())
            #expect(try await Self.owner(world) == World.bob)
        }
    }

    @Test func `OWN-17 two servers with different files both judge and answer by the store's versions`()
        async throws
    {
        try await withWorld { world in
            let one = Self.server(world, AppPolicy(onRestore: .keep))
            _ = try await one.adoptSettings()
            _ = try await Self.claim(one, world, World.alice, .purchase, Purchase())
            let two = Self.server(
                world, AppPolicy(onRestore: .transfer), gives: ["plus.monthly": ["plus", "extra"]])
            _ = try await two.adoptSettings()
            for server in [one, two] {
                let answer = try await server.entitlements(
                    of: World.alice, app: World.app, environment: .production, at: nil)
                #expect(answer.entitlements.filter(\.isActive).compactMap(\.entitlement?.rawValue) == ["extra", "plus"])
                let nobody = try await server.entitlements(
                    of: CustomerID("nobody"), app: World.app, environment: .production, at: nil)
                #expect(nobody.entitlements.count == 2)
            }
            // The server with the old file decides by the new version, and the result does not alternate between the servers.
            _ = try await Self.claim(one, world, World.bob, .restore, Purchase())
            #expect(try await Self.owner(world) == World.bob)
            let rows = try await Self.audit(world).count
            for server in [one, two, one] {
                _ = try await Self.claim(server, world, World.bob, .restore, Purchase())
                _ = try await server.receiveNotification(
                    try world.apple.body(Notification("n\(server.apps.count)", about: Purchase())), app: World.app)
            }
            #expect(try await Self.audit(world).count == rows)
        }
    }

    @Test func `ENT-2 a version that changes products alone judges no subscription anew`() async throws {
        try await withWorld { world in
            let first = Self.server(world, AppPolicy())
            _ = try await first.adoptSettings()
            try await Self.story(first, world)
            let before = try world.rowCounts()
            let other = Self.server(world, AppPolicy(), gives: ["plus.monthly": ["other"]])
            _ = try await other.adoptSettings()
            // It is worked through all the same: whoever has one of the products is told what they may use.
            #expect(try await Self.workThrough(other) > 0)
            let after = try world.rowCounts()
            for table in ["audit", "tenure", "outbox"] { #expect(after[table] == before[table], "\(table)") }
        }
    }

    // MARK: Working through

    /// Writes this many subscriptions of Alice's, each restored by Bob half a day later.
    private static func restored(_ count: Int64, _ backend: Backend, _ world: World) async throws {
        let start = world.clock.now()
        for number in 0..<count {
            let purchase = purchase("\(5000 + number)", day: 0, of: "\(5000 + number)")
            world.clock.set(start)
            _ = try await claim(backend, world, World.alice, .purchase, purchase)
            world.clock.set(start.adding(.hours(12)))
            _ = try await claim(backend, world, World.bob, .restore, purchase)
        }
    }

    @Test func `OWN-17 after a server was killed the version is applied from where it stopped, to each subscription once`()
        async throws
    {
        try await withWorld { world in
            let first = Self.server(world, AppPolicy())
            _ = try await first.adoptSettings()
            let start = world.clock.now()
            try await Self.restored(60, first, world)
            var order = try Self.order(AppPolicy(onRestore: .transfer), from: start, world)
            order.code = try ConfirmationCode.of(order.content, app: World.app, newest: 1, from: start)
            _ = try await first.apply(order)
            // It is killed in its second transaction of subscriptions: what it wrote before stays, with the cursor.
            let watched = WatchedStore(world.store)
            watched.fail(with: StorageError(.unavailable, "killed"), after: 2, times: 1000)
            let dying = Self.server(world, AppPolicy(), on: WatchedStoreFace(watched: watched, writers: 1))
            await #expect(throws: StorageError.self) { try await Self.workThrough(dying) }
            let left = try await world.store.work(after: 0, limit: 1000).first { $0.order.kind == .applySettings }
            let progress = try SettingsProgress(json: try #require(left).order.body)
            #expect(progress.changed == 25 && progress.after == "5024" && progress.looked == 25)
            // Nobody gets it before the lease ends; then another server continues.
            #expect(try await Self.workThrough(first) == 0)
            world.clock.set(world.clock.now().adding(.minutes(2)))
            #expect(try await Self.workThrough(first) > 0)
            #expect(try await world.store.work(after: 0, limit: 1000).filter { $0.order.kind == .applySettings }.isEmpty)
            for number in 0..<60 as Range<Int64> {
                #expect(try await Self.owner(world, "\(5000 + number)") == World.bob)
                let rows = try await Self.audit(world, "\(5000 + number)").filter { $0.actor == .operatorOfTenure }
                #expect(rows.map(\.customer) == [World.alice, World.bob])
            }
        }
    }

    // MARK: OWN-16

    @Test func `OWN-16 what-if lists the entitlements that a customer would gain or lose, and a running period loses none`()
        async throws
    {
        try await withWorld { world in
            let server = Self.server(world, AppPolicy())
            _ = try await server.adoptSettings()
            _ = try await Self.claim(server, world, World.alice, .purchase, Purchase())
            let content = try #require(
                Self.server(world, AppPolicy(), gives: ["plus.monthly": ["other"]]).apps[World.app]?.content)
            let end = PretendAppStore.june.adding(.days(30)).adding(.hours(1))
            var rows: [WhatIfRow] = []
            let now = try await server.whatIf(content, app: World.app, from: nil, row: { rows.append($0) }) { _ in }
            #expect(now.customers == 1 && now.customersWhoseEntitlementsDiffer == 1 && now.losses == 0)
            #expect(rows.map(\.entitlement?.rawValue) == ["other"] && rows.map(\.rule) == ["ENT-2"])
            #expect(rows.first?.window == TimeWindow(from: world.clock.now(), until: end))
            rows = []
            let always = Timestamp(millisecondsSince1970: 0)
            let past = try await server.whatIf(content, app: World.app, from: always, row: { rows.append($0) }) { _ in }
            #expect(past.losses == 1 && rows.map(\.effect) == [.gains, .loses])
            #expect(rows.map(\.entitlement?.rawValue) == ["other", "plus"])
            #expect(rows.allSatisfy { $0.window == TimeWindow(from: PretendAppStore.june, until: end) })
            #expect(now.code != past.code)
        }
    }

    // MARK: PER-9

    @Test func `products that were bought are held against those that are configured`() async throws {
        try await withWorld { world in
            let backend = Self.server(world, AppPolicy(), gives: ["plus.monthly": ["plus"], "lifetime": ["plus"]])
            _ = try await backend.adoptSettings()
            _ = try await Self.claim(backend, world, World.alice, .purchase, Self.purchase("2000", day: 1))
            world.clock.set(PretendAppStore.june.adding(.days(3)))
            _ = try await Self.claim(backend, world, World.alice, .purchase, Self.upgrade)
            _ = try await Self.claim(
                backend, world, World.bob, .purchase, Self.purchase("3001", "pro.monthly", day: 1, of: "3001"))
            let comparison = try await backend.compareCatalogue(of: World.app)
            let missing = try #require(comparison.notConfigured.first)
            #expect(comparison.notConfigured.count == 1 && missing.productId == ProductID("pro.monthly"))
            #expect(missing.subscriptions == 2 && missing.environment == .production)
            #expect(missing.lastPurchaseDate == PretendAppStore.june.adding(.days(2)))
            #expect(comparison.notSeen == [ProductID("lifetime")] && comparison.subscriptions == 2)
            #expect(comparison.configured.map(\.productId) == [ProductID("plus.monthly")])
        }
    }

    @Test func `FACT-5 a product that was removed and is bought then is warned of, and listed with who paid`() async throws {
        try await withWorld { world in
            let both = Self.server(world, AppPolicy(), gives: ["plus.monthly": ["plus"], "pro.monthly": ["plus"]])
            _ = try await both.adoptSettings()
            let before = Self.purchase("3001", "pro.monthly", day: 1, of: "3001")
            _ = try await Self.claim(both, world, World.alice, .purchase, before)
            world.clock.set(PretendAppStore.june.adding(.days(5)))
            let backend = Self.server(world, AppPolicy(), gives: ["plus.monthly": ["plus"]])
            _ = try await backend.adoptSettings()
            let earlier = try await backend.compareCatalogue(of: World.app)
            #expect(earlier.notConfigured.isEmpty, "it was configured when it was bought")
            #expect(try await backend.warnings(app: World.app, environment: .production).isEmpty)
            world.clock.set(PretendAppStore.june.adding(.days(8)))
            let after = Self.purchase("3002", "pro.monthly", day: 7, of: "3002")
            _ = try await Self.claim(backend, world, World.bob, .purchase, after)
            let warned = try await backend.warnings(app: World.app, environment: .production).map { [$0.kind, $0.value] }
            #expect(warned == [["unknownProduct", "pro.monthly"]])
            let missing = try await backend.compareCatalogue(of: World.app).notConfigured
            #expect(missing.map(\.productId) == [ProductID("pro.monthly")] && missing.map(\.subscriptions) == [1])
            #expect(missing.flatMap(\.payers).map(\.customer) == [World.bob])
        }
    }

    @Test func `PER-9 a non-renewing subscription for which no duration is configured is shown to operators`() async throws {
        try await withWorld { world in
            var season = Purchase()
            season.type = "Non-Renewing Subscription"
            season.expiresDate = nil
            _ = try await Self.claim(world.backend, world, World.alice, .purchase, season)
            let kinds = try await world.backend.warnings(app: World.app, environment: .production).map(\.kind)
            #expect(kinds == ["durationMissing"])
        }
    }
}
