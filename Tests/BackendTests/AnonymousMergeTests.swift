import Backend
import Foundation
import Ledger
import Primitives
import Storage
import Testing

/// Two devices of one Apple Account on which nobody logged in (OWN-10, `mergeOnClaim`; decision 0069).
@Suite struct `Two anonymous customers of one Apple Account` {
    private static let phone = CustomerID("anonymous-phone")
    private static let pad = CustomerID("anonymous-pad")
    private static let secrets: [CustomerID: [UInt8]] = [phone: [1], pad: [2]]

    private static let merging: AppPolicy = {
        var policy = AppPolicy()
        policy.mergeOnClaim = true
        return policy
    }()

    /// The phone is known for longer, and bought.
    private func withDevices(_ policy: AppPolicy = merging, _ body: (World) async throws -> Void) async throws {
        try await withWorld(policy: policy) { world in
            for device in [Self.phone, Self.pad] {
                try await world.backend.registerDevice(of: device, secretDigest: Self.secrets[device] ?? [], app: World.app)
                world.clock.set(world.clock.now().adding(.minutes(1)))
            }
            _ = try await world.claim(Self.phone)
            try await body(world)
        }
    }

    private func owner(_ id: String = "1001", in world: World) async throws -> CustomerID? {
        try await world.store.subscription(World.key(id))?.state.owner(at: world.clock.now())
    }

    private func other(_ id: String, account: String? = nil) -> Purchase {
        var other = Purchase()
        (other.originalTransactionId, other.transactionId, other.webOrderLineItemId) = (id, id, "9\(id)")
        other.appTransactionId = account
        return other
    }

    private func logIn(_ device: CustomerID, as customer: CustomerID, in world: World) async throws {
        try await world.backend.identify(
            device, as: customer, secretDigest: Self.secrets[device] ?? [], app: World.app)
    }

    @Test func `OWN-10 a restore makes them one, whose id is the earlier one, and neither takes from the other after it`()
        async throws
    {
        try await withDevices { world in
            for device in [Self.pad, Self.phone, Self.pad] {
                world.clock.set(world.clock.now().adding(.days(1)))
                #expect(try await world.claim(device, .restore).outcome == .alreadyOwner)
                #expect(try await owner(in: world) == Self.phone)
                for one in [Self.phone, Self.pad] { #expect(try await world.isActive(one)) }
            }
            let events = try await world.store.outbox(after: 0, limit: 100).compactMap(\.event)
            #expect(!events.contains { $0.kind == .ownerChanged && $0.customer == Self.pad }, "it was never the other one's")
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `OWN-10 the earlier one stays whoever restores`() async throws {
        try await withDevices { world in
            world.clock.set(world.clock.now().adding(.days(1)))
            _ = try await world.claim(Self.pad, .purchase, other("2002"))
            let outcome = try await world.claim(Self.phone, .restore, other("2002")).outcome
            #expect(outcome == .moved(from: Self.pad, rule: .anonymous))
            world.clock.set(world.clock.now().adding(.seconds(1)))
            #expect(try await owner("2002", in: world) == Self.phone, "what shows no common account only moves")
            #expect(try await owner(in: world) == Self.phone)
            #expect(try await world.store.merge(of: CustomerName(World.app, Self.pad)) == nil)
        }
        try await withWorld(policy: Self.merging) { world in
            for device in [Self.pad, Self.phone] {
                try await world.backend.registerDevice(of: device, secretDigest: Self.secrets[device] ?? [], app: World.app)
                world.clock.set(world.clock.now().adding(.minutes(1)))
            }
            _ = try await world.claim(Self.phone)
            world.clock.set(world.clock.now().adding(.days(1)))
            _ = try await world.claim(Self.pad, .restore)
            #expect(try await owner(in: world) == Self.pad)
            #expect(try await world.store.merge(of: CustomerName(World.app, Self.phone))?.identified == Self.pad)
            #expect(try await world.isActive(Self.phone))
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `OWN-10 all of both must be of one Apple Account, by what Apple signed`() async throws {
        for (account, isOne) in [("account-1", true), ("account-2", false)] {
            try await withDevices { world in
                _ = try await world.claim(Self.phone, .purchase, other("2002", account: "account-1"))
                _ = try await world.claim(Self.pad, .purchase, other("3003", account: account))
                world.clock.set(world.clock.now().adding(.days(1)))
                // The first purchase shows no account, so it hinders.
                _ = try await world.claim(Self.pad, .restore, other("2002", account: "account-1"))
                #expect(try await world.store.merge(of: CustomerName(World.app, Self.pad)) == nil)
                #expect(try await owner("2002", in: world) == Self.pad)
            }
            try await withWorld(policy: Self.merging) { world in
                for device in [Self.phone, Self.pad] {
                    try await world.backend.registerDevice(
                        of: device, secretDigest: Self.secrets[device] ?? [], app: World.app)
                    world.clock.set(world.clock.now().adding(.minutes(1)))
                }
                _ = try await world.claim(Self.phone, .purchase, other("2002", account: "account-1"))
                _ = try await world.claim(Self.pad, .purchase, other("3003", account: account))
                world.clock.set(world.clock.now().adding(.days(1)))
                _ = try await world.claim(Self.pad, .restore, other("2002", account: "account-1"))
                #expect(try await owner("2002", in: world) == (isOne ? Self.phone : Self.pad))
                #expect(try await owner("3003", in: world) == (isOne ? Self.phone : Self.pad))
                #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
            }
        }
    }

    @Test func `OWN-10 without mergeOnClaim, and against an identified customer, a restore makes nobody one`() async throws {
        try await withDevices(AppPolicy()) { world in
            world.clock.set(world.clock.now().adding(.days(1)))
            _ = try await world.claim(Self.pad, .restore)
            #expect(try await owner(in: world) == Self.pad)
            #expect(try await world.store.merge(of: CustomerName(World.app, Self.pad)) == nil)
        }
        try await withDevices { world in
            world.clock.set(world.clock.now().adding(.days(1)))
            try await logIn(Self.phone, as: World.alice, in: world)
            world.clock.set(world.clock.now().adding(.days(1)))
            #expect(try await world.claim(Self.pad, .restore).outcome.changesOwner == false)
            #expect(try await owner(in: world) == World.alice)
        }
    }

    @Test(arguments: [phone, pad])
    func `OWN-10 either device logs both in, and what is brought later by either is the customer's`(device: CustomerID)
        async throws
    {
        try await withDevices { world in
            _ = try await world.claim(Self.pad, .restore)
            world.clock.set(world.clock.now().adding(.days(1)))
            try await logIn(device, as: World.alice, in: world)
            try await logIn(device, as: World.alice, in: world)
            #expect(try await owner(in: world) == World.alice)
            for one in [Self.phone, Self.pad, World.alice] { #expect(try await world.isActive(one)) }
            for one in [Self.phone, Self.pad] {
                await #expect(throws: CustomerRefusal.mergedBefore) { try await logIn(one, as: World.bob, in: world) }
            }
            world.clock.set(world.clock.now().adding(.days(1)))
            for one in [Self.phone, Self.pad] { #expect(try await world.claim(one, .restore).outcome == .alreadyOwner) }
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
            for (one, id) in [(Self.phone, "2002"), (Self.pad, "3003")] {
                _ = try await world.claim(one, .purchase, other(id))
                #expect(try await owner(id, in: world) == World.alice)
            }
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `OWN-10 I45 whoever erases the customer erases both devices' ids`() async throws {
        try await withDevices { world in
            _ = try await world.claim(Self.pad, .restore)
            world.clock.set(world.clock.now().adding(.days(1)))
            try await logIn(Self.pad, as: World.alice, in: world)
            let name = CustomerName(World.app, Self.phone)
            #expect(try await world.store.merge(of: name)?.identified == World.alice)
            let merged = try await world.store.write { transaction in
                try transaction.anonymousCustomers(mergedInto: CustomerName(World.app, World.alice))
            }
            #expect(merged == [Self.phone])
        }
    }
}
