import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Primitives
import StrictJSON
import Testing

@testable import AppStoreModel
@testable import AppStoreSimulator

/// A client of the control API that reads answers strictly.
struct ControlClient {
    let client: any TestClientProtocol

    func call(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) async throws -> (status: Int, json: JSONObject)
    {
        let response = try await client.execute(
            uri: "/control/v1" + path, method: method, headers: [.contentType: "application/json"],
            body: body.map { ByteBuffer(string: $0) })
        let json = try #require(try JSONDocument(Array(response.body.readableBytesView)).root.object)
        return (response.status.code, json)
    }

    func post(_ path: String, _ body: String = "{}") async throws -> JSONObject {
        let (status, json) = try await call(.post, path, body)
        #expect((200..<300).contains(status), "\(path): \(json["code"]?.string ?? "")")
        return json
    }

    func get(_ path: String) async throws -> JSONObject {
        let (status, json) = try await call(.get, path)
        #expect(status == 200)
        return json
    }
}

@Suite struct ControlAPITests {
    private func withClient(_ test: @Sendable (ControlClient) async throws -> Void) async throws {
        let simulator = try AppStoreSimulator(configuration: try World.configuration())
        let application = simulator.buildApplication(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await application.test(.router) { try await test(ControlClient(client: $0)) }
    }

    @Test func `a year of a subscription passes over HTTP`() async throws {
        try await withClient { client in
            #expect(try await client.get("/health/live")["status"]?.string == "live")
            #expect(try await client.get("/products")["products"]?.array?.count == 4)
            #expect(try await client.get("/root")["sha256"]?.string?.count == 64)
            #expect(try await client.post("/accounts", #"{"id":"anna"}"#)["account"]?.string == "anna")
            let bought = try await client.post("/accounts/anna/purchases", #"{"productId":"plus.monthly"}"#)
            #expect(bought["outcome"]?.string == "purchased")
            let id = try #require(bought["originalTransactionId"]?.string)
            let clock = try await client.post("/clock/advance", #"{"to":"2027-01-01"}"#)
            #expect(clock["nowText"]?.string == "2027-01-01T00:00:00Z")
            #expect(try await client.get("/subscriptions/\(id)")["status"]?.int64 == 1)
            #expect(try await client.get("/accounts/anna/transactions")["transactions"]?.array?.count == 13)
            #expect(try await client.get("/notifications?limit=5")["notifications"]?.array?.count == 5)
            #expect(try await client.post("/accounts/anna/restore")["transactions"]?.array?.count == 1)
            let off = try await client.post("/subscriptions/\(id)/auto-renew", #"{"enabled":false}"#)
            #expect(off["autoRenewStatus"]?.int64 == 0)
            _ = try await client.post("/clock/advance", #"{"days":31}"#)
            #expect(try await client.get("/subscriptions/\(id)")["statusText"]?.string == "expired")
            let newest = try await client.get("/notifications?limit=1")["notifications"]?.array
            #expect(newest?.first { _ in true }?.object?["subtype"]?.string == "VOLUNTARY")
        }
    }

    @Test func `payments fail, refunds are made and reversed`() async throws {
        try await withClient { client in
            _ = try await client.post("/accounts", #"{"id":"anna"}"#)
            let bought = try await client.post("/accounts/anna/purchases", #"{"productId":"pro.monthly"}"#)
            let id = try #require(bought["transactionId"]?.string)
            _ = try await client.post("/subscriptions/\(id)/payment", #"{"fails":true,"gracePeriodDays":16}"#)
            _ = try await client.post("/clock/advance", #"{"seconds":2764800}"#)
            #expect(try await client.get("/subscriptions/\(id)")["statusText"]?.string == "billingGracePeriod")
            let paid = try await client.post("/subscriptions/\(id)/payment", #"{"fails":false}"#)
            let period = try #require(paid["transactionId"]?.string)
            let refunded = try await client.post("/transactions/\(period)/refund", #"{"percentage":50000}"#)
            #expect(refunded["revocationDate"]?.int64 != nil)
            #expect(try await client.get("/subscriptions/\(id)")["status"]?.int64 == 5)
            let reversed = try await client.post("/transactions/\(period)/refund/reverse")
            #expect(reversed["revocationDate"] == nil)
            #expect(try await client.get("/subscriptions/\(id)")["status"]?.int64 == 1)
        }
    }

    @Test func `an unknown name is a problem with a stable code`() async throws {
        try await withClient { client in
            for (method, path, code) in [
                (HTTPRequest.Method.get, "/accounts/otto", "unknownAccount"), (.get, "/subscriptions/1", "unknownSubscription"),
                (.post, "/transactions/1/refund", "unknownTransaction"),
                (.post, "/notifications/1/redeliver", "unknownNotification"),
                (.post, "/accounts/otto/restore", "unknownAccount"), (.get, "/nowhere", "notFound"),
            ] {
                let (status, json) = try await client.call(method, path)
                #expect(status == 404, "\(path)")
                #expect(json["code"]?.string == code)
            }
        }
    }

    static let paths = [
        "/clock/advance", "/accounts", "/accounts/anna/purchases", "/accounts/anna/restore", "/subscriptions/1/auto-renew",
        "/subscriptions/1/payment", "/transactions/1/refund", "/transactions/1/refund/reverse", "/delivery", "/delivery/release",
        "/notifications/1/redeliver", "/faults", "/behaviour", "/limits", "/calls/forget", "/keys", "/keys/1/revocation",
    ]

    static let hostile = [
        "[", "null", "[]", "7", "\"", "{", "{}}", #"{"a":1,"a":2}"#, "{\"id\":\"\u{1}\"}", #"{"id":"\ud800"}"#, #"{"unknown":1}"#,
        #"{"seconds":-1}"#, #"{"seconds":9223372036854775807}"#, #"{"days":9223372036854775807}"#,
        #"{"days":-9223372036854775808}"#,
        #"{"days":1e3}"#, #"{"days":3654}"#, #"{"seconds":1,"days":1}"#, #"{"to":9223372036854775807}"#, #"{"to":-1}"#,
        #"{"to":"9999-12-31T23:59:59Z"}"#, #"{"to":"2026-02-30T00:00:00Z"}"#, #"{"to":"2026-13-01"}"#,
        #"{"to":"0000-00-00T00:00:00Z"}"#,
        #"{"to":"２０２６-01-01"}"#, #"{"id":""}"#, #"{"id":"../x"}"#, #"{"id":7}"#, #"{"productId":7}"#, #"{"productId":"gold"}"#,
        #"{"productId":"lifetime","appAccountToken":"x"}"#, #"{"enabled":"yes"}"#, #"{"fails":1}"#,
        #"{"fails":true,"gracePeriodDays":9223372036854775807}"#, #"{"percentage":-1}"#, #"{"percentage":9223372036854775807}"#,
        #"{"reason":9}"#, #"{"mode":"explode"}"#, #"{"mode":"drop","count":0}"#, #"{"mode":"duplicate","count":1000000}"#,
        #"{"url":"gopher://x"}"#, #"{"order":"sideways"}"#, #"{"order":"shuffled","seed":1.5}"#,
        String(repeating: "[", count: 10_000), "{\"id\":\"" + String(repeating: "a", count: 70_000) + "\"}",
        "{\"id\":\"" + String(repeating: "a", count: 60_000) + "\"}",
    ]

    @Test func `a hostile body is refused and nothing breaks`() async throws {
        try await withClient { client in
            for path in Self.paths {
                for body in Self.hostile {
                    let (status, json) = try await client.call(.post, path, body)
                    #expect((400..<500).contains(status), "\(path) \(body.prefix(60)) \(status)")
                    #expect(json["code"]?.string?.isEmpty == false)
                }
            }
            for path in [
                "/notifications?limit=0", "/notifications?limit=99999999999999999999", "/accounts/%00/transactions", "/%ff",
            ] {
                #expect((400..<500).contains(try await client.call(.get, path).status))
            }
            #expect(try await client.get("/clock")["now"]?.int64 == World.start.millisecondsSince1970)
        }
    }
}
