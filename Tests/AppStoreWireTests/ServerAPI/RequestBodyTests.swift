import AppStoreWire
import Primitives
import StrictJSON
import Testing

/// Compares what is sent with JSON that was written by hand from Apple's field names.
@Suite struct `Bodies of requests` {
    static let uuid = "3db5c98d-8acf-4e29-831e-8e1f82f9f6e9"

    private func text<Response>(_ call: ServerAPICall<Response>) throws -> String {
        String(decoding: try #require(call.body), as: UTF8.self)
    }

    @Test func `an extension for all names its storefronts`() throws {
        let request = MassExtendRenewalDateRequest(
            requestIdentifier: "r", extendByDays: 45, extendReasonCode: .customerSatisfaction, productId: "p",
            storefrontCountryCodes: ["USA", "MEX"])
        #expect(
            try text(.extendRenewalDateForAllActiveSubscribers(request))
                == #"{"requestIdentifier":"r","extendByDays":45,"extendReasonCode":1,"productId":"p","#
                + #""storefrontCountryCodes":["USA","MEX"]}"#)
    }

    @Test func `consumption of both versions`() throws {
        let request = ConsumptionRequest(
            customerConsented: true, consumptionPercentage: 50_000, deliveryStatus: .delivered, refundPreference: .grantProrated,
            sampleContentProvided: false)
        #expect(
            try text(.sendConsumptionInformation(transactionId: "1", request))
                == #"{"customerConsented":true,"consumptionPercentage":50000,"deliveryStatus":"DELIVERED","#
                + #""refundPreference":"GRANT_PRORATED","sampleContentProvided":false}"#)
        let first = ConsumptionRequestV1(
            customerConsented: true, consumptionStatus: .partiallyConsumed, platform: .nonApple, sampleContentProvided: false,
            deliveryStatus: .didNotDeliverDueToServerOutage, appAccountToken: Self.uuid,
            accountTenure: .thirtyDaysToNinetyDays, playTime: .oneDayToFourDays,
            lifetimeDollarsRefunded: .oneThousandDollarsToOneThousandNineHundredNinetyNineDollarsAndNinetyNineCents,
            lifetimeDollarsPurchased: .twoThousandDollarsOrGreater, userStatus: .limitedAccess, refundPreference: .noPreference)
        #expect(
            try text(.sendConsumptionInformationV1(transactionId: "1", first))
                == #"{"customerConsented":true,"consumptionStatus":2,"platform":2,"sampleContentProvided":false,"#
                + #""deliveryStatus":3,"appAccountToken":"\#(Self.uuid)","accountTenure":4,"playTime":5,"#
                + #""lifetimeDollarsRefunded":6,"lifetimeDollarsPurchased":7,"userStatus":4,"refundPreference":3}"#)
    }

    @Test func `a history of notifications and its page`() throws {
        let request = NotificationHistoryRequest(
            startDate: World.signed, endDate: World.now, notificationType: .didRenew, notificationSubtype: .billingRecovery,
            onlyFailures: true)
        let call = try ServerAPICall.getNotificationHistory(request, paginationToken: "a b")
        #expect(call.target == "/inApps/v1/notifications/history?paginationToken=a%20b")
        #expect(
            try text(call)
                == #"{"startDate":1780000000000,"endDate":1780000060000,"notificationType":"DID_RENEW","#
                + #""notificationSubtype":"BILLING_RECOVERY","onlyFailures":true}"#)
    }

    @Test func `a token, a message, a default, a URL, a test and a seat`() throws {
        #expect(
            try text(
                .setAppAccountToken(originalTransactionId: "1", UpdateAppAccountTokenRequest(appAccountToken: Self.uuid)))
                == #"{"appAccountToken":"\#(Self.uuid)"}"#)
        let message = UploadMessageRequestBody(
            header: "h", body: "b", image: UploadMessageImage(imageIdentifier: Self.uuid, altText: "a"),
            headerPosition: .aboveImage,
            bulletPoints: [BulletPoint(text: "t", imageIdentifier: Self.uuid, altText: "c")])
        #expect(
            try text(.uploadMessage(messageIdentifier: Self.uuid, message))
                == #"{"header":"h","body":"b","image":{"imageIdentifier":"\#(Self.uuid)","altText":"a"},"#
                + #""headerPosition":"ABOVE_IMAGE","#
                + #""bulletPoints":[{"text":"t","imageIdentifier":"\#(Self.uuid)","altText":"c"}]}"#)
        #expect(
            try text(
                .configureDefaultMessage(
                    productId: "p", locale: "l", DefaultConfigurationRequest(messageIdentifier: Self.uuid)))
                == #"{"messageIdentifier":"\#(Self.uuid)"}"#)
        #expect(
            try text(.configureRealtimeURL(RealtimeUrlRequest(realtimeURL: "https://example.com/r")))
                == #"{"realtimeURL":"https://example.com/r"}"#)
        #expect(
            try text(.initiatePerformanceTest(PerformanceTestRequest(originalTransactionId: "1")))
                == #"{"originalTransactionId":"1"}"#)
        #expect(
            try text(
                .claimSeat(originalTransactionId: "1", ClaimSeatRequest(requestIdentifier: "r", appTransactionId: "2")))
                == #"{"requestIdentifier":"r","appTransactionId":"2"}"#)
    }

    @Test func `groups and seats are read from the raw body as far as they are documented`() throws {
        let entry = try StrictJSONDecoder().decode(
            GroupEntry.self,
            from: Array(#"{"groupId":"g","groupType":"ORGANIZATION","roles":[{"productId":"p","role":"ADMIN"}],"new":1}"#.utf8))
        #expect(
            entry == GroupEntry(groupId: "g", groupType: "ORGANIZATION", roles: [GroupRole(productId: "p", role: "ADMIN")]))
        let body = Array(#"{"totalSeatCount":5,"availableSeatCount":3,"assignedSeatClaimIds":["a","b"]}"#.utf8)
        let seats = try ServerAPICall.getSeatInfo(originalTransactionId: "1")
            .answer(to: ServerAPIReply(status: 200, body: body), at: World.now).get()
        #expect(
            seats.response == SeatInfoResponse(totalSeatCount: 5, availableSeatCount: 3, assignedSeatClaimIds: ["a", "b"]))
    }

    @Test func `the Advanced Commerce part of a payload is read from its bytes`() throws {
        let json =
            #"{"descriptors":{"description":"d","displayName":"n"},"estimatedTax":5,"items":[{"SKU":"s","price":990,"#
            + #""refunds":[{"refundAmount":1,"refundDate":1780000000000,"refundReason":"LEGAL","refundType":"FULL"}],"#
            + #""revocationDate":1780000060000}],"period":"P9X","requestReferenceId":"r","taxCode":"t","#
            + #""taxExclusivePrice":985,"taxRate":"0.07"}"#
        let read = try AdvancedCommerceTransactionInfo(json: Array(json.utf8))
        let refund = AdvancedCommerceRefund(
            refundAmount: Milliunits(1), refundDate: World.signed, refundReason: .legal, refundType: .full)
        #expect(
            read.items == [
                AdvancedCommerceTransactionItem(
                    sku: "s", price: Milliunits(990), refunds: [refund], revocationDate: World.now)
            ])
        #expect(read.period?.rawValue == "P9X")
        #expect(read.taxRate == "0.07")
        #expect(String(decoding: try StrictJSONEncoder().encode(read), as: UTF8.self) == json)
        let renewal = try AdvancedCommerceRenewalInfo(
            json: Array(#"{"consistencyToken":"c","items":[{"SKU":"s","priceIncreaseInfo":{"status":"PENDING"}}]}"#.utf8))
        #expect(renewal.items?.first?.priceIncreaseInfo?.status == .pending)
        #expect(throws: AdvancedCommerceUnreadable.self) {
            try AdvancedCommerceRenewalInfo(json: Array(#"{"items":[{"price":"1"}]}"#.utf8))
        }
    }
}
