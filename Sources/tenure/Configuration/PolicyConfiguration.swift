import Ledger
import Primitives
import StrictJSON

/// The `policy` of an app in the configuration file: a member for each choice that the rules leave.
enum PolicyConfiguration {
    private static let names: Set<String> = [
        "version", "onPurchase", "purchaseEvidence", "promptWindowSeconds", "purchaseWindowSeconds", "onRestore", "tokenLocks",
        "anonymousMayTake", "mergeOnClaim", "partialRefunds", "partialRefundsOfOthers", "familySharing", "restoreLimit",
        "restoreWindowDays", "productionLeewaySeconds", "sandboxLeewaySeconds", "billingGracePeriodDays", "accrual",
        "customersPerAppleAccount", "groups",
    ]

    /// The lengths of a billing grace period that App Store Connect offers, in days.
    private static let graceLengths: [Int64] = [3, 16, 28]

    static func policy(_ file: JSONFields) throws -> AppPolicy {
        var policy = AppPolicy()
        guard let chosen = try file.fields("policy", knowing: names) else { return policy }
        policy.version = try chosen.integer("version", in: 1...Int64.max) ?? policy.version
        policy.onPurchase = try chosen.choice("onPurchase", PurchasePolicy.self) ?? policy.onPurchase
        policy.purchaseEvidence =
            try chosen.choice("purchaseEvidence", PurchaseEvidencePolicy.self) ?? policy.purchaseEvidence
        if let seconds = try chosen.integer("promptWindowSeconds", in: 0...3600) { policy.promptWindow = .seconds(seconds) }
        if let seconds = try chosen.integer("purchaseWindowSeconds", in: 0...2_592_000) {
            policy.purchaseWindow = .seconds(seconds)
        }
        policy.tokenLocks = try chosen.bool("tokenLocks") ?? policy.tokenLocks
        policy.onRestore = try chosen.choice("onRestore", RestorePolicy.self) ?? policy.onRestore
        policy.anonymousMayTake = try chosen.bool("anonymousMayTake") ?? policy.anonymousMayTake
        policy.mergeOnClaim = try chosen.bool("mergeOnClaim") ?? policy.mergeOnClaim
        try readPartialRefunds(chosen, into: &policy)
        policy.familySharing = try chosen.choice("familySharing", FamilySharingPolicy.self) ?? policy.familySharing
        if let limit = try chosen.integer("restoreLimit", in: 0...1_000_000) { policy.restoreLimit = Int(limit) }
        if let days = try chosen.integer("restoreWindowDays", in: 1...3650) { policy.restoreWindow = .days(days) }
        policy.customersPerAppleAccount = try chosen.integer("customersPerAppleAccount", in: 1...1_000_000).map { Int($0) }
        if let seconds = try chosen.integer("productionLeewaySeconds", in: 0...86_400) {
            policy.productionLeeway = .seconds(seconds)
        }
        if let seconds = try chosen.integer("sandboxLeewaySeconds", in: 0...86_400) { policy.sandboxLeeway = .seconds(seconds) }
        if let days = try chosen.integer("billingGracePeriodDays", in: 0...Int64.max) {
            guard graceLengths.contains(days) else {
                throw CommandError("\(chosen.place("billingGracePeriodDays")) must be 3, 16 or 28, as in App Store Connect.")
            }
            policy.billingGracePeriodDays = days
        }
        policy.balanced = try balanced(chosen)
        policy.groups = try groups(chosen)
        return policy
    }

    /// PER-11. The word of before decision 0075 says both.
    private static func readPartialRefunds(_ chosen: JSONFields, into policy: inout AppPolicy) throws {
        policy.partialRefunds = try partialRefunds(chosen) ?? policy.partialRefunds
        if try chosen.text("partialRefunds") == PartialRefundPolicy.endingAll { policy.partialRefundsOfOthers = .end }
        policy.partialRefundsOfOthers =
            try chosen.choice("partialRefundsOfOthers", PartialRefundOfOthersPolicy.self) ?? policy.partialRefundsOfOthers
    }

    private static func partialRefunds(_ chosen: JSONFields) throws -> PartialRefundPolicy? {
        let policy = try chosen.text("partialRefunds").flatMap { PartialRefundPolicy($0) }
        // The choice refuses an unknown word, and names those that are known.
        return try policy ?? chosen.choice("partialRefunds", PartialRefundPolicy.self)
    }

    /// `"entitlement": "balance"`: what adds up (ENT-3); `"follow"` says what holds anyway.
    private static func balanced(_ policy: JSONFields) throws -> [EntitlementID] {
        try policy.entries("accrual").compactMap { member in
            switch member.value.string.map({ String($0) }) {
            case "balance": EntitlementID(member.name)
            case "follow": nil
            default: throw CommandError("\(policy.place("accrual.\(member.name)")) must be follow or balance.")
            }
        }.sorted()
    }

    /// `"subscriptionGroupIdentifier": {"onRestore": "transfer"}`: where one group differs from the app.
    private static func groups(_ policy: JSONFields) throws -> [GroupPolicy] {
        try policy.entries("groups").map { member in
            let chosen = try JSONFields(
                member.value, at: policy.place("groups.\(member.name)"),
                knowing: ["onPurchase", "onRestore", "partialRefunds", "familySharing"])
            var group = GroupPolicy(member.name)
            group.onPurchase = try chosen.choice("onPurchase", PurchasePolicy.self)
            group.onRestore = try chosen.choice("onRestore", RestorePolicy.self)
            group.partialRefunds = try partialRefunds(chosen)
            group.familySharing = try chosen.choice("familySharing", FamilySharingPolicy.self)
            return group
        }.sorted { ID<GroupPolicy>($0.subscriptionGroupIdentifier) < ID<GroupPolicy>($1.subscriptionGroupIdentifier) }
    }
}
