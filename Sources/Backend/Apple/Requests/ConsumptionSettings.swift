package import Ledger

/// What an app chose about Apple's questions of what became of a purchase (ABUSE-2).
package struct ConsumptionSettings: Sendable, Hashable {
    /// Whose consent lets Apple be told about a customer.
    package enum Consent: String, Sendable, Hashable, CaseIterable {
        /// Nobody is reported on.
        case never
        /// Each customer's own, as the app's backend noted it (`noteConsumption`).
        case customer
        /// The app has everybody's, for example by its terms of use.
        case always
    }

    package var consent: Consent
    /// What to ask of Apple; nil: nothing.
    package var refundPreference: ConsumptionReport.RefundPreference?
    /// From how much consumption on the app would rather decline, in thousandths of a percent; nil: never.
    package var declineFrom: Int64?
    /// Products whose content one can try before buying.
    package var samples: Set<ProductID>

    package init(
        consent: Consent = .never, refundPreference: ConsumptionReport.RefundPreference? = nil, declineFrom: Int64? = nil,
        samples: Set<ProductID> = []
    ) {
        self.consent = consent
        self.refundPreference = refundPreference
        self.declineFrom = declineFrom
        self.samples = samples
    }

    /// As the rules take it, for a product.
    func policy(for product: ProductID) -> ConsumptionPolicy {
        ConsumptionPolicy(
            consent: consent == .never ? .never : .perCustomer, refundPreference: refundPreference, declineFrom: declineFrom,
            sampleContentProvided: samples.contains(product))
    }
}
