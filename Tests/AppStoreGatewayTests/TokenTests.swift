import AppStoreWire
import Crypto
import Foundation
import Primitives
import Testing

@testable import AppStoreGateway

@Suite struct `Tokens of the App Store Server API` {
    private static let good = ScriptedServer.answer(200, #"{"signedTransactionInfo":"a.b.c"}"#)

    /// What a token says, checked with the public key by the cryptographic library alone.
    private struct Claims: Decodable, Equatable {
        let iss: String
        let iat: Int64
        let exp: Int64
        let aud: String
        let bid: String
    }

    private static func token(in request: String) throws -> String {
        let line = try #require(request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("authorization: bearer ") })
        return String(line.dropFirst("authorization: bearer ".count))
    }

    private static func claims(_ token: String, _ key: P256.Signing.PublicKey) throws -> Claims {
        let parts = token.split(separator: ".").map(String.init)
        #expect(parts.count == 3)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: try data(parts[2]))
        #expect(key.isValidSignature(signature, for: Data((parts[0] + "." + parts[1]).utf8)))
        return try JSONDecoder().decode(Claims.self, from: try data(parts[1]))
    }

    private static func data(_ base64URL: String) throws -> Data {
        let plain = base64URL.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return try #require(Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4)))
    }

    @Test func `one token serves many calls, and is renewed a minute before its end`() async throws {
        let (key, publicKey) = try GatewayWorld.key()
        try await ScriptedServer.run({ _, _ in .write(Self.good) }) { server in
            try await GatewayWorld.run { world in
                // 0 s, 239 s: the first token; 240 s: a new one, for the old one has 60 s left.
                for pause in [0, 0, 239_000, 999, 1] as [Int64] {
                    world.clock.move(by: Milliseconds(pause))
                    _ = try await world.ask(server.url, as: key).get()
                }
            }
            let tokens = try server.record.requests.map(Self.token)
            #expect(tokens.count == 5)
            #expect(Set(tokens.prefix(4)).count == 1 && tokens[4] != tokens[0])
            let start = GatewayWorld.start.millisecondsSince1970 / 1000
            for (token, issued) in [(tokens[0], start), (tokens[4], start + 240)] {
                let expected = Claims(
                    iss: "57246542-96fe-1a63-e053-0824d011072a", iat: issued, exp: issued + 300, aud: "appstoreconnect-v1",
                    bid: GatewayWorld.bundleId)
                #expect(try Self.claims(token, publicKey) == expected)
            }
        }
    }

    @Test func `a refused token is not used again, even while its time is not over`() async throws {
        let (key, publicKey) = try GatewayWorld.key()
        let script: @Sendable (Int, String) -> ScriptedServer.Reaction = { number, _ in
            .write(number == 1 ? ScriptedServer.answer(401, headers: []) : Self.good)
        }
        try await ScriptedServer.run(script) { server in
            try await GatewayWorld.run { world in
                _ = try await world.ask(server.url, as: key).get()
                let failure = await world.failure(server.url, as: key)
                #expect(failure?.code == "unauthenticated" && failure?.scope == .app)
                _ = try await world.ask(server.url, as: key).get()
                _ = try await world.ask(server.url, as: key).get()
            }
            let tokens = try server.record.requests.map(Self.token)
            // ECDSA's nonce makes each signature another one, at the same second, too.
            #expect(tokens[0] == tokens[1] && tokens[2] != tokens[0] && tokens[3] == tokens[2])
            for token in tokens { _ = try Self.claims(token, publicKey) }
        }
    }

    @Test func `another key, another app and a clock that was set back each get a token of their own`() async throws {
        let (first, firstPublic) = try GatewayWorld.key()
        let (replaced, replacedPublic) = try GatewayWorld.key("3Y8S5JYG45")
        let (other, otherPublic) = try GatewayWorld.key(of: "com.example.other")
        try await ScriptedServer.run({ _, _ in .write(Self.good) }) { server in
            try await GatewayWorld.run { world in
                for key in [first, replaced, other] { _ = try await world.ask(server.url, as: key).get() }
                world.clock.move(by: .hours(-1))
                _ = try await world.ask(server.url, as: other).get()
            }
            let tokens = try server.record.requests.map(Self.token)
            _ = try Self.claims(tokens[0], firstPublic)
            _ = try Self.claims(tokens[1], replacedPublic)
            #expect(try Self.claims(tokens[2], otherPublic).bid == "com.example.other")
            #expect(try Self.claims(tokens[3], otherPublic).iat == GatewayWorld.start.millisecondsSince1970 / 1000 - 3600)
        }
    }

    @Test func `without a key, or for an app without a name, nothing is sent`() async throws {
        try await ScriptedServer.run({ _, _ in .write(Self.good) }) { server in
            try await GatewayWorld.run { world in
                let host = ServerAPIHost(baseURL: server.url, environment: .sandbox)
                let answer = await world.gateway.answer(to: try GatewayWorld.call(), as: nil, from: host)
                #expect(answer == .failure(.noKey))
                let failure = await world.failure(server.url, as: try GatewayWorld.key(of: "").0)
                #expect(failure?.code == "notSigned" && failure?.scope == .app)
                #expect(world.calls.map(\.failureCode) == ["noKey", "notSigned"])
            }
            #expect(server.record.connections == 0)
        }
    }

    @Test func `no description shows a key`() throws {
        let (key, _) = try GatewayWorld.key()
        #expect("\(key)" == "com.example.shop, key 2X9R4HXF34")
    }
}
