/// How long one period of an offered subscription lasts: the six that the App Store has (WALL-4).
///
/// Source: Apple, App Store Connect, "Set up auto-renewable subscriptions"; the spelling is that of ISO 8601, as `offerPeriod`
/// has it.
package enum PlanDuration: String, Sendable, Hashable, CaseIterable {
    case sevenDays = "P1W"
    case oneMonth = "P1M"
    case twoMonths = "P2M"
    case threeMonths = "P3M"
    case sixMonths = "P6M"
    case oneYear = "P1Y"

    /// `P7D` and `P12M` say the same as `P1W` and `P1Y`. Nil for a duration that the App Store does not have.
    package init?(_ text: String) {
        switch text {
        case "P7D": self = .sevenDays
        case "P12M": self = .oneYear
        default: self.init(rawValue: text)
        }
    }
}
