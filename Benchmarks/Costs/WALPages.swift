import Backend
import BenchmarkSamples
import Delivery
import Foundation
import GRDB
import Ledger
import Primitives
import Storage
import StorageSQLite

/// Counts the pages that commits append to SQLite's WAL. It is emptied before each.
struct WALPages {
    private let prepared: PreparedCosts
    private let store: SQLiteStore
    private let checkpoints: DatabaseQueue

    init(_ prepared: PreparedCosts) throws {
        self.prepared = prepared
        store = try prepared.store()
        checkpoints = try DatabaseQueue(path: PreparedCosts.database(in: prepared.folder).path)
    }

    /// Each kind of commit with the median of its pages.
    func measure() async throws -> [(name: String, pages: Int)] {
        let (path, backend) = (prepared.path(store), prepared.backend(store))
        func notifications(_ bodies: [String]) async throws -> Int {
            var counts: [Int] = []
            for body in bodies {
                let request = try await path.request(Array(body.utf8))
                counts.append(try await pages { try await path.keep([request]) })
            }
            return median(counts)
        }
        var claims: [Int] = []
        for claim in prepared.signed.claims {
            let upload = Backend.Upload(
                customer: CustomerID(claim[0]), kind: .purchase, productId: nil, signedTransactionInfo: claim[1],
                signedRenewalInfo: nil)
            claims.append(try await pages { _ = try await backend.claim(upload, app: Life.app) })
        }
        return [
            ("WAL pages, a first notification", try await notifications(prepared.signed.purchases)),
            ("WAL pages, a renewal after 24 periods", try await notifications(prepared.signed.renewals)),
            ("WAL pages, a claim", median(claims)), ("WAL pages, a webhook round of 64", try await webhookRound(backend)),
        ]
    }

    private func median(_ counts: [Int]) -> Int { counts.sorted()[counts.count / 2] }

    private func pages(_ body: () async throws -> Void) async throws -> Int {
        try await checkpoints.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try await body()
        let file = PreparedCosts.database(in: prepared.folder).path + "-wal"
        let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
        // A header of 32 bytes, then frames with 24 bytes of their own (sqlite.org/fileformat2.html, "The WAL File Format").
        return (size - 32) / (4096 + 24)
    }

    /// All that is pending is sent to one endpoint that takes it at once; a round's share of the pages.
    private func webhookRound(_ backend: Backend) async throws -> Int {
        let desk = DeliveryDesk(backend, courier: try AcceptingCourier(), clock: PreparedCosts.Clock(), worker: "costs") { 0.5 }
        var order = EndpointOrder(url: "https://example.com/")
        (order.environments, order.since) = ([.production], Timestamp(millisecondsSince1970: 0))
        let name = try backend.endpoint("costs", of: Life.app)
        _ = try await desk.save(order, as: name, taken: [.production])
        let before = try await desk.endpoint(name).delivered
        var rounds = 0
        let pages = try await pages { rounds = try await DeliveryLoop(desk).runOnce() }
        let delivered = try await desk.endpoint(name).delivered - before
        guard rounds > 10, delivered > 64 * 10 else { throw BenchError("only \(delivered) events in \(rounds) rounds") }
        return pages / rounds
    }
}

/// Signs what it is given, and a receiver without a network takes it.
private struct AcceptingCourier: Courier {
    private let secrets: SecretBox

    init() throws { secrets = try SecretBox(keys: [Array(0..<32)]) }

    func check(_ url: String) async throws(AddressRefusal) {}

    func makeSecret(_ kind: SealedSecret.Kind, of owner: String) throws(SecretRefusal) -> FreshSecret {
        try secrets.makeSecret(kind, of: owner)
    }

    func send(_ parcel: Parcel, to target: ParcelTarget, of owner: String) async -> ParcelOutcome {
        ParcelOutcome(.answered(status: 204, retryAfter: nil, beginning: ""), took: Milliseconds(1))
    }
}
