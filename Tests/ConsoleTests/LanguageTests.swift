import Backend
import HTTPTypes
import HummingbirdTesting
import Ledger
import Primitives
import StrictJSON
import Testing

@testable import Console

/// What a reader of Chinese, or of the language that nobody speaks, is told.
@Suite struct `Every page in the reader's language` {
    /// What somebody may paste, with what a reader of Chinese must find in the answer.
    private struct Pasted {
        let name: String
        let text: String
        let chinese: [String]
    }

    private static func pasted(in world: ConsoleWorld) throws -> [Pasted] {
        let jws = try world.apple.sign(Purchase())
        let renewed = Notification("00000000-0000-4000-8000-000000000009", "DID_RENEW", about: Purchase())
        let body = String(decoding: try world.apple.body(renewed), as: UTF8.self)
        let renewal = #"{"notification_type":"DID_RENEW","environment":"PROD","password":"x","bid":"com.example.app"}"#
        return [
            .init(
                name: "transaction", text: jws, chinese: ["由您添加的根证书签名", "自动续期订阅", "购买 \u{2068}plus.monthly\u{2069}"]),
            .init(name: "notification", text: body, chinese: ["已续订。访问权限至新的 expiresDate。", "（自动续期订阅）"]),
            .init(
                name: "forged", text: String(jws.dropLast(8)) + "AAAAAAAA", chinese: ["signatureInvalid", "签名与这些字节不符。"]),
            .init(name: "cut", text: String(jws.prefix(200)), chinese: ["开头像 JWS"]),
            .init(name: "version 1", text: renewal, chinese: ["版本 1"]),
            .init(name: "status", text: #"{"status":21002}"#, chinese: ["Apple 没有说是哪一种", "nothingSigned"]),
            .init(
                name: "answer", text: #"{"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.app"}}"#,
                chinese: ["拒绝原因"]),
            .init(
                name: "refusal", text: #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#,
                chinese: ["App Store Server API 拒绝了一个请求", "重复该请求无济于事"]),
            .init(name: "number", text: "2000000900000002", chinese: ["一串数字", "任何人都能写的数字"]),
            .init(name: "rubbish", text: "not a receipt", chinese: ["不是来自 Apple 的内容"]),
        ]
    }

    private static func paste(
        _ text: String, in language: Language, to client: some TestClientProtocol
    ) async throws -> ParsedPage {
        let answer = try await client.open(
            Pages.path(.inspect), as: .support, language, method: .post,
            headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array("text=\(PercentEncoding.encode(text))".utf8))
        #expect(answer.status == .ok)
        return ParsedPage(answer.text)
    }

    // MARK: Chinese

    @Test func `what was pasted, and a fact, are told in Chinese`() async throws {
        try await withConsole { world in
            try await world.application().test(.router) { client in
                for pasted in try Self.pasted(in: world) {
                    let page = try await Self.paste(pasted.text, in: .simplifiedChinese, to: client)
                    let text = page.texts.map(\.content).joined(separator: " ")
                    for wanted in pasted.chinese { #expect(text.contains(wanted), "\(pasted.name): \(wanted)") }
                    Self.complain(of: page, pasted.name)
                }
                let fact = Pages.path(.fact(OriginalTransactionID("1001"), 1))
                let page = ParsedPage(try await client.open(fact, .simplifiedChinese).text)
                #expect(page.texts.contains { $0.content.contains("由您添加的根证书签名") })
                Self.complain(of: page, "fact")
            }
        }
    }

    @Test func `no page says anything in English to a reader of Chinese`() async throws {
        try await withConsole { world in
            try await world.application(isSimulated: true).test(.router) { client in
                let paths =
                    Pages.all.map { Pages.path($0.page) }
                    + [Pages.path(.operations), "/apps/app/Sandbox", "/rules", "/rules/NO-1", "/nowhere"]
                for path in paths {
                    Self.complain(of: ParsedPage(try await client.open(path, .simplifiedChinese).text), path)
                }
            }
        }
        try await withShop { world in
            try await world.application().test(.router) { client in
                for (name, page) in Pages.shop {
                    Self.complain(of: ParsedPage(try await client.open(Pages.path(page), .simplifiedChinese).text), name)
                }
            }
        }
    }

    /// English in a text of ours: two words in small letters, one after the other. Names of fields and products are single words,
    /// or are data; commands are left out, and so are Apple's terms in parentheses after the Chinese.
    private static func complain(of page: ParsedPage, _ name: String) {
        for text in page.texts where !text.path.contains(where: isData) {
            let ours = text.content.replacing(#/\u{2068}[^\u{2069}]*\u{2069}/#, with: "")
                .replacing(#/`[^`]*`|tenure [a-z-]+( [a-zA-Z-]+)?|\([a-zA-Z ]+\)/#, with: "")
            #expect(!ours.contains(#/[a-z]{2,} [a-z]{2,}/#), "\(name): \(text.content)")
        }
        for value in page.values where ["aria-label", "title", "placeholder"].contains(value.name) {
            #expect(!value.value.contains(#/[a-z]{2,} [a-z]{2,}/#), "\(name): \(value.value)")
        }
    }

    private static func isData(_ element: String) -> Bool {
        element == "bdi" || element == "code" || element.hasSuffix("lang=en")
    }

    // MARK: Pseudo

    /// What still reads as English was said past the words.
    @Test func `what was pasted, and a fact, say nothing past the words`() async throws {
        try await withConsole { world in
            try await world.application().test(.router) { client in
                var pages = [
                    ("fact", ParsedPage(try await client.open(Pages.path(.fact(OriginalTransactionID("1001"), 1)), .pseudo).text))
                ]
                for pasted in try Self.pasted(in: world) {
                    pages.append((pasted.name, try await Self.paste(pasted.text, in: .pseudo, to: client)))
                }
                for (name, page) in pages {
                    for text in page.texts where !text.path.contains(where: Self.isData) {
                        #expect(!text.content.contains(#/[a-z]{2}/#), "\(name): \(text.content)")
                    }
                }
            }
        }
    }

    // MARK: JSON

    /// Programs read one language, the one of `tenure inspect`.
    @Test func `the JSON of what was pasted is English, with its code beside the sentence`() async throws {
        try await withConsole { world in
            let forged = String(try world.apple.sign(Purchase()).dropLast(8)) + "AAAAAAAA"
            try await world.application().test(.router) { client in
                let answer = try await client.open(
                    Pages.path(.inspect), as: .support, .simplifiedChinese, method: .post, accepting: "application/json",
                    headers: ["Content-Type": "application/x-www-form-urlencoded"],
                    body: Array("text=\(PercentEncoding.encode(forged))".utf8))
                let result = try #require(try JSONDocument(answer.bytes).root.object?["result"]?.object)
                #expect(result["kind"]?.string == "transaction" && result["verified"]?.string == "false")
                #expect(result["refusal"]?.string == "signatureInvalid")
                #expect(result["reason"]?.string == "The signature does not match these bytes.")
            }
        }
    }
}
