import Hummingbird
import Logging
import Primitives
import StrictJSON

/// A receiver of webhooks as an app's backend might have one: it keeps the windows of each customer's entitlements, as
/// `entitlement.changed` tells them, and asks nobody.
actor DemoReceiver {
    /// By customer and entitlement: when it may be used from the last event on.
    private var windows: [String: [String: [(from: Timestamp, until: Timestamp?)]]] = [:]
    /// The number of the last event of each customer.
    private var last: [String: Int64] = [:]
    private var waiting: [(customer: String, sequence: Int64, continuation: CheckedContinuation<Void, Never>)] = []

    nonisolated func application(logger: Logger, onRunning: @escaping @Sendable (Int) async -> Void) -> some ApplicationProtocol {
        let router = Router()
        router.post("/events") { request, _ -> HTTPResponse.Status in
            let body = try await request.body.collect(upTo: 1 << 20)
            try await self.take(JSONDocument(Array(body.readableBytesView)))
            return .noContent
        }
        return Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { await onRunning($0.localAddress?.port ?? 0) }, logger: logger)
    }

    /// Whether the customer may use any entitlement, by what was told.
    func isActive(_ customer: String, at now: Timestamp) -> Bool {
        (windows[customer] ?? [:]).values.joined().contains { window in
            window.from <= now && window.until.map { now < $0 } ?? true
        }
    }

    /// Returns when that event of the customer has arrived.
    func waitForEvent(_ sequence: Int64, of customer: String) async throws {
        if last[customer] ?? 0 >= sequence { return }
        await withCheckedContinuation { waiting.append((customer, sequence, $0)) }
    }

    private func take(_ event: JSONDocument) {
        guard let data = event.root.object?["data"]?.object, let customer = data["customer"]?.string, data["subscription"] == nil,
            let sequence = data["sequence"]?.int64,
            sequence > last[customer] ?? 0
        else { return }
        last[customer] = sequence
        if let entitlement = data["entitlement"]?.string, event.root.object?["type"]?.string == "entitlement.changed" {
            windows[customer, default: [:]][entitlement] = (data["windows"]?.array.map(Array.init) ?? []).compactMap { window in
                guard let from = window.object?["from"]?.int64 else { return nil }
                let until = window.object?["until"]?.int64
                return (Timestamp(millisecondsSince1970: from), until.map { Timestamp(millisecondsSince1970: $0) })
            }
        }
        let arrived = waiting.filter { $0.customer == customer && $0.sequence <= sequence }
        waiting.removeAll { $0.customer == customer && $0.sequence <= sequence }
        for wait in arrived { wait.continuation.resume() }
    }
}
