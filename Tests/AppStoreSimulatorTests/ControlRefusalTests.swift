import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Primitives
import StrictJSON
import Testing

@testable import AppStoreModel
@testable import AppStoreSimulator

/// How the control API handles calls that are not quite right.
@Suite struct ControlRefusalTests {
    private func withClient(
        _ configuration: SimulatorConfiguration, _ test: @Sendable (ControlClient) async throws -> Void
    ) async throws {
        let simulator = try AppStoreSimulator(configuration: configuration)
        let application = simulator.buildApplication(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await application.test(.router) { try await test(ControlClient(client: $0)) }
    }

    private func withClient(_ test: @Sendable (ControlClient) async throws -> Void) async throws {
        try await withClient(try World.configuration(), test)
    }

    @Test func `another method of an address is 405 and lists the allowed ones`() async throws {
        try await withClient { client in
            for (method, path, allowed) in [
                (HTTPRequest.Method.put, "/control/v1/clock", "GET, HEAD, POST"), (.get, "/control/v1/clock/advance", "POST"),
                (.post, "/control/v1/families/f/members/a", "DELETE"), (.trace, "/control/v1/accounts/anna", "GET, HEAD"),
                (.options, "/", "GET, HEAD"),
            ] {
                let response = try await client.client.execute(uri: path, method: method)
                #expect(response.status == .methodNotAllowed, "\(path)")
                #expect(response.headers[.allow] == allowed)
                #expect(response.headers[.contentType] == "application/problem+json")
                #expect(String(buffer: response.body).contains(#""code":"methodNotAllowed""#))
            }
        }
    }

    @Test(arguments: [
        nil, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain;application/json",
    ])
    func `T42 a body that a web page can send unasked is refused`(_ type: String?) async throws {
        try await withClient { client in
            var fields = HTTPFields()
            fields[.contentType] = type
            func open(_ fields: HTTPFields) async throws -> HTTPResponse.Status {
                try await client.client.execute(
                    uri: "/control/v1/accounts", method: .post, headers: fields, body: ByteBuffer(string: #"{"id":"anna"}"#)
                ).status
            }
            let refused = try await open(fields)
            #expect(refused == .unsupportedMediaType)
            let taken = try await open([.contentType: "application/json; charset=utf-8"])
            #expect(taken.code < 300)
        }
    }

    @Test func `HEAD is answered as GET is, without a body, and so are its refusals`() async throws {
        try await withClient { client in
            for (path, status) in [("/control/v1/clock", 200), ("/control/v1/accounts/otto", 404), ("/nowhere", 404)] {
                let response = try await client.client.execute(uri: path, method: .head)
                #expect(response.status.code == status)
                #expect(response.body.readableBytes == 0)
            }
        }
    }

    @Test func `the highest price times the largest quantity is a price, and a higher one is refused`() async throws {
        var configuration = try World.configuration()
        let coins = StoreProduct(id: "coins", kind: .consumable, price: Milliunits(990))
        configuration.apps[0].catalogue = try Catalogue(products: [coins])
        try await withClient(configuration) { client in
            _ = try await client.post("/accounts", #"{"id":"anna"}"#)
            let (status, json) = try await client.call(
                .post, "/products/coins/price", #"{"price":9223372036854775807,"needsConsent":false}"#)
            #expect(status == 400)
            #expect(json["code"]?.string == "invalidPrice")
            _ = try await client.post("/products/coins/price", #"{"price":999999999999999,"needsConsent":false}"#)
            let bought = try await client.post("/accounts/anna/purchases", #"{"productId":"coins","quantity":10}"#)
            #expect(bought["price"]?.int64 == 9_999_999_999_999_990)
        }
    }

    static let wrong: [(path: String, body: String, code: String)] = [
        ("/accounts", #"{"id":null}"#, "invalidMember"), ("/accounts", #"{"id":".."}"#, "invalidAccountId"),
        ("/accounts", #"{"environment":"Xcode"}"#, "invalidMember"), ("/clock", #"{"rate":1000001}"#, "invalidMember"),
        ("/clock", #"{"rate":-1}"#, "invalidMember"), ("/clock/advance", #"{"days":1,"to":null}"#, "invalidBody"),
        ("/delivery", #"{"mode":"hold","count":2}"#, "invalidMember"), ("/delivery", #"{"count":2}"#, "invalidMember"),
        ("/delivery", #"{"mode":"drop","seconds":2}"#, "invalidMember"), ("/delivery", #"{"mode":"delay"}"#, "invalidMember"),
        ("/delivery", #"{"url":"http://a b"}"#, "invalidURL"), ("/delivery/release", #"{"seed":"x"}"#, "invalidMember"),
        ("/subscriptions/1/payment", #"{"fails":false,"gracePeriodDays":29}"#, "invalidGracePeriod"),
        ("/faults", #"{"faults":[{"face":"serverAPI","kind":"html","environment":"Xcode"}]}"#, "invalidMember"),
        ("/faults", #"{"faults":[{"face":"serverAPI","kind":"html","times":"x"}]}"#, "invalidMember"),
        ("/faults", #"{"faults":[{"face":"serverAPI","kind":"html","perMille":1.5}]}"#, "invalidMember"),
        ("/faults", #"{"faults":[{"face":"serverAPI","kind":"html","path":1}]}"#, "invalidMember"),
        ("/faults", #"{"faults":[{"face":"serverAPI","kind":"slow","milliseconds":"x"}]}"#, "invalidMember"),
        ("/faults", #"{"faults":[{"face":"serverAPI","kind":"slow","milliseconds":120001}]}"#, "invalidMember"),
        ("/faults", #"{"faults":[{"face":"serverAPI","kind":"slowOnClock","milliseconds":86400001}]}"#, "invalidMember"),
        ("/faults", #"{"faults":[{"face":"serverAPI","kind":"hang","endpoint":"statuses"}]}"#, "invalidMember"),
        ("/faults", #"{"faults":[{"face":"serverAPI","kind":"hang","from":"soon"}]}"#, "invalidMember"),
        ("/faults", #"{"faults":[{"face":"serverAPI","kind":"hang","from":-1}]}"#, "invalidMember"),
        ("/faults", #"{"faults":[{"face":"serverAPI","kind":"hang","from":5,"until":5}]}"#, "invalidMember"),
        ("/faults", #"{"faults":[{"face":"verifyReceipt","kind":"html","app":"x"}]}"#, "invalidMember"),
        ("/faults", #"{"faults":[{"face":"verifyReceipt","kind":"html","endpoint":"lookUpOrderID"}]}"#, "invalidMember"),
        ("/behaviour", #"{"retryAfter":"soon"}"#, "invalidMember"), ("/behaviour", #"{"retryAfter":null}"#, "invalidMember"),
        ("/behaviour", #"{"limitClock":"mine"}"#, "invalidMember"), ("/behaviour", #"{"notificationWindow":1}"#, "invalidMember"),
        ("/behaviour", #"{"paginationTokenSeconds":-1}"#, "invalidMember"),
        ("/behaviour", #"{"deadPaginationTokens":1000001}"#, "invalidMember"),
        ("/behaviour", #"{"notificationLagSeconds":2592001}"#, "invalidMember"),
        ("/behaviour", #"{"transactionLagSeconds":9223372036854775807}"#, "invalidMember"),
        ("/behaviour", #"{"transactionLagSeconds":null}"#, "invalidMember"),
        ("/limits", #"{"endpoint":"lookUpOrderID"}"#, "invalidMember"),
        ("/limits", #"{"endpoint":"lookUpOrderID","perHour":-1}"#, "invalidMember"),
        ("/limits", #"{"endpoint":"lookUpOrderID","perHour":1000000001}"#, "invalidMember"),
        ("/limits", #"{"endpoint":null,"perHour":1}"#, "invalidMember"),
        ("/keys", #"{"keyId":"a b"}"#, "invalidKeyId"), ("/keys", #"{"keyId":""}"#, "invalidKeyId"),
        ("/keys/1/revocation", #"{"enabled":1}"#, "invalidMember"),
        ("/subscriptions/1/silence", #"{"enabled":true,"inHistory":1}"#, "invalidMember"),
    ]

    @Test(arguments: wrong)
    func `invalid input is refused and not ignored`(path: String, body: String, code: String) async throws {
        try await withClient { client in
            let (status, json) = try await client.call(.post, path, body)
            #expect(status == 400)
            #expect(json["code"]?.string == code)
        }
    }

    @Test func `a hundred faults with all their members are set in one call, and a used one is gone`() async throws {
        let fault =
            #"{"face":"serverAPI","kind":"slow","path":"/a","environment":"Sandbox","times":1,"perMille":1,"milliseconds":0,"#
            + #""status":1,"endpoint":"getTransactionInfo","app":"\#(World.bundleId)","from":0,"until":"2026-01-01"}"#
        try await withClient { client in
            let body = "{\"faults\":[\(Array(repeating: fault, count: 100).joined(separator: ","))]}"
            let answer = try await client.post("/faults", body)
            #expect(answer["faults"]?.array?.count == 100)
        }
        var plan = FaultPlan()
        var twice = Fault(face: .serverAPI, kind: .html)
        twice.times = 2
        let call = AskedCall(face: .serverAPI, environment: .sandbox, path: "/")
        plan.set([twice], seed: 1, store: AppStore(startsAt: World.start, seed: 1))
        #expect((0..<3).map { _ in plan.strike(call, at: World.start) } == [.html, .html, nil])
        #expect(plan.faults.isEmpty)
    }

    @Test func `only a member can leave a family`() async throws {
        try await withClient { client in
            for id in ["anna", "ben"] { _ = try await client.post("/accounts", "{\"id\":\"\(id)\"}") }
            _ = try await client.post("/families", #"{"id":"ours","organizer":"anna"}"#)
            _ = try await client.post("/families", #"{"id":"theirs","organizer":"ben"}"#)
            let other = try await client.call(.delete, "/families/theirs/members/anna")
            #expect(other.status == 409)
            #expect(other.json["code"]?.string == "notInFamily")
            #expect(try await client.call(.delete, "/families/nobodys/members/anna").json["code"]?.string == "unknownFamily")
            #expect(try await client.call(.delete, "/families/ours/members/anna").status == 200)
        }
    }

    @Test func `devices without an id get a free one, and null signs out`() async throws {
        try await withClient { client in
            _ = try await client.post("/accounts", #"{"id":"anna"}"#)
            #expect(try await client.post("/devices", #"{"id":"device-2","account":"anna"}"#)["account"]?.string == "anna")
            #expect(try await client.post("/devices")["device"]?.string == "device-3")
            #expect(try await client.post("/devices/device-2/account", #"{"account":null}"#)["account"]?.isNull == true)
        }
    }

    @Test func `an address of notifications is removed with null, and shown for each environment`() async throws {
        try await withClient { client in
            let url = "http://127.0.0.1:9/sandbox"
            _ = try await client.post("/delivery", "{\"url\":\"\(url)\",\"environment\":\"Sandbox\"}")
            #expect(try await client.get("/delivery?environment=Sandbox")["url"]?.string == url)
            #expect(try await client.get("/delivery?environment=Production")["url"]?.isNull == true)
            _ = try await client.post("/delivery", #"{"url":null,"environment":"Sandbox"}"#)
            #expect(try await client.get("/delivery?environment=Sandbox")["url"]?.isNull == true)
        }
    }

    @Test func `a queue is listed up to the requested limit`() async throws {
        try await withClient { client in
            _ = try await client.post("/accounts", #"{"id":"anna"}"#)
            _ = try await client.post("/devices", #"{"id":"ipad","account":"anna"}"#)
            _ = try await client.post("/accounts/anna/purchases", #"{"productId":"plus.monthly"}"#)
            _ = try await client.post("/clock/advance", #"{"days":70}"#)
            let queue = try await client.get("/devices/ipad/queue")["transactions"]?.array
            // The free week, and the months from 8 January, 8 February and 8 March.
            #expect(queue?.count == 4)
            let oldest = try await client.get("/devices/ipad/queue?limit=1")["transactions"]?.array
            #expect(oldest?.count == 1)
            #expect(
                oldest?.first { _ in true }?.object?["transactionId"]?.string
                    == queue?.first { _ in true }?.object?["transactionId"]?.string)
        }
    }

    @Test func `a device without an app transaction is told so`() async throws {
        try await withClient { client in
            _ = try await client.post("/accounts", #"{"id":"anna"}"#)
            _ = try await client.post("/devices", #"{"id":"ipad","account":"anna"}"#)
            #expect(try await client.get("/devices/ipad/appTransaction")["signedAppTransaction"]?.string != nil)
            _ = try await client.post("/devices", #"{"id":"new"}"#)
            let refusals = [
                ("/devices/ipad/appTransaction?app=com.example.none", "unknownApp"),
                ("/devices/new/appTransaction", "appTransactionMissing"), ("/devices/nothing/appTransaction", "unknownDevice"),
            ]
            for (path, code) in refusals {
                let (status, json) = try await client.call(.get, path)
                #expect(status == 404 && json["code"]?.string == code)
            }
        }
    }

    /// A stored notification contains neither prices nor the former country of an account, so changes of these must not change
    /// it.
    @Test func `sent notifications are rebuilt unchanged, whatever the present prices and countries`() async throws {
        let plan = SubscriptionTerms(group: "g", level: 1, period: try #require(SubscriptionPeriod(iso8601: "P1M")))
        let shared = StoreProduct(
            id: "family", kind: .autoRenewable(plan), price: Milliunits(1000), isFamilyShareable: true)
        var configuration = try World.configuration()
        configuration.apps[0].catalogue = try Catalogue(products: [shared])
        try await withClient(configuration) { client in
            for id in ["anna", "ben"] { _ = try await client.post("/accounts", "{\"id\":\"\(id)\"}") }
            _ = try await client.post("/families", #"{"id":"ours","organizer":"anna"}"#)
            _ = try await client.post("/families/ours/members", #"{"account":"ben"}"#)
            let bought = try await client.post("/accounts/anna/purchases", #"{"productId":"family"}"#)
            let told = try await payloads(client)
            #expect(told.count == 2)
            _ = try await client.post("/products/family/price", #"{"price":2000,"needsConsent":false}"#)
            let id = try #require(bought["originalTransactionId"]?.string)
            _ = try await client.post("/subscriptions/\(id)/auto-renew", #"{"enabled":false}"#)
            _ = try await client.post("/clock/advance", #"{"days":40}"#)
            _ = try await client.post("/accounts/anna/storefront", #"{"storefront":"DEU"}"#)
            _ = try await client.post("/accounts/ben/storefront", #"{"storefront":"FRA"}"#)
            #expect(try await payloads(client).suffix(2) == told[...])
        }
    }

    /// Newest first.
    private func payloads(_ client: ControlClient) async throws -> [String] {
        let list = try #require(try await client.get("/notifications?limit=100")["notifications"]?.array)
        return list.compactMap { $0.object?["signedPayload"]?.string }
    }
}
