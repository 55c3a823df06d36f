import Backend
import Foundation
import Ledger
import Primitives
import Storage

/// The same ingest and the same entitlement read with ever more subscriptions stored.
struct GrowthFigures {
    /// How many subscriptions, growing.
    let sizes: [Int]
    let kinds: [DatabaseKind]

    func measure() async throws -> [Figure] {
        var figures: [Figure] = []
        for kind in kinds {
            figures += try await TemporaryFolder.with { folder in
                let site = try kind.site(folder, ["max_wal_size": "'16GB'", "shared_buffers": "'2GB'"])
                return try await measure(site)
            }
        }
        return figures
    }

    /// What was measured with so many stored.
    private struct Size {
        let count: Int
        var loading = 0.0
        /// By what was done, in milliseconds.
        var times: [(name: String, milliseconds: [Double])] = []
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
            size.load = Machine.present().load
            size.bytes = try site.sizes(of: GrowingDatabase.name)
            try await measure(&size, site, renewals)
            print(Self.words(size, site.kind))
            measured.append(size)
        }
        return figures(measured, site.kind)
    }

    // MARK: Measuring

    /// First with what the load left in memory, at the end with nothing.
    private func measure(_ size: inout Size, _ site: any DatabaseSite, _ renewals: Renewals) async throws {
        let store = try await site.open(GrowingDatabase.name)
        let growth = GrowthLoad(backend: renewals.backend(store), renewals: renewals, stored: size.count)
        do {
            _ = try await growth.reads(10_000)
            size.times.append(("entitlement read", try await growth.reads(20_000)))
            var numbers = growth.distinct(min(size.count, 6500))[...]
            for (name, batch, count) in [("", 50, 20), ("commit of 1 renewal", 1, 500), ("commit of 50 renewals", 50, 100)] {
                let times = try await growth.commits(of: batch, numbers.prefix(batch * count))
                numbers = numbers.dropFirst(batch * count)
                // The first ones only warm.
                if !name.isEmpty { size.times.append((name, times)) }
            }
        } catch {
            await site.close(store)
            throw error
        }
        await site.close(store)
        try site.forget(GrowingDatabase.name)
        let cold = try await site.open(GrowingDatabase.name)
        let reads = try await GrowthLoad(backend: renewals.backend(cold), renewals: renewals, stored: size.count).reads(2000)
        size.times.append(("entitlement read, pages forgotten", reads))
        await site.close(cold)
    }

    // MARK: Telling

    private static func words(_ size: Size, _ kind: DatabaseKind) -> String {
        let times = size.times.map { name, times in
            String(format: "%@ %.3f/%.3f ms", name, times.median, times.percentile(0.99))
        }
        let tables = size.bytes.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value / size.count)" }
        return """
            \(kind.rawValue), \(size.count) subscriptions, loaded in \(Int(size.loading)) s, load \(size.load)
              median/p99: \(times.joined(separator: ", "))
              bytes a subscription, indexes with them: \(tables.joined(separator: ", "))

            """
    }

    private func figures(_ sizes: [Size], _ kind: DatabaseKind) -> [Figure] {
        guard let first = sizes.first else { return [] }
        var figures: [Figure] = []
        for size in sizes {
            let all = size.bytes.values.reduce(0, +)
            let proof = ["evidence", "fact"].compactMap { size.bytes[$0] }.reduce(0, +)
            let remark = size.count > StoredLives.withRealEvidence ? "a stand-in of 8 bytes for most evidence" : ""
            figures.append(
                Figure(
                    name: "growth, \(kind.rawValue), \(size.count): bytes for each subscription", unit: "B",
                    ours: Double(all) / Double(size.count), remark: remark))
            figures.append(
                Figure(
                    name: "growth, \(kind.rawValue), \(size.count): bytes of fact and evidence for each fact", unit: "B",
                    ours: Double(proof) / Double(size.count), remark: remark))
            for (base, now) in zip(first.times, size.times) {
                figures += Self.ratios(base.milliseconds, now, "growth, \(kind.rawValue), \(size.count): ", size.load)
            }
        }
        return figures
    }

    /// Beside the same with the fewest stored. What the system was told to forget has no target.
    private static func ratios(
        _ base: [Double], _ now: (name: String, milliseconds: [Double]), _ prefix: String, _ load: String
    ) -> [Figure] {
        let hasTarget = !now.name.contains("forgotten")
        return [
            ("median", 1.5, base.median, now.milliseconds.median),
            ("p99", 3, base.percentile(0.99), now.milliseconds.percentile(0.99)),
        ].map { name, most, least, time in
            Figure(
                name: prefix + now.name + ", " + name, unit: "ms", floor: least, ours: time, ratio: least / max(time, 1e-9),
                target: hasTarget ? 1 / most : nil, remark: "load \(load)")
        }
    }
}

/// What is done again and again, whatever is stored.
struct GrowthLoad {
    let backend: Backend
    let renewals: Renewals
    let stored: Int

    /// Some of the stored, each once, in no order.
    func distinct(_ count: Int) -> [Int] {
        var generator = SystemRandomNumberGenerator()
        var (chosen, numbers) = (Set<Int>(), [Int]())
        while numbers.count < min(count, stored) {
            let number = Int.random(in: 0..<stored, using: &generator)
            if chosen.insert(number).inserted { numbers.append(number) }
        }
        return numbers
    }

    /// What customers have, of as many as asked for; in milliseconds each.
    func reads(_ count: Int) async throws -> [Double] {
        var times: [Double] = []
        for _ in 0..<count {
            let customer = CustomerID(Life.customer(.random(in: 0..<stored)))
            let start = ContinuousClock.now
            let answer = try await backend.entitlements(of: customer, app: Life.app, environment: .production, at: nil)
            times.append((ContinuousClock.now - start).seconds * 1000)
            guard !answer.entitlements.isEmpty else { throw BenchError("\(customer) has nothing") }
        }
        return times
    }

    /// Renewals of the subscriptions, so many to a commit; in milliseconds for each commit.
    func commits(of batch: Int, _ numbers: ArraySlice<Int>) async throws -> [Double] {
        var (times, rest) = ([Double](), numbers)
        while !rest.isEmpty {
            var prepared: [PreparedNotification] = []
            for number in rest.prefix(batch) {
                let life = StoredLives.life(number, StoredLives.lastEnds(renewals))
                let body = try renewals.renewal(of: life).body
                prepared.append(try await backend.prepare(notification: body, app: Life.app))
            }
            rest = rest.dropFirst(batch)
            let start = ContinuousClock.now
            guard try await backend.keep(prepared).allSatisfy({ $0 }) else { throw BenchError("a renewal was not new") }
            times.append((ContinuousClock.now - start).seconds * 1000)
        }
        return times
    }
}
