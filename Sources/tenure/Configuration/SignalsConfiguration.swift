import Ledger
import Primitives
import StrictJSON

/// `apps[].signals`: from which counts on something is a signal of abuse (ABUSE-1).
enum SignalsConfiguration {
    private static let names: Set<String> = [
        "customersOfOneAccount", "accountsOfOneCustomer", "introductoryOffers", "refunds", "refundsAfterConsumption",
        "consumedPercent", "refusedClaims", "crossgrades", "loopWindowDays", "windowDays",
    ]

    /// More are never counted: a threshold so high turns its signal off.
    private static let greatest: Int64 = 1_000_000

    static func thresholds(_ file: JSONFields) throws -> AbuseThresholds {
        var thresholds = AbuseThresholds()
        guard let chosen = try file.fields("signals", knowing: names) else { return thresholds }
        func read(_ name: String, from least: Int64, _ count: inout Int) throws {
            if let number = try chosen.integer(name, in: least...greatest) { count = Int(number) }
        }
        try read("customersOfOneAccount", from: 2, &thresholds.customersOfOneAccount)
        try read("accountsOfOneCustomer", from: 2, &thresholds.accountsOfOneCustomer)
        try read("introductoryOffers", from: 2, &thresholds.introductoryOffers)
        try read("refunds", from: 1, &thresholds.refunds)
        try read("refundsAfterConsumption", from: 1, &thresholds.refundsAfterConsumption)
        try read("refusedClaims", from: 1, &thresholds.refusedClaims)
        try read("crossgrades", from: 1, &thresholds.crossgrades)
        if let percent = try chosen.integer("consumedPercent", in: 1...100) { thresholds.consumed = percent * 1000 }
        if let days = try chosen.integer("loopWindowDays", in: 1...3650) { thresholds.loopWindow = .days(days) }
        if let days = try chosen.integer("windowDays", in: 1...3650) { thresholds.window = .days(days) }
        return thresholds
    }
}
