import APIContract
import Backend
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import NativeFace
import Primitives
import Testing

@testable import Server

@Suite struct `Idempotency keys` {
    private static let keys = "/api/v1/apps/app/keys"
    private static let offers = "/api/v1/apps/app/customers/alice/offers/promotional"

    private static func order(_ name: String) -> [UInt8] {
        Array(#"{"name":"\#(name)","kind":"server","scopes":["entitlements:read"]}"#.utf8)
    }

    /// Of a form that there is not.
    private static let offerOrder = Array(#"{"productId":"plus.monthly","offerIdentifier":"stay","form":"v3"}"#.utf8)

    private static func admin(_ name: String = "ops", in world: World) async throws -> String {
        var order = KeyOrder(name: name, kind: "server", scopes: ["admin"])
        order.actor = "mia"
        return try await world.dependencies.backend.makeKey(order, app: World.app, digest: SecretDigest.of).text
    }

    @Test func `F37 a request that is sent again is answered the same bytes, and is carried out once`() async throws {
        try await withRouter { world, client in
            let admin = try await Self.admin(in: world)
            let first = try await client.keyed("k-1", Self.keys, key: admin, Self.order("deploy"))
            #expect(first.status == .ok && first.replayed == nil)
            world.clock.set(world.clock.now().adding(.hours(23)))
            for key in ["k-1", #""k-1""#] {
                let again = try await client.keyed(key, Self.keys, key: admin, Self.order("deploy"))
                #expect((again.status, again.text, again.replayed) == (first.status, first.text, "true"))
                #expect(again.headers[.contentType] == first.headers[.contentType])
            }
            let listed = try KeysBody(json: Array(try await client.get(Self.keys, key: admin).text.utf8)).keys
            #expect(listed.map(\.name) == ["deploy", "ops"])
            let opened = try await client.get(World.entitlements, key: try MadeKeyBody(json: Array(first.text.utf8)).key)
            #expect(opened.status == .ok, "the key that was answered is the one that was kept")
        }
    }

    @Test func `F37 after a day the key is new again`() async throws {
        try await withRouter { world, client in
            let admin = try await Self.admin(in: world)
            let first = try await client.keyed("k-1", Self.keys, key: admin, Self.order("deploy"))
            #expect(first.status == .ok)
            world.clock.set(world.clock.now().adding(.hours(24)))
            let later = try await client.keyed("k-1", Self.keys, key: admin, Self.order("deploy"))
            #expect((later.status, later.code, later.replayed) == (.conflict, "keyNameTaken", nil), "it is carried out, in vain")
            #expect(try await world.dependencies.backend.forgetAnswers() == 0, "that it was refused is kept from now on")
            world.clock.set(world.clock.now().adding(.hours(25)))
            #expect(try await world.dependencies.backend.forgetAnswers() == 1)
        }
    }

    @Test func `F37 another request under the key is refused, and does nothing`() async throws {
        try await withRouter { world, client in
            let (admin, other) = (try await Self.admin(in: world), try await Self.admin("ops-2", in: world))
            _ = try await client.keyed("k-1", Self.keys, key: admin, Self.order("deploy"))
            let reused = try await client.keyed("k-1", Self.keys, key: admin, Self.order("deploy-2"))
            #expect((reused.status, reused.code) == (.unprocessableContent, "idempotencyKeyReused"))
            let elsewhere = try await client.keyed("k-1", Self.keys + "?", key: admin, Self.order("deploy"))
            #expect(elsewhere.code == "idempotencyKeyReused", "another address")
            // Each key holder has keys of their own.
            let others = try await client.keyed("k-1", Self.keys, key: other, Self.order("deploy-2"))
            #expect((others.status, others.replayed) == (.ok, nil))
        }
    }

    @Test func `F37 a refusal is answered again with the same bytes, whatever changed since`() async throws {
        try await withRouter { world, client in
            let admin = try await Self.admin(in: world)
            let past = world.clock.now().adding(.minutes(-1)).millisecondsSince1970
            let order = Array(
                #"{"name":"late","kind":"server","scopes":["entitlements:read"],"endsAt":\#(past)}"#.utf8)
            let first = try await client.keyed("k-1", Self.keys, key: admin, order)
            #expect((first.status, first.code, first.member("field")) == (.badRequest, "invalidBody", "endsAt"))
            // Now the same order could be carried out.
            world.clock.set(world.clock.now().adding(.minutes(-2)))
            let again = try await client.keyed("k-1", Self.keys, key: admin, order)
            #expect((again.status, again.text, again.replayed) == (first.status, first.text, "true"))
            #expect(try await client.keyed("k-3", Self.keys, key: admin, order).status == .ok, "under another key it is")
            // What passes, or can be mended, is not kept.
            let stay = Array(#"{"productId":"plus.monthly","offerIdentifier":"stay"}"#.utf8)
            for _ in 0..<2 {
                let unsigned = try await client.keyed("k-4", Self.offers, stay)
                #expect((unsigned.code, unsigned.replayed) == ("offersNotSigned", nil))
            }
            // What is malformed never began: it may be sent again, mended.
            let malformed = try await client.keyed("k-2", Self.keys, key: admin, Array("{".utf8))
            #expect(malformed.code == "invalidBody")
            #expect(try await client.keyed("k-2", Self.keys, key: admin, Self.order("deploy")).status == .ok)
        }
    }

    @Test func `F37 of eight who send the same at once all are answered the same, and one was heard`() async throws {
        try await withRouter { world, client in
            let admin = try await Self.admin(in: world)
            for round in 0..<10 {
                let texts = try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            try await client.keyed("k-\(round)", Self.keys, key: admin, Self.order("key-\(round)")).text
                        }
                    }
                    return try await group.reduce(into: [String]()) { $0.append($1) }
                }
                #expect(Set(texts).count == 1 && texts.count == 8)
                #expect(texts.first?.contains("tnr_sk_") == true)
            }
        }
    }

    @Test func `Neither the key nor a secret that was answered stands in the database`() async throws {
        try await withRouter { world, client in
            let admin = try await Self.admin(in: world)
            let made = try await client.keyed("canary-idempotency-key", Self.keys, key: admin, Self.order("deploy"))
            let secret = try MadeKeyBody(json: Array(made.text.utf8)).key
            for suffix in ["", "-wal"] {
                let bytes = try Data(contentsOf: URL(filePath: world.path + suffix))
                #expect(bytes.range(of: Data("deploy".utf8)) != nil || suffix.isEmpty, "what is looked for could be found")
                #expect(bytes.range(of: Data(secret.utf8)) == nil && bytes.range(of: Data("canary-idempotency".utf8)) == nil)
            }
        }
    }

    @Test func `A customer has a hundred keys a day`() async throws {
        try await withRouter { world, client in
            let token = TokenMint(at: world.clock.now()).text
            for number in 0..<100 {
                let refused = try await client.keyed(
                    "k-\(number)", Self.offers, key: World.publicKey, token: token, Self.offerOrder)
                #expect((refused.status, refused.code) == (.badRequest, "invalidBody"))
            }
            let more = try await client.keyed("k-100", Self.offers, key: World.publicKey, token: token, Self.offerOrder)
            #expect((more.status, more.code) == (.tooManyRequests, "tooManyIdempotencyKeys"))
            #expect(more.headers[.retryAfter] == "3600")
            let before = try await client.keyed("k-7", Self.offers, key: World.publicKey, token: token, Self.offerOrder)
            #expect(before.replayed == "true", "what was answered is answered")
            let unkeyed = try await client.send(.post, Self.offers, key: World.publicKey, token: token, body: Self.offerOrder)
            #expect(unkeyed.code == "invalidBody", "without a key anything may be asked")
            let backend = try await client.keyed("k-100", Self.offers, Self.offerOrder)
            #expect(backend.code == "invalidBody", "the app's backend has no such limit")
        }
    }

    @Test(arguments: ["", #""""#, #""a"#, #"a b"#, "é", #""a\b""#, #""a"b""#, String(repeating: "k", count: 256)])
    func `What is no key is refused before anything is done`(_ key: String) async throws {
        try await withRouter { world, client in
            let admin = try await Self.admin(in: world)
            let refused = try await client.keyed(key, Self.keys, key: admin, Self.order("deploy"))
            #expect((refused.status, refused.code) == (.badRequest, "idempotencyKeyInvalid"))
            let listed = try KeysBody(json: Array(try await client.get(Self.keys, key: admin).text.utf8)).keys
            #expect(listed.map(\.name) == ["ops"])
        }
    }

    @Test(arguments: [("a", "a"), (#""a""#, "a"), (#""a b""#, "a b"), (#""a\"\\""#, #"a"\"#), (#"a\"#, #"a\"#)])
    func `A key is the same with and without the quotes of the draft`(_ field: String, _ key: String) {
        #expect(IdempotencyKey(field)?.text == key)
    }

    @Test func `Operations that take a key are those that do more each time`() {
        let keyed = NativeAPI.all.filter(\.isKeyed).map(\.operationId)
        #expect(
            Set(keyed) == [
                "signPromotionalOffer", "signIntroductoryOffer", "rotateWebhookSecret", "resendEvents", "makeKey",
            ])
        #expect(NativeAPI.all.filter(\.isKeyed).allSatisfy { $0.method == .post })
    }
}

extension Answer {
    fileprivate var replayed: String? { HTTPField.Name(IdempotencyKey.replayedHeader).flatMap { headers[$0] } }
}

extension TestClientProtocol {
    fileprivate func keyed(
        _ idempotencyKey: String, _ uri: String, key: String = World.serverKey, token: String? = nil, _ body: [UInt8]
    ) async throws -> Answer {
        var headers: HTTPFields = [.authorization: "Bearer \(key)"]
        if let name = HTTPField.Name(IdempotencyKey.header) { headers[name] = idempotencyKey }
        if let token, let name = HTTPField.Name("Tenure-Customer-Token") { headers[name] = token }
        let answer = try await execute(uri: uri, method: .post, headers: headers, body: ByteBuffer(bytes: body)) { response in
            Answer(status: response.status, headers: response.headers, text: String(buffer: response.body))
        }
        ContractCheck.check(answer, to: .post, uri)
        return answer
    }
}
