import Backend
import Delivery
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
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
                guard let data = document.root.object?["data"]?.object, data["subscription"] != nil else { return .ok }
                state.received.append((id, data["sequence"]?.int64 ?? 0, document.root.object?["type"]?.string ?? ""))
                return .ok
            }
        }
        return Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))
    }
}

/// The time by which webhooks go, which passes when the test says so.
private final class DeliveryTime: TimeSource {
    private let instant = Mutex(AskingStage.start)

    func now() -> Timestamp { instant.withLock { $0 } }

    func pass(_ duration: Milliseconds) { instant.withLock { $0 = $0.adding(duration) } }
}

@Suite struct `The worker in a simulation` {
    /// No notification reports the renewal; the worker asks when the period is over, and the sink gets all events in order,
    /// although it is down for a while.
    @Test func `RECON-1 A silent renewal is found by asking, and every event is delivered in order`() async throws {
        let sink = Sink()
        try await sink.application().test(.live) { hook in
            let address = "http://127.0.0.1:\(try #require(hook.port))"
            let lanes = { @Sendable (backend: Backend, _: SQLiteStore) in [WorkLane(TellingPerformer(backend: backend))] }
            try await AskingStage.play(with: lanes) { stage in
                let time = DeliveryTime()
                var patient = DeliveryConfiguration()
                // No time-out of real time, however busy the machine is.
                (patient.deadline, patient.connectTimeout) = (.hours(1), .hours(1))
                let courier = try DeliveryCourier(
                    patient, secrets: SecretBox(keys: [Array(0..<32)]),
                    addresses: AddressGuard(allowed: AllowedAddresses(["127.0.0.1"]), resolver: SystemResolver()), clock: time)
                try await courier.closing {
                    let desk = DeliveryDesk(stage.backend, courier: courier, clock: time, worker: "w")
                    let loop = DeliveryLoop(desk)
                    var order = EndpointOrder(url: "\(address)/hook")
                    order.environments = [.production]
                    let name = try stage.backend.endpoint("sink", of: AskingStage.app)
                    _ = try await desk.save(order, as: name, taken: [.production])
                    try await play(stage, sink, time) { while try await loop.runOnce() > 0 {} }
                    let view = try await desk.endpoint(name)
                    #expect(view.waitingSince == nil && view.failed == 2 && view.delivered >= Int64(sink.received.count))
                }
            }
        }
    }

    private func play(
        _ stage: AskingStage, _ sink: Sink, _ time: DeliveryTime, deliver: () async throws -> Void
    ) async throws {
        let key = try await stage.buy("anna")
        sink.refuse(2)
        try await stage.work()
        for _ in 0..<2 {
            try await deliver()
            #expect(sink.received.isEmpty)
            time.pass(.seconds(5))
        }
        for day in [1, 32, 63, 94] as [Int64] {
            try await stage.pass(to: AskingStage.start.adding(.days(day)))
            try await deliver()
            time.pass(.seconds(5))
        }
        #expect(try await stage.periods(of: key).count == 4)
        let events = try await stage.store.outbox(after: 0, limit: 1000).filter { $0.event != nil }
        #expect(sink.received.map(\.sequence) == events.map(\.sequence))
        #expect(sink.received.map(\.kind).filter { $0 == "subscription.renewed" }.count == 3)
        #expect(Set(sink.received.map(\.id)).count == sink.received.count)
    }
}
