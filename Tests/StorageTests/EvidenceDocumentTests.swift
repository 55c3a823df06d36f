import Primitives
import Storage
import Testing

/// Everything that arrives can be rebuilt byte for byte (FACT-6, decision 0013).
@Suite struct `Evidence as a document` {
    private static let long = "eyJ" + String(repeating: "aZ09-_", count: 120)
    private static let other = "eyJ" + String(repeating: "bY18-_", count: 120)

    private static func jws(_ header: String, _ payload: String) -> String {
        "\(header).\(StrictBase64.encodeURL(Array(payload.utf8))).\(StrictBase64.encodeURL([1, 2, 3]))"
    }

    private static func nested(_ header: String) -> String { #""\#(jws(header, "{}"))""# }

    /// What is stored of it, and what is read back.
    private static func written(_ text: String, _ form: Evidence.Form = .compactJWS) throws -> (headers: [String], bytes: Int) {
        let evidence = Evidence(form: form, bytes: Array(text.utf8))
        let document = EvidenceDocument(evidence)
        let bytes = try document.bytes(numbers: document.headers.indices.map { Int64($0) - 1 })
        let back = try EvidenceDocument.decode(bytes) { number in document.headers[Int(number + 1)] }
        #expect(String(decoding: back, as: UTF8.self) == text)
        return (document.headers, bytes.count)
    }

    @Test func `each header of a notification is kept once, however often it occurs`() throws {
        let payload =
            #"{"data":{"a":\#(Self.nested(Self.long)),"b":\#(Self.nested(Self.other)),"c":\#(Self.nested(Self.other))}}"#
        let same = try Self.written(Self.jws(Self.long, payload))
        #expect(same.headers == [Self.long, Self.other])
        #expect(same.bytes < payload.utf8.count - 3 * Self.long.utf8.count + 100)
        let foreign = try Self.written(Self.jws("eyJhbGciOiJFUzI1NiJ9", payload))
        #expect(foreign.headers == ["eyJhbGciOiJFUzI1NiJ9", Self.long, Self.other])
    }

    @Test func `common words of Apple's payloads take one byte each, and base64 of a JWS inside is decoded`() throws {
        let words = #"{"transactionId":"1","environment":"Production","type":"Auto-Renewable Subscription","price":1}"#
        let inner = #"{"signedTransactionInfo":"\#(Self.jws(Self.long, words))"}"#
        #expect(try Self.written(Self.jws(Self.long, inner)).bytes < 60)
        // Something that looks like a word but is not one: not ASCII, split in two, or inside a string.
        for text in [
            "{\"transactionId\":\"\u{E9}\"}", #"{"transactionId": "1","a":"transactionId"}"#, #"{"a":"\"transactionId\":"}"#,
            #"\"type\":"type":"type""#, #"{"type""#, #""type":"#, "\"\"\"", "\u{0}\u{1}\"type\":\u{7F}",
        ] {
            _ = try Self.written(Self.jws(Self.long, text))
            _ = try Self.written(Self.jws(Self.long, #"{"a":"\#(Self.jws(Self.long, text))","b":"\#(Self.long).e30=.AQID"}"#))
        }
    }

    @Test func `what only looks like a header is left in place`() throws {
        let short = "eyJhbGciOiJFUzI1NiJ9"
        for inside in [
            Self.nested(short), "\"\(Self.long)\"", "\"\(Self.long)", "\"eyJ", "\"ey", "\"", #""\#(Self.long)x.""#,
            #""\#(Self.long) .""#, Self.long + ".", "",
        ] {
            let written = try Self.written(Self.jws(short, "{\(inside)"))
            #expect(written.headers == (inside.contains("x.") ? [short, Self.long + "x"] : [short]))
        }
    }

    @Test func `a header that begins as another one does is another one`() throws {
        let longer = Self.long + "A"
        let payload = "{\(Self.nested(longer)),\(Self.nested(Self.long))}"
        #expect(try Self.written(Self.jws(Self.long, payload)).headers == [Self.long, longer])
        #expect(try Self.written(Self.jws(longer, payload)).headers == [longer, Self.long])
    }

    @Test func `input that is not a JWS is kept unchanged`() throws {
        for text in [
            "", ".", "...", "a.b", "a.e30.AQID.", "a.e3=.AQID", "a.e31.AQID", "e\u{301}.e30.AQID",
            #"{"a":\#(Self.nested(Self.long))}"#,
        ] {
            #expect(try Self.written(text).headers == [])
            for form in [Evidence.Form.verifyReceiptAnswer, .appReceipt, .transactionReceipt] {
                #expect(try Self.written(text, form).headers == [])
            }
        }
    }
}
