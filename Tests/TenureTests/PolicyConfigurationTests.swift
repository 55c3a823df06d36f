import Backend
import Ledger
import Primitives
import StrictJSON
import Testing

@testable import Console
@testable import tenure

/// What the configuration says of the policy (OWN-2 to OWN-13, PER-11, ENT-3, ENT-6, ENT-7).
@Suite struct `Policy of the configuration` {
    private func policy(_ members: String) throws -> AppPolicy {
        let json = """
            {"id":"notes","bundleId":"com.example.notes","appAppleId":1,"publicKey":"appl_x",
             "serverKeySHA256":"\(String(repeating: "0", count: 64))","products":{"m":["plus"]},"policy":{\(members)}}
            """
        let fields = try JSONFields(
            try JSONDocument(Array(json.utf8), limits: JSONLimits()).root, at: "apps[0]", rules: [.nullIsAbsent, .noEmptyTexts])
        return try AppConfiguration(fields, environment: [:]).settings.content.policy
    }

    /// Every choice other than its default.
    private let all = """
        "onPurchase":"ask","purchaseEvidence":"tokenOnly","promptWindowSeconds":60,"purchaseWindowSeconds":600,
        "onRestore":"transfer","tokenLocks":true,"anonymousMayTake":true,"mergeOnClaim":true,"partialRefunds":"keep",
        "partialRefundsOfOthers":"end","familySharing":"ignore","restoreLimit":5,"restoreWindowDays":7,
        "productionLeewaySeconds":60,
        "sandboxLeewaySeconds":60,"billingGracePeriodDays":16,"accrual":{"plus":"balance"},"customersPerAppleAccount":2,
        "groups":{"21000000":{"onPurchase":"stay","onRestore":"ask","partialRefunds":"keep","familySharing":"ignore"}}
        """

    @Test func `OWN-17 every choice of the policy can be put in force by the configuration`() throws {
        let (chosen, usual) = (try policy(all), AppPolicy())
        let defaults = Dictionary(
            Mirror(reflecting: usual).children.map { ($0.label ?? "", "\($0.value)") }, uniquingKeysWith: { first, _ in first })
        for choice in Mirror(reflecting: chosen).children where choice.label != "version" {
            #expect("\(choice.value)" != defaults[choice.label ?? ""], "\(choice.label ?? "") has no member, or it is not read")
        }
        let group = try #require(chosen.groups.first)
        for choice in Mirror(reflecting: group).children { #expect("\(choice.value)" != "nil", "\(choice.label ?? "")") }
    }

    @Test func `OWN-17 the console shows every choice of the policy`() throws {
        let usual = PolicyChoice.all(of: AppPolicy()).map(\.code)
        let shown = PolicyChoice.all(of: try policy(all)).map(\.code)
        for (one, other) in zip(usual, shown) { #expect(one != other) }
        // Versions have pages of their own, groups a table.
        let choices = Mirror(reflecting: AppPolicy()).children.count { $0.label != "version" && $0.label != "groups" }
        #expect(shown.count == choices)
    }

    @Test(arguments: [
        #""billingGracePeriodDays":7"#, #""billingGracePeriodDays":0"#, #""mergeOnClaim":"yes""#,
        #""groups":{"1":{"tokenLocks":true}}"#, #""groups":{"1":{"onRestore":"never"}}"#, #""groups":[]"#, #""onSale":true"#,
    ])
    func `OWN-17 what the policy has no meaning for is refused`(members: String) {
        #expect(throws: (any Error).self) { try policy(members) }
    }

    @Test func `PER-11 the word of before for partial refunds still ends everything, and each half can be chosen`() throws {
        let before = try policy(#""partialRefunds":"revoke","groups":{"1":{"partialRefunds":"revoke"}}"#)
        #expect(before.partialRefunds == .endSubscriptions && before.partialRefundsOfOthers == .end)
        #expect(before.groups.first?.partialRefunds == .endSubscriptions)
        let halves = try policy(#""partialRefunds":"revoke","partialRefundsOfOthers":"keep""#)
        #expect(halves.partialRefunds == .endSubscriptions && halves.partialRefundsOfOthers == .keep)
        #expect(try policy("").partialRefunds == .endSubscriptions && policy("").partialRefundsOfOthers == .keep)
    }

    @Test func `ENT-7 a billing grace period lasts 28 days unless the app chose otherwise`() throws {
        #expect(try policy("").billingGracePeriodDays == 28)
        #expect(try policy(#""billingGracePeriodDays":3"#).billingGracePeriodDays == 3)
    }
}
