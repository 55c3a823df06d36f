import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// Trying a policy as a job, and applying what was tried (OWN-16, OWN-17).
@Suite struct JobTests {
    private static let upgrade = Purchase().with { purchase in
        (purchase.transactionId, purchase.webOrderLineItemId, purchase.productId) = ("1002", "91002", "pro.monthly")
        purchase.purchaseDate = PretendAppStore.june.adding(.days(2))
        purchase.signedDate = purchase.purchaseDate
        purchase.expiresDate = purchase.purchaseDate.adding(.days(30))
    }

    /// Alice bought, and Bob the upgrade of her subscription; the draft lets the owner keep it, and gives more by a product.
    private static func withStory(_ body: (World, String) async throws -> Void) async throws {
        try await withWorld { world in
            _ = try await world.backend.adoptSettings()
            _ = try await world.claim(World.alice)
            world.clock.set(upgrade.purchaseDate.adding(.minutes(1)))
            _ = try await world.claim(World.bob, .purchase, upgrade)
            world.clock.set(world.clock.now().adding(.hours(1)))
            let products = ["plus.monthly", "pro.monthly"].map { product in
                EntitlementMap.Entry(
                    productId: ProductID(product), validFrom: Timestamp(millisecondsSince1970: 0),
                    entitlements: [EntitlementID("plus")])
            }
            let draft = SettingsContent(policy: AppPolicy(onPurchase: .stay), products: products)
            try await body(world, try SettingsCoding.encode(draft))
        }
    }

    /// Has servers go on with jobs, one page each, one after the other; returns how often something was taken.
    @discardableResult
    private static func workThrough(_ world: World, most: Int = 100) async throws -> Int {
        var count = 0
        while count < most {
            let performer = JobPerformer(backend: world.backend, pages: 1)
            let loop = WorkLoop(
                store: world.store, clock: world.clock, lanes: [WorkLane(performer)], worker: "server \(count)",
                pauses: .patient, jitter: { 0.5 })
            guard try await loop.runOnce() > 0 else { break }
            count += 1
        }
        return count
    }

    private static let past = PretendAppStore.june

    @Test func `OWN-16 a trial finds what what-if finds, page by page, whichever server goes on, each difference once`()
        async throws
    {
        try await Self.withStory { world, draft in
            let started = try await world.backend.startTrial("t1", of: draft, from: Self.past, app: World.app)
            #expect(started.state == "running" && started.summary.rows == 0)
            #expect(try await Self.workThrough(world) > 3)
            let done = try await world.backend.job("t1", app: World.app)
            var expected: [WhatIfRow] = []
            let content = try SettingsCoding.decode(draft)
            let summary = try await world.backend.whatIf(
                content, app: World.app, from: Self.past, row: { expected.append($0) }, progress: { _ in })
            #expect(done.state == "done" && done.endedAt == world.clock.now() && done.summary == summary)
            #expect(summary.policyDiffers && summary.productsDiffer && summary.losses > 0)
            #expect(Set(expected.map(\.customer)) == [World.alice, World.bob] && done.rows == Int64(expected.count))
            let found = try await world.backend.differences(of: "t1", app: World.app, after: 0, limit: 100)
            #expect(found.map(\.row) == expected && found.map(\.number) == Array(1...Int64(expected.count)))
            let rest = try await world.backend.differences(of: "t1", app: World.app, after: 1, limit: 1)
            #expect(rest.map(\.row) == [expected[1]])
            // A trial changes nothing.
            #expect(try await world.isActive(World.alice) == false)
            #expect(try await world.backend.settingsVersions(of: World.app).count == 1)
        }
    }

    @Test func `OWN-16 a trial is compared with the versions that were there when it was asked for`() async throws {
        try await Self.withStory { world, draft in
            _ = try await world.backend.startTrial("t1", of: draft, from: Self.past, app: World.app)
            var order = SettingsOrder(app: World.app, content: try SettingsCoding.decode(draft), actor: "olga")
            order.again = true
            #expect(try await world.backend.apply(order) == .applied(number: 2, validFrom: world.clock.now()))
            try await Self.workThrough(world)
            let job = try await world.backend.job("t1", app: World.app)
            #expect(job.summary.newest == 1 && job.summary.policyDiffers && job.rows > 0)
        }
    }

    @Test func `OWN-17 what a trial showed is the code that reaching back needs`() async throws {
        try await Self.withStory { world, draft in
            _ = try await world.backend.startTrial("t1", of: draft, from: Self.past, app: World.app)
            try await Self.workThrough(world)
            var order = SettingsOrder(app: World.app, content: try SettingsCoding.decode(draft), actor: "olga")
            order.from = Self.past
            await #expect(throws: SettingsRefusal.self) { try await world.backend.apply(order) }
            order.code = try await world.backend.job("t1", app: World.app).summary.code
            #expect(try await world.backend.apply(order) == .applied(number: 2, validFrom: Self.past))
            #expect(try await world.backend.settingsProgress(of: World.app).map(\.progress.version) == [2, 2])
        }
    }

    @Test func `a job whose request cannot be read fails with the reason, and is not tried for ever`() async throws {
        try await withWorld { world in
            let scope = Scope(app: World.app, environment: .production)
            let job = StoredJob(
                JobName(World.app, "t1"), kind: "trial", request: "[]", progress: try WhatIfProgress().json,
                startedAt: world.clock.now())
            try await world.store.write { write in
                try write.save(job)
                try write.order([
                    WorkOrder(scope: scope, subject: "t1", key: "job/t1", kind: .runJob, dueAt: job.startedAt)
                ])
            }
            #expect(try await Self.workThrough(world) == 1)
            let ended = try #require(try await world.store.job(job.name))
            #expect(ended.state == .failed && ended.endedAt == world.clock.now() && ended.reason != nil)
        }
    }

    @Test func `a job is asked for once, may be ended, and is forgotten a month after its end`() async throws {
        try await Self.withStory { world, draft in
            let backend = world.backend
            let first = try await backend.startTrial("t1", of: draft, from: Self.past, app: World.app)
            #expect(try await backend.startTrial("t1", of: draft, from: Self.past, app: World.app) == first)
            await #expect(throws: JobRefusal.idTaken("t1")) {
                try await backend.startTrial("t1", of: draft, from: nil, app: World.app)
            }
            await #expect(throws: JobRefusal.documentRefused) {
                try await backend.startTrial("t2", of: "{}", from: nil, app: World.app)
            }
            await #expect(throws: JobRefusal.unknown("t2")) { try await backend.job("t2", app: World.app) }
            try await Self.workThrough(world, most: 1)
            #expect(try await backend.cancelJob("t1", app: World.app).state == "canceled")
            let rows = try await backend.job("t1", app: World.app).rows
            #expect(try await Self.workThrough(world) == 1, "it is taken once more, and ends")
            #expect(try await backend.job("t1", app: World.app).rows == rows)
            #expect(try await backend.cancelJob("t1", app: World.app).state == "canceled")
            world.clock.set(world.clock.now().adding(.days(29)))
            _ = try await backend.startTrial("t3", of: nil, from: nil, app: World.app)
            #expect(try await backend.jobs(app: World.app).map(\.id) == ["t3", "t1"])
            try await Self.workThrough(world)
            #expect(try await backend.job("t3", app: World.app).summary.policyDiffers == false, "the file's own content")
            world.clock.set(world.clock.now().adding(.days(2)))
            _ = try await backend.startTrial("t4", of: nil, from: nil, app: World.app)
            #expect(try await backend.jobs(app: World.app).map(\.id) == ["t4", "t3"])
            #expect(try await backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }
}
