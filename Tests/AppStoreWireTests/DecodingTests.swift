import AppStoreWire
import Foundation
import Primitives
import SimulatorPKI
import Testing

/// Apple's own example payloads, signed by our authority: every field must come out as an independent reader sees it.
@Suite(.needsFixtures) struct `Every field of Apple's examples` {
    static let app = ExpectedApp(bundleId: "com.example", appAppleId: 531412, environments: [.localTesting])
    let authority: SigningAuthority
    let verifier: AppStoreVerifier

    init() throws {
        authority = try SigningAuthority(validity: World.instant(1_690_000_000_000)...World.year.upperBound)
        verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [authority.rootFingerprint]))
    }

    func signed(_ name: String) throws -> String {
        try authority.sign(payload: try Fixtures.bytes("apple-library/models/\(name).json"))
    }

    /// Compares a payload's properties with the members of the JSON, in both directions.
    func expect(_ payload: Any, equals json: [String: Any], except ignored: Set<String> = []) throws {
        var seen: Set<String> = []
        for child in Mirror(reflecting: payload).children {
            let name = try #require(child.label)
            guard let value = unwrapped(child.value) else {
                #expect(json[name] == nil, "\(name) was not read")
                continue
            }
            if ignored.contains(name) { continue }
            seen.insert(name)
            let expected = try #require(json[name], "\(name) is not in the JSON")
            try expectValue(value, equals: expected, name: name)
        }
        #expect(Set(json.keys).subtracting(ignored) == seen)
    }

    func expectValue(_ value: Any, equals expected: Any, name: String) throws {
        switch value {
        case let value as String: #expect(value == expected as? String, "\(name)")
        case let value as Bool: #expect(value == expected as? Bool, "\(name)")
        case let value as Int64: #expect(value == (expected as? NSNumber)?.int64Value, "\(name)")
        case let value as Timestamp: #expect(value.millisecondsSince1970 == (expected as? NSNumber)?.int64Value, "\(name)")
        case let value as Milliunits: #expect(value.count == (expected as? NSNumber)?.int64Value, "\(name)")
        case let value as [String]: #expect(value == expected as? [String], "\(name)")
        case let value as [UInt8]:
            if let text = expected as? String {
                #expect(value == Array(text.utf8), "\(name)")
            } else {
                let read = try #require(try JSONSerialization.jsonObject(with: Data(value)) as? NSDictionary)
                #expect(read == expected as? NSDictionary, "\(name)")
            }
        case let value as any RawRepresentable: try expectValue(value.rawValue, equals: expected, name: name)
        default: try expect(value, equals: try #require(expected as? [String: Any], "\(name)"))
        }
    }

    func unwrapped(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return mirror.children.first?.value
    }

    @Test(arguments: ["signedTransaction", "signedTransactionWithRevocation"])
    func `a transaction is read in every field`(_ name: String) async throws {
        let verified = try await verifier.transaction(signed(name), for: Self.app, at: World.now).get()
        try expect(verified.payload, equals: try Fixtures.object("apple-library/models/\(name).json"))
    }

    @Test func `a renewal info is read in every field`() async throws {
        let renewal = try await verifier.renewalInfo(signed("signedRenewalInfo"), for: Self.app, at: World.now).get()
        try expect(renewal.unbound.payload, equals: try Fixtures.object("apple-library/models/signedRenewalInfo.json"))
    }

    @Test func `an app transaction is read in every field`() async throws {
        let verified = try await verifier.appTransaction(signed("appTransaction"), for: Self.app, at: World.now).get()
        try expect(verified.payload, equals: try Fixtures.object("apple-library/models/appTransaction.json"))
    }

    static let notifications = [
        "signedNotification", "signedSummaryNotification", "signedConsumptionRequestNotification",
        "signedExternalPurchaseTokenNotification", "signedExternalPurchaseTokenSandboxNotification",
        "signedRescindConsentNotification",
    ]

    @Test(arguments: notifications) func `a notification is read in every field`(_ name: String) async throws {
        // The examples have placeholders for the JWS inside them; they are replaced by signed examples of the same kind.
        var text = try Fixtures.text("apple-library/models/\(name).json")
        text.replace("signed_transaction_info_value", with: try signed("signedTransaction"))
        text.replace("signed_renewal_info_value", with: try signed("signedRenewalInfo"))
        text.replace("signed_app_transaction_info_value", with: try signed("appTransaction"))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        // Production by the identifier of the external purchase token, where the app's Apple id counts.
        let isToken = name == "signedExternalPurchaseTokenNotification"
        let app = ExpectedApp(
            bundleId: "com.example", appAppleId: isToken ? 55555 : 531412,
            environments: isToken ? [.production] : name.contains("Token") ? [.sandbox] : [.localTesting])
        let verified = try await verifier.notification(try authority.sign(payload: Array(text.utf8)), for: app, at: World.now)
            .get()
        try expect(verified.notification.payload, equals: json, except: ["subject"])
        #expect((verified.transaction != nil) == text.contains("signedTransactionInfo"))
        #expect((verified.renewalInfo != nil) == text.contains("signedRenewalInfo"))
        #expect((verified.appTransaction != nil) == text.contains("signedAppTransactionInfo"))
    }

    @Test func `a real-time request is read in every field`() async throws {
        let verified = try await verifier.realtimeRequest(signed("decodedRealtimeRequest"), for: Self.app, at: World.now).get()
        try expect(verified.payload, equals: try Fixtures.object("apple-library/models/decodedRealtimeRequest.json"))
    }

    @Test func `T05 a retention request is not a transaction, renewal info or notification`() async throws {
        let jws = try signed("decodedRealtimeRequest")
        #expect(await verifier.transaction(jws, for: Self.app, at: World.now).refusal == .wrongKind)
        #expect(await verifier.renewalInfo(jws, for: Self.app, at: World.now).refusal == .wrongKind)
        #expect(await verifier.appTransaction(jws, for: Self.app, at: World.now).refusal == .wrongKind)
        #expect(await verifier.notification(jws, for: Self.app, at: World.now).refusal == .wrongKind)
    }
}
