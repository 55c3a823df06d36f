import Backend
import BenchmarkSamples
import Foundation
import Ledger
import Primitives
import Storage

/// The same ingest and the same entitlement read with more and more subscriptions stored.
struct GrowthFigures {
    /// The numbers of subscriptions, ascending.
    let sizes: [Int]
    let kinds: [DatabaseKind]
    let quiet: QuietWait
    /// Whether only some commits are made, to show that it works.
    let isSlice: Bool

    func measure() async throws -> [Figure] {
        var figures: [Figure] = []
        for kind in kinds {
            figures += try await TemporaryFolder.with { folder in
                let site = try kind.site(folder, ["shared_buffers": "'6GB'", "max_wal_size": "'2GB'"])
                return try await measure(site)
            }
        }
        return figures
    }

    /// What was measured with this many stored.
    private struct Size {
        let count: Int
        var loading = 0.0
        /// By operation, in milliseconds.
        var times: [(name: String, milliseconds: [Double])] = []
        /// The same, by plain statements in the same file.
        var floors: [String: [Double]] = [:]
        var bytes: [String: Int] = [:]
        var load = ""
    }

    private func measure(_ site: any DatabaseSite) async throws -> [Figure] {
        let renewals = try Renewals(subscriptions: sizes.last ?? 0)
        var database = GrowingDatabase(site: site, renewals: renewals)
        var measured: [Size] = []
        for count in sizes {
            var size = Size(count: count)
            size.loading = try await database.grow(to: count)
            size.bytes = try site.sizes(of: GrowingDatabase.name)
            try await quiet.wait()
            try site.remember("holding", of: GrowingDatabase.name)
            size.load = Machine.present().load
            try await measure(&size, site, renewals)
            print(Self.words(size, site.kind))
            measured.append(size)
        }
        return figures(measured, site.kind)
    }

    // MARK: Measuring

    /// Which commits are measured: how many renewals each has, and how many commits; the first ones are only a warm-up.
    private struct Commits {
        let name: String
        let batch: Int
        let count: Int
        /// Whether the rows of the subscriptions are read just before, so that no commit waits for a disk read.
        var isPrepared = false

        static func all(isSlice: Bool) -> [Commits] {
            let (singles, batches) = isSlice ? (20, 10) : (500, 60)
            return [
                Commits(name: "", batch: 50, count: isSlice ? 10 : 20),
                Commits(name: "commit of 1 renewal", batch: 1, count: singles),
                Commits(name: "commit of 50 renewals", batch: 50, count: batches),
                Commits(name: "commit of 1 renewal, rows read before", batch: 1, count: singles, isPrepared: true),
                Commits(
                    name: "commit of 50 renewals, rows read before", batch: 50, count: max(10, batches / 2), isPrepared: true),
            ]
        }
    }

    /// First with the customers' rows in memory, at the end with nothing in memory; each beside plain statements in the same
    /// file.
    private func measure(_ size: inout Size, _ site: any DatabaseSite, _ renewals: Renewals) async throws {
        let store = try await site.open(GrowingDatabase.name)
        let growth = GrowthLoad(store, renewals, stored: size.count)
        do {
            try await measureReads(&size, growth, try PlainAccess(site))
            let plain = try PlainAccess(site)
            var numbers = growth.distinct(min(size.count, 10_000))[...]
            for plan in Commits.all(isSlice: isSlice) {
                let (times, floors) = try await commits(plan, &numbers, growth, plain)
                guard !plan.name.isEmpty else { continue }
                size.times.append((plan.name, times))
                size.floors[plan.name] = floors
            }
        } catch {
            await site.close(store)
            throw error
        }
        await site.close(store)
        try site.forget(GrowingDatabase.name)
        let cold = try await site.open(GrowingDatabase.name)
        let customers = growth.customers(2000)
        let reads = try await GrowthLoad(cold, renewals, stored: size.count).reads(customers)
        size.times.append(("entitlement read, pages forgotten", reads))
        await site.close(cold)
    }

    private func measureReads(_ size: inout Size, _ growth: GrowthLoad, _ plain: PlainAccess) async throws {
        _ = try await growth.reads(growth.customers(5000))
        size.times.append(("entitlement read", try await growth.reads(growth.customers(20_000))))
        size.floors["entitlement read"] = try plain.reads(growth.customers(20_000))
        let again = growth.customers(20_000)
        _ = try await growth.reads(again)
        size.times.append(("entitlement read, asked again", try await growth.reads(again.shuffled())))
        size.floors["entitlement read, asked again"] = try plain.reads(again.shuffled())
    }

    /// Ours and the plain ones alternate in ten turns, so that what slows one down slows the other; each turn uses other
    /// subscriptions, as far as there are enough.
    private func commits(
        _ plan: Commits, _ numbers: inout ArraySlice<Int>, _ growth: GrowthLoad, _ plain: PlainAccess
    ) async throws -> (ours: [Double], floors: [Double]) {
        var (ours, floors) = ([Double](), [Double]())
        let turn = max(10, plan.count / 10)
        for _ in 0..<plan.count / turn {
            let count = min(plan.batch * turn, numbers.count)
            if plan.isPrepared { try plain.look(at: numbers.prefix(count).map(growth.life)) }
            ours += try await growth.commits(of: plan.batch, numbers.prefix(count))
            numbers = numbers.dropFirst(count)
            let others = growth.distinct(count).map(growth.life)
            if plan.isPrepared { try plain.look(at: others) }
            floors += try plain.commits(of: plan.batch, others)
        }
        return (ours, floors)
    }

    // MARK: Telling

    private static func words(_ size: Size, _ kind: DatabaseKind) -> String {
        let times = size.times.map { name, times in
            let ours = String(format: "    %@ %.3f/%.3f ms", name, times.median, times.percentile(0.99))
            let floor = size.floors[name].map { String(format: ", plain %.3f/%.3f ms", $0.median, $0.percentile(0.99)) }
            return ours + (floor ?? "")
        }
        let tables = size.bytes.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value / size.count)" }
        return """
            \(kind.rawValue), \(size.count) subscriptions, loaded in \(Int(size.loading)) s, load \(size.load)
              median/p99:
            \(times.joined(separator: "\n"))
              bytes a subscription, indexes with them: \(tables.joined(separator: ", "))

            """
    }

    private func figures(_ sizes: [Size], _ kind: DatabaseKind) -> [Figure] {
        guard let first = sizes.first else { return [] }
        return sizes.flatMap { size in
            let prefix = "growth, \(kind.rawValue), \(size.count): "
            return Self.bytes(of: size, prefix)
                + zip(first.times, size.times).flatMap { base, now in
                    let plain = size.floors[now.name].map { ($0, first.floors[now.name] ?? []) }
                    return Self.ratios(base.milliseconds, now, plain, prefix, "load \(size.load)")
                }
        }
    }

    private static func bytes(of size: Size, _ prefix: String) -> [Figure] {
        let all = size.bytes.values.reduce(0, +)
        let proof = ["evidence", "fact"].compactMap { size.bytes[$0] }.reduce(0, +)
        let remark = size.count > StoredLives.withRealEvidence ? "a stand-in of 8 bytes for most evidence" : ""
        return [
            ("bytes for each subscription, events with them", all),
            ("bytes for each subscription, events delivered", all - (size.bytes["outbox"] ?? 0)),
            ("bytes of fact and evidence for each fact", proof),
        ].map { Figure(name: prefix + $0, unit: "B", ours: Double($1) / Double(size.count), remark: remark) }
    }

    /// A statistic of many times, and by which factor it may exceed that with the fewest stored.
    private struct Measure {
        let name: String
        let most: Double
        let of: ([Double]) -> Double
    }

    /// Compared with the fewest stored. Reads after the pages were dropped have no target.
    private static func ratios(
        _ base: [Double], _ now: (name: String, milliseconds: [Double]), _ plain: ([Double], [Double])?, _ prefix: String,
        _ load: String
    ) -> [Figure] {
        let hasTarget = !now.name.contains("forgotten")
        let kinds = [
            Measure(name: "median", most: 1.5) { $0.median }, Measure(name: "p99", most: 3) { $0.percentile(0.99) },
        ]
        return kinds.map { kind in
            let (least, time) = (kind.of(base) * 1000, kind.of(now.milliseconds) * 1000)
            let remark = plain.map { one, other in
                String(format: "plain statements %.1f, were %.1f; ", kind.of(one) * 1000, kind.of(other) * 1000)
            }
            return Figure(
                name: prefix + now.name + ", " + kind.name, unit: "us", floor: least, ours: time,
                ratio: least / max(time, 1e-9), target: hasTarget ? 1 / kind.most : nil, remark: (remark ?? "") + load)
        }
    }
}

/// The operations that are repeated at each size.
struct GrowthLoad {
    let backend: Backend
    let path: WritePath
    let renewals: Renewals
    let stored: Int

    init(_ store: any Store, _ renewals: Renewals, stored: Int) {
        backend = renewals.backend(store)
        path = WritePath(store, renewals)
        (self.renewals, self.stored) = (renewals, stored)
    }

    /// Some of the stored subscriptions, each once, in random order.
    func distinct(_ count: Int) -> [Int] {
        var generator = SystemRandomNumberGenerator()
        var (chosen, numbers) = (Set<Int>(), [Int]())
        while numbers.count < min(count, stored) {
            let number = Int.random(in: 0..<stored, using: &generator)
            if chosen.insert(number).inserted { numbers.append(number) }
        }
        return numbers
    }

    func life(_ number: Int) -> Life { StoredLives.life(number, StoredLives.lastEnds(renewals)) }

    /// This many customers, at random.
    func customers(_ count: Int) -> [CustomerID] {
        (0..<count).map { _ in CustomerID(Life.customer(.random(in: 0..<stored))) }
    }

    /// Reads of what customers have; in milliseconds each.
    func reads(_ customers: [CustomerID]) async throws -> [Double] {
        var times: [Double] = []
        for customer in customers {
            let start = ContinuousClock.now
            let answer = try await backend.entitlements(of: customer, app: Life.app, environment: .production, at: nil)
            times.append((ContinuousClock.now - start).seconds * 1000)
            guard !answer.entitlements.isEmpty else { throw BenchError("\(customer) has nothing") }
        }
        return times
    }

    /// Renewals of the subscriptions, this many per commit; in milliseconds for each commit.
    func commits(of batch: Int, _ numbers: ArraySlice<Int>) async throws -> [Double] {
        var (times, rest) = ([Double](), numbers)
        while !rest.isEmpty {
            var requests: [IngestRequest] = []
            for number in rest.prefix(batch) {
                requests.append(try await path.request(try renewals.renewal(of: life(number)).body))
            }
            rest = rest.dropFirst(batch)
            let start = ContinuousClock.now
            try await path.keep(requests)
            times.append((ContinuousClock.now - start).seconds * 1000)
        }
        return times
    }
}
