import AppStoreWire
import GRDB
import Ledger
import Primitives
import SimulatorPKI
import Storage
import StrictJSON
import Testing

@testable import Backend

@Suite struct `Notifications that cannot be applied` {
    private static let uuid = "66666666-51f5-4503-b5a8-c3a1af68eb20"

    private func parked(_ world: World) async throws -> [Backend.ParkedNotification] {
        try await world.backend.parkedNotifications(app: World.app, environment: .production)
    }

    private func work(_ world: World) async throws {
        let loop = WorkLoop(
            store: world.store, clock: world.clock, lanes: [WorkLane(ParkingPerformer(backend: world.backend))], worker: "w",
            pauses: .patient, jitter: { 0.5 })
        while try await loop.runOnce() > 0 {}
    }

    /// What Apple might sign one day: a field that is a number where it was a text.
    private func strange(_ world: World, bundleId: String = "com.example.app") throws -> [UInt8] {
        let payload = """
            {"notificationType":7,"notificationUUID":"\(Self.uuid)","version":"3.0","signedDate":1780272000000,\
            "data":{"bundleId":"\(bundleId)","environment":"Production"}}
            """
        return PretendAppStore.body(signedPayload: try world.apple.authority.sign(payload: Array(payload.utf8)))
    }

    @Test func `RECON-4 what Apple signed and cannot be read is kept before Apple is answered, once, and tried every hour`()
        async throws
    {
        try await withWorld { world in
            for _ in 0..<2 {
                #expect(try await world.backend.receiveNotification(try strange(world), app: World.app) == .parked)
            }
            let kept = try #require(try await parked(world).first)
            #expect(try await parked(world).count == 1)
            #expect(kept.id == Self.uuid && kept.reason == "notification.fieldInvalid" && kept.attempts == 0)
            #expect(PretendAppStore.body(signedPayload: kept.signedPayload).count == (try strange(world)).count)
            world.clock.set(world.clock.now().adding(.minutes(61)))
            try await work(world)
            #expect(try await parked(world).map(\.reason) == ["notification.fieldInvalid"])
            #expect(world.backend.counters[.parked] == 2 && world.backend.counters[.refused] == 0)
        }
    }

    @Test func `RECON-4 what nobody signed, or Apple for another app, is kept nowhere`() async throws {
        try await withWorld { world in
            let other = try strange(world, bundleId: "com.example.other")
            #expect(
                try await refusal { _ = try await world.backend.receiveNotification(other, app: World.app) } == "wrongBundleId")
            var forged = try strange(world)
            let end = forged.count - 12
            forged[end] = forged[end] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(
                try await refusal { _ = try await world.backend.receiveNotification(forged, app: World.app) }
                    == "signatureInvalid")
            #expect(try await parked(world).isEmpty && world.backend.counters[.refused] == 2)
        }
    }

    @Test func `RECON-4 what damaged books kept from being applied is applied after their repair`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice)
            let renewed = Purchase().renewed()
            world.clock.set(renewed.purchaseDate.adding(.minutes(1)))
            try await run("CREATE TRIGGER broken BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'broken'); END", world)
            let notification = Notification(Self.uuid, "DID_RENEW", about: renewed)
            #expect(try await world.receive(notification) == .parked)
            #expect(try await parked(world).map(\.reason) == ["store.constraint"])
            try await run("DROP TRIGGER broken", world)
            world.clock.set(world.clock.now().adding(.minutes(61)))
            try await work(world)
            #expect(try await parked(world).isEmpty)
            #expect(try await world.isActive(World.alice))
            // Apple comes again.
            #expect(try await world.receive(notification) == .duplicate)
        }
    }

    private func run(_ sql: String, _ world: World) async throws {
        try await DatabaseQueue(path: world.path).write { try $0.execute(sql: sql) }
    }
}
