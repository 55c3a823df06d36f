import AppStoreWire
import Primitives
import SimulatorPKI
import Testing

/// Invalid signatures (T09), second encodings of valid ones (T07), and forged content (FACT-3).
@Suite struct `Signatures` {
    let world: World
    let payload = Sample.json(Sample.transaction)

    init() throws { world = try World.shared.get() }

    /// The order of P-256's base point. Source: SEC 2, section 2.4.2.
    static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// left − right, big-endian, for left ≥ right.
    static func difference(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var result = left
        var borrow = 0
        for index in left.indices.reversed() {
            let digit = Int(left[index]) - Int(right[index]) - borrow
            borrow = digit < 0 ? 1 : 0
            result[index] = UInt8(truncatingIfNeeded: digit)
        }
        return result
    }

    func parts(_ jws: String) -> [String] { jws.split(separator: ".", omittingEmptySubsequences: false).map(String.init) }

    func signature(of jws: String) throws -> [UInt8] {
        try #require(StrictBase64.decodeURL(Array(parts(jws)[2].utf8)[...]))
    }

    func replacing(_ jws: String, signature: [UInt8]) -> String {
        parts(jws)[..<2].joined(separator: ".") + "." + StrictBase64.encodeURL(signature)
    }

    @Test func `FACT-3 a forged payload with a genuine signature is refused`() async throws {
        let jws = parts(try world.authority.sign(payload: payload))
        let forged = Sample.json(Sample.transaction.with("expiresDate", "1892591990000"))
        let refused = [jws[0], StrictBase64.encodeURL(forged), jws[2]].joined(separator: ".")
        #expect(await world.refusal(refused) == .signatureInvalid)
    }

    @Test func `FACT-3 a signature by any other key with a genuine chain is refused`() async throws {
        let forger = try SigningAuthority(validity: World.year)
        let header = SigningAuthority.header(x5c: world.authority.chainDER)
        #expect(await world.refusal(try forger.sign(payload: payload, header: header)) == .signatureInvalid)
        let warm = AppStoreVerifier(roots: TrustRoots(fingerprints: [world.authority.rootFingerprint]))
        for _ in 0..<2 {
            _ = await warm.transaction(try world.authority.sign(payload: payload), for: World.app, at: World.now)
            let result = await warm.transaction(try forger.sign(payload: payload, header: header), for: World.app, at: World.now)
            #expect(result.refusal == .signatureInvalid)
        }
    }

    @Test func `T09 r or s of zero, out of range or swapped is refused`() async throws {
        let jws = try world.authority.sign(payload: payload)
        let true_ = try signature(of: jws)
        let (r, s) = (Array(true_[..<32]), Array(true_[32...]))
        let zero = [UInt8](repeating: 0, count: 32), most = [UInt8](repeating: 0xFF, count: 32)
        let one: [UInt8] = zero.dropLast() + [1], n = Self.order
        let next: [UInt8] = n.dropLast() + [0x52]
        var pairs: [([UInt8], [UInt8])] = [(s, r), (r, r), (s, s), (r, Self.difference(n, r)), (Self.difference(n, r), s)]
        for edge in [zero, one, n, next, most] { pairs += [(edge, s), (r, edge)] }
        for left in [zero, one, n, next, most] { for right in [zero, one, n, next, most] { pairs.append((left, right)) } }
        for (left, right) in pairs {
            #expect(await world.refusal(replacing(jws, signature: left + right)) == .signatureInvalid, "\(left) \(right)")
        }
    }

    @Test func `T09 a signature of another length than 64 bytes is refused, DER too`() async throws {
        let jws = try world.authority.sign(payload: payload)
        let true_ = try signature(of: jws)
        for length in [0, 1, 32, 62, 63] {
            #expect(await world.refusal(replacing(jws, signature: Array(true_.prefix(length)))) == .signatureLengthWrong)
        }
        let der: [UInt8] = [0x30, 0x44, 0x02, 0x20] + true_[..<32] + [0x02, 0x20] + true_[32...]
        for long in [der, true_ + [0], [0] + true_, true_ + true_, [0] + true_[..<32] + [0] + true_[32...]] {
            #expect(await world.refusal(replacing(jws, signature: long)) == .signatureLengthWrong)
        }
    }

    @Test func `T07 the mirrored signature is the same fact in other bytes`() async throws {
        for number in 0..<50 {
            let json = Sample.json(Sample.transaction.with("transactionId", "\"\(number)\""))
            let jws = try world.authority.sign(payload: json)
            let true_ = try signature(of: jws)
            let mirrored = replacing(jws, signature: true_[..<32] + Self.difference(Self.order, Array(true_[32...])))
            let (first, second) = (try await world.transaction(jws).get(), try await world.transaction(mirrored).get())
            #expect(first.payload == second.payload)
            #expect(first.payloadJSON == second.payloadJSON)
            #expect(first.evidence != second.evidence)
        }
    }

    @Test func `T07 a signature has one spelling in base64url`() async throws {
        let jws = try world.authority.sign(payload: payload)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(jws.last), value = try #require(alphabet.firstIndex(of: last))
        for other in (value & ~15)...(value | 15) where other != value {
            #expect(await world.refusal(jws.dropLast() + String(alphabet[other])) == .signatureNotBase64URL)
        }
        for tail in ["=", "==", " ", "\n", "\r\n", "%3D", "\u{0}"] {
            #expect(await world.refusal(jws + tail) == .signatureNotBase64URL)
        }
        for text in [jws.replacing("-", with: "+"), jws.replacing("_", with: "/")] where text != jws {
            #expect(await world.refusal(text) != nil)
        }
    }

    @Test func `T07 header and payload have one spelling even if the signer writes another`() async throws {
        let header = StrictBase64.encodeURL(SigningAuthority.header(x5c: world.authority.chainDER))
        let json = payload.count % 3 == 0 ? payload + [0x20] : payload
        let text = StrictBase64.encodeURL(json)
        func refusal(_ header: String, _ payload: String) async throws -> JWSRefusal.Code? {
            let input = header + "." + payload
            let signature = try world.authority.signature(over: Array(input.utf8))
            return await world.refusal(input + "." + StrictBase64.encodeURL(signature))
        }
        #expect(try await refusal(header, text) == nil)
        for wrong in [text + "=", text + "==", text + "\n", " " + text, StrictBase64.encodePadded(json), spelledOtherwise(text)]
        where wrong != text {
            #expect(try await refusal(header, wrong) == .payloadNotBase64URL)
        }
        for wrong in [header + "=", header + "\n", " " + header] {
            #expect(try await refusal(wrong, text) == .headerNotBase64URL)
        }
    }

    /// The same bytes with an unused bit set, which a lenient reader does not notice.
    func spelledOtherwise(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard let last = text.last, let value = alphabet.firstIndex(of: last) else { return text }
        return text.dropLast() + String(alphabet[value | 1])
    }

    @Test func `T07 the base64 reader accepts exactly what the writer writes`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        for length in 0..<70 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(StrictBase64.decodeURL(Array(StrictBase64.encodeURL(bytes).utf8)[...]) == bytes)
            #expect(StrictBase64.decodePadded(Array(StrictBase64.encodePadded(bytes).utf8)[...]) == bytes)
        }
        let characters = Array("ABCDwxyz0189-_+/= \n".utf8)
        for _ in 0..<50_000 {
            let text = (0..<Int.random(in: 0...9, using: &generator)).map { _ in characters.randomElement(using: &generator) ?? 65
            }
            if let bytes = StrictBase64.decodeURL(text[...]) {
                #expect(Array(StrictBase64.encodeURL(bytes).utf8) == text, "seed \(seed)")
            }
            if let bytes = StrictBase64.decodePadded(text[...]) {
                #expect(Array(StrictBase64.encodePadded(bytes).utf8) == text, "seed \(seed)")
            }
        }
    }
}
