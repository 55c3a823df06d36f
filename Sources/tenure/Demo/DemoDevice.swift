import Foundation
import NIOHTTP1
import Primitives
import StrictJSON
import TenureClient
import TenureLocalStore

/// A device in the story: an app with the device SDK, which reaches the App Store as devices do. Every step is a launch of the
/// app, so that what one has not finished is found by the next one in its folder.
struct DemoDevice: Sendable {
    private let world: DemoWorld
    /// Who uses the app on it.
    let customer: String
    /// At the local App Store.
    private let id: String
    private let network: DemoNetwork

    /// - Parameter account: the Apple Account that it is signed in with; it is there already.
    init(_ id: String, account: String, of customer: String, in world: DemoWorld) async throws {
        (self.world, self.id, self.customer) = (world, id, customer)
        network = DemoNetwork(world, of: customer)
        _ = try await world.atApple(.POST, "/devices") {
            $0.member("id", id)
            $0.member("account", account)
        }
    }

    /// What the device showed last; nil where it showed nothing.
    var lastUpload: DemoNetwork.Upload? {
        get async { await network.uploads.last }
    }

    /// Takes the network away, or gives it back.
    func set(isOnline: Bool) async { await network.set(isThere: isOnline) }

    /// The customer opens the app: what the App Store delivered meanwhile is uploaded.
    func open() async throws { try await launching { _ in } }

    /// The customer buys.
    ///
    /// - Parameter meanwhile: what happens when it is bought, and the app has not heard it yet.
    func buy(_ productId: String, meanwhile: @escaping @Sendable () async throws -> Void = {}) async throws {
        try await launching(meanwhile) { tenure in
            let outcome = try await tenure.purchase(productId)
            guard case .bought = outcome else { throw CommandError("\(customer) did not get \(productId): \(outcome)") }
        }
    }

    /// The customer asks for what the Apple Account has.
    func restore() async throws { try await launching { _ = try await $0.restore(.appStore) } }

    private func launching(
        _ afterPurchase: @escaping @Sendable () async throws -> Void = {}, _ body: (Tenure) async throws -> Void
    ) async throws {
        guard let control = URL(string: world.store), let server = URL(string: world.server) else {
            throw CommandError("The demo has no addresses.")
        }
        var play = LocalAppStore.Play()
        // The story says when the app looks; and it shows what becomes of a purchase that names nobody.
        (play.listens, play.passesTokens, play.afterPurchase) = (false, false, afterPurchase)
        let store = LocalAppStore(control: control, device: id, transport: network, play: play)
        var configuration = try Tenure.Configuration(
            server: server, app: DemoStage.app.rawValue, publicKey: world.publicKey, store: store,
            folder: world.devices.appendingPathComponent(id), transport: network,
            customerToken: { [world] in try await world.customerToken(of: $0, app: DemoStage.app.rawValue) })
        configuration.clock = DemoClock(now: world.now)
        let tenure = try Tenure(configuration)
        if await tenure.customer != customer { try await tenure.identify(customer) }
        await tenure.start()
        do {
            try await body(tenure)
        } catch {
            await tenure.stop()
            throw error
        }
        await tenure.stop()
    }
}

/// The devices' clocks show the time of the local App Store; nobody sets them, and none is started anew.
private struct DemoClock: DeviceClock {
    let now: @Sendable () -> Timestamp

    func read() -> ClockReading {
        let now = now().millisecondsSince1970
        return ClockReading(wall: Instant(millisecondsSince1970: now), monotonic: now, boot: "demo")
    }
}
