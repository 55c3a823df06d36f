import Foundation
import Primitives
import StrictJSON
import Testing

@testable import AppStoreModel

let fixtures = ProcessInfo.processInfo.environment["TENURE_FIXTURES"]

@Suite struct CatalogueTests {
    fileprivate static func gift(_ price: String) -> String {
        #"{"type":"Consumable","productID":"a","displayPrice":"\#(price)"}"#
    }

    @Test func `the example catalogue sells what the documentation says`() throws {
        let catalogue = try World.catalogue()
        #expect(catalogue.products.map(\.id.rawValue) == ["lifetime", "pro.monthly", "plus.monthly", "plus.yearly"])
        #expect(catalogue.groups.map(\.name) == ["Tenure Plus"])
        let plus = try #require(catalogue.product("plus.monthly")?.terms)
        #expect(plus.level == 2)
        #expect(plus.period.iso8601 == "P1M")
        let offer = try #require(catalogue.product("plus.monthly").flatMap { catalogue.offers(of: $0, .introductory).first })
        #expect(catalogue[offer].paymentMode == .free)
        #expect(catalogue[offer].billedPeriod?.iso8601 == "P1W")
        #expect(catalogue.product("pro.monthly")?.terms?.level == 1)
        #expect(catalogue.product("plus.yearly")?.price == Milliunits(99_990))
        #expect(catalogue.product("lifetime")?.kind == .nonConsumable)
        #expect(catalogue.settings.storefront == Storefront(countryCode: "USA"))
        #expect(catalogue.settings.storefront.id == "143441")
    }

    @Test func `an empty price, as written by Xcode, is no price`() throws {
        let file = #"{"products":[\#(Self.gift(""))],"version":{"major":1,"minor":1}}"#
        #expect(try Catalogue(storeKitFile: Array(file.utf8)).product("a")?.price == Milliunits(0))
    }

    /// The counts were taken from the files by hand.
    @Test(
        .enabled(if: fixtures != nil, "needs TENURE_FIXTURES"),
        arguments: [("revenuecat-demo-v2", 3, 1), ("apphud-example-v3", 0, 0), ("flutter-example-v4", 6, 3)])
    func `real files of formats 2 to 4 are read whole`(name: String, products: Int, groups: Int) throws {
        let file = try #require(fixtures) + "/storekit/\(name).storekit"
        let bytes = Array(try Data(contentsOf: URL(filePath: file)))
        let catalogue = try Catalogue(storeKitFile: bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(catalogue.products.count == text.components(separatedBy: "\"productID\"").count - 1)
        if products > 0 {
            #expect(catalogue.products.count == products)
            #expect(catalogue.groups.count == groups)
        }
    }

    @Test(.enabled(if: fixtures != nil, "needs TENURE_FIXTURES"))
    func `an offer paid up front is read from a real file`() throws {
        let file = try #require(fixtures) + "/storekit/flutter-example-v4.storekit"
        let catalogue = try Catalogue(storeKitFile: Array(try Data(contentsOf: URL(filePath: file))))
        let product = try #require(catalogue.product("subscription_discounted"))
        let offer = catalogue[try #require(catalogue.offers(of: product, .introductory).first)]
        #expect(offer.paymentMode == .payUpFront)
        #expect(offer.price == Milliunits(990))
        #expect(offer.billedPeriod?.iso8601 == "P1M")
    }

    @Test(arguments: [
        ("[]", CatalogueError.malformed(JSONFieldError(at: "", expected: .object, found: .array))),
        (#"{"version":{"major":9}}"#, .unsupportedVersion(9)),
        (#"{"products":7}"#, .malformed(JSONFieldError(at: "products", expected: .array, found: .integer))),
        (#"{"products":[7]}"#, .malformed(JSONFieldError(at: "products[0]", expected: .object, found: .integer))),
        (#"{"products":[{"type":"Gift","productID":"a","displayPrice":"1"}]}"#, .unknownKind(path: "products[0].type", "Gift")),
        (
            #"{"products":[{"type":"Consumable","productID":"a","displayPrice":"1,99"}]}"#,
            .price(path: "products[0].displayPrice", "1,99")
        ),
        (
            #"{"products":[\#(CatalogueTests.gift("1")),\#(CatalogueTests.gift("2"))]}"#,
            .duplicateProduct("a")
        ),
        (
            #"{"subscriptionGroups":[{"id":"g","subscriptions":[{"productID":"a","displayPrice":"1","groupNumber":0}]}]}"#,
            .malformed(
                JSONFieldError(
                    at: "subscriptionGroups[0].subscriptions[0].groupNumber", expected: .integer(1...Int64.max), found: .integer))
        ),
        (
            #"{"subscriptionGroups":[{"id":"g","subscriptions":[{"productID":"a","displayPrice":"1","groupNumber":1,"#
                + #""recurringSubscriptionPeriod":"P0M"}]}]}"#,
            .period(path: "subscriptionGroups[0].subscriptions[0].recurringSubscriptionPeriod", "P0M")
        ),
    ])
    func `a malformed file is refused with the place`(text: String, error: CatalogueError) {
        #expect(throws: error) { try Catalogue(storeKitFile: Array(text.utf8)) }
    }

    @Test func `what is not JSON is refused`() {
        #expect { try Catalogue(storeKitFile: Array("{".utf8)) } throws: { error in
            if case CatalogueError.json = error { true } else { false }
        }
    }
}

@Suite struct SubscriptionPeriodTests {
    @Test(
        arguments: [
            ("P1M", (2026, 1, 31), (2026, 2, 28)), ("P1M", (2024, 1, 31), (2024, 2, 29)), ("P3M", (2025, 11, 30), (2026, 2, 28)),
            ("P1Y", (2024, 2, 29), (2025, 2, 28)), ("P1W", (2026, 12, 28), (2027, 1, 4)), ("P3D", (2026, 2, 27), (2026, 3, 2)),
            ("P6M", (2026, 7, 1), (2027, 1, 1)),
        ] as [(String, (Int64, Int64, Int64), (Int64, Int64, Int64))])
    func `a period ends on the calendar's day`(
        text: String, start: (Int64, Int64, Int64), end: (Int64, Int64, Int64)
    ) throws {
        let period = try #require(SubscriptionPeriod(iso8601: text))
        #expect(period.iso8601 == text)
        let noon = Milliseconds.hours(12)
        #expect(
            period.end(from: try World.date(start.0, start.1, start.2).adding(noon))
                == (try World.date(end.0, end.1, end.2).adding(noon)))
    }

    @Test(arguments: [
        "", "P", "PM", "P0M", "P-1M", "P+1M", "1M", "P1H", "P1M1D", "P1001D", "P99999999999999999999Y", "p1m", "P١M",
    ])
    func `what is not a period is refused`(text: String) {
        #expect(SubscriptionPeriod(iso8601: text) == nil)
    }
}
