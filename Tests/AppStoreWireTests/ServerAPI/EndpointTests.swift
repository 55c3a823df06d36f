import AppStoreWire
import Primitives
import Testing

/// Methods, paths and rates of Apple's pages, copied by hand.
@Suite struct `Endpoints of the App Store Server API` {
    struct Row: Sendable {
        let name: String
        let method: String
        let target: String
        let status: Int
        let rate: Int64

        init(_ name: String, _ request: String, _ rate: Int64, status: Int = 200) {
            let parts = request.split(separator: " ")
            self.name = name
            method = String(parts[0])
            target = String(parts[1])
            self.status = status
            self.rate = rate
        }
    }

    static func row<Response>(_ call: ServerAPICall<Response>) -> (ServerAPIEndpoint, String) { (call.endpoint, call.target) }

    static let uuid = "3db5c98d-8acf-4e29-831e-8e1f82f9f6e9"

    static func calls() throws -> [(ServerAPIEndpoint, String)] {
        let info = AdvancedCommerceRequestInfo(requestReferenceId: uuid)
        let extend = ExtendRenewalDateRequest(extendByDays: 1, extendReasonCode: .other, requestIdentifier: "r")
        let mass = MassExtendRenewalDateRequest(
            requestIdentifier: "r", extendByDays: 90, extendReasonCode: .undeclared, productId: "p")
        let history = NotificationHistoryRequest(startDate: World.signed, endDate: World.now)
        let consumption = ConsumptionRequest(
            customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: false)
        let migrate = AdvancedCommerceSubscriptionMigrateRequest(
            descriptors: AdvancedCommerceSubscriptionMigrateDescriptors(), items: [], requestInfo: info, targetProductId: "p",
            taxCode: "t")
        let revoke = AdvancedCommerceSubscriptionRevokeRequest(
            refundReason: .legal, refundRiskingPreference: true, refundType: .full, requestInfo: info)
        let refund = AdvancedCommerceRequestRefundRequest(items: [], refundRiskingPreference: false, requestInfo: info)
        return [
            row(try .getTransactionInfo(transactionId: "1")), row(try .getTransactionHistory(anyTransactionId: "1")),
            row(try .getTransactionHistoryV1(originalTransactionId: "1")),
            row(try .getAllSubscriptionStatuses(anyTransactionId: "1")), row(try .lookUpOrderID(orderId: "W1")),
            row(try .getRefundHistory(anyTransactionId: "1")), row(try .getRefundHistoryV1(originalTransactionId: "1")),
            row(try .extendSubscriptionRenewalDate(originalTransactionId: "1", extend)),
            row(try .extendRenewalDateForAllActiveSubscribers(mass)),
            row(try .getStatusOfSubscriptionRenewalDateExtensions(productId: "p", requestIdentifier: "r")),
            row(try .sendConsumptionInformation(transactionId: "1", consumption)),
            row(try .sendConsumptionInformationV1(transactionId: "1", ConsumptionRequestV1(customerConsented: true))),
            row(
                try .setAppAccountToken(
                    originalTransactionId: "1", UpdateAppAccountTokenRequest(appAccountToken: uuid))),
            row(try .getAppTransactionInfo(anyTransactionId: "1")), row(try .finishTransaction(transactionId: "1")),
            row(try .requestTestNotification()), row(try .getTestNotificationStatus(testNotificationToken: "t")),
            row(try .getNotificationHistory(history)), row(try .uploadImage(imageIdentifier: uuid, png: [])),
            row(try .deleteImage(imageIdentifier: uuid)), row(try .getImageList()),
            row(try .uploadMessage(messageIdentifier: uuid, UploadMessageRequestBody(header: "h", body: "b"))),
            row(try .deleteMessage(messageIdentifier: uuid)), row(try .getMessageList()),
            row(
                try .configureDefaultMessage(
                    productId: "p", locale: "en-US", DefaultConfigurationRequest(messageIdentifier: uuid))),
            row(try .getDefaultMessage(productId: "p", locale: "en-US")),
            row(try .deleteDefaultMessage(productId: "p", locale: "en-US")),
            row(try .configureRealtimeURL(RealtimeUrlRequest(realtimeURL: "https://example.com"))),
            row(try .getRealtimeURL()), row(try .deleteRealtimeURL()),
            row(try .initiatePerformanceTest(PerformanceTestRequest(originalTransactionId: "1"))),
            row(try .getPerformanceTestResults(requestId: "r")),
            row(
                try .cancelSubscription(
                    transactionId: "1", AdvancedCommerceSubscriptionCancelRequest(requestInfo: info))),
            row(
                try .changeSubscriptionMetadata(
                    transactionId: "1", AdvancedCommerceSubscriptionChangeMetadataRequest(requestInfo: info))),
            row(
                try .changeSubscriptionPrice(
                    transactionId: "1", AdvancedCommerceSubscriptionPriceChangeRequest(items: [], requestInfo: info))),
            row(try .migrateSubscription(transactionId: "1", migrate)), row(try .revokeSubscription(transactionId: "1", revoke)),
            row(try .requestTransactionRefund(transactionId: "1", refund)), row(try .getCurrentGroups(anyTransactionId: "1")),
            row(try .getGroup(groupId: "g")), row(try .getSeatInfo(originalTransactionId: "1")),
            row(
                try .claimSeat(
                    originalTransactionId: "1", ClaimSeatRequest(requestIdentifier: "r", appTransactionId: "2"))),
        ]
    }

    /// The pages "Endpoints" and "Identifying rate limits"; Advanced Commerce, groups and the status of a mass extension have no
    /// documented rate and get the lowest.
    static let table: [Row] = [
        Row("Get Transaction Info", "GET /inApps/v1/transactions/1", 50),
        Row("Get Transaction History", "GET /inApps/v2/history/1", 50),
        Row("Get Transaction History V1", "GET /inApps/v1/history/1", 50),
        Row("Get All Subscription Statuses", "GET /inApps/v1/subscriptions/1", 50),
        Row("Look Up Order ID", "GET /inApps/v1/lookup/W1", 10),
        Row("Get Refund History", "GET /inApps/v2/refund/lookup/1", 10),
        Row("Get Refund History V1", "GET /inApps/v1/refund/lookup/1", 10),
        Row("Extend a Subscription Renewal Date", "PUT /inApps/v1/subscriptions/extend/1", 20),
        Row("Extend Subscription Renewal Dates for All Active Subscribers", "POST /inApps/v1/subscriptions/extend/mass", 1),
        Row("Get Status of Subscription Renewal Date Extensions", "GET /inApps/v1/subscriptions/extend/mass/p/r", 1),
        Row("Send Consumption Information", "PUT /inApps/v2/transactions/consumption/1", 50, status: 202),
        Row("Send Consumption Information V1", "PUT /inApps/v1/transactions/consumption/1", 50, status: 202),
        Row("Set App Account Token", "PUT /inApps/v1/transactions/1/appAccountToken", 20),
        Row("Get App Transaction Info", "GET /inApps/v1/transactions/appTransactions/1", 50),
        Row("Finish Transaction", "POST /inApps/v1/transactions/1/finish", 50),
        Row("Request a Test Notification", "POST /inApps/v1/notifications/test", 1),
        Row("Get Test Notification Status", "GET /inApps/v1/notifications/test/t", 1),
        Row("Get Notification History", "POST /inApps/v1/notifications/history", 50),
        Row("Upload Image", "PUT /inApps/v1/messaging/image/\(uuid)", 1),
        Row("Delete Image", "DELETE /inApps/v1/messaging/image/\(uuid)", 1),
        Row("Get Image List", "GET /inApps/v1/messaging/image/list", 1),
        Row("Upload Message", "PUT /inApps/v1/messaging/message/\(uuid)", 1),
        Row("Delete Message", "DELETE /inApps/v1/messaging/message/\(uuid)", 1),
        Row("Get Message List", "GET /inApps/v1/messaging/message/list", 1),
        Row("Configure Default Message", "PUT /inApps/v1/messaging/default/p/en-US", 10),
        Row("Get Default Message", "GET /inApps/v1/messaging/default/p/en-US", 1),
        Row("Delete Default Message", "DELETE /inApps/v1/messaging/default/p/en-US", 1),
        Row("Configure Realtime URL", "PUT /inApps/v1/messaging/realtime/url", 1),
        Row("Get Realtime URL", "GET /inApps/v1/messaging/realtime/url", 1),
        Row("Delete Realtime URL", "DELETE /inApps/v1/messaging/realtime/url", 1),
        Row("Initiate Performance Test", "POST /inApps/v1/messaging/performanceTest", 1),
        Row("Get Performance Test Results", "GET /inApps/v1/messaging/performanceTest/result/r", 1),
        Row("Cancel a Subscription", "POST /advancedCommerce/v1/subscription/cancel/1", 1),
        Row("Change Subscription Metadata", "POST /advancedCommerce/v1/subscription/changeMetadata/1", 1),
        Row("Change Subscription Price", "POST /advancedCommerce/v1/subscription/changePrice/1", 1),
        Row("Migrate a Subscription to Advanced Commerce API", "POST /advancedCommerce/v1/subscription/migrate/1", 1),
        Row("Revoke Subscription", "POST /advancedCommerce/v1/subscription/revoke/1", 1),
        Row("Request Transaction Refund", "POST /advancedCommerce/v1/transaction/requestRefund/1", 1),
        Row("Get Current Groups", "GET /groups/v1/currentGroups/1", 1), Row("Get Group", "GET /groups/v1/group/g", 1),
        Row("Get Seat Info", "GET /groups/v1/transactions/1/seats", 1),
        Row("Claim Seat", "POST /groups/v1/transactions/1/seats", 1),
    ]

    @Test func `every endpoint has Apple's method, path, success and rate, and a call`() throws {
        let calls = try Self.calls()
        #expect(calls.count == Self.table.count)
        #expect(Set(calls.map(\.0)) == Set(ServerAPIEndpoint.all))
        #expect(Set(ServerAPIEndpoint.all).count == ServerAPIEndpoint.all.count)
        for (call, row) in zip(calls, Self.table) {
            #expect(call.0.name == row.name)
            #expect(call.0.method.rawValue == row.method, "\(row.name)")
            #expect(call.1 == row.target, "\(row.name)")
            #expect(call.0.expectedStatus == row.status, "\(row.name)")
            #expect(call.0.rateLimit.requestsPerSecond == row.rate, "\(row.name)")
        }
    }

    @Test func `rates are per hour, and a tenth of that in Sandbox`() {
        #expect(ServerAPIRateLimit.fiftyPerSecond.requestsPerHour(in: .production) == 180_000)
        #expect(ServerAPIRateLimit.fiftyPerSecond.requestsPerHour(in: .sandbox) == 18_000)
        #expect(ServerAPIRateLimit.onePerSecond.requestsPerHour(in: .sandbox) == 360)
        #expect(!ServerAPIEndpoint.cancelSubscription.rateLimit.isDocumented)
    }

    @Test func `hosts are Apple's`() throws {
        #expect(ServerAPIHost.production.baseURL == "https://api.storekit.apple.com")
        #expect(ServerAPIHost.sandbox.baseURL == "https://api.storekit-sandbox.apple.com")
        #expect(ServerAPIHost.legacyProduction.baseURL == "https://api.storekit.itunes.apple.com")
        #expect(ServerAPIHost.legacySandbox.baseURL == "https://api.storekit-sandbox.itunes.apple.com")
        let call = try ServerAPICall.getTransactionInfo(transactionId: "1")
        #expect(call.url(at: .sandbox) == "https://api.storekit-sandbox.apple.com/inApps/v1/transactions/1")
    }

    @Test func `a history is requested with every filter, always in the same order`() throws {
        let query = TransactionHistoryQuery(
            startDate: World.instant(1), endDate: World.instant(2), productIds: ["a&b", "c d"],
            productTypes: [.autoRenewable, .consumable], sort: .descending, subscriptionGroupIdentifiers: ["g1", "g2"],
            inAppOwnershipType: .familyShared, revoked: false)
        let call = try ServerAPICall.getTransactionHistory(anyTransactionId: "1", matching: query, revision: "r=+/é")
        #expect(
            call.target
                == "/inApps/v2/history/1?revision=r%3D%2B%2F%C3%A9&startDate=1&endDate=2&productId=a%26b&productId=c%20d"
                + "&productType=AUTO_RENEWABLE&productType=CONSUMABLE&sort=DESCENDING&subscriptionGroupIdentifier=g1"
                + "&subscriptionGroupIdentifier=g2&inAppOwnershipType=FAMILY_SHARED&revoked=false")
        #expect(throws: ServerAPIRequestError.self) {
            try ServerAPICall.getTransactionHistory(
                anyTransactionId: "1",
                matching: TransactionHistoryQuery(startDate: World.instant(2), endDate: World.instant(2)))
        }
        #expect(
            try ServerAPICall.getAllSubscriptionStatuses(anyTransactionId: "1", status: [.active, .billingRetry]).target
                == "/inApps/v1/subscriptions/1?status=1&status=3")
        #expect(
            try ServerAPICall.getGroup(groupId: "g", limit: 5, paginationToken: "t").target
                == "/groups/v1/group/g?limit=5&paginationToken=t")
        #expect(
            try ServerAPICall.uploadImage(imageIdentifier: Self.uuid, imageSize: .bulletPoint, png: [1]).target
                == "/inApps/v1/messaging/image/\(Self.uuid)?imageSize=BULLET_POINT")
    }

    @Test func `a call carries its body and its content type`() throws {
        let request = ExtendRenewalDateRequest(extendByDays: 30, extendReasonCode: .serviceIssueOrOutage, requestIdentifier: "r1")
        let call = try ServerAPICall.extendSubscriptionRenewalDate(originalTransactionId: "1", request)
        #expect(
            call.body.map { String(decoding: $0, as: UTF8.self) }
                == #"{"extendByDays":30,"extendReasonCode":3,"requestIdentifier":"r1"}"#)
        #expect(call.contentType == "application/json")
        #expect(call.accept == "application/json")
        let image = try ServerAPICall.uploadImage(imageIdentifier: Self.uuid, png: [0x89, 0x50])
        #expect(image.body == [0x89, 0x50])
        #expect(image.contentType == "image/png")
        #expect(try ServerAPICall.getImageList().contentType == nil)
    }

    @Test func `only a call that changes nothing may be repeated blindly`() {
        let reading = ServerAPIEndpoint.all.filter(\.isReading)
        #expect(reading.allSatisfy { $0.method == .get || $0 == .getNotificationHistory })
        #expect(reading.contains(.getNotificationHistory))
        #expect(!ServerAPIEndpoint.extendSubscriptionRenewalDate.isReading)
    }

    @Test(arguments: [
        ("", ServerAPIRequestError.Code.empty), (".", .pathSegmentNotAllowed), ("..", .pathSegmentNotAllowed),
        ("1/../2", .pathSegmentNotAllowed), ("/", .pathSegmentNotAllowed), ("a\\b", .pathSegmentNotAllowed),
        ("1\u{0}", .pathSegmentNotAllowed), ("1\r\nHost: x", .pathSegmentNotAllowed), ("\u{7F}", .pathSegmentNotAllowed),
        ("\u{85}", .pathSegmentNotAllowed), (String(repeating: "1", count: 513), .tooLong),
    ])
    func `an id from outside cannot change the path`(_ id: String, _ code: ServerAPIRequestError.Code) {
        let failure = #expect(throws: ServerAPIRequestError.self) {
            try ServerAPICall.getTransactionInfo(transactionId: id)
        }
        #expect(failure?.code == code)
        #expect(failure?.field == "transactionId")
    }

    @Test(arguments: [
        ("1?x=1", "1%3Fx%3D1"), ("1#f", "1%23f"), ("%2e%2e", "%252e%252e"), ("a b", "a%20b"), ("...", "..."),
        ("a.b-c_d~e", "a.b-c_d~e"),
        ("é", "%C3%A9"), ("1;v=2", "1%3Bv%3D2"), ("a@b:c", "a%40b%3Ac"), ("+", "%2B"),
    ])
    func `everything else is one encoded segment`(_ id: String, _ segment: String) throws {
        #expect(try ServerAPICall.getTransactionInfo(transactionId: id).path == "/inApps/v1/transactions/" + segment)
    }
}
