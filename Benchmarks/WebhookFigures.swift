import AsyncHTTPClient
import Backend
import BenchmarkSamples
import Crypto
import Delivery
import Foundation
import Ledger
import NIOCore
import NIOHTTP1
import Primitives
import Storage

/// How many events a second one endpoint is sent, beside a bare client that posts signed bodies of the same size to the same
/// receiver, as many at once, in the same round.
struct WebhookFigures {
    let effort: Effort
    let kinds: [DatabaseKind]

    /// As an endpoint has it unless it says otherwise.
    private static let atOnce = 16

    func measure() async throws -> [Figure] {
        var figures: [Figure] = []
        for kind in kinds {
            figures += try await Stage(subscriptions: effort.subscriptions, kind: kind).play { [effort] stage in
                [try await Self.figure(stage, kind, effort)]
            }
        }
        return figures
    }

    private static func figure(_ stage: Stage, _ kind: DatabaseKind, _ effort: Effort) async throws -> Figure {
        guard let store = stage.store else { throw BenchError("there is no store") }
        let clock = MachineClock()
        let courier = try DeliveryCourier(
            secrets: SecretBox(keys: [Array(0..<32)]),
            addresses: AddressGuard(allowed: AllowedAddresses(["127.0.0.1"]), resolver: SystemResolver()), clock: clock)
        return try await courier.closing {
            let backend = stage.renewals.backend(store)
            let desk = DeliveryDesk(backend, courier: courier, clock: clock, worker: "bench")
            let url = stage.address + Stage.receiver
            let count = try await size(of: store)
            var rates = Pairs()
            for round in 0..<min(effort.rounds, 5) {
                let floor = try await rate(of: count) { try await post(count, to: url) }
                var order = EndpointOrder(url: url)
                (order.environments, order.since) = ([.production], Timestamp(millisecondsSince1970: 0))
                let name = try backend.endpoint("round\(round)", of: Life.app)
                _ = try await desk.save(order, as: name, taken: [.production])
                let loop = DeliveryLoop(desk)
                let ours = try await rate(of: count) { while try await loop.runOnce() > 0 {} }
                let delivered = try await desk.endpoint(name).delivered
                guard delivered == Int64(count) else { throw BenchError("\(delivered) of \(count) events were delivered") }
                try await desk.remove(name)
                rates.add(floor: floor, ours: ours)
            }
            return Figure(
                "webhooks: events to one endpoint / signed bodies posted by a bare client (\(kind))", rates: rates, target: 0.235,
                remark: "\(count) events, \(atOnce) at once, the receiver in this process; each round of 64 kept on disk")
        }
    }

    private static func size(of store: any Store) async throws -> Int {
        var (count, place) = (0, LogPlace.start)
        while true {
            let page = try await store.log(of: Life.scope, after: place, limit: 1000)
            guard !page.events.isEmpty else { return count }
            (count, place) = (count + page.events.count, page.end)
        }
    }

    private static func rate(of count: Int, _ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return Double(count) / (ContinuousClock.now - start).seconds
    }

    /// HMAC-SHA256 over id, time and body, and nothing else that we do.
    private static func post(_ count: Int, to url: String) async throws {
        let (key, body) = (SymmetricKey(size: .bits256), Array(repeating: UInt8(ascii: "x"), count: 600))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<atOnce {
                group.addTask {
                    for number in stride(from: worker, to: count, by: atOnce) {
                        var request = HTTPClientRequest(url: url)
                        request.method = .POST
                        let head = "evt_\(number).1767225600."
                        let mac = HMAC<SHA256>.authenticationCode(for: Array(head.utf8) + body, using: key)
                        request.headers.add(name: "webhook-id", value: "evt_\(number)")
                        request.headers.add(name: "webhook-timestamp", value: "1767225600")
                        request.headers.add(name: "webhook-signature", value: "v1," + Data(mac).base64EncodedString())
                        request.body = .bytes(ByteBuffer(bytes: body))
                        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
                        guard answer.status == .noContent else { throw BenchError("the receiver answers \(answer.status)") }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
