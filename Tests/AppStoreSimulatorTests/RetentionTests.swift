import Primitives
import StrictJSON
import Testing

@testable import AppStoreModel
@testable import AppStoreSimulator

/// Retention Messaging: what an app's server sets up by calls, and which calls are refused.
@Suite struct RetentionTests {
    private static let image = "11111111-1111-4111-8111-111111111111"
    private static let message = "22222222-2222-4222-8222-222222222222"

    /// A PNG's first bytes.
    private static func png(_ width: UInt32, _ height: UInt32, colour: UInt8 = 2) -> [UInt8] {
        func word(_ number: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        return signature + word(13) + Array("IHDR".utf8) + word(width) + word(height) + [8, colour, 0, 0, 0]
    }

    private struct Shop {
        let simulator: AppStoreSimulator
        let environment: Primitives.Environment

        func call(
            _ method: String, _ path: String, _ body: String = "", bytes: [UInt8]? = nil, query: [(String, String)] = []
        ) async throws -> (status: Int, code: Int64?, json: JSONObject?) {
            let call = APICall(
                app: try await simulator.app(nil), environment: environment, method: method,
                path: ["inApps", "v1", "messaging"] + path.split(separator: "/").map(String.init),
                query: query.map { (name: $0.0, value: $0.1) }, body: bytes ?? Array(body.utf8))
            let answer = await simulator.answer(call)
            let json = try answer.json.flatMap { try JSONDocument($0).root.object }
            return (answer.status, json?["errorCode"]?.int64, json)
        }
    }

    private func shop(_ environment: Primitives.Environment = .sandbox) throws -> Shop {
        var configuration = try World.configuration(environment)
        configuration.limitsRates = false
        return Shop(simulator: try AppStoreSimulator(configuration: configuration), environment: environment)
    }

    @Test func `an image is a PNG of Apple's size without transparency, and is uploaded once`() async throws {
        let shop = try shop()
        let put = { (bytes: [UInt8], size: String) in
            try await shop.call("PUT", "image/\(Self.image)", bytes: bytes, query: [("imageSize", size)]).code
        }
        #expect(try await put(Array("GIF89a".utf8), "FULL_SIZE") == 4_000_161)
        #expect(try await put(Self.png(3840, 100), "FULL_SIZE") == 4_000_161)
        #expect(try await put(Self.png(3840, 2161), "FULL_SIZE") == 4_000_161)
        #expect(try await put(Self.png(3840, 2160, colour: 6), "FULL_SIZE") == 4_000_161)
        #expect(try await put(Self.png(3840, 2160), "HUGE") == 4_000_216)
        #expect(try await put(Self.png(3840, 160), "FULL_SIZE") == nil)
        #expect(try await put(Self.png(3840, 160), "FULL_SIZE") == 4_090_000)
        let list = try await shop.call("GET", "image/list").json
        #expect(list?["imageIdentifiers"]?.array?.first { _ in true }?.object?["imageState"]?.string == "APPROVED")
        #expect(try await shop.call("DELETE", "image/\(Self.image)").status == 200)
        #expect(try await shop.call("DELETE", "image/\(Self.image)").code == 4_040_014)
    }

    @Test func `a message keeps to Apple's lengths and names existing images`() async throws {
        let shop = try shop()
        let put = { (body: String) in try await shop.call("PUT", "message/\(Self.message)", body).code }
        let words = { (count: Int) in String(repeating: "ä", count: count) }
        #expect(try await put(#"{"header":"\#(words(67))","body":"b"}"#) == 4_000_162)
        #expect(try await put(#"{"header":"h","body":"\#(words(145))"}"#) == 4_000_163)
        let image = #"{"imageIdentifier":"\#(Self.image)","altText":"a cat"}"#
        #expect(try await put(#"{"header":"h","body":"b","image":\#(image)}"#) == 4_040_014)
        #expect(try await put(#"{"header":"h","body":"b","headerPosition":"ABOVE_IMAGE"}"#) == 4_000_224)
        _ = try await shop.call("PUT", "image/\(Self.image)", bytes: Self.png(3840, 1000))
        let long = #"{"imageIdentifier":"\#(Self.image)","altText":"\#(words(151))"}"#
        #expect(try await put(#"{"header":"h","body":"b","image":\#(long)}"#) == 4_000_175)
        let points = Array(repeating: #"{"text":"t","imageIdentifier":"\#(Self.image)","altText":"a"}"#, count: 6)
        #expect(try await put(#"{"header":"h","body":"b","bulletPoints":[\#(points.joined(separator: ","))]}"#) == 4_000_218)
        #expect(try await put(#"{"header":"h","body":"b","bulletPoints":[\#(points[0])]}"#) == 4_000_216)
        #expect(try await put(#"{"header":"\#(words(66))","body":"\#(words(144))","image":\#(image)}"#) == nil)
        #expect(try await put(#"{"header":"h","body":"b"}"#) == 4_090_001)
        #expect(try await shop.call("DELETE", "image/\(Self.image)").code == 4_030_019)
    }

    @Test func `in production a message can be a default only when it is approved`() async throws {
        let shop = try shop(.production)
        let path = "default/plus.monthly/en-US"
        let body = #"{"messageIdentifier":"\#(Self.message)"}"#
        #expect(try await shop.call("PUT", path, body).code == 4_040_015)
        _ = try await shop.call("PUT", "message/\(Self.message)", #"{"header":"Stay","body":"A month is on us."}"#)
        #expect(try await shop.call("PUT", path, body).code == 4_030_017)
        let app = try await shop.simulator.app(nil)
        try await shop.simulator.review(try #require(CompactUUID(Self.message)), of: app, in: .production, approves: true)
        #expect(try await shop.call("PUT", "default/none/en-US", body).code == 4_000_023)
        #expect(try await shop.call("PUT", "default/plus.monthly/en_US!", body).code == 4_000_164)
        #expect(try await shop.call("GET", path).code == 4_040_020)
        #expect(try await shop.call("PUT", path, body).status == 200)
        #expect(try await shop.call("GET", path).json?["messageIdentifier"]?.string == Self.message)
        #expect(try await shop.call("DELETE", path).status == 200)
        #expect(try await shop.call("DELETE", path).code == 4_040_020)
    }

    @Test func `production accepts a realtime URL only after a passed test in Sandbox`() async throws {
        let shop = try shop(.production)
        let body = #"{"realtimeURL":"http://127.0.0.1:9/retention"}"#
        #expect(try await shop.call("PUT", "realtime/url", body).code == 4_030_026)
        #expect(try await shop.call("POST", "performanceTest", #"{"originalTransactionId":"1"}"#).status == 404)
    }
}
