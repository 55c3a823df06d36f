public import Primitives

/// Which kind of receipt it is; a kind that is not listed keeps its spelling and has no environment.
///
/// Source: Apple, App Store Receipts, `receipt_type`.
public struct ReceiptType: RawRepresentable, Sendable, Hashable {
    /// As Apple wrote it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Of the App Store.
    public static let production = ReceiptType(rawValue: "Production")
    /// Of the App Store, bought for an organisation.
    public static let productionVPP = ReceiptType(rawValue: "ProductionVPP")
    /// Of the Sandbox or TestFlight.
    public static let productionSandbox = ReceiptType(rawValue: "ProductionSandbox")
    /// Of the Sandbox, bought for an organisation.
    public static let productionVPPSandbox = ReceiptType(rawValue: "ProductionVPPSandbox")
    /// Of StoreKit Testing in Xcode.
    public static let xcode = ReceiptType(rawValue: "Xcode")

    /// The environment; nil for a kind that is not listed.
    public var environment: Environment? {
        switch self {
        case .production, .productionVPP: .production
        case .productionSandbox, .productionVPPSandbox: .sandbox
        case .xcode: .xcode
        default: nil
        }
    }
}
