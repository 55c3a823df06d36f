import AppStoreWire
import Primitives
import StrictJSON
import Testing

@Suite struct `Limits of requests` {
    static let uuid = "3db5c98d-8acf-4e29-831e-8e1f82f9f6e9"
    static let info = AdvancedCommerceRequestInfo(requestReferenceId: uuid)

    static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    /// The reason for a call's refusal; nil when it is made.
    private func refusal<Response>(
        _ call: () throws(ServerAPIRequestError) -> ServerAPICall<Response>
    ) -> ServerAPIRequestError? {
        do throws(ServerAPIRequestError) {
            _ = try call()
            return nil
        } catch {
            return error
        }
    }

    private func expect(_ refusal: ServerAPIRequestError?, _ code: ServerAPIRequestError.Code?, _ field: String = "") {
        #expect(refusal?.code == code)
        if code != nil { #expect(refusal?.field == field) }
    }

    @Test(
        arguments: [
            (0, 1, 1, ServerAPIRequestError.Code.outOfRange as ServerAPIRequestError.Code?, "extendByDays"), (1, 1, 1, nil, ""),
            (90, 3, 128, nil, ""), (91, 1, 1, .outOfRange, "extendByDays"), (-1, 1, 1, .outOfRange, "extendByDays"),
            (.max, 1, 1, .outOfRange, "extendByDays"), (1, 4, 1, .outOfRange, "extendReasonCode"),
            (1, -1, 1, .outOfRange, "extendReasonCode"), (1, 0, 0, .empty, "requestIdentifier"),
            (1, 0, 129, .tooLong, "requestIdentifier"),
        ] as [(Int64, Int64, Int, ServerAPIRequestError.Code?, String)])
    func `an extension has 1 to 90 days, a reason that Apple knows, and an identifier of 1 to 128`(
        _ days: Int64, _ reason: Int64, _ length: Int, _ code: ServerAPIRequestError.Code?, _ field: String
    ) {
        let one = ExtendRenewalDateRequest(
            extendByDays: days, extendReasonCode: ExtendReasonCode(rawValue: reason), requestIdentifier: Self.text(length))
        expect(
            refusal { () throws(ServerAPIRequestError) in try .extendSubscriptionRenewalDate(originalTransactionId: "1", one) },
            code, field)
        let mass = MassExtendRenewalDateRequest(
            requestIdentifier: Self.text(length), extendByDays: days, extendReasonCode: ExtendReasonCode(rawValue: reason),
            productId: "p", storefrontCountryCodes: ["USA"])
        expect(refusal { () throws(ServerAPIRequestError) in try .extendRenewalDateForAllActiveSubscribers(mass) }, code, field)
    }

    @Test func `an empty list of storefronts is not all of them`() {
        var mass = MassExtendRenewalDateRequest(
            requestIdentifier: "r", extendByDays: 1, extendReasonCode: .other, productId: "p", storefrontCountryCodes: [])
        expect(
            refusal { () throws(ServerAPIRequestError) in try .extendRenewalDateForAllActiveSubscribers(mass) }, .empty,
            "storefrontCountryCodes")
        mass.storefrontCountryCodes = nil
        expect(refusal { () throws(ServerAPIRequestError) in try .extendRenewalDateForAllActiveSubscribers(mass) }, nil)
    }

    @Test(
        arguments: [
            (false, nil, ConsumptionDeliveryStatus.delivered, ServerAPIRequestError.Code.consentMissing, "customerConsented"),
            (true, -1, .delivered, .outOfRange, "consumptionPercentage"), (true, 0, .delivered, nil, ""),
            (true, 100_000, .delivered, nil, ""), (true, 100_001, .delivered, .outOfRange, "consumptionPercentage"),
            (true, 1, .undeliveredOther, .contradiction, "consumptionPercentage"), (true, 0, .undeliveredOther, nil, ""),
            (true, nil, .undeliveredServerOutage, nil, ""),
        ] as [(Bool, Int64?, ConsumptionDeliveryStatus, ServerAPIRequestError.Code?, String)])
    func `consumption needs consent and a possible percentage`(
        _ consent: Bool, _ percentage: Int64?, _ delivery: ConsumptionDeliveryStatus, _ code: ServerAPIRequestError.Code?,
        _ field: String
    ) {
        let request = ConsumptionRequest(
            customerConsented: consent, consumptionPercentage: percentage, deliveryStatus: delivery, sampleContentProvided: false)
        expect(
            refusal { () throws(ServerAPIRequestError) in try .sendConsumptionInformation(transactionId: "1", request) }, code,
            field)
    }

    @Test func `consumption of version 1 needs consent and a token that is a UUID or empty`() {
        for (consent, token, code, field) in [
            (false, "", ServerAPIRequestError.Code.consentMissing, "customerConsented"), (true, "x", .notUUID, "appAccountToken"),
            (true, "", nil, ""), (true, Self.uuid, nil, ""), (true, nil, nil, ""),
        ] as [(Bool, String?, ServerAPIRequestError.Code?, String)] {
            let request = ConsumptionRequestV1(customerConsented: consent, appAccountToken: token)
            expect(
                refusal { () throws(ServerAPIRequestError) in try .sendConsumptionInformationV1(transactionId: "1", request) },
                code,
                field)
        }
    }

    @Test(
        arguments: [
            (0, 0, ServerAPIRequestError.Code.startNotBeforeEnd as ServerAPIRequestError.Code?, "startDate", nil, nil, nil),
            (0, 1, nil, "", nil, nil, nil), (0, 1, nil, "", "TEST", nil, nil), (0, 1, nil, "", "EXPIRED", "VOLUNTARY", nil),
            (0, 1, nil, "", nil, nil, "1"), (0, 1, .contradiction, "transactionId", "TEST", nil, "1"),
            (0, 1, .contradiction, "notificationSubtype", nil, "VOLUNTARY", nil),
        ] as [(Int64, Int64, ServerAPIRequestError.Code?, String, String?, String?, String?)])
    func `a history of notifications has a beginning before its end and one filter`(
        _ start: Int64, _ end: Int64, _ code: ServerAPIRequestError.Code?, _ field: String, _ type: String?, _ subtype: String?,
        _ transaction: String?
    ) {
        let request = NotificationHistoryRequest(
            startDate: World.instant(start), endDate: World.instant(end),
            notificationType: type.map(NotificationType.init(rawValue:)),
            notificationSubtype: subtype.map(NotificationSubtype.init(rawValue:)), transactionId: transaction)
        expect(refusal { () throws(ServerAPIRequestError) in try .getNotificationHistory(request) }, code, field)
    }

    @Test func `a token for a purchase is a UUID`() {
        for (token, code) in [(Self.uuid, nil), (Self.uuid.uppercased(), nil), ("x", .notUUID), ("", .notUUID)]
            as [(String, ServerAPIRequestError.Code?)]
        {
            expect(
                refusal { () throws(ServerAPIRequestError) in
                    try .setAppAccountToken(originalTransactionId: "1", UpdateAppAccountTokenRequest(appAccountToken: token))
                }, code, "appAccountToken")
        }
    }

    // MARK: Retention messaging

    static func message(
        header: Int = 66, body: Int = 144, altText: Int = 150, bullets: Int = 5, bulletText: Int = 66
    ) -> UploadMessageRequestBody {
        let bullet = BulletPoint(text: text(bulletText), imageIdentifier: uuid, altText: text(altText))
        return UploadMessageRequestBody(
            header: text(header), body: text(body), image: UploadMessageImage(imageIdentifier: uuid, altText: text(altText)),
            headerPosition: .aboveImage, bulletPoints: Array(repeating: bullet, count: bullets))
    }

    @Test func `a message at its limits is sent, and one beyond any of them is not`() {
        let upload = { (message: UploadMessageRequestBody) in
            self.refusal { () throws(ServerAPIRequestError) in try .uploadMessage(messageIdentifier: Self.uuid, message) }
        }
        expect(upload(Self.message()), nil)
        expect(upload(Self.message(header: 67)), .tooLong, "header")
        expect(upload(Self.message(body: 145)), .tooLong, "body")
        expect(upload(Self.message(altText: 151)), .tooLong, "image.altText")
        expect(upload(Self.message(bullets: 6)), .tooLong, "bulletPoints")
        expect(upload(Self.message(bulletText: 67)), .tooLong, "bulletPoints[0].text")
        var message = Self.message()
        message.image = nil
        expect(upload(message), .contradiction, "headerPosition")
        message.headerPosition = .aboveBody
        expect(upload(message), nil)
        message.bulletPoints?[4].altText = Self.text(151)
        expect(upload(message), .tooLong, "bulletPoints[4].altText")
        message.bulletPoints?[4] = BulletPoint(text: "", imageIdentifier: "x", altText: "")
        expect(upload(message), .notUUID, "bulletPoints[4].imageIdentifier")
        expect(
            refusal { () throws(ServerAPIRequestError) in try .uploadMessage(messageIdentifier: "m", Self.message()) }, .notUUID,
            "messageIdentifier")
    }

    @Test func `lengths are counted in UTF-16, so that no other count is larger`() {
        // One character of 11 UTF-16 units: a count of characters or code points is never higher.
        let family = "👨‍👩‍👧‍👦"
        #expect(family.count == 1 && family.unicodeScalars.count == 7 && family.utf16.count == 11)
        let url = { (text: String) in
            self.refusal { () throws(ServerAPIRequestError) in try .configureRealtimeURL(RealtimeUrlRequest(realtimeURL: text)) }
        }
        expect(url(Self.text(245) + family), nil)
        expect(url(Self.text(246) + family), .tooLong, "realtimeURL")
        expect(url(Self.text(256)), nil)
        expect(url(Self.text(257)), .tooLong, "realtimeURL")
        expect(url(""), .empty, "realtimeURL")
        #expect(url(Self.text(257))?.limit == 256)
    }

    // MARK: Advanced Commerce

    @Test func `Advanced Commerce keeps to its limits in every part`() {
        var item = AdvancedCommerceSubscriptionPriceChangeItem(
            sku: Self.text(128), price: Milliunits(1), dependentSKUs: [Self.text(128)])
        let change = { (item: AdvancedCommerceSubscriptionPriceChangeItem, info: AdvancedCommerceRequestInfo) in
            self.refusal { () throws(ServerAPIRequestError) in
                try .changeSubscriptionPrice(
                    transactionId: "1", AdvancedCommerceSubscriptionPriceChangeRequest(items: [item, item], requestInfo: info))
            }
        }
        expect(change(item, Self.info), nil)
        expect(change(item, AdvancedCommerceRequestInfo(requestReferenceId: "1")), .notUUID, "requestInfo.requestReferenceId")
        expect(
            change(item, AdvancedCommerceRequestInfo(requestReferenceId: Self.uuid, appAccountToken: "1")), .notUUID,
            "requestInfo.appAccountToken")
        item.dependentSKUs?.append(Self.text(129))
        expect(change(item, Self.info), .tooLong, "items[0].dependentSKUs[1]")
        item.sku = Self.text(129)
        expect(change(item, Self.info), .tooLong, "items[0].SKU")
        item.sku = ""
        expect(change(item, Self.info), .empty, "items[0].SKU")
    }

    @Test func `descriptions have 45 and names 30`() {
        let change = { (description: Int, name: Int) in
            self.refusal { () throws(ServerAPIRequestError) in
                try .changeSubscriptionMetadata(
                    transactionId: "1",
                    AdvancedCommerceSubscriptionChangeMetadataRequest(
                        descriptors: AdvancedCommerceSubscriptionChangeMetadataDescriptors(
                            description: Self.text(description), displayName: Self.text(name), effective: .immediately),
                        requestInfo: Self.info))
            }
        }
        expect(change(45, 30), nil)
        expect(change(46, 30), .tooLong, "descriptors.description")
        expect(change(45, 31), .tooLong, "descriptors.displayName")
    }
}
