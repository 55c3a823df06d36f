import AppStoreWire
import Foundation
import Primitives
import SimulatorPKI
import Testing

/// JWS that Apple itself signed, compared with the values in the fixtures' own description.
@Suite(.needsFixtures) struct `What Apple signed` {
    let apple = AppStoreVerifier(roots: .apple)
    let now = World.instant(1_784_000_000_000)
    let ring = ExpectedApp(bundleId: "not.named.in.a.renewal.info", appAppleId: nil, environments: [.sandbox])
    let abilities = ExpectedApp(bundleId: "com.Abilities", appAppleId: nil, environments: [.sandbox])

    func payload() throws -> [UInt8] {
        try NotificationBody.signedPayload(in: Fixtures.bytes("real/test-notification-signed-payload.json")).get()
    }

    @Test func `FACT-3 a renewal info signed by Apple verifies against Apple Root CA G3`() async throws {
        let jws = try Fixtures.text("real/renewalInfo.jws")
        let renewal = try await apple.renewalInfo(jws, for: ring, at: now).get().unbound
        #expect(renewal.payload.originalTransactionId == "2000000335310644")
        #expect(renewal.signedDate.millisecondsSince1970 == 1_684_822_778_492)
        #expect(renewal.payload.autoRenewStatus == .on)
        #expect(renewal.payload.environment == .sandbox)
        #expect(renewal.signer?.leafSerial == "68fa0f95dbe94a8107d2506b8c33eff6")
        #expect(renewal.evidence == Array(jws.utf8))
        #expect(Data(try #require(renewal.signer).rootFingerprint) == Data(try #require(TrustRoots.apple.fingerprints.first)))
    }

    @Test func `FACT-3 a TEST notification signed by Apple verifies and names its app`() async throws {
        let verified = try await apple.notification(payload(), for: abilities, at: now).get()
        let notification = verified.notification.payload
        #expect(notification.notificationType == .test)
        #expect(notification.notificationUUID == "5e09dcfc-205e-4ea1-9883-96676f394992")
        #expect(notification.subject.bundleId == "com.Abilities")
        #expect(notification.data?.appAppleId == nil)
        #expect(verified.transaction == nil && verified.renewalInfo == nil && verified.appTransaction == nil)
    }

    @Test func `T01 what Apple signed is refused where only another root is trusted`() async throws {
        let other = try SigningAuthority(validity: World.year)
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [other.rootFingerprint]))
        let refusal = try await verifier.notification(payload(), for: abilities, at: now).refusal
        #expect(refusal == .rootNotTrusted)
        let old = AppStoreVerifier(
            roots: TrustRoots(fingerprints: []).adding(der: try Fixtures.bytes("real/AppleIncRootCertificate.cer")))
        #expect(try await old.renewalInfo(Fixtures.text("real/renewalInfo.jws"), for: ring, at: now).refusal == .rootNotTrusted)
    }

    @Test func `T11 what Apple signed for one app is refused for every other`() async throws {
        for bundleId in ["com.abilities", "com.Abilities.", "com.Abilitie", "", "com.example"] {
            let other = ExpectedApp(bundleId: bundleId, appAppleId: nil, environments: [.sandbox])
            #expect(try await apple.notification(payload(), for: other, at: now).refusal == .wrongBundleId)
        }
    }

    @Test func `FACT-4 what Apple signed in Sandbox is refused in every other environment`() async throws {
        for environment in Environment.allCases where environment != .sandbox {
            let app = ExpectedApp(bundleId: "com.Abilities", appAppleId: 1, environments: [environment])
            #expect(try await apple.notification(payload(), for: app, at: now).refusal == .wrongEnvironment)
            #expect(
                try await apple.renewalInfo(Fixtures.text("real/renewalInfo.jws"), for: app, at: now).refusal == .wrongEnvironment
            )
        }
    }

    @Test func `the pinned root is Apple Root CA G3 byte for byte`() throws {
        let roots = TrustRoots(fingerprints: []).adding(der: try Fixtures.bytes("real/AppleRootCA-G3.cer"))
        #expect(roots.fingerprints == TrustRoots.apple.fingerprints)
        #expect(roots.containsAppleRoot)
    }

    /// Compared with what `openssl x509 -enddate` says of the two certificates.
    @Test func `F19 the ends of Apple's roots are those in Apple's certificates, known before anything comes`() async throws {
        var given = TrustRoots(fingerprints: [])
        for name in ["AppleRootCA-G3", "AppleIncRootCertificate"] {
            given = given.adding(der: try Fixtures.bytes("real/\(name).cer"))
        }
        #expect(given.authorities == TrustRoots.apple.authorities)
        #expect(
            TrustRoots.apple.authorities.map { "\($0.name) \($0.notValidAfter)" } == [
                "Apple Root CA 2035-02-09T21:40:36Z", "Apple Root CA - G3 2039-04-30T18:19:06Z",
            ])
    }

    @Test func `F19 the intermediate with which Apple signs is known once it signed, while it signs`() async throws {
        let verifier = AppStoreVerifier(roots: .apple)
        let renewal = try await verifier.renewalInfo(try Fixtures.text("real/renewalInfo.jws"), for: ring, at: now).get().unbound
        let used = verifier.authorities(signingSince: renewal.signedDate)
        #expect(used.map(\.role) == [.root, .intermediate, .root])
        #expect(used[1].name == "Apple Worldwide Developer Relations Certification Authority")
        #expect(used[1].fingerprint == renewal.signer?.intermediateFingerprint)
        #expect(used[1].notValidAfter.description == "2036-03-19T00:00:00Z")
        #expect(verifier.authorities(signingSince: renewal.signedDate.adding(Milliseconds(1))) == TrustRoots.apple.authorities)
    }

    @Test func `T06 a leaf on the list of distrusted serials is refused however old the signature`() async throws {
        let verifier = AppStoreVerifier(roots: .apple, distrustedLeafSerials: ["68fa0f95dbe94a8107d2506b8c33eff6"])
        #expect(
            try await verifier.renewalInfo(Fixtures.text("real/renewalInfo.jws"), for: ring, at: now).refusal == .leafDistrusted)
    }
}

/// JWS and payloads from Apple's own server libraries, under Apple's test root.
@Suite(.needsFixtures) struct `Test data of Apple's libraries` {
    let app = ExpectedApp(bundleId: "com.example", appAppleId: 1234, environments: [.sandbox])

    func verifier() throws -> AppStoreVerifier {
        AppStoreVerifier(roots: TrustRoots(fingerprints: []).adding(der: try Fixtures.bytes("apple-library/certs/testCA.der")))
    }

    func refusal(_ name: String, for app: ExpectedApp) async throws -> JWSRefusal.Code? {
        let jws = try Fixtures.text("apple-library/mock_signed_data/" + name)
        return try await verifier().notification(jws, for: app, at: World.now).refusal
    }

    @Test func `its test notification is accepted in Sandbox and refused in Production`() async throws {
        #expect(try await refusal("testNotification", for: app) == nil)
        let production = ExpectedApp(bundleId: "com.example", appAppleId: 1234, environments: [.production])
        #expect(try await refusal("testNotification", for: production) == .wrongEnvironment)
        #expect(try await refusal("testNotification", for: World.app) == .wrongBundleId)
    }

    @Test func `its notification for a wrong bundle and its header without x5c are refused`() async throws {
        // The fixture also lacks signedDate and environment, and missing fields are reported first.
        #expect(try await refusal("wrongBundleId", for: app) == .fieldMissing)
        #expect(try await refusal("missingX5CHeaderClaim", for: app) == .headerParameterNotAllowed)
    }

    @Test func `its transaction and renewal info are refused, because they name no transaction`() async throws {
        let transaction = try Fixtures.text("apple-library/mock_signed_data/transactionInfo")
        #expect(try await verifier().transaction(transaction, for: app, at: World.now).refusal == .wrongKind)
        let renewal = try Fixtures.text("apple-library/mock_signed_data/renewalInfo")
        #expect(try await verifier().renewalInfo(renewal, for: app, at: World.now).refusal == .wrongKind)
    }
}
