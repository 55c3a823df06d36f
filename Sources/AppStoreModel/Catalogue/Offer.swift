package import Primitives

/// A temporary price: introductory, promotional, by an offer code, or to win back a former subscriber.
///
/// Source: Apple, `offerType`, `offerDiscountType`, `offerPeriod`; "Supporting win-back offers"; App Store Connect Help, offer
/// codes.
package struct Offer: Sendable, Hashable {
    /// In the values of `offerType`.
    package enum Kind: Int64, Sendable, Hashable {
        case introductory = 1
        case promotional = 2
        case code = 3
        case winBack = 4
    }

    /// How it is paid, in the spelling of `offerDiscountType`.
    package enum PaymentMode: String, Sendable, Hashable {
        case free = "FREE_TRIAL"
        case payAsYouGo = "PAY_AS_YOU_GO"
        case payUpFront = "PAY_UP_FRONT"
        /// For a product that does not renew.
        case oneTime = "ONE_TIME"
    }

    /// Who may redeem an offer code.
    package enum Customer: String, Sendable, Hashable, CaseIterable {
        case new, existing, expired
    }

    package let kind: Kind
    /// `offerIdentifier`; for an offer code, its reference name; nil for an introductory offer.
    package let identifier: String?
    package let paymentMode: PaymentMode
    /// The price of one billed period, zero when free.
    package let price: Milliunits
    /// How long one billed period is; nil for a product that does not renew.
    package let billedPeriod: SubscriptionPeriod?
    /// How many billed periods in a row; 1 unless the payment mode is pay as you go.
    package let billedPeriods: Int64
    /// For an offer code: who may redeem it. Everyone for other offers.
    package let eligibility: Set<Customer>
    /// For an offer code: whether a new customer gets the introductory offer after it.
    package let isStackable: Bool
    /// For a win-back offer: whether it is available.
    package let isEligible: Bool

    package init(
        kind: Kind, identifier: String?, payment: Payment, eligibility: Set<Customer> = Set(Customer.allCases),
        isStackable: Bool = false, isEligible: Bool = true
    ) {
        self.kind = kind
        self.identifier = identifier
        paymentMode = payment.mode
        price = payment.price
        billedPeriod = payment.period
        billedPeriods = payment.periods
        self.eligibility = eligibility
        self.isStackable = isStackable
        self.isEligible = isEligible
    }

    /// What is paid, how often, for how long each time.
    package struct Payment: Sendable, Hashable {
        package let mode: PaymentMode
        package let price: Milliunits
        package let period: SubscriptionPeriod?
        package let periods: Int64

        package init(mode: PaymentMode, price: Milliunits, period: SubscriptionPeriod?, periods: Int64 = 1) {
            self.mode = mode
            self.price = price
            self.period = period
            self.periods = periods
        }
    }
}
