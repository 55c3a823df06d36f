import OperatorFactors
import Primitives
import Testing

@Suite struct `Tokens and pictures` {
    private static let token = SecretToken(random: Array(0..<32))

    @Test func `ASVS 3.2.2 A token has 256 random bits, and only its digest is kept`() throws {
        #expect(SecretToken.byteCount * 8 == 256)
        // printf of the bytes 0 to 31 into sha256sum.
        let digest = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
        #expect(Hexadecimal.encode(Self.token.digest) == digest)
        let read = try #require(SecretToken(Self.token.text))
        #expect(read == Self.token && read.digest == Self.token.digest)
    }

    @Test(arguments: ["", "a", "AAAA", String(repeating: "A", count: 44), String(repeating: "*", count: 43), "é"])
    func `what is no token is not read`(text: String) { #expect(SecretToken(text) == nil) }

    @Test func `the token of forms is this session's alone, and says nothing of the session's own`() {
        let other = SecretToken(random: Array(1..<33))
        #expect(Self.token.isFormToken(Self.token.formToken))
        #expect(!Self.token.isFormToken(other.formToken))
        #expect(!Self.token.isFormToken(""))
        #expect(!Self.token.isFormToken(Self.token.text))
        // openssl dgst -sha256 -hmac, with the bytes 0 to 31 as the key, over "tenure form".
        #expect(Self.token.formToken == "yP6kwGQzaDtZXm0OZnCZx9prlssgeIDJp3xhETmBHPI")
    }

    @Test(arguments: QRVectors.all.indices)
    func `a QR code has the modules that two other programs draw`(index: Int) throws {
        let vector = QRVectors.all[index]
        let code = try #require(QRCode(Array(vector.text.utf8), mask: vector.mask, version: vector.version))
        #expect(code.version == vector.version && code.width == vector.rows.count)
        for (row, expected) in vector.rows.enumerated() {
            let bits = (0..<code.width).reduce(UInt64(0)) { $0 << 1 | (code.isDark(row: row, column: $1) ? 1 : 0) }
            #expect(String(bits, radix: 16) == expected.drop { $0 == "0" }, "row \(row)")
        }
        // Whichever mask is chosen, it is one of those.
        let chosen = try #require(QRCode(Array(vector.text.utf8), version: vector.version))
        #expect(chosen == QRCode(Array(vector.text.utf8), mask: chosen.mask, version: vector.version))
    }

    @Test func `a QR code is as small as it can be, and there is none for more than fits`() {
        #expect(QRCode([])?.version == 1)
        for (bytes, version) in [(14, 1), (15, 2), (62, 4), (63, 5), (152, 8), (153, 9), (180, 9), (181, 10), (213, 10)] {
            #expect(QRCode([UInt8](repeating: 65, count: bytes))?.version == version, "\(bytes) bytes")
        }
        #expect(QRCode([UInt8](repeating: 65, count: 214)) == nil)
        #expect(QRCode([UInt8](repeating: 65, count: 100), version: 2) == nil)
    }
}
