import Ledger
import Primitives
import Testing

@Suite struct LicenceRules {
    /// The app was sold until 2018-01-01 and has been free since; slack is a day, the first licence a year.
    let policy = LicencePolicy(paidApp: PaidAppLine(before: day(2018, 1, 1), belowVersion: ApplicationVersion("3.0")))

    private func downloaded(
        _ customer: CustomerID = alice, at originalPurchaseDate: Timestamp, version: String? = nil,
        environment: Environment = .production, platform: AppPurchase.Platform = .iOS
    ) -> AppPurchase {
        AppPurchase(
            customer: customer, originalPurchaseDate: originalPurchaseDate, originalApplicationVersion: version,
            environment: environment, platform: platform)
    }

    private func licences(_ states: SubscriptionState..., app: AppPurchase..., joins: [CustomerVote] = []) -> CustomerLicences {
        CustomerLicences(of: Person(of: alice, showing: app, joins), states: states, policy: policy)
    }

    private func feature(_ name: String, _ releaseDate: Timestamp) -> Feature {
        Feature(id: FeatureID(name), name: name, releaseDate: releaseDate)
    }

    private let january = transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1))

    // MARK: LIC-1

    @Test func `LIC-1 every feature released up to the end of a licence is the customer's for ever, and no later one`() {
        let his = licences(owned("1", by: alice, january))
        let timeline = FeatureTimeline([
            feature("later", day(2026, 6, 1)), feature("old", day(2020, 1, 1)), feature("in it", day(2026, 1, 20)),
        ])
        #expect(his.features(of: timeline, at: day(2026, 1, 25)).map(\.name) == ["old", "in it"])
        #expect(his.features(of: timeline, at: day(2040, 1, 1)).map(\.name) == ["old", "in it"])
    }

    @Test func `LIC-1 a later licence takes nothing away from one that reaches further`() {
        let year = transaction("1", from: day(2020, 1, 1), to: day(2021, 1, 1))
        let his = licences(owned("1", by: alice, year))
        #expect(his.mayUse(feature("autumn", day(2020, 11, 1)), at: day(2030, 1, 1)))
        #expect(!his.mayUse(feature("next", day(2021, 2, 1)), at: day(2030, 1, 1)))
    }

    @Test func `LIC-1 nothing may be used before its release, and nothing without a licence`() {
        let his = licences(owned("1", by: alice, january))
        #expect(!his.mayUse(feature("soon", day(2026, 1, 20)), at: day(2026, 1, 10)))
        #expect(!his.mayUse(feature("old", day(2020, 1, 1)), at: day(2025, 12, 31)))
        #expect(licences().end(at: day(2030, 1, 1)) == nil)
    }

    // MARK: LIC-2

    @Test func `LIC-2 the end is the greatest expiresDate over everything that the customer bought, and a day of slack`() {
        let year = transaction("2", pro, from: day(2025, 6, 1), to: day(2026, 6, 1))
        let his = licences(owned("1", by: alice, january), owned("2", by: alice, year))
        #expect(his.end(at: day(2026, 3, 1)) == day(2026, 6, 2))
    }

    @Test func `LIC-2 a refunded period does not count, even one that was over when it was refunded`() {
        let refunded = renewal("2", from: day(2026, 2, 1), to: day(2026, 3, 1)) {
            $0.revocation = Revocation(revocationDate: day(2026, 3, 20))
            $0.signedDate = day(2026, 3, 20)
        }
        let his = licences(owned("1", by: alice, january, refunded))
        #expect(his.end(at: day(2026, 4, 1)) == day(2026, 2, 2))
    }

    @Test func `LIC-2 a partly refunded period counts up to its refund, whatever that does to access`() {
        let partly = renewal("2", from: day(2026, 2, 1), to: day(2026, 3, 1)) {
            $0.revocation = Revocation(revocationDate: day(2026, 2, 20), revocationPercentage: 40_000)
            $0.signedDate = day(2026, 2, 20)
        }
        for policy in [AppPolicy(), AppPolicy(partialRefunds: .keep)] {
            let hers = licences(owned("1", by: alice, january, partly, policy: policy))
            #expect(hers.end(at: day(2026, 4, 1)) == day(2026, 2, 21))
        }
    }

    @Test func `LIC-2 a period that an upgrade replaced counts up to the upgrade, since Apple gave back the rest`() {
        let year = transaction("1", from: day(2026, 1, 1), to: day(2027, 1, 1)) {
            $0.isUpgraded = true
            $0.revocation = Revocation(revocationDate: day(2026, 1, 10))
            $0.signedDate = day(2026, 1, 10)
        }
        let month = transaction("2", pro, from: day(2026, 1, 10), to: day(2026, 2, 10))
        #expect(licences(owned("1", by: alice, year, month)).end(at: day(2026, 5, 1)) == day(2026, 2, 11))
    }

    @Test func `LIC-2 purchases of others, and those shared by the family, do not count`() {
        let shared = transaction("2", from: day(2026, 1, 1), to: day(2027, 1, 1)) {
            $0.details.inAppOwnershipType = "FAMILY_SHARED"
        }
        let bobs = transaction("3", from: day(2026, 1, 1), to: day(2028, 1, 1))
        let his = licences(owned("1", by: alice, january), owned("2", by: alice, shared), owned("3", by: bob, bobs))
        #expect(his.end(at: day(2026, 5, 1)) == day(2026, 2, 2))
    }

    // MARK: LIC-3

    @Test func `LIC-3 a customer who got the app before the line, or in a version below it, has a year from that day`() {
        let byDate = licences(app: downloaded(at: day(2017, 8, 1)))
        #expect(byDate.isPaidAppHolder && byDate.end(at: day(2020, 1, 1)) == day(2018, 8, 1))
        let byVersion = licences(app: downloaded(at: day(2018, 3, 1), version: "2.10"))
        #expect(byVersion.isPaidAppHolder && byVersion.end(at: day(2020, 1, 1)) == day(2019, 3, 1))
        let free = licences(app: downloaded(at: day(2018, 3, 1), version: "3.0"))
        #expect(!free.isPaidAppHolder && free.end(at: day(2020, 1, 1)) == nil)
        #expect(!licences(app: downloaded(at: day(2018, 1, 1))).isPaidAppHolder)
    }

    @Test(arguments: [
        ("1.9", "1.10", true), ("1.10", "1.9", false), ("2", "10", true), ("1.0", "1", false), ("1", "1.0.1", true),
        ("007", "7", false), ("1.2b9", "1.2", false), ("99999999999999999999", "100000000000000000000", true),
    ])
    func `LIC-3 versions are compared component by component and not as text`(one: String, other: String, isLower: Bool) throws {
        let (version, line) = (try #require(ApplicationVersion(one)), try #require(ApplicationVersion(other)))
        #expect((version < line) == isLower)
    }

    @Test func `LIC-3 a text that is not a version is below no line`() {
        #expect(ApplicationVersion("") == nil && ApplicationVersion("beta") == nil && ApplicationVersion(".5") == nil)
        #expect(!licences(app: downloaded(at: day(2018, 3, 1), version: "beta")).isPaidAppHolder)
    }

    @Test func `LIC-3 the Mac has its own line, since Apple keeps another version number there`() {
        #expect(!licences(app: downloaded(at: day(2018, 3, 1), version: "2.0", platform: .macOS)).isPaidAppHolder)
        var both = policy
        both.paidApp?.belowVersionOnMac = ApplicationVersion("2.5")
        #expect(both.firstLicence(from: downloaded(at: day(2018, 3, 1), version: "2.0", platform: .macOS)) != nil)
        #expect(both.firstLicence(from: downloaded(at: day(2018, 3, 1), version: "2.7", platform: .macOS)) == nil)
    }

    @Test(arguments: [Environment.sandbox, .xcode, .localTesting])
    func `LIC-3 a Sandbox 1.0 of 2013-08-01 must not make a paid-app customer`(environment: Environment) {
        let constants = downloaded(at: day(2013, 8, 1), version: "1.0", environment: environment)
        #expect(!licences(app: constants).isPaidAppHolder)
    }

    @Test func `LIC-3 a customer whom the app lists as a tester is a holder in the Sandbox, from the day that it lists`() {
        var listed = policy
        listed.testers = [PaidAppTester(customer: alice, originalPurchaseDate: day(2026, 1, 1)), PaidAppTester(customer: bob)]
        let constants = downloaded(at: day(2013, 8, 1), version: "1.0", environment: .sandbox)
        #expect(listed.firstLicence(from: constants)?.until == day(2027, 1, 1))
        let bobs = downloaded(bob, at: day(2013, 8, 1), version: "1.0", environment: .sandbox)
        #expect(listed.firstLicence(from: bobs)?.until == day(2014, 8, 1))
        #expect(listed.firstLicence(from: downloaded(carol, at: day(2013, 8, 1), environment: .sandbox)) == nil)
    }

    // MARK: LIC-4

    @Test func `LIC-4 a paid-app customer of 2017 who subscribes with seven months left has them after the first period`() {
        // From 1 January to 1 August 2018 there are 212 days; 212 days after 1 February is 1 September.
        let month = transaction("1", from: day(2018, 1, 1), to: day(2018, 2, 1))
        let his = licences(owned("1", by: alice, month), app: downloaded(at: day(2017, 8, 1)))
        #expect(his.end(at: day(2017, 12, 31)) == day(2018, 8, 1))
        #expect(his.end(at: day(2018, 1, 1)) == day(2018, 9, 1))
        #expect(his.furthest(at: day(2018, 1, 1))?.why.rule == .restOfTheFirstLicence)
    }

    @Test func `LIC-4 the rest is added once: renewals and later subscriptions count by LIC-2 until they reach further`() {
        let month = transaction("1", from: day(2018, 1, 1), to: day(2018, 2, 1))
        let next = renewal("2", from: day(2018, 2, 1), to: day(2018, 3, 1))
        let app = downloaded(at: day(2017, 8, 1))
        #expect(licences(owned("1", by: alice, month, next), app: app).end(at: day(2018, 2, 15)) == day(2018, 9, 1))
        let again = transaction("3", pro, from: day(2018, 4, 1), to: day(2018, 5, 1))
        let both = licences(owned("1", by: alice, month), owned("3", by: alice, again), app: app)
        #expect(both.end(at: day(2018, 4, 15)) == day(2018, 9, 1))
        let year = transaction("3", pro, from: day(2018, 4, 1), to: day(2019, 4, 1))
        let longer = licences(owned("1", by: alice, month), owned("3", by: alice, year), app: app)
        #expect(longer.end(at: day(2018, 4, 15)) == day(2019, 4, 2))
    }

    @Test func `LIC-4 nothing is added if the first licence was over, and a refunded first purchase does not count`() {
        let late = transaction("1", from: day(2018, 9, 1), to: day(2018, 10, 1))
        let app = downloaded(at: day(2017, 8, 1))
        #expect(licences(owned("1", by: alice, late), app: app).end(at: day(2019, 1, 1)) == day(2018, 10, 2))
        let refunded = transaction("1", from: day(2018, 1, 1), to: day(2018, 2, 1)) {
            $0.revocation = Revocation(revocationDate: day(2018, 1, 5))
            $0.signedDate = day(2018, 1, 5)
        }
        // The purchase that counts is that of 1 July, with 31 days left: 1 August and 31 days are 1 September.
        let second = transaction("2", pro, from: day(2018, 7, 1), to: day(2018, 8, 1))
        let his = licences(owned("1", by: alice, refunded), owned("2", by: alice, second), app: app)
        #expect(his.end(at: day(2018, 7, 2)) == day(2018, 9, 1))
    }

    // MARK: LIC-5

    @Test func `LIC-5 one customer id with two Apple Accounts is one person`() {
        let month = transaction("1", from: day(2018, 1, 1), to: day(2018, 2, 1)) { $0.appTransactionId = "other account" }
        let his = licences(owned("1", by: alice, month), app: downloaded(at: day(2017, 8, 1)))
        #expect(his.end(at: day(2018, 1, 15)) == day(2018, 9, 1))
    }

    @Test func `LIC-5 an operator can join the customer who downloaded with the one who subscribed, and no others`() {
        let month = transaction("1", from: day(2018, 1, 1), to: day(2018, 2, 1))
        let states = owned("1", by: alice, month)
        let app = downloaded(bob, at: day(2017, 8, 1))
        #expect(licences(states, app: app).end(at: day(2018, 1, 15)) == day(2018, 2, 2))
        let join = join("one", bob, into: carol)
        #expect(licences(states, app: app, joins: [join]).end(at: day(2018, 1, 15)) == day(2018, 2, 2))
        let second = self.join("two", carol, into: alice)
        #expect(licences(states, app: app, joins: [join, second]).end(at: day(2018, 1, 15)) == day(2018, 9, 1))
        // Withdrawn again, each has what is theirs.
        let withdrawal = CustomerVote(
            id: .init("three"), kind: .withdraw(.init("one")), actor: "mia", reason: "", votedAt: day(2019, 1, 2))
        #expect(licences(states, app: app, joins: [join, second, withdrawal]).end(at: day(2018, 1, 15)) == day(2018, 2, 2))
    }

    private func join(_ id: String, _ from: CustomerID, into: CustomerID) -> CustomerVote {
        CustomerVote(
            id: .init(id), kind: .join(CustomerPair(from, into: into)), actor: "mia", reason: "one mail address",
            votedAt: day(2019, 1, 1))
    }

    @Test func `LIC-3 a year is a calendar year, and no count of months overflows`() {
        #expect(day(2016, 2, 29).adding(.year) == day(2017, 2, 28))
        #expect((day(2016, 3, 1) + .hours(5)).adding(.year) == day(2017, 3, 1) + .hours(5))
        #expect(day(1969, 12, 31).adding(CalendarMonths(2)) == day(1970, 2, 28))
        let (first, last) = (Timestamp(millisecondsSince1970: .min), Timestamp(millisecondsSince1970: .max))
        #expect(first.adding(CalendarMonths(.max)) >= first && last.adding(CalendarMonths(.max)) >= last)
    }
}
