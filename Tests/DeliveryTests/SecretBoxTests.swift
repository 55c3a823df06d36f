import Backend
import Crypto
import Foundation
import Primitives
import Testing

@testable import Delivery

/// T46.
@Suite struct `Secrets are kept encrypted` {
    private static let old = [UInt8](repeating: 1, count: 32)
    private static let new = [UInt8](repeating: 2, count: 32)
    private static let secret = Array("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".utf8)

    private func refusal(_ box: SecretBox, _ sealed: String, of owner: String = "app/a", kind: String = "v1") -> SecretBoxError? {
        do throws(SecretBoxError) {
            _ = try box.open(sealed, of: owner, kind: kind)
            return nil
        } catch {
            return error
        }
    }

    @Test func `an operator's secret is kept for that operator, and not without a key`() throws {
        let box = try SecretBox(keys: [Self.new, Self.old])
        let kept = try box.keep([1, 2, 3], of: "operator/mia")
        #expect(box.reveal(kept, of: "operator/mia") == [1, 2, 3])
        #expect(box.reveal(kept, of: "operator/bo") == nil)
        #expect(try SecretBox(keys: [Self.old, Self.new]).reveal(kept, of: "operator/mia") == [1, 2, 3])
        #expect(try SecretBox(keys: [Self.old]).reveal(kept, of: "operator/mia") == nil)
        #expect(throws: SecretRefusal.noKey) { try SecretBox(keys: []).keep([1], of: "operator/mia") }
    }

    @Test func `what was sealed opens for its owner and kind alone`() throws {
        let box = try SecretBox(keys: [Self.old])
        let sealed = try box.seal(Self.secret, of: "app/a", kind: "v1")
        #expect(try box.open(sealed, of: "app/a", kind: "v1") == Self.secret)
        #expect(refusal(box, sealed, of: "app/b") == .notOpened)
        #expect(refusal(box, sealed, kind: "v1a") == .notOpened)
        // The border between owner and kind is part of it.
        #expect(refusal(box, sealed, of: "pp/a", kind: "v1\na") == .notOpened)
    }

    @Test func `two owners' sealed texts, changed for each other, do not open`() throws {
        let box = try SecretBox(keys: [Self.old])
        let (a, b) = (try box.makeSecret(.v1, of: "app/a"), try box.makeSecret(.v1, of: "app/b"))
        #expect(try box.open(a.sealed, of: "app/a").text == a.text)
        #expect(throws: SecretBoxError.notOpened) { try box.open(a.sealed, of: "app/b") }
        #expect(throws: SecretBoxError.notOpened) { try box.open(b.sealed, of: "app/a") }
    }

    @Test func `it is AES-256-GCM with the stated form, so that it can be opened without our code`() throws {
        let sealed = try SecretBox(keys: [Self.old]).seal(Self.secret, of: "app/a", kind: "v1")
        let parts = sealed.split(separator: ".").map(String.init)
        #expect(parts.count == 3 && parts[0] == "1")
        let digest = SHA256.hash(data: Data("tenure secret box ".utf8) + Self.old)
        #expect(parts[1] == digest.prefix(4).map { String(format: "%02x", $0) }.joined())
        var base64 = parts[2].replacing("-", with: "+").replacing("_", with: "/")
        while base64.count % 4 != 0 { base64 += "=" }
        let bytes = try #require(Data(base64Encoded: base64))
        #expect(bytes.count == 12 + Self.secret.count + 16)
        let opened = try AES.GCM.open(
            AES.GCM.SealedBox(combined: bytes), using: SymmetricKey(data: Self.old),
            authenticating: Data("1.\(parts[1])\nv1\napp/a".utf8))
        #expect(Array(opened) == Self.secret)
    }

    @Test func `the same secret is never sealed to the same text`() throws {
        let box = try SecretBox(keys: [Self.old])
        let texts = try (0..<100).map { _ in try box.seal(Self.secret, of: "app/a", kind: "v1") }
        #expect(Set(texts).count == 100)
        let clear = String(decoding: Self.secret, as: UTF8.self)
        #expect(texts.allSatisfy { !$0.contains(clear) })
    }

    @Test func `a change of any character keeps it shut`() throws {
        let box = try SecretBox(keys: [Self.old])
        let sealed = Array(try box.seal(Self.secret, of: "app/a", kind: "v1").utf8)
        for place in sealed.indices {
            var changed = sealed
            changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(refusal(box, String(decoding: changed, as: UTF8.self)) != nil, "the character at \(place)")
        }
    }

    @Test func `the newest key seals and every key opens, so that keys can be changed while servers run`() throws {
        let (before, during, after) = (
            try SecretBox(keys: [Self.old]), try SecretBox(keys: [Self.new, Self.old]), try SecretBox(keys: [Self.new])
        )
        let first = try before.seal(Self.secret, of: "app/a", kind: "v1")
        #expect(try during.open(first, of: "app/a", kind: "v1") == Self.secret)
        #expect(before.isSealedWithNewestKey(first) && !during.isSealedWithNewestKey(first))
        #expect(refusal(after, first) == .keyUnknown(SecretBox.id(of: Self.old)))
        let second = try during.seal(Self.secret, of: "app/a", kind: "v1")
        #expect(during.isSealedWithNewestKey(second))
        #expect(try after.open(second, of: "app/a", kind: "v1") == Self.secret)
    }

    @Test func `without a key nothing is made, and nothing opens`() throws {
        let (none, box) = (try SecretBox(keys: []), try SecretBox(keys: [Self.old]))
        #expect(!none.canSeal && box.canSeal)
        #expect(throws: SecretRefusal.noKey) { try none.makeSecret(.v1, of: "app/a") }
        let sealed = try box.makeSecret(.v1, of: "app/a").sealed
        #expect(throws: SecretBoxError.keyUnknown(SecretBox.id(of: Self.old))) { try none.open(sealed, of: "app/a") }
    }

    @Test(arguments: [0, 16, 31, 33, 64]) func `a key of another length than 32 bytes is refused`(count: Int) {
        #expect(throws: SecretBoxError.keyLength(place: 1)) {
            try SecretBox(keys: [Self.old, [UInt8](repeating: 0, count: count)])
        }
    }

    @Test(arguments: ["", "1", "1.abc.def", "2.00000000.AAAA", "1.00000000.AAAA.AAAA", "1.00000000.+", "..", "1..AAAA"])
    func `what is no sealed text is refused`(text: String) throws {
        #expect(refusal(try SecretBox(keys: [Self.old]), text) == .notSealedText)
    }

    @Test func `a fresh secret has the fingerprint of what the receiver is shown`() throws {
        let box = try SecretBox(keys: [Self.old])
        for kind in SealedSecret.Kind.allCases {
            let fresh = try box.makeSecret(kind, of: "app/a")
            #expect(fresh.text.hasPrefix(kind == .v1 ? "whsec_" : "whpk_"))
            let digest = SHA256.hash(data: Data(fresh.text.utf8)).prefix(4).map { String(format: "%02x", $0) }.joined()
            #expect(fresh.sealed.fingerprint == digest && fresh.sealed.kind == kind)
            #expect(try box.open(fresh.sealed, of: "app/a").receiverText == fresh.text)
        }
    }
}
