import AppStoreWire
import Foundation
import Primitives
import StrictJSON
import Testing

/// Apple's own example bodies: each is decoded by its type and encoded again, and an independent reader sees nothing lost and
/// nothing added.
@Suite(.needsFixtures) struct `Apple's example bodies` {
    /// Reads bytes as one type and writes them again.
    struct Trip: Sendable, CustomTestStringConvertible {
        let file: String
        let run: @Sendable ([UInt8]) throws -> [UInt8]

        init<Body: Codable & SendableMetatype>(_ file: String, _ type: Body.Type) {
            self.file = file
            run = { try StrictJSONEncoder().encode(try StrictJSONDecoder().decode(Body.self, from: $0)) }
        }

        var testDescription: String { file }
    }

    static let trips: [Trip] = [
        Trip("advancedCommerceDescriptors", AdvancedCommerceDescriptors.self),
        Trip("advancedCommerceOffer", AdvancedCommerceOffer.self),
        Trip("advancedCommerceOneTimeChargeCreateRequest", AdvancedCommerceOneTimeChargeCreateRequest.self),
        Trip("advancedCommerceOneTimeChargeItem", AdvancedCommerceOneTimeChargeItem.self),
        Trip("advancedCommerceRequestInfo", AdvancedCommerceRequestInfo.self),
        Trip("advancedCommerceRequestRefundItem", AdvancedCommerceRequestRefundItem.self),
        Trip("advancedCommerceRequestRefundRequest", AdvancedCommerceRequestRefundRequest.self),
        Trip("advancedCommerceRequestRefundResponse", AdvancedCommerceRequestRefundResponse.self),
        Trip("advancedCommerceSubscriptionCancelRequest", AdvancedCommerceSubscriptionCancelRequest.self),
        Trip("advancedCommerceSubscriptionCancelResponse", AdvancedCommerceSubscriptionCancelResponse.self),
        Trip(
            "advancedCommerceSubscriptionChangeMetadataDescriptors",
            AdvancedCommerceSubscriptionChangeMetadataDescriptors.self),
        Trip("advancedCommerceSubscriptionChangeMetadataItem", AdvancedCommerceSubscriptionChangeMetadataItem.self),
        Trip("advancedCommerceSubscriptionChangeMetadataRequest", AdvancedCommerceSubscriptionChangeMetadataRequest.self),
        Trip("advancedCommerceSubscriptionChangeMetadataResponse", AdvancedCommerceSubscriptionChangeMetadataResponse.self),
        Trip("advancedCommerceSubscriptionCreateItem", AdvancedCommerceSubscriptionCreateItem.self),
        Trip("advancedCommerceSubscriptionCreateRequest", AdvancedCommerceSubscriptionCreateRequest.self),
        Trip("advancedCommerceSubscriptionMigrateDescriptors", AdvancedCommerceSubscriptionMigrateDescriptors.self),
        Trip("advancedCommerceSubscriptionMigrateItem", AdvancedCommerceSubscriptionMigrateItem.self),
        Trip("advancedCommerceSubscriptionMigrateRenewalItem", AdvancedCommerceSubscriptionMigrateRenewalItem.self),
        Trip("advancedCommerceSubscriptionMigrateRequest", AdvancedCommerceSubscriptionMigrateRequest.self),
        Trip("advancedCommerceSubscriptionMigrateResponse", AdvancedCommerceSubscriptionMigrateResponse.self),
        Trip("advancedCommerceSubscriptionModifyAddItem", AdvancedCommerceSubscriptionModifyAddItem.self),
        Trip("advancedCommerceSubscriptionModifyChangeItem", AdvancedCommerceSubscriptionModifyChangeItem.self),
        Trip("advancedCommerceSubscriptionModifyDescriptors", AdvancedCommerceSubscriptionModifyDescriptors.self),
        Trip("advancedCommerceSubscriptionModifyInAppRequest", AdvancedCommerceSubscriptionModifyInAppRequest.self),
        Trip("advancedCommerceSubscriptionModifyPeriodChange", AdvancedCommerceSubscriptionModifyPeriodChange.self),
        Trip("advancedCommerceSubscriptionModifyRemoveItem", AdvancedCommerceSubscriptionModifyRemoveItem.self),
        Trip("advancedCommerceSubscriptionPriceChangeItem", AdvancedCommerceSubscriptionPriceChangeItem.self),
        Trip("advancedCommerceSubscriptionPriceChangeRequest", AdvancedCommerceSubscriptionPriceChangeRequest.self),
        Trip("advancedCommerceSubscriptionPriceChangeResponse", AdvancedCommerceSubscriptionPriceChangeResponse.self),
        Trip(
            "advancedCommerceSubscriptionReactivateInAppRequest", AdvancedCommerceSubscriptionReactivateInAppRequest.self),
        Trip("advancedCommerceSubscriptionReactivateItem", AdvancedCommerceSubscriptionReactivateItem.self),
        Trip("advancedCommerceSubscriptionRevokeRequest", AdvancedCommerceSubscriptionRevokeRequest.self),
        Trip("advancedCommerceSubscriptionRevokeResponse", AdvancedCommerceSubscriptionRevokeResponse.self),
        Trip("appTransactionInfoResponse", AppTransactionInfoResponse.self),
        Trip("extendRenewalDateForAllActiveSubscribersResponse", MassExtendRenewalDateResponse.self),
        Trip("extendSubscriptionRenewalDateResponse", ExtendRenewalDateResponse.self),
        Trip("getAllSubscriptionStatusesResponse", StatusResponse.self),
        Trip("getDefaultMessageResponse", DefaultConfigurationResponse.self),
        Trip("getImageListResponse", GetImageListResponse.self),
        Trip("getMessageListResponse", GetMessageListResponse.self),
        Trip("getNotificationHistoryResponse", NotificationHistoryResponse.self),
        Trip("getRealtimeUrlResponse", RealtimeUrlResponse.self),
        Trip("getRefundHistoryResponse", RefundHistoryResponse.self),
        Trip("getStatusOfSubscriptionRenewalDateExtensionsResponse", MassExtendRenewalDateStatusResponse.self),
        Trip("getTestNotificationStatusResponse", CheckTestNotificationResponse.self),
        Trip("lookupOrderIdResponse", OrderLookupResponse.self),
        Trip("performanceTestResponse", PerformanceTestResponse.self),
        Trip("performanceTestResultResponse", PerformanceTestResultResponse.self),
        Trip("requestTestNotificationResponse", SendTestNotificationResponse.self),
        Trip("transactionHistoryResponse", HistoryResponse.self),
        // The environment is unknown; it is preserved all the same.
        Trip("transactionHistoryResponseWithMalformedEnvironment", HistoryResponse.self),
        Trip("transactionInfoResponse", TransactionInfoResponse.self),
    ]

    /// Read as answers and not as bodies, below.
    static let errors: [(file: String, code: Int64)] = [
        ("apiException", 5_000_000), ("apiTooManyRequestsException", 4_290_000), ("apiUnknownError", 9_990_000),
        ("appTransactionDoesNotExistError", 4_040_019), ("familyTransactionNotSupportedError", 4_000_185),
        ("invalidAppAccountTokenUUIDError", 4_000_183), ("invalidTransactionIdError", 4_000_006),
        ("transactionIdNotFoundError", 4_040_010), ("transactionIdNotOriginalTransactionId", 4_000_187),
    ]

    static let malformed = "transactionHistoryResponseWithMalformedAppAppleId"

    /// Payloads that Apple signs: the verifier's, read in `DecodingTests`.
    static let signed: Set<String> = [
        "appData", "appTransaction", "decodedRealtimeRequest", "signedConsumptionRequestNotification",
        "signedExternalPurchaseTokenNotification", "signedExternalPurchaseTokenSandboxNotification", "signedNotification",
        "signedRenewalInfo", "signedRescindConsentNotification", "signedSummaryNotification", "signedTransaction",
        "signedTransactionWithRevocation",
    ]

    private func bytes(_ file: String) throws -> [UInt8] { try Fixtures.bytes("apple-library/models/\(file).json") }

    @Test func `every file is in exactly one list`() throws {
        let folder = try #require(Fixtures.folder) + "/apple-library/models"
        let there = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }
        let listed = Self.trips.map(\.file) + Self.errors.map(\.file) + [Self.malformed] + Self.signed
        #expect(Set(listed).count == listed.count)
        #expect(Set(there) == Set(listed.map { $0 + ".json" }))
    }

    @Test(arguments: trips) func `a body survives reading and writing`(_ trip: Trip) throws {
        let original = try bytes(trip.file)
        let written = try trip.run(original)
        let expected = try #require(try JSONSerialization.jsonObject(with: Data(original)) as? NSDictionary)
        let actual = try #require(try JSONSerialization.jsonObject(with: Data(written)) as? NSDictionary)
        #expect(actual == expected)
        // NSNumber treats 1 and true as equal; comparing their texts does not.
        #expect(try sorted(actual) == sorted(expected))
    }

    private func sorted(_ object: NSDictionary) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]), as: UTF8.self)
    }

    @Test func `fields are read with their meaning, not only carried`() throws {
        let status = try StrictJSONDecoder().decode(
            StatusResponse.self, from: try bytes("getAllSubscriptionStatusesResponse"))
        #expect(status.environment == .localTesting)
        #expect(status.appAppleId == 5_454_545)
        #expect(status.data.map(\.subscriptionGroupIdentifier) == ["sub_group_one", "sub_group_two"])
        #expect(status.data.flatMap(\.lastTransactions).map(\.status) == [.active, .revoked, .expired])
        let history = try StrictJSONDecoder().decode(
            NotificationHistoryResponse.self, from: try bytes("getNotificationHistoryResponse"))
        let attempts = try #require(history.notificationHistory.first?.sendAttempts)
        #expect(attempts.map(\.sendAttemptResult) == [.noResponse, .success])
        #expect(attempts.first?.attemptDate == World.instant(1_698_148_900_000))
        let test = try StrictJSONDecoder().decode(
            PerformanceTestResultResponse.self, from: try bytes("performanceTestResultResponse"))
        #expect(test.failures?.counts == [.timedOut: 1, .noResponse: 1])
        #expect(test.result == .pass)
    }

    @Test func `the Advanced Commerce objects in signed payloads are read in every field`() throws {
        let transaction = try advancedCommerce("signedTransaction")
        let read = try AdvancedCommerceTransactionInfo(json: transaction.json)
        #expect(try object(try StrictJSONEncoder().encode(read)) == transaction.object)
        let renewal = try advancedCommerce("signedRenewalInfo")
        let next = try AdvancedCommerceRenewalInfo(json: renewal.json)
        #expect(try object(try StrictJSONEncoder().encode(next)) == renewal.object)
    }

    private func advancedCommerce(_ file: String) throws -> (json: [UInt8], object: NSDictionary) {
        let payload = try Fixtures.object("apple-library/models/\(file).json")
        let object = try #require(payload["advancedCommerceInfo"] as? NSDictionary)
        return (Array(try JSONSerialization.data(withJSONObject: object)), object)
    }

    private func object(_ json: [UInt8]) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: Data(json)) as? NSDictionary)
    }

    @Test func `an unknown environment survives, and is not a known one`() throws {
        let history = try StrictJSONDecoder().decode(
            HistoryResponse.self, from: try bytes("transactionHistoryResponseWithMalformedEnvironment"))
        #expect(history.environment?.rawValue == "LocalTestingxxx")
        #expect(history.environment?.environment == nil)
        #expect(ReportedEnvironment(.sandbox).environment == .sandbox)
    }

    @Test func `an appAppleId that is not a number is an error that names it`() throws {
        let call = try ServerAPICall.getTransactionHistory(anyTransactionId: "1")
        // The file has a second fault before this one: `hasMore` is a number. Each is named.
        let faulty = try Fixtures.text("apple-library/models/\(Self.malformed).json")
        for (text, field) in [(faulty, "hasMore"), (faulty.replacing("\"hasMore\": 1", with: "\"hasMore\": true"), "appAppleId")]
        {
            let answer = call.answer(to: ServerAPIReply(status: 200, body: Array(text.utf8)), at: World.now)
            #expect(answer.failure?.reason == .unexpectedShape(field: field))
            #expect(answer.failure?.isRetryable == false)
        }
    }

    @Test(arguments: errors) func `an error is read with its code and its text`(_ file: String, _ code: Int64) throws {
        let call = try ServerAPICall.getTransactionInfo(transactionId: "1")
        let body = try bytes(file)
        let message = try #require(try Fixtures.object("apple-library/models/\(file).json")["errorMessage"] as? String)
        let status = code == 9_990_000 ? 400 : Int(code / 10_000)
        let failure = try #require(call.answer(to: ServerAPIReply(status: status, body: body), at: World.now).failure)
        #expect(failure.reason == .apple(ServerAPIErrorCode(rawValue: code), message: message))
        #expect(failure.isRetryable == [5_000_000, 4_290_000].contains(code))
    }
}

extension Result where Failure == ServerAPIFailure {
    var failure: ServerAPIFailure? {
        if case .failure(let failure) = self { return failure }
        return nil
    }
}
