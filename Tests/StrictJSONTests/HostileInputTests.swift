import StrictJSON
import Testing

/// Texts that are not JSON, or JSON that readers disagree about, each with the reason for its refusal.
@Suite struct `Hostile input` {
    static let table: [(String, JSONError.Code)] = [
        ("", .unexpectedEnd), (" ", .unexpectedEnd), ("\n\t", .unexpectedEnd), ("{", .unexpectedEnd), ("[", .unexpectedEnd),
        ("[1", .unexpectedEnd), ("[1,", .unexpectedEnd), ("{\"a\"", .unexpectedEnd), ("{\"a\":", .unexpectedEnd),
        ("{\"a\":1", .unexpectedEnd), ("\"", .unexpectedEnd), ("\"a", .unexpectedEnd), ("\"\\", .unexpectedEnd),
        ("\"\\u12", .unexpectedEnd), ("tru", .unexpectedEnd), ("nul", .unexpectedEnd), ("fals", .unexpectedEnd),
        ("[1,]", .unexpectedCharacter), ("[,1]", .unexpectedCharacter), ("[1 2]", .unexpectedCharacter),
        ("[1}", .unexpectedCharacter),
        ("{]", .unexpectedCharacter), ("{1:2}", .unexpectedCharacter), ("{a:1}", .unexpectedCharacter),
        ("{'a':1}", .unexpectedCharacter),
        ("{\"a\" 1}", .unexpectedCharacter), ("{\"a\":}", .unexpectedCharacter), ("{\"a\":1,}", .unexpectedCharacter),
        ("{,}", .unexpectedCharacter), ("{\"a\":1 \"b\":2}", .unexpectedCharacter), ("]", .unexpectedCharacter),
        ("}", .unexpectedCharacter),
        ("NaN", .unexpectedCharacter), ("Infinity", .unexpectedCharacter), ("nan", .unexpectedCharacter),
        ("TRUE", .unexpectedCharacter),
        ("undefined", .unexpectedCharacter), ("trux", .unexpectedCharacter), ("'a'", .unexpectedCharacter),
        ("// c\n1", .unexpectedCharacter),
        ("/**/1", .unexpectedCharacter), ("+1", .unexpectedCharacter), (".5", .unexpectedCharacter),
        ("\u{A0}1", .unexpectedCharacter),
        ("\u{2028}1", .unexpectedCharacter), ("\u{FEFF}1", .invalidUTF8), ("\u{0}", .unexpectedCharacter),
        ("\u{C}1", .unexpectedCharacter),
        ("01", .invalidNumber), ("-", .invalidNumber), ("-01", .invalidNumber), ("1.", .invalidNumber), ("1.e1", .invalidNumber),
        ("1e", .invalidNumber), ("1e+", .invalidNumber), ("-Infinity", .invalidNumber), ("-NaN", .invalidNumber),
        ("00", .invalidNumber),
        ("1.5.", .trailingBytes), ("1a", .trailingBytes), ("0x10", .trailingBytes), ("1_000", .trailingBytes),
        ("1 2", .trailingBytes),
        ("{}{}", .trailingBytes), ("{}\u{0}", .trailingBytes), ("null,", .trailingBytes), ("[]]", .trailingBytes),
        ("\"a\"b", .trailingBytes),
        ("truee", .trailingBytes), ("{} //", .trailingBytes), ("1\u{FEFF}", .trailingBytes),
        ("\"\u{0}\"", .controlCharacter), ("\"\n\"", .controlCharacter), ("\"\t\"", .controlCharacter),
        ("\"\u{1F}\"", .controlCharacter),
        ("{\"\u{1}\":1}", .controlCharacter),
        ("\"\\x41\"", .invalidEscape), ("\"\\'\"", .invalidEscape), ("\"\\U0041\"", .invalidEscape),
        ("\"\\u00g0\"", .invalidEscape),
        ("\"\\ud800\"", .invalidEscape), ("\"\\udc00\"", .invalidEscape), ("\"\\ud800\\u0041\"", .invalidEscape),
        ("\"\\ud800\\ud800\"", .invalidEscape), ("\"\\udc00\\ud800\"", .invalidEscape), ("\"\\ud800x\"", .invalidEscape),
        ("\"\\ud83d\\\\ude00\"", .invalidEscape), ("\"\\u+041\"", .invalidEscape), ("\"\\ \"", .invalidEscape),
        ("\"\\0\"", .invalidEscape),
        ("{\"a\":1,\"a\":2}", .duplicateKey), ("{\"a\":1,\"b\":2,\"a\":1}", .duplicateKey),
        ("{\"a\":1,\"\\u0061\":2}", .duplicateKey),
        ("{\"\":1,\"\":2}", .duplicateKey), ("[{\"x\":{\"a\":1,\"a\":2}}]", .duplicateKey),
        ("{\"\\n\":1,\"\\u000a\":2}", .duplicateKey),
        ("{\"environment\":\"Sandbox\",\"environment\":\"Production\"}", .duplicateKey), ("{\"\\/\":1,\"/\":2}", .duplicateKey),
        ("{\"\u{1F600}\":1,\"\\ud83d\\ude00\":2}", .duplicateKey),
    ]

    @Test(arguments: table) func `T08 a text that is not strict JSON is refused for its reason`(
        _ text: String, _ code: JSONError.Code
    ) {
        #expect(throws: JSONError(code, at: 0)) { try JSONDocument(Array(text.utf8)) }
    }

    static let brokenUTF8: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x22], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xE2, 0x82],
        [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98],
        [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xF8, 0x88, 0x80, 0x80, 0x80],
    ]

    @Test(arguments: brokenUTF8) func `T08 bytes that are not UTF-8 are refused in values and in names`(_ bytes: [UInt8]) {
        let inside: [UInt8] = [0x22] + bytes + [0x22]
        #expect(throws: JSONError(.invalidUTF8, at: 1)) { try JSONDocument(inside) }
        #expect(throws: JSONError(.invalidUTF8, at: 1)) { try JSONDocument([0x7B] + inside + [0x3A, 0x31, 0x7D]) }
    }

    @Test func `T08 every truncated document is refused`() throws {
        let text = Array(
            "{\"a\":[1,-2.5e3,\"x\\u0041\u{E9}\u{1F600}\",true,false,null,{\"b\":{}}],\"c\":\"\\ud83d\\ude00\"}".utf8)
        _ = try JSONDocument(text)
        for length in 0..<text.count { #expect(throws: JSONError.self) { try JSONDocument(Array(text[..<length])) } }
    }

    @Test func `T33 depth is bounded and a million brackets cost no stack`() throws {
        let deep = { (count: Int) in [UInt8](repeating: 0x5B, count: count) + [UInt8](repeating: 0x5D, count: count) }
        _ = try JSONDocument(deep(64))
        #expect(throws: JSONError(.tooDeep, at: 64)) { try JSONDocument(deep(65)) }
        #expect(throws: JSONError(.tooDeep, at: 64)) {
            try JSONDocument(deep(1_000_000), limits: JSONLimits(maximumBytes: 4_000_000))
        }
        let roomy = JSONLimits(maximumBytes: 4_000_000, maximumDepth: 2_000_000, maximumElements: 2_000_000)
        #expect(try JSONDocument(deep(1_000_000), limits: roomy).root.array?.count == 1)
    }

    @Test func `T33 length and number of elements are bounded`() throws {
        let limits = JSONLimits(maximumBytes: 20, maximumElements: 5)
        _ = try JSONDocument(Array("[1,2,3,4]".utf8), limits: limits)
        #expect(throws: JSONError(.tooManyElements, at: 0)) { try JSONDocument(Array("[1,2,3,4,5]".utf8), limits: limits) }
        #expect(throws: JSONError(.tooManyElements, at: 0)) {
            try JSONDocument(Array("{\"a\":1,\"b\":2,\"c\":3}".utf8).dropLast(1) + [0x7D], limits: JSONLimits(maximumElements: 5))
        }
        #expect(throws: JSONError(.tooLong, at: 0)) { try JSONDocument(Array("[100000,200000,300000]".utf8), limits: limits) }
    }

    @Test func `T30 an object of twenty thousand names is checked for duplicates in the time of a sort`() throws {
        let names = (0..<20_000).map { "\"k\($0)\":0" }
        let text = "{" + names.joined(separator: ",")
        _ = try JSONDocument(Array((text + "}").utf8))
        #expect(throws: JSONError(.duplicateKey, at: 0)) { try JSONDocument(Array((text + ",\"k17\":1}").utf8)) }
    }
}
