package import Primitives

/// What an app has chosen about licences to updates.
package struct LicencePolicy: Sendable, Hashable {
    /// LIC-2: added to the end, since a release takes time to reach the store; one day unless changed.
    package var slack: Milliseconds
    /// LIC-3: who once paid for the app; nil where it never cost anything.
    package var paidApp: PaidAppLine?
    /// LIC-3: who is taken for a holder though the environment is not Production, where Apple's values are constants.
    package var testers: [PaidAppTester]
    /// LIC-2: whether a period that a member of the family shared counts, which the customer did not buy. No unless changed.
    package var countsFamilySharing: Bool

    package init(slack: Milliseconds = .days(1), paidApp: PaidAppLine? = nil, testers: [PaidAppTester] = []) {
        self.slack = slack
        self.paidApp = paidApp
        self.testers = testers
        countsFamilySharing = false
    }
}

/// The line between those who paid for the app and those who had it for nothing (LIC-3): before the date, or with a version lower
/// than the version. Either is enough.
package struct PaidAppLine: Sendable, Hashable {
    /// Customers who got the app before this instant paid for it; nil where only versions tell.
    package var before: Timestamp?
    /// Customers who got a lower `CFBundleVersion` paid for it; nil where only the date tells.
    package var belowVersion: ApplicationVersion?
    /// The same for macOS, where Apple keeps `CFBundleShortVersionString`.
    package var belowVersionOnMac: ApplicationVersion?
    /// How long the first licence lasts from `originalPurchaseDate`; a year unless changed.
    package var updates: CalendarMonths

    package init(
        before: Timestamp?, belowVersion: ApplicationVersion? = nil, belowVersionOnMac: ApplicationVersion? = nil,
        updates: CalendarMonths = .year
    ) {
        self.before = before
        self.belowVersion = belowVersion
        self.belowVersionOnMac = belowVersionOnMac
        self.updates = updates
    }
}

/// A customer whom the app lists as a tester of paid-app licences (LIC-3).
package struct PaidAppTester: Sendable, Hashable {
    package let customer: CustomerID
    /// When they are taken to have paid for the app; nil for the constant that Apple writes.
    package let originalPurchaseDate: Timestamp?

    package init(customer: CustomerID, originalPurchaseDate: Timestamp? = nil) {
        self.customer = customer
        self.originalPurchaseDate = originalPurchaseDate
    }
}

extension LicencePolicy {
    /// The first licence that an app purchase gives; nil where it was not paid for (LIC-3).
    package func firstLicence(from purchase: AppPurchase) -> Licence? {
        guard let line = paidApp else { return nil }
        // In Sandbox and Xcode the date and the version are constants, so neither may say that anybody paid.
        guard purchase.environment == .production else {
            guard let tester = testers.first(where: { $0.customer == purchase.customer }) else { return nil }
            return line.licence(from: tester.originalPurchaseDate ?? purchase.originalPurchaseDate)
        }
        return line.isCrossed(by: purchase) ? nil : line.licence(from: purchase.originalPurchaseDate)
    }
}

extension PaidAppLine {
    /// Whether the app was free by then: not before the date, and not of a version below the line.
    fileprivate func isCrossed(by purchase: AppPurchase) -> Bool {
        if let before, purchase.originalPurchaseDate < before { return false }
        let line = purchase.platform == .macOS ? belowVersionOnMac : belowVersion
        guard let line, let version = purchase.originalApplicationVersion.flatMap(ApplicationVersion.init) else { return true }
        return version >= line
    }

    fileprivate func licence(from originalPurchaseDate: Timestamp) -> Licence {
        Licence(from: originalPurchaseDate, until: originalPurchaseDate.adding(updates), why: .paidApp)
    }
}
