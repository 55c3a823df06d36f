import AppStoreWire
import Hummingbird
import HummingbirdTesting
import Logging
import Primitives
import StrictJSON
import Testing

@testable import AppStoreModel
@testable import AppStoreSimulator

/// Payloads that Apple rarely signs, as a server verifies them.
@Suite struct RareSigningTests {
    private static let other = "5b0e6c6e-93a1-4c35-8f1e-0a8f3c1d2e4f"
    private static let app = ExpectedApp(
        bundleId: World.bundleId, appAppleId: World.appAppleId, environments: [.production])

    private func buy(_ simulator: AppStoreSimulator) async throws -> SignedTransaction {
        let account = try await simulator.openAccount("anna").account.id
        var order = PurchaseOrder(app: try await simulator.app(nil), account: account, product: "pro.monthly")
        order.appAccountToken = CompactUUID(World.token)
        return try await simulator.buy(order).transaction
    }

    private func newest(_ simulator: AppStoreSimulator) async throws -> NotificationReport {
        try #require(try await simulator.notifications(limit: 1).first)
    }

    /// Why a notification is refused at an instant; nil: it is accepted.
    private func refusal(
        of signedPayload: String, by simulator: AppStoreSimulator, at now: Timestamp
    ) async -> JWSRefusal.Code? {
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [simulator.rootFingerprint]))
        switch await verifier.notification(signedPayload, for: Self.app, at: now) {
        case .success: return nil
        case .failure(let refusal): return refusal.code
        }
    }

    // MARK: Certificates

    @Test func `a leaf that ended signs outside its validity until another signing is set`() async throws {
        let simulator = try AppStoreSimulator(configuration: try World.configuration())
        let id = try await buy(simulator).transaction.originalTransactionId
        for ended in [true, false, true] {
            try await simulator.setSigning(ended ? .endedLeaf : .right)
            _ = try await simulator.setAutoRenew(!ended, of: id)
            let told = try await newest(simulator).signedPayload
            let found = await refusal(of: told, by: simulator, at: simulator.clockNow())
            #expect(found == (ended ? .signedDateOutsideChain : nil))
            try await simulator.setSigning(.newLeaf)
            #expect(try await newest(simulator).signedPayload == told)
        }
        _ = try await simulator.setAutoRenew(true, of: id)
        #expect(await refusal(of: try await newest(simulator).signedPayload, by: simulator, at: simulator.clockNow()) == nil)
    }

    @Test func `what a leaf signs before its end is accepted after it, and what it signs later is not`() async throws {
        let simulator = try AppStoreSimulator(configuration: try World.configuration())
        let id = try await buy(simulator).transaction.originalTransactionId
        try await simulator.setSigning(.endingLeaf)
        _ = try await simulator.setAutoRenew(false, of: id)
        let early = try await newest(simulator).signedPayload
        _ = try await simulator.advance(by: .hours(2))
        _ = try await simulator.setAutoRenew(true, of: id)
        let late = try await newest(simulator).signedPayload
        #expect(await refusal(of: early, by: simulator, at: simulator.clockNow()) == nil)
        #expect(await refusal(of: late, by: simulator, at: simulator.clockNow()) == .signedDateOutsideChain)
    }

    // MARK: Dates and bytes

    @Test func `the parts of a notification are signed a millisecond apart`() async throws {
        let simulator = try AppStoreSimulator(configuration: try World.configuration())
        _ = try await simulator.setBehaviour(form: { $0.partsApart = Milliseconds(1) }) { _ in }
        _ = try await buy(simulator)
        let signed = try await newest(simulator).signedPayload
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [simulator.rootFingerprint]))
        let now = simulator.clockNow()
        let told = try await verifier.notification(signed, for: Self.app, at: now).get()
        let dates = [told.transaction?.signedDate, told.renewalInfo?.signedDate, told.notification.signedDate]
        #expect(dates == [0, 1, 2].map { World.start.adding(Milliseconds($0)) })
    }

    @Test func `a notification is sent again with the same bytes after a change of address or token`() async throws {
        let simulator = try AppStoreSimulator(configuration: try World.configuration())
        let bought = try await buy(simulator).transaction
        let told = try await newest(simulator).signedPayload
        _ = try await simulator.changeAddress(of: "anna")
        #expect(try await newest(simulator).signedPayload == told)
        _ = try await simulator.setSignedToken(CompactUUID(Self.other), of: bought.transactionId)
        #expect(try await newest(simulator).signedPayload == told)
        #expect(await refusal(of: told, by: simulator, at: simulator.clockNow()) == nil)
    }

    @Test func `the API finds a charge by the notification's id, and lists its own`() async throws {
        let simulator = try AppStoreSimulator(configuration: try World.configuration())
        _ = try await simulator.setBehaviour(form: { $0.transactionId = .another }) { _ in }
        let bought = try await buy(simulator).transaction
        let notified = try #require(try await newest(simulator).record.notification.subject.transaction)
        #expect(notified.transactionId != bought.transactionId)
        func signed(_ path: [String], _ member: String) async throws -> [String] {
            let call = APICall(
                app: try await simulator.app(nil), environment: .production, method: "GET", path: ["inApps"] + path, query: [],
                body: [])
            let answer = try #require(await simulator.answer(call).json)
            let body = try #require(try JSONDocument(answer).root.object)
            return body[member]?.string.map { [$0] } ?? body[member]?.array?.compactMap(\.string) ?? []
        }
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [simulator.rootFingerprint]))
        let id = notified.transactionId.rawValue
        for (path, member, wanted) in [
            (["v1", "transactions", id], "signedTransactionInfo", id),
            (["v2", "history", id], "signedTransactions", bought.transactionId.rawValue),
        ] {
            let found = try await signed(path, member)
            #expect(found.count == 1)
            let read = try await verifier.transaction(found[0], for: Self.app, at: simulator.clockNow()).get().payload
            #expect(read.transactionId == wanted)
            #expect(read.webOrderLineItemId == bought.webOrderLineItemId.map { String($0) })
        }
    }

    @Test func `the notification history finds a renewal by either of its ids`() async throws {
        let simulator = try AppStoreSimulator(configuration: try World.configuration())
        _ = try await simulator.setBehaviour(form: { $0.transactionId = .another }) { _ in }
        let id = try await buy(simulator).transaction.originalTransactionId
        _ = try await simulator.advance(by: .days(32))
        let renewal = try await simulator.subscription(id).latest.transaction
        let notified = try #require(try await newest(simulator).record.notification.subject.transaction)
        #expect(notified.transactionId != renewal.transactionId)
        #expect(notified.webOrderLineItemId == renewal.webOrderLineItemId)
        for asked in [renewal, notified] {
            let (start, end) = (World.start.millisecondsSince1970, World.days(40).millisecondsSince1970)
            let body = #"{"startDate":\#(start),"endDate":\#(end),"transactionId":"\#(asked.transactionId.rawValue)"}"#
            let call = APICall(
                app: try await simulator.app(nil), environment: .production, method: "POST",
                path: ["inApps", "v1", "notifications", "history"], query: [], body: Array(body.utf8))
            let answer = try #require(await simulator.answer(call).json)
            let found = try JSONDocument(answer).root.object?["notificationHistory"]?.array
            #expect(found?.count == 1)
        }
    }
}

/// The control calls for payloads that Apple rarely signs.
@Suite struct RareControlTests {
    private static let shelf = """
        {"subscriptionGroups":[{"id":"a","subscriptions":[\
        {"productID":"alone","displayPrice":"9.99","groupNumber":2,"recurringSubscriptionPeriod":"P1M"},\
        {"productID":"better","displayPrice":"12.99","groupNumber":1,"recurringSubscriptionPeriod":"P1M"}]},\
        {"id":"b","subscriptions":[\
        {"productID":"bundle","displayPrice":"19.99","groupNumber":1,"recurringSubscriptionPeriod":"P1M"}]}]}
        """

    private func withClient(_ test: @Sendable (ControlClient, String) async throws -> Void) async throws {
        var configuration = try World.configuration()
        configuration.apps[0].catalogue = try Catalogue(storeKitFile: Array(Self.shelf.utf8))
        let simulator = try AppStoreSimulator(configuration: configuration)
        let application = simulator.buildApplication(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await application.test(.router) {
            let client = ControlClient(client: $0)
            for name in ["anna", "ben"] { _ = try await client.post("/accounts", #"{"id":"\#(name)"}"#) }
            let order = #"{"productId":"alone","appAccountToken":"\#(World.token)"}"#
            let bought = try await client.post("/accounts/anna/purchases", order)
            try await test(client, try #require(bought["transactionId"]?.string))
        }
    }

    /// The members of a JWS's payload, unverified.
    private func payload(_ answer: JSONObject, _ member: String = "signedTransactionInfo") throws -> JSONObject {
        let part = try #require(answer[member]?.string?.split(separator: ".").dropFirst().first)
        let bytes = try #require(StrictBase64.decodeURL(Array(part.utf8)[...]))
        return try #require(try JSONDocument(bytes).root.object)
    }

    private func code(_ client: ControlClient, _ path: String, _ body: String) async throws -> String {
        let (status, json) = try await client.call(.post, path, body)
        return "\(status) \(json["code"]?.string ?? "")"
    }

    @Test func `a transaction's token is set, removed, and neither without a value`() async throws {
        try await withClient { client, id in
            let other = "5b0e6c6e-93a1-4c35-8f1e-0a8f3c1d2e4f"
            let path = "/transactions/\(id)/token"
            let set = try payload(try await client.post(path, #"{"appAccountToken":"\#(other)"}"#))
            #expect(set["appAccountToken"]?.string == other)
            #expect(try payload(try await client.post(path, #"{"appAccountToken":null}"#))["appAccountToken"] == nil)
            #expect(try payload(try await client.get("/transactions/\(id)"))["appAccountToken"] == nil)
            #expect(try await code(client, path, "{}") == "400 invalidMember")
            #expect(try await code(client, path, #"{"appAccountToken":"me"}"#) == "400 invalidAppAccountToken")
            #expect(try await code(client, path, #"{"appAccountToken":7}"#) == "400 invalidMember")
        }
    }

    @Test func `a period comes back under another id`() async throws {
        try await withClient { client, id in
            let first = try payload(try await client.get("/transactions/\(id)"))
            let (status, other) = try await client.call(.post, "/subscriptions/\(id)/reissue", "{}")
            #expect(status == 201)
            let again = try payload(other)
            #expect(again["originalTransactionId"]?.string != id)
            #expect(again["webOrderLineItemId"]?.string == first["webOrderLineItemId"]?.string)
            #expect(again["appAccountToken"]?.string == World.token)
            _ = try await client.post("/clock/advance", #"{"days":32}"#)
            #expect(try await code(client, "/subscriptions/\(id)/reissue", "{}") == "409 notActive")
        }
    }

    @Test func `a grace period without its date, and a failure after the recovery`() async throws {
        try await withClient { client, id in
            let path = "/subscriptions/\(id)"
            #expect(try await code(client, path + "/payment", #"{"fails":true,"graceEnd":"unsigned"}"#) == "400 invalidMember")
            let unknown = #"{"fails":true,"gracePeriodDays":16,"graceEnd":"never"}"#
            #expect(try await code(client, path + "/payment", unknown) == "400 invalidMember")
            #expect(try await code(client, path + "/late-failure", "{}") == "409 notRecovered")
            _ = try await client.post(path + "/payment", #"{"fails":true,"gracePeriodDays":16,"graceEnd":"unsigned"}"#)
            _ = try await client.post("/clock/advance", #"{"days":32}"#)
            let report = try await client.get(path)
            #expect(report["statusText"]?.string == "billingGracePeriod")
            #expect(try payload(report, "signedRenewalInfo")["gracePeriodExpiresDate"] == nil)
            _ = try await client.post(path + "/payment", #"{"fails":false}"#)
            #expect(try await client.post(path + "/late-failure")["status"]?.int64 == 1)
            let told = try await client.get("/notifications?limit=2")["notifications"]?.array?.compactMap {
                $0.object?["notificationType"]?.string
            }
            #expect(told == ["DID_FAIL_TO_RENEW", "DID_RENEW"])
        }
    }

    @Test func `a plan is bought beside one that fails to renew`() async throws {
        try await withClient { client, id in
            _ = try await client.post("/subscriptions/\(id)/payment", #"{"fails":true}"#)
            _ = try await client.post("/clock/advance", #"{"days":32}"#)
            let path = "/accounts/anna/purchases"
            #expect(try await code(client, path, #"{"productId":"better"}"#) == "402 paymentDeclined")
            let bought = try await client.post(path, #"{"productId":"better","besideFailing":true}"#)
            #expect(bought["outcome"]?.string == "purchased")
            #expect(bought["originalTransactionId"]?.string == bought["transactionId"]?.string)
            #expect(try await client.get("/subscriptions/\(id)")["statusText"]?.string == "billingRetry")
        }
    }

    @Test func `the running product is bought again, which takes a downgrade back and begins a new period`() async throws {
        try await withClient { client, id in
            let path = "/accounts/anna/purchases"
            _ = try await client.post(path, #"{"productId":"better"}"#)
            let waiting = try await client.post(path, #"{"productId":"alone"}"#)
            #expect(waiting["outcome"]?.string == "deferred")
            _ = try await client.post("/clock/advance", #"{"days":1}"#)
            let bought = try await client.post(path, #"{"productId":"better","beginsAnew":true}"#)
            #expect(bought["outcome"]?.string == "reverted")
            #expect(bought["transactionId"]?.string != waiting["transactionId"]?.string)
            let now = try await client.get("/clock")["now"]?.int64
            #expect(try payload(bought)["purchaseDate"]?.int64 == now)
        }
    }

    @Test func `a seat is assigned and taken back`() async throws {
        try await withClient { client, id in
            let path = "/subscriptions/\(id)/seats"
            let seat = try await client.post(path, #"{"account":"ben"}"#)
            #expect(seat["account"]?.string == "ben")
            #expect(seat["inAppOwnershipType"]?.string == "ASSIGNED")
            #expect(try await code(client, path, #"{"account":"ben"}"#) == "409 seatAssigned")
            let (status, ended) = try await client.call(.delete, path + "/ben")
            #expect(status == 200)
            #expect(ended["statusText"]?.string == "revoked")
            #expect(try payload(ended)["revocationType"]?.string == "ASSIGNMENT_REVOKE")
            let (again, problem) = try await client.call(.delete, path + "/ben")
            #expect(again == 404 && problem["code"]?.string == "unknownSeat")
        }
    }

    @Test func `a switch goes into a bundle and back`() async throws {
        try await withClient { client, id in
            #expect(try await code(client, "/subscriptions/\(id)/switch", #"{"productId":"better"}"#) == "409 invalidSwitch")
            var old = id
            for product in ["bundle", "alone"] {
                let (status, new) = try await client.call(
                    .post, "/subscriptions/\(old)/switch", #"{"productId":"\#(product)"}"#)
                #expect(status == 201 && new["outcome"]?.string == "switched")
                #expect(try payload(new)["previousOriginalTransactionId"]?.string == old)
                let ended = try await client.get("/subscriptions/\(old)")
                #expect(ended["statusText"]?.string == "revoked")
                #expect(try payload(ended)["revocationDate"]?.int64 == World.start.millisecondsSince1970)
                old = try #require(new["originalTransactionId"]?.string)
            }
        }
    }

    @Test func `the form of notifications is set, shown and kept`() async throws {
        try await withClient { client, _ in
            let body = #"{"notificationTransactionId":"another","partsApartMilliseconds":1}"#
            for shown in [try await client.post("/behaviour", body), try await client.post("/behaviour")] {
                #expect(shown["notificationTransactionId"]?.string == "another")
                #expect(shown["partsApartMilliseconds"]?.int64 == 1)
            }
            for wrong in [#"{"notificationTransactionId":"none"}"#, #"{"partsApartMilliseconds":1001}"#] {
                #expect(try await code(client, "/behaviour", wrong) == "400 invalidMember")
            }
            let usual = try await client.post(
                "/behaviour", #"{"notificationTransactionId":"same","partsApartMilliseconds":0}"#)
            #expect(usual["notificationTransactionId"]?.string == "same")
            #expect(usual["partsApartMilliseconds"]?.int64 == 0)
        }
    }

    @Test func `an ended leaf is one of the signings`() async throws {
        try await withClient { client, _ in
            for signing in Signing.allCases {
                let set = try await client.post("/signing", #"{"signing":"\#(signing.rawValue)"}"#)
                #expect(set["signing"]?.string == signing.rawValue)
            }
            #expect(try await code(client, "/signing", #"{"signing":"expired"}"#) == "400 invalidMember")
        }
    }
}
