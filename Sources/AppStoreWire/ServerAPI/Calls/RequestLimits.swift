internal import Primitives

// Apple's documented limits for each request's fields, checked before a request is sent.

extension ExtendRenewalDateRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.number("extendByDays", extendByDays, in: 1...90)
        try limits.number("extendReasonCode", extendReasonCode.rawValue, in: 0...3)
        try limits.requiredText("requestIdentifier", requestIdentifier, atMost: 128)
    }
}

extension MassExtendRenewalDateRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.requiredText("requestIdentifier", requestIdentifier, atMost: 128)
        try limits.number("extendByDays", extendByDays, in: 1...90)
        try limits.number("extendReasonCode", extendReasonCode.rawValue, in: 0...3)
        try limits.requiredText("productId", productId)
        if storefrontCountryCodes?.isEmpty == true { throw ServerAPIRequestError(.empty, "storefrontCountryCodes") }
    }
}

extension ConsumptionRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.consent("customerConsented", customerConsented)
        try limits.number("consumptionPercentage", consumptionPercentage, in: 0...100_000)
        // Apple: UndeliveredConsumptionPercentageNonZeroError.
        try limits.refuse(
            "consumptionPercentage", if: deliveryStatus != .delivered && (consumptionPercentage ?? 0) != 0)
    }
}

extension ConsumptionRequestV1: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.consent("customerConsented", customerConsented)
        try limits.uuid("appAccountToken", appAccountToken == "" ? nil : appAccountToken)
    }
}

extension UpdateAppAccountTokenRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.uuid("appAccountToken", appAccountToken)
    }
}

extension NotificationHistoryRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        guard startDate < endDate else { throw ServerAPIRequestError(.startNotBeforeEnd, "startDate") }
        try limits.refuse("transactionId", if: transactionId != nil && notificationType != nil)
        try limits.refuse("notificationSubtype", if: notificationSubtype != nil && notificationType == nil)
    }
}

extension ClaimSeatRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.requiredText("requestIdentifier", requestIdentifier)
        try limits.requiredText("appTransactionId", appTransactionId)
    }
}

// MARK: Retention messaging

extension UploadMessageRequestBody: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.text("header", header, atMost: 66)
        try limits.text("body", body, atMost: 144)
        try limits.part("image", image)
        try limits.refuse("headerPosition", if: headerPosition == .aboveImage && image == nil)
        try limits.parts("bulletPoints", bulletPoints, atMost: 5)
    }
}

extension UploadMessageImage: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.uuid("imageIdentifier", imageIdentifier)
        try limits.text("altText", altText, atMost: 150)
    }
}

extension BulletPoint: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.text("text", text, atMost: 66)
        try limits.uuid("imageIdentifier", imageIdentifier)
        try limits.text("altText", altText, atMost: 150)
    }
}

extension DefaultConfigurationRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.uuid("messageIdentifier", messageIdentifier)
    }
}

extension RealtimeUrlRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.requiredText("realtimeURL", realtimeURL, atMost: 256)
    }
}

extension PerformanceTestRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.requiredText("originalTransactionId", originalTransactionId)
    }
}
