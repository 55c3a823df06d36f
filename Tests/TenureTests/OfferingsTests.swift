import AppStoreModel
import Backend
import Foundation
import Ledger
import Primitives
import StrictJSON
import Testing

@testable import tenure

/// What an app sells and has released, in its configuration.
@Suite struct `Offerings of the configuration` {
    private func configuration(_ app: String) throws -> AppConfiguration {
        let json = """
            {"id":"notes","bundleId":"com.example.notes","appAppleId":1,"publicKey":"appl_x",
             "serverKeySHA256":"\(String(repeating: "0", count: 64))",\(app)}
            """
        let fields = try JSONFields(
            try JSONDocument(Array(json.utf8), limits: JSONLimits()).root, at: "apps[0]", rules: [.nullIsAbsent, .noEmptyTexts])
        return try AppConfiguration(fields, environment: [:])
    }

    @Test func `a product is a list of what it gives, or an object that also describes it`() throws {
        let content = try configuration(
            """
            "products":{"a":["plus"],"b":{"entitlements":["plus"],"group":"21","level":1,"duration":"P1Y","displayName":"B",
              "prices":{"USD":9990,"EUR":8990},"introductoryOffer":{"kind":"FREE_TRIAL","length":"P1W"}},
              "c":{"entitlements":[],"type":"consumable"}},
            "features":[{"id":"f","name":"F","releaseDate":5}],"licences":{"slackHours":2,"paidApp":{"belowVersion":"2.0"}},
            "contentKinds":[{"id":"issue","entitlement":"plus","afterTheEnd":"kept","unlocksPerPeriod":3}]
            """
        ).settings.content
        #expect(content.products.map(\.productId.rawValue) == ["a", "b", "c"])
        let offerings = content.offerings
        #expect(offerings.products.map(\.type) == [.autoRenewableSubscription, .consumable])
        #expect(offerings.products[0].prices.map(\.currency) == ["EUR", "USD"])
        #expect(offerings.features.features.map(\.id) == [FeatureID("f")])
        #expect(offerings.licences.slack == .hours(2) && offerings.licences.paidApp?.belowVersion == ApplicationVersion("2"))
        #expect(offerings.contentKind(ContentKindID("issue"))?.unlocksPerPeriod == 3)
        let timeline = SettingsTimeline(content)
        #expect(timeline.catalogue.product(ProductID("b"))?.introductoryOffer?.kind == .freeTrial)
        #expect(timeline.catalogue.product(ProductID("a")) == nil, "what is not described is not predicted")
    }

    @Test(arguments: [
        (#""products":{"b":{"entitlements":["x"],"group":"21"}}"#, "apps[0].products.b.duration is missing."),
        (
            #""products":{"b":{"entitlements":["x"],"group":"21","level":1,"duration":"P3D"}}"#,
            "apps[0].products.b.duration is P3D; it must be one of P1W, P1M, P2M, P3M, P6M, P1Y."
        ),
        (#""products":{"b":{"entitlements":["x"],"typ":"consumable"}}"#, "apps[0].products.b.typ is not a member"),
        (#""products":{"b":{"type":"consumable"}}"#, "apps[0].products.b must be a list of entitlements, or an object with one."),
        (#""products":{"b":{"entitlements":["x"],"prices":{"usd":1}}}"#, "apps[0].products.b.prices.usd is no currency"),
        (#""products":{"b":["x"]},"licences":{"paidApp":{}}"#, "apps[0].licences.paidApp.before or a version is missing"),
        (
            #""products":{"b":["x"]},"contentKinds":[{"id":"i","entitlement":"x","afterTheEnd":"gone"}]"#,
            "apps[0].contentKinds[0].afterTheEnd is gone"
        ),
    ])
    func `what is wrong is named with its place and what is expected`(_ app: String, _ words: String) throws {
        do {
            _ = try configuration(app)
            Issue.record("it was accepted")
        } catch let error as CommandError {
            #expect(error.description.contains(words), "\(error)")
        } catch let error as JSONFieldError {
            #expect(CommandError(error).description.contains(words), "\(CommandError(error))")
        }
    }

    @Test func `a .storekit file describes products, keeps what they give, and again changes nothing`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let catalogue = try Catalogue(
            storeKitFile: Array(try Data(contentsOf: root.appendingPathComponent("Examples/shop.storekit"))))
        let present = try JSONDocument(
            Array(#"{"old.one":["a"],"plus.monthly":[{"from":5,"entitlements":["plus"]}]}"#.utf8), limits: JSONLimits())
        let first = CatalogueImport(catalogue, into: present.root.object)
        #expect(first.changed == ["plus.monthly"] && first.leftAlone == ["old.one"] && !first.added.isEmpty)
        let written = try JSONDocument(first.products, limits: JSONLimits())
        let monthly = try #require(written.root.object?["plus.monthly"]?.object)
        #expect(
            monthly["entitlements"].map { String(decoding: $0.rawBytes, as: UTF8.self) }
                == #"[{"from":5,"entitlements":["plus"]}]"#)
        #expect(monthly["type"]?.string == "autoRenewable" && monthly["duration"]?.string == "P1M")
        let again = CatalogueImport(catalogue, into: written.root.object)
        #expect(again.products == first.products && again.added.isEmpty && again.changed.isEmpty)
        let content = try configuration("\"products\":\(String(decoding: first.products, as: UTF8.self))").settings.content
        #expect(content.offerings.products.count == catalogue.products.count)
    }
}
