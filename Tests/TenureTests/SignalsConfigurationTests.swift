import Backend
import Ledger
import Primitives
import StrictJSON
import Testing

@testable import tenure

/// From which counts on something is a signal (ABUSE-1), and how many customers an Apple Account may serve (OWN-11).
@Suite struct `Signals of the configuration` {
    private func content(_ members: String) throws -> SettingsContent {
        let json = """
            {"id":"notes","bundleId":"com.example.notes","appAppleId":1,"publicKey":"appl_x",
             "serverKeySHA256":"\(String(repeating: "0", count: 64))","products":{"m":["plus"]}\(members)}
            """
        let fields = try JSONFields(
            try JSONDocument(Array(json.utf8), limits: JSONLimits()).root, at: "apps[0]", rules: [.nullIsAbsent, .noEmptyTexts])
        return try AppConfiguration(fields, environment: [:]).settings.content
    }

    @Test func `ABUSE-1 every threshold can be said, and what is not said has its default`() throws {
        #expect(try content("").signals == AbuseThresholds())
        var expected = AbuseThresholds()
        (expected.customersOfOneAccount, expected.accountsOfOneCustomer, expected.introductoryOffers) = (10, 11, 12)
        (expected.refunds, expected.refundsAfterConsumption, expected.consumed) = (13, 14, 55_000)
        (expected.refusedClaims, expected.crossgrades) = (15, 16)
        (expected.loopWindow, expected.window) = (.days(17), .days(18))
        let said = try content(
            """
            ,"signals":{"customersOfOneAccount":10,"accountsOfOneCustomer":11,"introductoryOffers":12,"refunds":13,
             "refundsAfterConsumption":14,"consumedPercent":55,"refusedClaims":15,"crossgrades":16,"loopWindowDays":17,
             "windowDays":18}
            """)
        #expect(said.signals == expected)
        #expect(try content(#","signals":{"refunds":5}"#).signals.customersOfOneAccount == 6)
    }

    @Test(arguments: [
        #"{"refunds":0}"#, #"{"customersOfOneAccount":1}"#, #"{"consumedPercent":101}"#, #"{"windowDays":0}"#,
        #"{"refunds":"3"}"#, #"{"refund":3}"#, "[]",
    ])
    func `ABUSE-1 what cannot be meant is refused`(_ json: String) {
        #expect(throws: (any Error).self) { try content(#","signals":\#(json)"#) }
    }

    @Test func `OWN-11 the limit of customers of an Apple Account is a choice of the policy`() throws {
        #expect(try content("").policy.customersPerAppleAccount == nil)
        #expect(try content(#","policy":{"customersPerAppleAccount":3}"#).policy.customersPerAppleAccount == 3)
        #expect(throws: (any Error).self) { try content(#","policy":{"customersPerAppleAccount":0}"#) }
    }
}
