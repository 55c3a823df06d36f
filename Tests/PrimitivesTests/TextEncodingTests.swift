import Foundation
import Primitives
import Testing

@Suite struct TextEncodingTests {
    @Test func `Bytes are written as hexadecimal digits as printf writes them, and read back in either case`() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = bytes.map { String(format: "%02x", $0) }.joined()
        #expect(Hexadecimal.encode(bytes) == text)
        #expect(Hexadecimal.decode(text) == bytes)
        #expect(Hexadecimal.decode(text.uppercased()) == bytes)
        #expect(Hexadecimal.decode("AB:CD ef") == [0xAB, 0xCD, 0xEF])
        #expect(Hexadecimal.decode("") == [])
    }

    @Test(arguments: ["a", "abc", "0g", "+f", "-1", "0x", "ab-cd", "\u{FF11}\u{FF11}", "a\u{0}"])
    func `Text that is not pairs of hexadecimal digits is not read`(text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }

    @Test func `Every text is percent-encoded as Foundation encodes all but the unreserved characters, and read back`() {
        let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        for scalar in (0...0x2FF as ClosedRange<UInt32>).compactMap({ Unicode.Scalar($0) }) + ["\u{20AC}", "\u{1F600}"] {
            let text = "a\(scalar)b"
            #expect(PercentEncoding.encode(text) == text.addingPercentEncoding(withAllowedCharacters: unreserved))
            #expect(PercentEncoding.decode(Substring(PercentEncoding.encode(text))) == text)
        }
        #expect(PercentEncoding.decode("a+b%2fc") == "a+b/c")
    }

    @Test(arguments: ["%", "%4", "a%4", "%zz", "%4g", "%+4", "%ff", "%C3%28"])
    func `Text that is not percent-encoded UTF-8 is not read`(text: String) {
        #expect(PercentEncoding.decode(Substring(text)) == nil)
    }
}
