import Ledger
import Primitives
import Storage
import Testing

/// How versions of an app's settings, and the records that refer to them, are encoded.
@Suite struct SettingsCodingTests {
    private static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)

    private static func content(_ names: [String]) -> SettingsContent {
        SettingsContent(
            policy: AppPolicy(version: 7, onRestore: .transfer),
            products: names.map {
                .init(productId: ProductID($0), validFrom: start, entitlements: [EntitlementID("plus")])
            }, durations: [ProductID("season"): .days(14)])
    }

    @Test func `OWN-17 equal contents are one text and one digest, whatever the order and the number in the file`() throws {
        let (one, two) = (Self.content(["a", "b"]), Self.content(["b", "a"]))
        let texts = try [one, two].map(SettingsCoding.encode)
        #expect(texts[0] == texts[1] && SettingsCoding.digest(of: texts[0]).utf8.count == 64)
        #expect(try SettingsCoding.decode(texts[0]) == one)
        #expect(try SettingsCoding.encode(Self.content(["a"])) != texts[0])
        #expect(throws: StorageError(.corrupt, "")) { try SettingsCoding.decode("{}") }
    }

    private static func offerings(_ condition: CohortCondition) throws -> AppOfferings {
        let links = try #require(
            OfferingLinks(privacyPolicy: "https://a.example", terms: "https://b.example", questions: "mailto:c@example"))
        return AppOfferings(
            wall: Wall(
                cohorts: [Cohort(id: CohortID("c"), condition: condition, offering: OfferingID("o"))],
                offerings: [Offering(id: OfferingID("o"), products: [ProductID("a")], links: links)], inAppChanges: true))
    }

    @Test(arguments: [
        CohortCondition.neverBought(group: nil), .active(group: "21"), .inGraceOrRetry(group: nil),
        .lapsed(group: "21", atLeast: .days(30), atMost: nil), .lapsed(group: nil, atLeast: nil, atMost: .days(9)),
        .usedIntroductoryOffer(group: "21"), .paidAppHolder, .tester, .storefront(["USA", "CHN"]), .storefront([]),
        .appVersion(atLeast: "2.0", below: nil), .appVersion(atLeast: nil, below: "3"), .attribute(name: "plan", equals: "gold"),
        .all([]), .any([.not(.paidAppHolder), .all([.active(group: nil)])]),
    ])
    func `OWN-17 WALL-1 what is shown to whom is a part of the version, whatever the condition`(_ condition: CohortCondition)
        throws
    {
        let content = SettingsContent(policy: AppPolicy(), products: [], offerings: try Self.offerings(condition))
        let text = try SettingsCoding.encode(content)
        #expect(try SettingsCoding.decode(text) == content)
        let without = SettingsContent(policy: AppPolicy(), products: [])
        #expect(try SettingsCoding.encode(without) != text)
        #expect(try !SettingsCoding.encode(without).contains("wall"), "as it was written before walls were known")
    }

    @Test func `OWN-17 WALL-5 which offers are signed for whom is a part of the version`() throws {
        let offers = OfferDesk(
            offers: [
                PromotionalOffer(
                    offerIdentifier: "back", productId: ProductID("a"), subscriptionGroupIdentifier: "21", audience: .former,
                    timesPerCustomer: 3, window: .init(times: 1, length: .days(90))),
                PromotionalOffer(offerIdentifier: "stay", productId: ProductID("a"), subscriptionGroupIdentifier: "21"),
            ], signaturesPerHour: 4, signaturesPerMinute: 50)
        let content = SettingsContent(policy: AppPolicy(), products: [], offerings: AppOfferings(offers: offers))
        let text = try SettingsCoding.encode(content)
        #expect(try SettingsCoding.decode(text) == content)
        let without = try SettingsCoding.encode(SettingsContent(policy: AppPolicy(), products: []))
        #expect(without != text && !without.contains("offers"), "as it was written before offers were signed")
    }

    @Test func `OWN-17 ABUSE-1 thresholds are a part of the version, each of them`() throws {
        let changes: [(inout AbuseThresholds) -> Void] = [
            { $0.customersOfOneAccount = 7 }, { $0.accountsOfOneCustomer = 7 }, { $0.introductoryOffers = 7 }, { $0.refunds = 7 },
            { $0.refundsAfterConsumption = 7 }, { $0.consumed = 7000 }, { $0.refusedClaims = 7 }, { $0.crossgrades = 7 },
            { $0.loopWindow = .days(7) }, { $0.window = .days(7) },
        ]
        for change in changes {
            var thresholds = AbuseThresholds()
            change(&thresholds)
            let content = SettingsContent(policy: AppPolicy(), products: [], signals: thresholds)
            #expect(content != SettingsContent(policy: AppPolicy(), products: []))
            #expect(try SettingsCoding.decode(SettingsCoding.encode(content)) == content)
        }
        let without = try SettingsCoding.encode(SettingsContent(policy: AppPolicy(), products: []))
        #expect(!without.contains("signals"), "as it was written before thresholds were known")
    }

    @Test func `OWN-17 a row that names one policy is read as one that always held`() throws {
        let old = try StateCoding.encode(AppPolicy(version: 3, onPurchase: .stay))
        let read = try StateCoding.decode(PolicyTimeline.self, from: old)
        #expect(read == PolicyTimeline(AppPolicy(version: 3, onPurchase: .stay)))
        let changed = read.changing(to: AppPolicy(version: 4), from: Self.start)
        #expect(try StateCoding.decode(PolicyTimeline.self, from: StateCoding.encode(changed)) == changed)
    }

    @Test func `OWN-17 an audit row that names a version is read back`() throws {
        let text = #"{"settingsVersion":{"_0":3}}"#
        #expect(try StateCoding.decode(AuditRow.Evidence.self, from: text) == .settingsVersion(3))
        #expect(try StateCoding.encode(AuditRow.Evidence.settingsVersion(3)) == text)
    }
}
