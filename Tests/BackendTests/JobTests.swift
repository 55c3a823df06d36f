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
            let performer = JobPerformer(backend: world.backend, pages: 1, provedAtOnce: 1)
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
            #expect(started.state == "running" && started.trial.rows == 0)
            #expect(try await Self.workThrough(world) > 3)
            let done = try await world.backend.job("t1", app: World.app)
            var expected: [WhatIfRow] = []
            let content = try SettingsCoding.decode(draft)
            let summary = try await world.backend.whatIf(
                content, app: World.app, from: Self.past, row: { expected.append($0) }, progress: { _ in })
            #expect(done.state == "done" && done.endedAt == world.clock.now() && done.trial == summary)
            #expect(summary.policyDiffers && summary.productsDiffer && summary.losses > 0)
            #expect(Set(expected.map(\.customer)) == [World.alice, World.bob] && done.results == Int64(expected.count))
            let found = try await world.backend.jobResults(of: "t1", app: World.app, after: 0, limit: 100)
            #expect(
                found.map(\.content) == expected.map { .difference($0) }
                    && found.map(\.number) == Array(1...Int64(expected.count)))
            let rest = try await world.backend.jobResults(of: "t1", app: World.app, after: 1, limit: 1)
            #expect(rest.map(\.content) == [.difference(expected[1])])
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
            #expect(job.trial.newest == 1 && job.trial.policyDiffers && job.results > 0)
        }
    }

    @Test func `OWN-17 what a trial showed is the code that reaching back needs`() async throws {
        try await Self.withStory { world, draft in
            _ = try await world.backend.startTrial("t1", of: draft, from: Self.past, app: World.app)
            try await Self.workThrough(world)
            var order = SettingsOrder(app: World.app, content: try SettingsCoding.decode(draft), actor: "olga")
            order.from = Self.past
            await #expect(throws: SettingsRefusal.self) { try await world.backend.apply(order) }
            order.code = try await world.backend.job("t1", app: World.app).trial.code
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
            let rows = try await backend.job("t1", app: World.app).results
            #expect(try await Self.workThrough(world) == 1, "it is taken once more, and ends")
            #expect(try await backend.job("t1", app: World.app).results == rows)
            #expect(try await backend.cancelJob("t1", app: World.app).state == "canceled")
            world.clock.set(world.clock.now().adding(.days(29)))
            _ = try await backend.startTrial("t3", of: nil, from: nil, app: World.app)
            #expect(try await backend.jobs(app: World.app).map(\.id) == ["t3", "t1"])
            try await Self.workThrough(world)
            #expect(try await backend.job("t3", app: World.app).trial.policyDiffers == false, "the file's own content")
            world.clock.set(world.clock.now().adding(.days(2)))
            _ = try await backend.startTrial("t4", of: nil, from: nil, app: World.app)
            #expect(try await backend.jobs(app: World.app).map(\.id) == ["t4", "t3"])
            #expect(try await backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `AUDIT-2 a verification finds what verify finds, page by page, whichever server goes on`() async throws {
        try await Self.withStory { world, _ in
            _ = try await world.backend.seal()
            let first = try await world.backend.startVerification("v1", ProofDepth(rebuild: true), app: World.app)
            #expect(first.state == "running" && first.kind == "verification")
            #expect(try await Self.workThrough(world) > 4, "each part is a page at least")
            let clean = try await world.backend.job("v1", app: World.app)
            var whole = try await world.backend.prove(ProofDepth(rebuild: true))
            #expect(
                clean.state == "done" && clean.results == 0 && clean.content == .verification(whole, ProofDepth(rebuild: true)))
            #expect(whole.subscriptions > 0 && whole.seals == 1 && whole.auditRows > 0)

            try world.tamper("UPDATE audit SET auditRow = replace(auditRow, 'OWN-', 'OWN_')")
            _ = try await world.backend.startVerification("v2", ProofDepth(rebuild: true), app: World.app)
            try await Self.workThrough(world)
            whole = try await world.backend.prove(ProofDepth(rebuild: true))
            let found = try await world.backend.jobResults(of: "v2", app: World.app, after: 0, limit: 100)
            #expect(!whole.findings.isEmpty && found.map(\.content) == whole.findings.map { .finding($0) })
            #expect(try await world.backend.job("v2", app: World.app).results == Int64(whole.findings.count))
            await #expect(throws: JobRefusal.idTaken("v2")) {
                try await world.backend.startVerification("v2", ProofDepth(), app: World.app)
            }
            await #expect(throws: JobRefusal.idTaken("v2")) {
                try await world.backend.startTrial("v2", of: nil, from: nil, app: World.app)
            }
        }
    }

    @Test func `OWN-17 working a version through is a job, which nobody ends but the next version`() async throws {
        try await Self.withStory { world, draft in
            func apply(_ content: SettingsContent, _ number: Int64) async throws {
                var order = SettingsOrder(app: World.app, content: content, actor: "olga")
                order.again = true
                #expect(try await world.backend.apply(order) == .applied(number: number, validFrom: world.clock.now()))
            }
            func work() async throws {
                let loop = WorkLoop(
                    store: world.store, clock: world.clock, lanes: [WorkLane(SettingsPerformer(backend: world.backend))],
                    worker: "server", pauses: .patient, jitter: { 0.5 })
                while try await loop.runOnce() > 0 {}
            }
            let original = try #require(try await world.backend.settingsVersions(of: World.app).last)
            try await apply(try SettingsCoding.decode(draft), 2)
            let running = try await world.backend.job("settings-2", app: World.app)
            #expect(running.state == "running" && running.kind == "application" && running.done == 0)
            await #expect(throws: JobRefusal.notCancelable("settings-2")) {
                try await world.backend.cancelJob("settings-2", app: World.app)
            }
            try await work()
            let done = try await world.backend.job("settings-2", app: World.app)
            #expect(done.state == "done" && done.endedAt == world.clock.now() && done.done == 1)
            guard case .application(2, let changed) = done.content else { throw JobRefusal.unknown(done.id) }
            #expect(changed == 0, "what was bought before is judged as before")
            world.clock.set(world.clock.now().adding(.hours(1)))
            try await apply(try SettingsCoding.decode(original.document), 3)
            world.clock.set(world.clock.now().adding(.hours(1)))
            try await apply(try SettingsCoding.decode(draft), 4)
            let overtaken = try await world.backend.job("settings-3", app: World.app)
            #expect(overtaken.state == "canceled" && overtaken.reason?.contains("version 4") == true)
            try await work()
            #expect(try await world.backend.job("settings-4", app: World.app).state == "done")
            await #expect(throws: JobRefusal.idTaken("settings-9")) {
                try await world.backend.startTrial("settings-9", of: nil, from: nil, app: World.app)
            }
        }
    }

    @Test func `an import is a job that says how far it is, and may be ended and gone on with`() async throws {
        try await withWorld { world in
            let (backend, app) = (world.backend, World.app)
            let id = backend.importId(of: "0f3a91c277de5b1c")
            #expect(id == "import-\(world.clock.now().millisecondsSince1970)-0f3a91c277de")
            try await backend.beginImport(id, size: 1000, app: app)
            let refused = Backend.RefusedLine(line: 3, code: "signatureInvalid", reason: "the signature is not valid")
            #expect(
                try await backend.noteImport(
                    id, .init(lines: ["new": 2, "refused": 1], offset: 250, refused: [refused]), app: app))
            let running = try await backend.job(id, app: app)
            #expect(running.content == .imported(lines: ["new": 2, "refused": 1], thousandths: 250) && running.done == 3)
            let results = try await backend.jobResults(of: id, app: app, after: 0, limit: 10)
            #expect(results == [.init(number: 1, content: .refusedLine(refused))])
            #expect(try await backend.cancelJob(id, app: app).state == "canceled")
            #expect(try await backend.noteImport(id, .init(lines: ["new": 3], offset: 500, refused: []), app: app) == false)
            try await backend.beginImport(id, size: 1000, app: app)
            #expect(
                try await backend.noteImport(id, .init(lines: ["new": 9, "refused": 1], offset: 1000, refused: []), app: app))
            try await backend.endImport(id, app: app)
            let done = try await backend.job(id, app: app)
            #expect(done.state == "done" && done.results == 1 && done.done == 10)
            #expect(try await backend.jobs(app: app).map(\.id) == [id])
        }
    }
}

extension Backend.Job {
    /// What a trial came to.
    fileprivate var trial: WhatIfSummary {
        if case .trial(let summary, _) = content { summary } else { WhatIfSummary() }
    }
}
