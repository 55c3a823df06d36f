import OperatorFactors
import Primitives
import Testing

@Suite struct `Codes of authenticator applications` {
    private static let secret = Array("12345678901234567890".utf8)

    private static func at(_ seconds: Int64) -> Timestamp { Timestamp(millisecondsSince1970: seconds * 1000) }

    /// RFC 6238, appendix B, SHA1.
    @Test(arguments: [
        (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
        (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
    ])
    func `RFC 6238 A code at an instant is the one of the appendix`(seconds: Int64, code: String) {
        let codes = TimeBasedCodes(secret: Self.secret, digits: 8)
        #expect(codes.code(ofStep: TimeBasedCodes.step(at: Self.at(seconds))) == code)
    }

    /// RFC 4226, appendix D.
    @Test func `RFC 4226 The first ten codes of six digits are those of the appendix`() {
        let codes = TimeBasedCodes(secret: Self.secret)
        let expected = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
        ]
        #expect((0..<10).map { codes.code(ofStep: $0) } == expected)
    }

    @Test func `ASVS 2.8.1 A code holds for its 30 seconds and those beside them`() {
        let codes = TimeBasedCodes(secret: Self.secret)
        let code = codes.code(ofStep: 1000)
        #expect(codes.step(of: code, at: Self.at(999 * 30), after: nil) == 1000)
        #expect(codes.step(of: code, at: Self.at(1000 * 30 + 29), after: nil) == 1000)
        #expect(codes.step(of: code, at: Self.at(1001 * 30 + 29), after: nil) == 1000)
        #expect(codes.step(of: code, at: Self.at(998 * 30 + 29), after: nil) == nil)
        #expect(codes.step(of: code, at: Self.at(1002 * 30), after: nil) == nil)
    }

    @Test func `ASVS 2.8.4 A code that was used, or is older than one that was, is refused`() {
        let codes = TimeBasedCodes(secret: Self.secret)
        #expect(codes.step(of: codes.code(ofStep: 1000), at: Self.at(30_000), after: 1000) == nil)
        #expect(codes.step(of: codes.code(ofStep: 999), at: Self.at(30_000), after: 1000) == nil)
        #expect(codes.step(of: codes.code(ofStep: 1001), at: Self.at(30_000), after: 1000) == 1001)
    }

    @Test(arguments: ["", "1", "12345", "1234567", "１２３４５６", "abcdef", "755224x", String(repeating: "7", count: 10_000)])
    func `what is no code is refused`(text: String) {
        #expect(TimeBasedCodes(secret: Self.secret).step(of: text, at: Self.at(0), after: nil) == nil)
    }

    @Test func `blanks in a code count for nothing`() {
        #expect(TimeBasedCodes(secret: Self.secret).step(of: " 755 224 ", at: Self.at(0), after: nil) == 0)
    }

    /// RFC 4648, section 10, without the padding.
    @Test(arguments: [
        ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
        ("foobar", "MZXW6YTBOI"),
    ])
    func `RFC 4648 base32 is as its examples`(plain: String, encoded: String) {
        #expect(Base32.encode(Array(plain.utf8)) == encoded)
        #expect(Base32.decode(encoded) == Array(plain.utf8))
        #expect(Base32.decode(encoded.lowercased()) == Array(plain.utf8))
    }

    /// The expected text is what pyotp 2.9 makes.
    @Test func `what an application reads from the picture is what pyotp writes`() {
        let text = AuthenticatorURI.text(secret: Self.secret, issuer: "Tenure", account: "mia@example.com")
        #expect(text == "otpauth://totp/Tenure:mia%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tenure")
    }

    @Test func `ASVS 2.6.2 A recovery code has 112 random bits and more, and is known again however it is typed`() throws {
        #expect(RecoveryCode.bytes * 8 >= 112)
        let code = RecoveryCode(random: Array(0..<15))
        #expect(code.text.utf8.count == 29 && code.text.split(separator: "-").allSatisfy { $0.utf8.count == 4 })
        let digest = try #require(RecoveryCode.digest(of: code.text))
        #expect(digest == code.digest && digest.count == 32)
        let plain = code.text.lowercased().replacing("-", with: "")
        #expect(RecoveryCode.digest(of: plain) == digest)
        #expect(RecoveryCode.digest(of: " \(code.text) ") == digest)
        #expect(RecoveryCode.digest(of: String(code.text.dropLast())) == nil)
        #expect(RecoveryCode.digest(of: "123456") == nil)
        #expect(RecoveryCode(random: Array(1..<16)).digest != digest)
    }
}
