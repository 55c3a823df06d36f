import APIContract
import BenchmarkSamples
import Ledger
import Primitives
import Storage
import StorageSQLite

/// The entitlement read over HTTP beside a route that answers `{}` on the same server, with the same headers.
struct EntitlementFigures {
    let effort: Effort
    let stage: Stage

    func measure() async throws -> [Figure] {
        let load = LoadGenerator(address: stage.address, folder: stage.folder)
        // Random, not in turn, so that neighbouring requests are not about neighbouring rows.
        var random = SystemRandomNumberGenerator()
        let reads = (0..<20_000).map { _ in
            let customer = Life.customer(.random(in: 0..<effort.subscriptions, using: &random))
            return NativeAPI.readEntitlements.path(CustomerPath(app: "bench", customer: customer))
        }
        _ = try await load.run(["/floor"], seconds: 1)
        _ = try await load.run(reads, seconds: 1)
        var (rates, floors, ours) = (Pairs(), [LoadResult](), [LoadResult]())
        for _ in 0..<effort.rounds {
            floors.append(try await load.run(["/floor"], seconds: effort.seconds))
            ours.append(try await load.run(reads, seconds: effort.seconds))
            rates.add(floor: floors[floors.count - 1].rate, ours: ours[ours.count - 1].rate)
        }
        return [
            Figure(
                name: "store: holdings of one customer", unit: "us", ours: try await storeMicroseconds(),
                remark: "part of the read below; one thread"),
            Figure(
                "entitlement read over HTTP / an empty route", rates: rates, target: 0.7,
                remark: "\(LoadGenerator.connections) connections, \(load.name)"),
            both("p50", "ms", floors.map(\.p50), ours.map(\.p50)), both("p99", "ms", floors.map(\.p99), ours.map(\.p99)),
            both("processor time", "us", floors.map(\.processorTime), ours.map(\.processorTime)),
        ]
    }

    private func storeMicroseconds() async throws -> Double {
        guard let store = stage.store else { return 0 }
        let customers = (0..<20_000).map { _ in CustomerID(Life.customer(.random(in: 0..<effort.subscriptions))) }
        var rounds: [Double] = []
        for _ in 0..<effort.rounds {
            let start = ContinuousClock.now
            for customer in customers {
                guard try await store.holdings(of: customer, in: Life.scope).count == 1 else {
                    throw BenchError("A holding is missing.")
                }
            }
            rounds.append(1e6 * (ContinuousClock.now - start).seconds / Double(customers.count))
        }
        return rounds.median
    }

    private func both(_ name: String, _ unit: String, _ floors: [Double], _ ours: [Double]) -> Figure {
        Figure(name: "entitlement read over HTTP, \(name)", unit: unit, floor: floors.median, ours: ours.median)
    }
}
