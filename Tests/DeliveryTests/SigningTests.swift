import Backend
import Foundation
import Primitives
import Testing

@testable import Delivery

@Suite struct `Webhooks are signed as Standard Webhooks says` {
    /// What another library signed.
    struct Vector: Sendable, CustomTestStringConvertible {
        let secret: String
        let id: String
        let seconds: Int64
        let body: [UInt8]
        let signature: String

        var testDescription: String { "\(signature.prefix(12)) of \(id)" }
    }

    static let vectors: [Vector] = {
        let lines = SignatureVectors.text.split(separator: "\n").map(String.init)
        return stride(from: 0, to: lines.count - 3, by: 4).compactMap { place in
            let head = lines[place + 1].split(separator: " ")
            guard head.count == 2, let seconds = Int64(head[1]), lines[place + 2].hasPrefix("body="),
                let body = Data(base64Encoded: String(lines[place + 2].dropFirst(5)))
            else { return nil }
            return Vector(
                secret: lines[place], id: String(head[0]), seconds: seconds, body: Array(body), signature: lines[place + 3])
        }
    }()

    private func headers(_ vector: Vector, milliseconds: Int64 = 0) throws -> [String: String] {
        let secret = try #require(SigningSecret(vector.secret))
        let headers = try StandardWebhooks.headers(
            id: vector.id, at: Timestamp(millisecondsSince1970: vector.seconds * 1000 + milliseconds), body: vector.body,
            secrets: [secret])
        return Dictionary(uniqueKeysWithValues: headers.map { ($0.name, $0.value) })
    }

    @Test func `there are 52 vectors of other libraries, two of them published`() {
        #expect(Self.vectors.count == 52)
        #expect(Self.vectors.filter { $0.id == "msg_p5jXN8AQM9LWM0D4loKWxJek" }.count == 2)
        #expect(Self.vectors.filter { $0.signature.hasPrefix("v1,") }.count == 26)
    }

    /// HMAC has one value. So has Ed25519 (RFC 8032), which CryptoKit nevertheless makes with chance on Apple's platforms.
    @Test(arguments: vectors) func `TELL-1 a signature is the one that another library makes`(vector: Vector) throws {
        let headers = try headers(vector, milliseconds: 999)
        #expect(headers["webhook-id"] == vector.id)
        #expect(headers["webhook-timestamp"] == String(vector.seconds))
        #if canImport(Darwin)
            guard vector.signature.hasPrefix("v1,") else { return }
        #endif
        #expect(headers["webhook-signature"] == vector.signature)
    }

    @Test(arguments: vectors) func `the receiver's own check accepts it, with the secret that the receiver has`(
        vector: Vector
    ) throws {
        let secret = try #require(SigningSecret(vector.secret))
        let verifier = try #require(try WebhookVerifier(secret.receiverText))
        #expect(verifier.accepts(id: vector.id, timestamp: "\(vector.seconds)", body: vector.body, signatures: vector.signature))
        let headers = try headers(vector)
        #expect(
            verifier.accepts(
                id: vector.id, timestamp: "\(vector.seconds)", body: vector.body,
                signatures: try #require(headers["webhook-signature"])))
    }

    /// W2.
    @Test func `of a thousand changes of body, id, timestamp or signature none is accepted`() throws {
        var chance = SplitMix(state: 20_261_125)
        var accepted = 0
        for number in 0..<1000 {
            let vector = Self.vectors[number % Self.vectors.count]
            let verifier = try #require(try SigningSecret(vector.secret).flatMap { try WebhookVerifier($0.receiverText) })
            var (id, timestamp, body) = (Array(vector.id.utf8), Array("\(vector.seconds)".utf8), vector.body)
            var signature = Array(try #require(try headers(vector)["webhook-signature"]).utf8)
            switch number % 4 {
            case 0: Self.change(&body, &chance)
            case 1: Self.change(&id, &chance)
            case 2: Self.change(&timestamp, &chance)
            default: Self.change(&signature, &chance)
            }
            let isAccepted = verifier.accepts(
                id: String(decoding: id, as: UTF8.self), timestamp: String(decoding: timestamp, as: UTF8.self), body: body,
                signatures: String(decoding: signature, as: UTF8.self))
            accepted += isAccepted ? 1 : 0
            if isAccepted { Issue.record("change \(number) of \(vector.id) was accepted") }
        }
        #expect(accepted == 0)
    }

    /// One byte is another one, is gone or is there twice. In text, only what stays a text of ASCII.
    private static func change(_ bytes: inout [UInt8], _ chance: inout SplitMix) {
        guard !bytes.isEmpty else { return bytes.append(UInt8.random(in: 0x30...0x39, using: &chance)) }
        let place = Int.random(in: 0..<bytes.count, using: &chance)
        let other = UInt8.random(in: 0x30...0x39, using: &chance)
        switch Int.random(in: 0..<3, using: &chance) {
        case 0 where bytes[place] != other: bytes[place] = other
        case 1: bytes.remove(at: place)
        default: bytes.insert(UInt8(ascii: "7"), at: place)
        }
    }

    @Test func `two secrets make two signatures with a blank between, in their order, and each receiver accepts its own`() throws
    {
        let (new, old) = (SigningSecret.shared(), SigningSecret.ed25519())
        let body = Array("{}".utf8)
        let headers = try StandardWebhooks.headers(
            id: "evt_1", at: Timestamp(millisecondsSince1970: 5_000), body: body, secrets: [new, old])
        let list = try #require(headers.first { $0.name == "webhook-signature" }?.value)
        #expect(list.split(separator: " ").map { $0.prefix { $0 != "," } } == ["v1", "v1a"])
        for secret in [new, old] {
            let verifier = try #require(try WebhookVerifier(secret.receiverText))
            #expect(verifier.accepts(id: "evt_1", timestamp: "5", body: body, signatures: list))
        }
        let stranger = try #require(try WebhookVerifier(SigningSecret.shared().receiverText))
        #expect(!stranger.accepts(id: "evt_1", timestamp: "5", body: body, signatures: list))
    }

    // MARK: Texts of secrets

    /// Svix publishes this pair.
    @Test func `a private key's public one is the one that its maker published`() {
        let secret = SigningSecret(
            "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==")
        #expect(secret?.receiverText == "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=")
    }

    @Test func `a new secret has 32 bytes, is never the same twice, and is read back from its text`() throws {
        let shared = (0..<10).map { _ in SigningSecret.shared().text }
        #expect(Set(shared).count == 10)
        for text in shared {
            #expect(text.hasPrefix("whsec_") && Data(base64Encoded: String(text.dropFirst(6)))?.count == 32)
            #expect(SigningSecret(text)?.text == text && SigningSecret(text)?.receiverText == text)
        }
        let pair = SigningSecret.ed25519()
        #expect(pair.text.hasPrefix("whsk_") && Data(base64Encoded: String(pair.text.dropFirst(5)))?.count == 64)
        #expect(pair.receiverText.hasPrefix("whpk_"))
        #expect(SigningSecret(pair.text)?.receiverText == pair.receiverText)
    }

    @Test(arguments: [(23, false), (24, true), (32, true), (64, true), (65, false), (0, false)])
    func `a shared secret has 24 to 64 bytes`(count: Int, isRead: Bool) {
        let text = "whsec_" + Data(repeating: 1, count: count).base64EncodedString()
        #expect((SigningSecret(text) != nil) == isRead)
    }

    @Test(arguments: [
        "", "whsec_", "whsec", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw ", " whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_",
        "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=", "whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        // Its second half is another's public key.
        "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlaaaaaaaaaaAJ6p9lMicMFs6Kvg==",
    ])
    func `what is no secret is none`(text: String) { #expect(SigningSecret(text) == nil) }
}

/// A generator with a seed (SplitMix64, Steele et al. 2014).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
