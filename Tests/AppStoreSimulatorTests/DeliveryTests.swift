import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Primitives
import StrictJSON
import Synchronization
import Testing

@testable import AppStoreModel
@testable import AppStoreSimulator

/// A server that accepts notifications, and refuses them on request.
private final class Receiver: Sendable {
    private let bodies = Mutex<[String]>([])
    private let arrivals = Mutex<[Timestamp]>([])
    private let clock: SimulatedClock
    private let status = Mutex(HTTPResponse.Status.ok)

    init(clock: SimulatedClock) { self.clock = clock }

    /// The simulated time at which each arrived.
    var arrivalDates: [Timestamp] { arrivals.withLock { $0 } }

    func answer(_ newStatus: HTTPResponse.Status) { status.withLock { $0 = newStatus } }

    /// What arrived since the last call.
    func take() -> [String] {
        bodies.withLock { bodies in
            defer { bodies = [] }
            return bodies
        }
    }

    var application: some ApplicationProtocol {
        let router = Router()
        router.post("/notifications") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 20)
            self.bodies.withLock { $0.append(String(buffer: body)) }
            self.arrivals.withLock { $0.append(self.clock.now) }
            return self.status.withLock { $0 }
        }
        return Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)), logger: quiet)
    }
}

private let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

@Suite struct DeliveryTests {
    /// The simulator, called at its router, with a real server on a port of its own, to which it posts over real HTTP.
    private func withBoth(
        _ environment: Primitives.Environment, _ test: @Sendable (ControlClient, Receiver) async throws -> Void
    ) async throws {
        let simulator = try AppStoreSimulator(configuration: try World.configuration(environment))
        let receiver = Receiver(clock: simulator.clock)
        try await receiver.application.test(.live) { receiving in
            let url = "http://127.0.0.1:\(try #require(receiving.port))/notifications"
            try await simulator.buildApplication(logger: quiet).test(.router) { client in
                let control = ControlClient(client: client)
                _ = try await control.post("/delivery", #"{"url":"\#(url)"}"#)
                _ = try await control.post("/accounts", #"{"id":"anna"}"#)
                try await test(control, receiver)
            }
        }
    }

    @Test func `a notification has arrived when the call that caused it answers`() async throws {
        try await withBoth(.production) { control, receiver in
            _ = try await control.post("/accounts/anna/purchases", #"{"productId":"plus.monthly"}"#)
            let body = try #require(receiver.take().first)
            let record = try await #require(control.get("/notifications")["notifications"]?.array?.first { _ in true }?.object)
            #expect(try JSONDocument(Array(body.utf8)).root.object?["signedPayload"]?.string == record["signedPayload"]?.string)
            let attempts = record["sendAttempts"]?.array?.map { $0.object?["sendAttemptResult"]?.string }
            #expect(attempts == ["SUCCESS"])
            let uuid = try #require(record["notificationUUID"]?.string)
            _ = try await control.post("/notifications/\(uuid)/redeliver")
            #expect(receiver.take() == [body])
        }
    }

    @Test func `notifications are dropped, held and duplicated on request`() async throws {
        try await withBoth(.production) { control, receiver in
            _ = try await control.post("/delivery", #"{"mode":"drop","count":1}"#)
            let bought = try await control.post("/accounts/anna/purchases", #"{"productId":"plus.monthly"}"#)
            #expect(receiver.take().isEmpty)
            let id = try #require(bought["transactionId"]?.string)
            _ = try await control.post("/delivery", #"{"mode":"duplicate","count":2}"#)
            _ = try await control.post("/subscriptions/\(id)/auto-renew", #"{"enabled":false}"#)
            let doubled = receiver.take()
            #expect(doubled.count == 2)
            #expect(Set(doubled).count == 1)
            _ = try await control.post("/delivery", #"{"mode":"hold"}"#)
            _ = try await control.post("/subscriptions/\(id)/auto-renew", #"{"enabled":true}"#)
            _ = try await control.post("/clock/advance", #"{"days":40}"#)
            #expect(receiver.take().isEmpty)
            let released = try await control.post("/delivery/release", #"{"order":"reversed"}"#)["released"]?.array?.count
            #expect(released == 3)
            #expect(receiver.take().count == 3)
        }
    }

    @Test func `production retries on the simulated clock, sandbox does not`() async throws {
        for (environment, attempts) in [(Primitives.Environment.production, 3), (.sandbox, 1)] {
            try await withBoth(environment) { control, receiver in
                receiver.answer(.serviceUnavailable)
                _ = try await control.post("/accounts/anna/purchases", #"{"productId":"lifetime"}"#)
                _ = try await control.post("/clock/advance", #"{"seconds":3600}"#)
                receiver.answer(.ok)
                _ = try await control.post("/clock/advance", #"{"days":30}"#)
                let bodies = receiver.take()
                #expect(bodies.count == attempts)
                #expect(Set(bodies).count == 1)
            }
        }
    }

    @Test func `during a delivery the clock shows its instant, and retries keep their place`() async throws {
        try await withBoth(.production) { control, receiver in
            receiver.answer(.internalServerError)
            _ = try await control.post("/accounts/anna/purchases", #"{"productId":"plus.monthly"}"#)
            _ = try await control.post("/clock/advance", #"{"days":8}"#)
            let hours = receiver.arrivalDates.map { $0.since(World.start).count / 3_600_000 }
            // The purchase and its five retries; the renewal after seven days and its retries until the eighth day.
            #expect(hours == [0, 1, 13, 37, 85, 157, 168, 169, 181])
        }
    }
}
