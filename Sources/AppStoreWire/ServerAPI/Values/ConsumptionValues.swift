/// Whether the customer got what was bought.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `deliveryStatus` of `ConsumptionRequest`.
public struct ConsumptionDeliveryStatus: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Got it, and it works.
    public static let delivered = ConsumptionDeliveryStatus(rawValue: "DELIVERED")
    /// Did not get it, because of its quality.
    public static let undeliveredQualityIssue = ConsumptionDeliveryStatus(rawValue: "UNDELIVERED_QUALITY_ISSUE")
    /// Got something else.
    public static let undeliveredWrongItem = ConsumptionDeliveryStatus(rawValue: "UNDELIVERED_WRONG_ITEM")
    /// Did not get it, because of a server outage.
    public static let undeliveredServerOutage = ConsumptionDeliveryStatus(rawValue: "UNDELIVERED_SERVER_OUTAGE")
    /// Did not get it, for another reason.
    public static let undeliveredOther = ConsumptionDeliveryStatus(rawValue: "UNDELIVERED_OTHER")
}

/// The developer's preference for Apple's decision about a refund.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `refundPreference` of `ConsumptionRequest`.
public struct RefundPreference: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Refuse it.
    public static let decline = RefundPreference(rawValue: "DECLINE")
    /// Refund all.
    public static let grantFull = RefundPreference(rawValue: "GRANT_FULL")
    /// Refund the part that was not used.
    public static let grantProrated = RefundPreference(rawValue: "GRANT_PRORATED")
}

/// How much of a consumable was used; version 1.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `consumptionStatus`.
public struct ConsumptionStatus: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Not stated.
    public static let undeclared = ConsumptionStatus(rawValue: 0)
    /// Nothing.
    public static let notConsumed = ConsumptionStatus(rawValue: 1)
    /// A part.
    public static let partiallyConsumed = ConsumptionStatus(rawValue: 2)
    /// All.
    public static let fullyConsumed = ConsumptionStatus(rawValue: 3)
}

/// Where a consumable was used; version 1.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `platform`.
public struct ConsumptionPlatform: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Not stated.
    public static let undeclared = ConsumptionPlatform(rawValue: 0)
    /// On an Apple platform.
    public static let apple = ConsumptionPlatform(rawValue: 1)
    /// Elsewhere.
    public static let nonApple = ConsumptionPlatform(rawValue: 2)
}

/// Whether a consumable was delivered; version 1.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `deliveryStatus` of `ConsumptionRequestV1`.
public struct ConsumptionDeliveryStatusV1: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// It was delivered, and it works.
    public static let deliveredAndWorkingProperly = ConsumptionDeliveryStatusV1(rawValue: 0)
    /// Not delivered, because of its quality.
    public static let didNotDeliverDueToQualityIssue = ConsumptionDeliveryStatusV1(rawValue: 1)
    /// Something else was delivered.
    public static let deliveredWrongItem = ConsumptionDeliveryStatusV1(rawValue: 2)
    /// Not delivered, because of a server outage.
    public static let didNotDeliverDueToServerOutage = ConsumptionDeliveryStatusV1(rawValue: 3)
    /// Not delivered, because the game's currency changed.
    public static let didNotDeliverDueToIngameCurrencyChange = ConsumptionDeliveryStatusV1(rawValue: 4)
    /// Not delivered, for another reason.
    public static let didNotDeliverForOtherReason = ConsumptionDeliveryStatusV1(rawValue: 5)
}

/// How old the customer's account in the app is; version 1.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `accountTenure`.
public struct AccountTenure: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Not stated.
    public static let undeclared = AccountTenure(rawValue: 0)
    /// 0 to 3 days.
    public static let zeroToThreeDays = AccountTenure(rawValue: 1)
    /// 3 to 10 days.
    public static let threeDaysToTenDays = AccountTenure(rawValue: 2)
    /// 10 to 30 days.
    public static let tenDaysToThirtyDays = AccountTenure(rawValue: 3)
    /// 30 to 90 days.
    public static let thirtyDaysToNinetyDays = AccountTenure(rawValue: 4)
    /// 90 to 180 days.
    public static let ninetyDaysToOneHundredEightyDays = AccountTenure(rawValue: 5)
    /// 180 to 365 days.
    public static let oneHundredEightyDaysToThreeHundredSixtyFiveDays = AccountTenure(rawValue: 6)
    /// More than 365 days.
    public static let greaterThanThreeHundredSixtyFiveDays = AccountTenure(rawValue: 7)
}

/// How long the customer used the app; version 1.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `playTime`.
public struct PlayTime: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Not stated.
    public static let undeclared = PlayTime(rawValue: 0)
    /// 0 to 5 minutes.
    public static let zeroToFiveMinutes = PlayTime(rawValue: 1)
    /// 5 to 60 minutes.
    public static let fiveToSixtyMinutes = PlayTime(rawValue: 2)
    /// 1 to 6 hours.
    public static let oneToSixHours = PlayTime(rawValue: 3)
    /// 6 to 24 hours.
    public static let sixHoursToTwentyFourHours = PlayTime(rawValue: 4)
    /// 1 to 4 days.
    public static let oneDayToFourDays = PlayTime(rawValue: 5)
    /// 4 to 16 days.
    public static let fourDaysToSixteenDays = PlayTime(rawValue: 6)
    /// More than 16 days.
    public static let overSixteenDays = PlayTime(rawValue: 7)
}

/// How many US dollars in total, over all of the customer's platforms; version 1.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `lifetimeDollarsPurchased`, `lifetimeDollarsRefunded`.
public struct LifetimeDollars: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Not stated.
    public static let undeclared = LifetimeDollars(rawValue: 0)
    /// None.
    public static let zeroDollars = LifetimeDollars(rawValue: 1)
    /// 0.01 to 49.99.
    public static let oneCentToFortyNineDollarsAndNinetyNineCents = LifetimeDollars(rawValue: 2)
    /// 50 to 99.99.
    public static let fiftyDollarsToNinetyNineDollarsAndNinetyNineCents = LifetimeDollars(rawValue: 3)
    /// 100 to 499.99.
    public static let oneHundredDollarsToFourHundredNinetyNineDollarsAndNinetyNineCents = LifetimeDollars(rawValue: 4)
    /// 500 to 999.99.
    public static let fiveHundredDollarsToNineHundredNinetyNineDollarsAndNinetyNineCents = LifetimeDollars(rawValue: 5)
    /// 1000 to 1999.99.
    public static let oneThousandDollarsToOneThousandNineHundredNinetyNineDollarsAndNinetyNineCents = LifetimeDollars(rawValue: 6)
    /// 2000 or more.
    public static let twoThousandDollarsOrGreater = LifetimeDollars(rawValue: 7)
}

/// The state of the customer's account in the app; version 1.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `userStatus`.
public struct UserStatus: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Not stated.
    public static let undeclared = UserStatus(rawValue: 0)
    /// In use.
    public static let active = UserStatus(rawValue: 1)
    /// Suspended.
    public static let suspended = UserStatus(rawValue: 2)
    /// Ended.
    public static let terminated = UserStatus(rawValue: 3)
    /// Restricted.
    public static let limitedAccess = UserStatus(rawValue: 4)
}

/// The developer's preference for Apple's decision about a refund; version 1.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `refundPreference` of `ConsumptionRequestV1`.
public struct RefundPreferenceV1: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: Int64

    /// Any value, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Not stated.
    public static let undeclared = RefundPreferenceV1(rawValue: 0)
    /// Grant it.
    public static let preferGrant = RefundPreferenceV1(rawValue: 1)
    /// Refuse it.
    public static let preferDecline = RefundPreferenceV1(rawValue: 2)
    /// Either.
    public static let noPreference = RefundPreferenceV1(rawValue: 3)
}
