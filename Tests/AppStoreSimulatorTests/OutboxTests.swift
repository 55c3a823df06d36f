import Primitives
import Testing

@testable import AppStoreModel
@testable import AppStoreSimulator

@Suite struct OutboxTests {
    private static let signatures = StorePrinter.Signatures(signer: 0)
    private static let production = Outbox.retryDelays(.v2, .production)

    @Test func `each delivery mode sends as documented`() throws {
        let told = try notifications(5)
        var outbox = Outbox()
        #expect(outbox.accept(told[0], Self.signatures, at: World.start) == 1)
        outbox.mode = .duplicate(3)
        #expect(outbox.accept(told[1], Self.signatures, at: World.start) == 3)
        outbox.mode = .drop(1)
        #expect(outbox.accept(told[2], Self.signatures, at: World.start) == 0)
        #expect(outbox.mode == .deliver)
        #expect(outbox.accept(told[3], Self.signatures, at: World.start) == 1)
        outbox.mode = .hold
        #expect(outbox.accept(told[4], Self.signatures, at: World.start) == 0)
        #expect(outbox.newest(10).map(\.state) == [.held, .sent, .dropped, .sent, .sent])
        #expect(outbox.newest(1).map(\.notification) == [told[4]])
    }

    @Test func `held notifications are released once, in the requested order`() throws {
        let told = try notifications(6)
        func released(_ order: ReleaseOrder) -> [Int?] {
            var outbox = Outbox()
            outbox.mode = .hold
            for notification in told { _ = outbox.accept(notification, Self.signatures, at: World.start) }
            let uuids = outbox.release(order)
            #expect(outbox.release(order).isEmpty)
            return uuids.map { uuid in told.firstIndex { $0.notificationUUID == uuid } }
        }
        #expect(released(.given) == [0, 1, 2, 3, 4, 5])
        #expect(released(.reversed) == [5, 4, 3, 2, 1, 0])
        #expect(released(.shuffled(seed: 5)) == released(.shuffled(seed: 5)))
        #expect(Set(released(.shuffled(seed: 5))).count == 6)
        #expect(released(.shuffled(seed: 5)) != released(.shuffled(seed: 6)))
    }

    /// Source: Apple, "Responding to App Store Server Notifications": 1, 12, 24, 48 and 72 hours after the previous attempt.
    @Test func `production retries five times, each time later`() throws {
        let told = try notifications(1)
        var outbox = Outbox()
        _ = outbox.accept(told[0], Self.signatures, at: World.start)
        outbox.note(.timedOut, of: told[0].notificationUUID, at: World.start, retryDelays: Self.production)
        var hours: [Int64] = []
        while let (uuid, at) = outbox.popDue(upTo: World.days(365)) {
            hours.append(at.since(World.start).count / 3_600_000)
            outbox.note(.unsuccessfulHTTPResponseCode, of: uuid, at: at, retryDelays: Self.production)
        }
        #expect(hours == [1, 13, 37, 85, 157])
        #expect(outbox.newest(1).first?.attempts.count == 6)
    }

    @Test func `a retry that succeeds is the last one, and sandbox has none`() throws {
        let told = try notifications(1)
        var outbox = Outbox()
        _ = outbox.accept(told[0], Self.signatures, at: World.start)
        outbox.note(.timedOut, of: told[0].notificationUUID, at: World.start, retryDelays: Self.production)
        outbox.note(.success, of: told[0].notificationUUID, at: World.start, retryDelays: Self.production)
        #expect(outbox.nextDue == nil)
        outbox = Outbox()
        _ = outbox.accept(told[0], Self.signatures, at: World.start)
        outbox.note(
            .timedOut, of: told[0].notificationUUID, at: World.start, retryDelays: Outbox.retryDelays(.v2, .sandbox))
        #expect(outbox.nextDue == nil)
    }
}
