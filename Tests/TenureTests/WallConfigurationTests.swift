import Backend
import Ledger
import Primitives
import StrictJSON
import Testing

@testable import tenure

/// What is shown to whom, in an app's configuration (WALL-1).
@Suite struct `Walls of the configuration` {
    private static let links =
        #""links":{"privacyPolicy":"https://a.example","terms":"https://b.example","questions":"mailto:c@example"}"#
    private static let offerings = #""offerings":[{"id":"o","products":["m","y"]}]"#

    private func wall(_ members: String) throws -> Wall {
        let json = """
            {"id":"notes","bundleId":"com.example.notes","appAppleId":1,"publicKey":"appl_x",
             "serverKeySHA256":"\(String(repeating: "0", count: 64))",
             "products":{"m":{"entitlements":["plus"],"group":"21","level":1,"duration":"P1M"},
              "y":{"entitlements":["plus"],"group":"21","level":1,"duration":"P1Y"},"coins":[]},
             "wall":{\(members)}}
            """
        let fields = try JSONFields(
            try JSONDocument(Array(json.utf8), limits: JSONLimits()).root, at: "apps[0]", rules: [.nullIsAbsent, .noEmptyTexts])
        return try AppConfiguration(fields, environment: [:]).settings.content.offerings.wall
    }

    private func condition(_ json: String) throws -> CohortCondition {
        try wall(#"\#(Self.links),\#(Self.offerings),"cohorts":[{"id":"c","when":\#(json),"offering":"o"}]"#).cohorts[0].condition
    }

    /// As the command line says it.
    private static func words(of error: any Error) -> String {
        if let field = error as? JSONFieldError { return "\(CommandError(field))" }
        return "\(error)"
    }

    @Test func `WALL-1 cohorts stand in the order of the file, and an offering has links of its own or the wall's`() throws {
        let own = #""links":{"privacyPolicy":"https://own.example","terms":"https://b.example","questions":"https://c.example"}"#
        let found = try wall(
            """
            \(Self.links),"inAppChanges":true,
            "offerings":[{"id":"back","products":["y"],\(own)},{"id":"usual","products":["m","y"]}],
            "cohorts":[{"id":"lapsed","when":{"lapsed":{"group":"21","atLeastDays":30}},"offering":"back"},
             {"id":"everybody","offering":"usual"}]
            """)
        #expect(found.cohorts.map(\.id.rawValue) == ["lapsed", "everybody"])
        #expect(found.cohorts.map(\.condition) == [.lapsed(group: "21", atLeast: .days(30), atMost: nil), .all([])])
        #expect(found.offerings.map(\.products) == [[ProductID("y")], [ProductID("m"), ProductID("y")]])
        #expect(found.offerings.map(\.links.privacyPolicy) == ["https://own.example", "https://a.example"])
        #expect(found.inAppChanges)
        #expect(try wall("").cohorts.isEmpty)
    }

    @Test(arguments: [
        (#"{"neverBought":{}}"#, CohortCondition.neverBought(group: nil)), (#"{"active":{"group":"21"}}"#, .active(group: "21")),
        (#"{"inGraceOrRetry":{}}"#, .inGraceOrRetry(group: nil)),
        (#"{"lapsed":{"atMostDays":9}}"#, .lapsed(group: nil, atLeast: nil, atMost: .days(9))),
        (#"{"usedIntroductoryOffer":{"group":"21"}}"#, .usedIntroductoryOffer(group: "21")),
        (#"{"paidAppHolder":true}"#, .paidAppHolder), (#"{"paidAppHolder":false}"#, .not(.paidAppHolder)),
        (#"{"tester":true}"#, .tester), (#"{"tester":false}"#, .not(.tester)),
        (#"{"storefront":["USA","CHN"]}"#, .storefront(["USA", "CHN"])),
        (#"{"appVersion":{"atLeast":"2.0","below":"3"}}"#, .appVersion(atLeast: "2.0", below: "3")),
        (#"{"attribute":{"name":"plan","equals":"gold"}}"#, .attribute(name: "plan", equals: "gold")),
        (
            #"{"all":[{"not":{"active":{}}},{"any":[{"storefront":["USA"]},{"neverBought":{}}]}]}"#,
            .all([.not(.active(group: nil)), .any([.storefront(["USA"]), .neverBought(group: nil)])])
        ),
    ])
    func `WALL-1 every condition of the rules can be said`(_ json: String, _ expected: CohortCondition) throws {
        #expect(try condition(json) == expected)
    }

    @Test(arguments: [
        (#"{"active":{},"paidAppHolder":true}"#, "apps[0].wall.cohorts[0].when must have exactly one of neverBought, active"),
        (#"{"bought":{}}"#, "must have exactly one of"), (#"{"active":{"group":"22"}}"#, "is 22; the products' groups are 21"),
        (#"{"lapsed":{"atLeastDays":9,"atMostDays":3}}"#, "atLeastDays is more than atMostDays"),
        (#"{"lapsed":{"since":9}}"#, "when.lapsed.since is not a member"),
        (#"{"usedIntroductoryOffer":{}}"#, "usedIntroductoryOffer.group is missing"),
        (#"{"storefront":["us"]}"#, "storefront[0] is us; Apple names them by"),
        (#"{"appVersion":{"atLeast":"new"}}"#, "atLeast is new; a version begins with a number"),
        (#"{"attribute":{"name":"plan"}}"#, "attribute.equals is missing"), (#"{"any":[{}]}"#, "any[0] must have exactly one of"),
        (
            #"{"not":{"not":{"not":{"not":{"not":{"not":{"not":{"not":{"not":{"active":{}}}}}}}}}}}"#,
            "conditions are nested deeper than 8"
        ),
    ])
    func `WALL-1 a condition that cannot be meant is named with its place`(_ json: String, _ words: String) {
        #expect { try condition(json) } throws: { Self.words(of: $0).contains(words) }
    }

    @Test(arguments: [
        (#""offerings":[{"id":"o","products":["m"]}]"#, "apps[0].wall.offerings[0].links are missing"),
        (
            #"\#(links),"offerings":[{"id":"o","products":["coins"]}]"#,
            "offerings[0].products[0] is coins, which products does not"
        ),
        (#"\#(links),"offerings":[{"id":"o","products":[]}]"#, "offerings[0].products is missing"),
        (#"\#(links),\#(offerings),"cohorts":[{"id":"c","offering":"other"}]"#, "cohorts[0].offering is other, which is none"),
        (
            #"\#(links),\#(offerings),"cohorts":[{"id":"c","offering":"o"},{"id":"c","offering":"o"}]"#,
            "cohorts[1].id: two cohorts are called c."
        ),
        (
            #""links":{"privacyPolicy":"http://a.example","terms":"https://b.example","questions":"mailto:c@example"}"#,
            "links.privacyPolicy, terms and questions must be https:// addresses"
        ),
    ])
    func `WALL-6 what could not be shown is refused`(_ members: String, _ words: String) {
        #expect { try wall(members) } throws: { Self.words(of: $0).contains(words) }
    }
}
