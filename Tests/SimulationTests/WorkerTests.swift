import AsyncHTTPClient
import Backend
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import NIOHTTP1
import Primitives
import Storage
import StorageSQLite
import StrictJSON
import Synchronization
import Testing

/// The receiver of events: a web server that records them, and that can fail.
private final class Sink: Sendable {
    private struct State {
        var received: [(id: String, sequence: Int64, kind: String)] = []
        var refusals = 0
    }

    private static let webhookID = HTTPField.Name("webhook-id")

    private let state = Mutex(State())

    var received: [(id: String, sequence: Int64, kind: String)] { state.withLock { $0.received } }

    /// Answers this many times with 503.
    func refuse(_ times: Int) { state.withLock { $0.refusals = times } }

    func application() -> some ApplicationProtocol {
        let router = Router()
        router.post("/hook") { request, _ -> HTTPResponse.Status in
            let body = try await request.body.collect(upTo: 1 << 20)
            let document = try JSONDocument(Array(body.readableBytesView))
            let id = Self.webhookID.flatMap { request.headers[$0] } ?? ""
            return self.state.withLock { state in
                guard state.refusals == 0 else {
                    state.refusals -= 1
                    return .serviceUnavailable
                }
                let sequence = Int64(id.split(separator: "/").last ?? "") ?? 0
                state.received.append((id, sequence, document.root.object?["kind"]?.string ?? ""))
                return .ok
            }
        }
        return Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))
    }
}

/// Delivers the events of a subscription that the sink does not have, one after the other.
private final class DeliveringPerformer: WorkPerformer {
    let kind = WorkKind.deliver
    private let store: any Store
    private let address: String
    private let delivered = Mutex<[String: Int64]>([:])

    init(store: any Store, address: String) {
        self.store = store
        self.address = address
    }

    func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome {
        let subject = work.order.subject
        let rows = try await store.outbox(after: 0, limit: 10_000).filter { row in
            row.event?.subscription.originalTransactionId.rawValue == subject
        }
        for row in rows where row.sequence > delivered.withLock({ $0[subject] ?? 0 }) {
            var request = HTTPClientRequest(url: "\(address)/hook")
            request.method = .POST
            request.headers.add(name: "webhook-id", value: "\(subject)/\(row.sequence)")
            request.body = .bytes(ByteBuffer(string: try StateCoding.encode(row.event)))
            let answer = try await HTTPClient.shared.execute(request, timeout: .minutes(10))
            guard answer.status == .ok else { return .retry(because: "HTTP \(answer.status.code)") }
            delivered.withLock { $0[subject] = row.sequence }
        }
        return .done()
    }
}

@Suite struct `The worker in a simulation` {
    /// No notification reports the renewal; the worker asks when the period is over, and the sink gets all events in order,
    /// although it is down for a while.
    @Test func `RECON-1 A silent renewal is found by asking, and every event is delivered in order`() async throws {
        let sink = Sink()
        try await sink.application().test(.live) { hook in
            let address = "http://127.0.0.1:\(try #require(hook.port))"
            let lanes = { @Sendable (backend: Backend, store: SQLiteStore) in
                [WorkLane(DeliveringPerformer(store: store, address: address)), WorkLane(TellingPerformer(backend: backend))]
            }
            try await AskingStage.play(destinations: ["sink"], with: lanes) { stage in
                let key = try await stage.buy("anna")
                sink.refuse(2)
                try await stage.work()
                #expect(sink.received.isEmpty)
                for day in [1, 32, 63, 94] as [Int64] { try await stage.pass(to: AskingStage.start.adding(.days(day))) }
                #expect(try await stage.periods(of: key).count == 4)
                let events = try await stage.store.outbox(after: 0, limit: 1000).filter { $0.event != nil }
                #expect(sink.received.map(\.sequence) == events.map(\.sequence))
                #expect(sink.received.map(\.kind).filter { $0 == "subscription.renewed" }.count == 3)
                #expect(Set(sink.received.map(\.id)).count == sink.received.count)
                let left = try await stage.store.work(after: 0, limit: 100).filter {
                    $0.state != .waiting && $0.order.kind == .deliver
                }
                #expect(left.isEmpty)
            }
        }
    }
}
