package import Primitives

/// What Apple is told about a purchase that a customer wants refunded (ABUSE-2), in both forms: the present one, and the
/// deprecated one of twelve numbers.
///
/// Source: Apple, App Store Server API, `ConsumptionRequest` and `ConsumptionRequestV1`; names and raw values are Apple's.
package struct ConsumptionReport: Sendable, Hashable {
    package let transactionId: TransactionID
    /// Apple takes it before this instant.
    package let deadline: Timestamp
    /// Always true: without consent there is no report.
    package let customerConsented: Bool
    /// 0 to 100 000; nil for auto-renewable subscriptions, of which Apple takes none, and where it is not known. 0 where nothing
    /// was delivered.
    package let consumptionPercentage: Int32?
    package let deliveryStatus: DeliveryStatus
    /// Nil for no preference.
    package let refundPreference: RefundPreference?
    package let sampleContentProvided: Bool
    /// The token that the purchase bears; in the deprecated form only.
    package let appAccountToken: AppAccountToken?
    package let consumptionStatus: ConsumptionStatus
    package let accountTenure: AccountTenure
    package let playTime: PlayTime
    package let lifetimeDollarsPurchased: LifetimeDollars
    package let lifetimeDollarsRefunded: LifetimeDollars
    package let userStatus: UserStatus

    package enum DeliveryStatus: String, Sendable, Hashable, CaseIterable {
        case delivered = "DELIVERED"
        case undeliveredQualityIssue = "UNDELIVERED_QUALITY_ISSUE"
        case undeliveredWrongItem = "UNDELIVERED_WRONG_ITEM"
        case undeliveredServerOutage = "UNDELIVERED_SERVER_OUTAGE"
        case undeliveredOther = "UNDELIVERED_OTHER"

        /// The number of the deprecated form.
        package var versionOne: Int32 {
            switch self {
            case .delivered: 0
            case .undeliveredQualityIssue: 1
            case .undeliveredWrongItem: 2
            case .undeliveredServerOutage: 3
            case .undeliveredOther: 5
            }
        }
    }

    package enum RefundPreference: String, Sendable, Hashable, CaseIterable {
        case decline = "DECLINE"
        case grantFull = "GRANT_FULL"
        case grantProrated = "GRANT_PRORATED"
    }

    /// The number of the deprecated form: 1 prefer to grant, 2 prefer to decline, 3 no preference.
    package var refundPreferenceVersionOne: Int32 {
        switch refundPreference {
        case .grantFull, .grantProrated: 1
        case .decline: 2
        case nil: 3
        }
    }

    /// The number of the deprecated form: 1, a purchase at Apple.
    package var platform: Int32 { 1 }

    package enum ConsumptionStatus: Int32, Sendable, Hashable, CaseIterable {
        case undeclared = 0
        case notConsumed
        case partiallyConsumed
        case fullyConsumed
    }

    package enum AccountTenure: Int32, Sendable, Hashable, CaseIterable {
        case undeclared = 0
        case zeroToThreeDays
        case threeDaysToTenDays
        case tenDaysToThirtyDays
        case thirtyDaysToNinetyDays
        case ninetyDaysToOneHundredEightyDays
        case oneHundredEightyDaysToThreeHundredSixtyFiveDays
        case greaterThanThreeHundredSixtyFiveDays
    }

    package enum PlayTime: Int32, Sendable, Hashable, CaseIterable {
        case undeclared = 0
        case zeroToFiveMinutes
        case fiveToSixtyMinutes
        case oneToSixHours
        case sixHoursToTwentyFourHours
        case oneDayToFourDays
        case fourDaysToSixteenDays
        case overSixteenDays
    }

    /// What was spent, or refunded, over all the customer's time; Apple has the same seven steps for both.
    package enum LifetimeDollars: Int32, Sendable, Hashable, CaseIterable {
        case undeclared = 0
        case zeroDollars
        case oneCentToFortyNineDollarsAndNinetyNineCents
        case fiftyDollarsToNinetyNineDollarsAndNinetyNineCents
        case oneHundredDollarsToFourHundredNinetyNineDollarsAndNinetyNineCents
        case fiveHundredDollarsToNineHundredNinetyNineDollarsAndNinetyNineCents
        case oneThousandDollarsToOneThousandNineHundredNinetyNineDollarsAndNinetyNineCents
        case twoThousandDollarsOrGreater
    }

    package enum UserStatus: Int32, Sendable, Hashable, CaseIterable {
        case undeclared = 0
        case active
        case suspended
        case terminated
        case limitedAccess
    }
}

extension ConsumptionReport.AccountTenure {
    /// A tenure at a border belongs to the longer step; nil is undeclared.
    package init(_ length: Milliseconds?) {
        self = Self(rawValue: step(of: length, [3, 10, 30, 90, 180, 365].map { Milliseconds.days($0) })) ?? .undeclared
    }
}

extension ConsumptionReport.PlayTime {
    /// A time at a border belongs to the longer step; nil is undeclared.
    package init(_ length: Milliseconds?) {
        let borders: [Milliseconds] = [.minutes(5), .hours(1), .hours(6), .hours(24), .days(4), .days(16)]
        self = Self(rawValue: step(of: length, borders)) ?? .undeclared
    }
}

extension ConsumptionReport.LifetimeDollars {
    /// From thousandths of a dollar; nil is undeclared. Less than a cent is nothing.
    package init(_ amount: Milliunits?) {
        let borders: [Int64] = [10, 50_000, 100_000, 500_000, 1_000_000, 2_000_000]
        self = Self(rawValue: step(of: amount, borders.map { Milliunits($0) })) ?? .undeclared
    }
}

extension ConsumptionReport.ConsumptionStatus {
    /// From thousandths of a percent; nil is undeclared.
    init(_ percentage: Int64?) {
        switch percentage {
        case nil: self = .undeclared
        case .some(let part) where part <= 0: self = .notConsumed
        case .some(let part) where part < 100_000: self = .partiallyConsumed
        case .some: self = .fullyConsumed
        }
    }
}

/// The step that an amount falls in: 0, undeclared, without one, else one more than the borders that it reaches.
private func step<Amount: Comparable>(of amount: Amount?, _ borders: [Amount]) -> Int32 {
    guard let amount else { return 0 }
    return borders.reduce(1) { $1 <= amount ? $0 + 1 : $0 }
}
