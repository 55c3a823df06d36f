import AppStoreWire
import Primitives
import SimulatorPKI
import Testing

/// Fields that are newer than Apple's own libraries, or than this one: seats, bundles, real-time requests, unknown values.
@Suite struct `Newer than the libraries` {
    let world: World

    init() throws { world = try World.shared.get() }

    @Test func `seats, bundles and moved subscriptions are read`() async throws {
        let members = Sample.transaction.with("quantity", "25").with("inAppOwnershipType", "\"ASSIGNED\"")
            .with("additionalTransactionReason", "\"SEAT_ADDITION\"").with("previousOriginalTransactionId", "\"1\"")
            .with("multiSeatInfo", #"{"invitationManagement":"APPLE","priceTiers":[{"price":990,"quantity":10}]}"#)
            .with("bundleTransactionID", "\"7\"").with("bundleProductID", "\"all\"").with("bundleSubscriptionGroupID", "\"9\"")
        let payload = try await world.transaction(world.sign(members)).get().payload
        #expect(payload.quantity == 25 && payload.inAppOwnershipType == .assigned)
        #expect(payload.additionalTransactionReason == .seatAddition && payload.previousOriginalTransactionId == "1")
        #expect(
            payload.multiSeatInfo == Array(#"{"invitationManagement":"APPLE","priceTiers":[{"price":990,"quantity":10}]}"#.utf8))
        #expect(
            payload.bundleTransactionID == "7" && payload.bundleProductID == "all" && payload.bundleSubscriptionGroupID == "9")
        let renewal = Sample.renewalInfo.with("renewalQuantity", "30").with("multiSeatInfo", #"{"renewalPriceTiers":[]}"#)
        let info = try await world.verifier.renewalInfo(world.sign(renewal), for: World.app, at: World.now).get().unbound.payload
        #expect(info.renewalQuantity == 30 && info.multiSeatInfo == Array(#"{"renewalPriceTiers":[]}"#.utf8))
    }

    @Test func `returned seats are read`() async throws {
        let members = Sample.notification().with("notificationType", "\"UNCLAIM_SEATS\"")
            .with("unclaimInfo", #"{"unclaimSeatIds":["a","b"]}"#)
        let payload = try await world.verifier.notification(world.sign(members), for: World.app, at: World.now).get().notification
            .payload
        #expect(payload.notificationType == .unclaimSeats)
        #expect(payload.unclaimInfo == Array(#"{"unclaimSeatIds":["a","b"]}"#.utf8))
    }

    @Test func `FACT-5 unknown values keep their spelling, and unknown fields stay in the JSON to the byte`() async throws {
        let members = Sample.transaction.with("type", "\"Time Share\"").with("offerType", "99").with(
            "revocationType", "\"BY_LAW\""
        )
        .with("tomorrow", #"{"a":[1,2.5e3,"\u00e9"],"b":null}"#)
        let verified = try await world.transaction(world.sign(members)).get()
        #expect(verified.payload.type.rawValue == "Time Share" && verified.payload.offerType?.rawValue == 99)
        #expect(verified.payload.revocationType?.rawValue == "BY_LAW")
        #expect(verified.payloadJSON == Sample.json(members))
    }

    @Test func `FACT-4 a real-time request is compared with the Apple id in Production`() async throws {
        let jws = try world.sign(Sample.realtimeRequest)
        func refusal(_ app: ExpectedApp) async -> JWSRefusal.Code? {
            await world.verifier.realtimeRequest(jws, for: app, at: World.now).refusal
        }
        #expect(await refusal(World.app) == nil)
        #expect(await refusal(ExpectedApp(bundleId: "any", appAppleId: 4712, environments: [.production])) == .wrongAppAppleId)
        #expect(await refusal(ExpectedApp(bundleId: "any", appAppleId: 4711, environments: [.sandbox])) == .wrongEnvironment)
        let missing = try world.sign(Sample.realtimeRequest.with("appAppleId", nil))
        #expect(await world.verifier.realtimeRequest(missing, for: World.app, at: World.now).refusal == .fieldMissing)
        let transaction = try world.sign(Sample.transaction)
        #expect(await world.verifier.realtimeRequest(transaction, for: World.app, at: World.now).refusal == .wrongKind)
    }
}
