import AppStoreWire
import Foundation
import Primitives
import SimulatorPKI
import Testing

/// Inputs with all the wrapping that logs, databases, e-mails, shells and other code add.
@Suite struct `What is recognised` {
    /// The head of a PKCS#7 of signed data (RFC 5652, section 3) and bytes that are `+` and `/` in base64: 190 in all, so that
    /// there is padding to be left out.
    static let receipt: [UInt8] =
        [0x30, 0x81, 0xBB, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
        + (0..<176).map { [0xFB, 0xEF, 0xBE, 0xFF][$0 % 4] }
    static let base64 = Data(receipt).base64EncodedString()
    static let unpadded = base64.replacing("=", with: "")
    static let url = base64.replacing("+", with: "-").replacing("/", with: "_")
    static let lines = broken(base64, "\r\n")
    static let escaped = base64.replacing("/", with: "\\/")
    /// A header with a chain and the payload of a transaction, as much as recognition reads.
    static let jws =
        StrictBase64.encodeURL(Array(#"{"alg":"ES256","x5c":["A"]}"#.utf8)) + "." + payload + ".AA"
    static let payload = StrictBase64.encodeURL(Sample.json(Sample.transaction))
    static let body = #"{"signedPayload":"\#(jws)"}"#

    static func broken(_ text: String, _ lineBreak: String) -> String {
        stride(from: 0, to: text.count, by: 64).map { String(text.dropFirst($0).prefix(64)) }.joined(separator: lineBreak)
    }

    struct Form: CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let wrappings: [TextWrapping]
        var testDescription: String { name }

        init(_ name: String, _ text: String, _ wrappings: [TextWrapping] = []) {
            self.init(name, Array(text.utf8), wrappings)
        }

        init(_ name: String, _ bytes: [UInt8], _ wrappings: [TextWrapping] = []) {
            (self.name, self.bytes, self.wrappings) = (name, bytes, wrappings)
        }
    }

    static func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
        ("\u{FEFF}" + text).utf16.flatMap { unit in
            isBigEndian ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        }
    }

    static let receipts = [
        Form("its bytes", receipt), Form("base64", base64), Form("in lines, as openssl breaks them", lines),
        Form("in lines, with white space around", "\n\t" + broken(base64, "\n") + " \n"), Form("quoted", "\"\(base64)\""),
        Form("in single quotation marks", "'\(base64)'"), Form("with the comma behind it", "\"\(base64)\","),
        Form("URL-safe", url, [.urlAlphabet]), Form("URL-safe, unpadded", url.replacing("=", with: ""), [.urlAlphabet]),
        Form("URL-safe, quoted, in lines", "\"\(broken(url, "\n"))\"", [.urlAlphabet]),
        Form("unpadded", unpadded, [.missingPadding]),
        Form("unpadded, in lines", lines.replacing("=", with: ""), [.missingPadding]),
        Form("escaped slashes", escaped, [.jsonEscapes]), Form("escaped slashes, quoted", "\"\(escaped)\"", [.jsonEscapes]),
        Form("escaped line breaks", "\"\(lines.replacing("\r\n", with: "\\r\\n"))\\n\"", [.jsonEscapes]),
        Form("an escaped padding", base64.replacing("=", with: "\\u003d"), [.jsonEscapes]),
        Form("escaped and broken by a terminal", broken(escaped, "\n"), [.jsonEscapes]),
        Form("escaped twice", escaped.replacing("\\", with: "\\\\"), [.jsonEscapes, .jsonEscapes]),
        Form("escaped quotation marks", "\\\"\(base64)\\\"", [.jsonEscapes]),
        Form("armoured", "-----BEGIN PKCS7-----\r\n\(lines)\r\n-----END PKCS7-----\r\n", [.armour]),
        Form("armoured, with words before", "subject=\n-----BEGIN RECEIPT-----\n\(base64)\n-----END RECEIPT-----", [.armour]),
        Form("armoured, with headers", "-----BEGIN CMS-----\nVersion: 1\n\n\(lines)\n-----END CMS-----", [.armour]),
        Form("armoured, without an end", "-----BEGIN PKCS7-----\n\(lines)", [.armour]),
        Form("a byte order mark", "\u{FEFF}" + base64, [.byteOrderMark]),
        Form("UTF-16, as PowerShell writes", utf16(base64 + "\r\n", isBigEndian: false), [.byteOrderMark]),
        Form("UTF-16, the other way round", utf16(base64, isBigEndian: true), [.byteOrderMark]),
        Form("a mark, quoted, escaped", "\u{FEFF}\"\(escaped)\"", [.byteOrderMark, .jsonEscapes]),
        Form("a request", #"{"receipt-data":"\#(escaped)","password":"s"}"#),
        Form("a request, URL-safe", #"{"receipt-data":"\#(url)"}"#, [.verifyReceiptRequest, .urlAlphabet]),
        Form("a request, unpadded", #"{"receipt-data":"\#(unpadded)"}"#, [.verifyReceiptRequest, .missingPadding]),
    ]

    @Test(arguments: receipts) func `a receipt is recognised`(in form: Form) {
        #expect(Recognition(of: form.bytes) == .artifact(.appReceipt(Self.receipt), wrappings: form.wrappings))
    }

    static let transactions = [
        Form("as it is", jws), Form("with white space", " \(jws)\r\n"), Form("quoted", "\"\(jws)\""), Form("'…'", "'\(jws)'"),
        Form("a bearer", "Bearer \(jws)", [.bearer]), Form("a small bearer", "bearer  \(jws)\n", [.bearer]),
        Form("a header", "Authorization: Bearer \(jws)", [.bearer]), Form("a quoted bearer", "\"Bearer \(jws)\"", [.bearer]),
        Form("a bearer behind a mark", "\u{FEFF}Bearer \(jws)", [.byteOrderMark, .bearer]),
        Form("in lines", broken(jws, "\n"), [.brokenLines]),
        Form("in quoted lines", "\"\(broken(jws, "\r\n  "))\"", [.brokenLines]),
        Form("a byte order mark", "\u{FEFF}" + jws, [.byteOrderMark]),
        Form("armoured", "-----BEGIN JWS-----\n\(jws)\n-----END JWS-----", [.armour]),
        Form("with an escaped end of line", "\"\(jws)\\n\"", [.jsonEscapes]),
        Form("a body", body), Form("a body behind a mark", "\u{FEFF}\(body)\n", [.byteOrderMark]),
        Form("a body as a string of JSON", "\"\(body.replacing("\"", with: "\\\""))\"", [.jsonEscapes]),
        Form("a body escaped", body.replacing("\"", with: "\\\""), [.jsonEscapes]),
        Form("a body escaped twice", body.replacing("\"", with: "\\\\\\\""), [.jsonEscapes, .jsonEscapes]),
    ]

    @Test(arguments: transactions) func `a JWS is recognised`(in form: Form) {
        let expected = AppleArtifact.jws(.transaction, Array(Self.jws.utf8))
        #expect(Recognition(of: form.bytes) == .artifact(expected, wrappings: form.wrappings))
    }

    static let id = "2000000900000002"

    @Test(arguments: [
        Form("alone", id), Form("with a line break", id + "\n"), Form("quoted", "\"\(id)\""),
        Form("a member's value", "\"\(id)\","),
        Form("behind a mark", "\u{FEFF}\(id)", [.byteOrderMark]),
    ])
    func `a transaction id is distinguished from everything that is signed`(in form: Form) {
        #expect(Recognition(of: form.bytes) == .artifact(.transactionId(Self.id), wrappings: form.wrappings))
    }

    static let unusable: [(UnusableForm, [String])] = [
        (.empty, ["", " \r\n\t", "\"\"", "\u{FEFF}"]),
        (.severalNumbers, ["1000000123456789\n1000000123456790\n", "\(id), \(id)", "1\n2"]),
        (.privateKey, ["-----BEGIN PRIVATE KEY-----\nMIGTAgEA\n-----END PRIVATE KEY-----"]),
        (.privateKey, ["-----BEGIN EC PRIVATE KEY-----\nMHcC"]),
        (.publicKey, ["-----BEGIN PUBLIC KEY-----\nMFkwEwYH\n-----END PUBLIC KEY-----"]),
        (.certificate, ["-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"]),
        (.incompleteJWS, ["eyJhbGciOiJFUzI1NiJ9", "Bearer eyJhbGciOiJFUzI1NiJ9.eyJ"]),
        (.incompleteJWS, [jws + ".AA", "\"" + jws.replacing(".AA", with: "")]),
        (.otherJWS, ["eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJFUzI1NiJ9.e30.AA"]),
        (.brokenJSON, [String(body.dropLast(3)), "{\"status\":0,\"status\":0}", "{signedPayload}"]),
        (.otherJSON, ["{}", "\u{FEFF}{\"message\":\"hello\"}", "\"{\\\"message\\\":1}\""]),
        (.brokenBase64, [String(base64.prefix(33)), "MIIT%2B%2Fw"]),
        (.otherBase64, ["SGVsbG8sIHN1cHBvcnQu", "SGVsbG8sIHN1cHBvcnQuLg"]),
        (.other, ["Dear support, my subscription is gone.", "100 bottles\nof beer", "..", "0\u{1}", "\\", "-----BEGIN"]),
    ]

    @Test func `unusable input is named, each kind by itself`() {
        #expect(Set(Self.unusable.map(\.0)) == Set(UnusableForm.allCases))
        for (form, texts) in Self.unusable {
            for text in texts { #expect(Recognition(of: Array(text.utf8)) == .unusable(form), "\(text.prefix(60))") }
        }
    }

    @Test func `a certificate is recognised in every encoding`() throws {
        let der = try World.shared.get().authority.rootDER
        let base64 = Data(der).base64EncodedString()
        let armoured = "-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n"
        for bytes in [der, Array(base64.utf8), Array(armoured.utf8)] {
            #expect(Recognition(of: bytes) == .unusable(.certificate))
        }
        #expect(TrustRoots.isCertificate(der) && !TrustRoots.isCertificate(der + [0]) && !TrustRoots.isCertificate([0x30, 0x00]))
    }

    @Test func `signed parts of an answer are not unwrapped`() {
        let answer = #"{"hasMore":false,"signedTransactions":["Bearer \#(Self.jws)"]}"#
        guard case .artifact(.serverAPIAnswer(_, let signed), let wrappings) = Recognition(of: Array(answer.utf8)) else {
            Issue.record("an answer is recognised")
            return
        }
        #expect(wrappings.isEmpty && signed.map { String(decoding: $0.jws, as: UTF8.self) } == ["Bearer \(Self.jws)"])
    }

    @Test func `T07 white space inside a JWS is left to the verifier, unless it was broken into lines of one length`() {
        let third = String(Self.jws.prefix(Self.jws.count - 1))
        for text in [third + "\nA", third + " A", third + "\r\n\r\nA", Self.broken(Self.jws, " ")] {
            let recognition = Recognition(of: Array(text.utf8))
            if case .artifact(.jws(_, let kept), let wrappings) = recognition {
                #expect(wrappings.isEmpty && kept == Array(text.utf8))
            } else {
                #expect(recognition == .unusable(.otherJWS))
            }
        }
    }

    @Test func `endless wrapping is not unwrapped`() {
        var text = Self.base64
        for _ in 0..<40 { text = "-----BEGIN X-----\n\(text)\n" }
        guard case .unusable = Recognition(of: Array(text.utf8)) else {
            Issue.record("it is unwrapped forty times")
            return
        }
        let backslashes = [UInt8](repeating: UInt8(ascii: "\\"), count: 1 << 16)
        guard case .unusable = Recognition(of: backslashes) else {
            Issue.record("backslashes are no artifact")
            return
        }
    }
}
