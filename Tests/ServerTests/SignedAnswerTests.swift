import APIContract
import Crypto
import HTTPTypes
import HummingbirdTesting
import Ledger
import Primitives
import StrictJSON
import Testing

@testable import Server

@Suite struct `Signed answers` {
    private static let address = "\(World.entitlements)/signed"

    /// The claims of a compact JWS whose signature a published key verifies, with the `kid` that its header names.
    private func claims(_ jws: String, _ published: AnswerKeysBody) throws -> SignedEntitlements {
        let parts = Array(jws.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let header = try JSONDocument(try #require(StrictBase64.decodeURL(parts[0]))).root.object
        #expect(header?["alg"]?.string == "ES256")
        let key = try #require(published.keys.first { $0.kid == header?["kid"]?.string })
        let point = try [key.x, key.y].flatMap { try #require(StrictBase64.decodeURL(Array($0.utf8)[...])) }
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: try #require(StrictBase64.decodeURL(parts[2])))
        let signed = Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1])
        let publicKey = try P256.Signing.PublicKey(rawRepresentation: point)
        #expect(publicKey.isValidSignature(signature, for: signed))
        return try SignedEntitlements(json: try #require(StrictBase64.decodeURL(parts[1])))
    }

    @Test func `ENT-10 an answer is signed for app, customer and nonce, and believed as long as the terms say`() async throws {
        let keys = [P256.Signing.PrivateKey(), P256.Signing.PrivateKey()]
        try await withWorld { world in
            let terms = OfflineTerms(offlineGrace: .hours(24), longest: .days(40))
            try await world.router(signer: AnswerSigner(keys: keys, terms: terms)).test(.router) { client in
                let bought = try world.apple.body(Notification("u1", about: Purchase(), renewalInfo: RenewalInfo()))
                #expect(try await client.notify(bought).status == .ok)
                #expect(try await client.upload(try world.uploadBody()).status == .ok)
                let answer = try await client.get("\(Self.address)?nonce=n-1")
                #expect(answer.status == .ok && answer.headers[.contentType] == "application/jose")
                let keySet = try await client.get("/.well-known/jwks.json", key: nil).text
                let published = try AnswerKeysBody(json: Array(keySet.utf8))
                #expect(published.keys.count == 2)
                let signed = try claims(answer.text, published)
                let end = PretendAppStore.june.adding(.days(30))
                #expect(signed.app == "app" && signed.customer == "alice" && signed.nonce == "n-1")
                #expect(signed.at == world.clock.now() && signed.overall.window.isActive && signed.overall.window.end == end)
                #expect(signed.entitlements.map(\.id) == ["plus"])
                #expect(signed.entitlements[0].offlineUntil == end.adding(.days(1)) && signed.expiresAt == end.adding(.days(1)))
                #expect(signed.refreshAfter == world.clock.now().adding(.hours(6)))
                // Of nobody it says no, as long as it says anything.
                let nobody = try await client.get("/api/v1/apps/app/customers/nobody/entitlements/signed")
                let denial = try claims(nobody.text, published)
                #expect(!denial.overall.window.isActive && denial.overall.offlineUntil == nil)
                #expect(denial.expiresAt == world.clock.now().adding(.days(40)))
            }
            // The next key signs; whoever knows both believes both.
            try await world.router(signer: AnswerSigner(keys: [keys[1], keys[0]])).test(.router) { client in
                let published = try #require(AnswerSigner(keys: keys)).published
                _ = try claims(try await client.get(Self.address).text, published)
            }
        }
    }

    @Test func `ENT-10 a server without a key says so`() async throws {
        try await withRouter { _, client in
            let answer = try await client.get(Self.address)
            #expect(answer.status == .notFound && answer.code == "signingNotConfigured")
            #expect(answer.member("setting") == "signedAnswers.keys")
            #expect(try await client.get("/.well-known/jwks.json", key: nil).text == #"{"keys":[]}"#)
        }
    }

    @Test(arguments: ["", String(repeating: "n", count: 101)])
    func `ENT-10 a nonce has 1 to 100 characters`(_ nonce: String) async throws {
        try await withRouter { _, client in
            let answer = try await client.get("\(Self.address)?nonce=\(nonce)")
            #expect(answer.code == "invalidParameter")
        }
    }
}
