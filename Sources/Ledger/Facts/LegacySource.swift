/// Where a fact stood that Apple did not sign by itself as a JWS: the *kind* that FACT-2 orders by after date and revocation.
///
/// What a source never writes it does not deny: a receipt's silence about a token says nothing about the token (decision 0016).
///
/// Source: Apple, App Store Receipts; "Receipt fields"; PER-8.
package enum LegacySource: String, Sendable, Hashable, CaseIterable {
    /// A transaction receipt from before iOS 7, in the iOS 6 style: what it held on the day of the purchase.
    case transactionReceipt
    /// A purchase in an app receipt, which knows the product's type; verified here, or `in_app` in an answer, which does not.
    case appReceipt
    case inApp
    /// The latest transaction in an answer of the iOS 6 style, or its top-level renewal fields.
    case latestTransaction
    /// `latest_receipt_info` in an answer of the iOS 7 style, or its `pending_renewal_info`: all that the App Store tells.
    case latestReceiptInfo

    /// Whether it says that an upgrade took a transaction's place; the others write a cancellation date and not why.
    var tellsUpgrades: Bool { self == .latestReceiptInfo }

    /// Whether it says that a billing grace period runs; in the iOS 6 style there is no word for it.
    var tellsGracePeriods: Bool { self == .latestReceiptInfo }

    /// The richer says more; a JWS, which has no source here, more than all (FACT-2, PER-8).
    static func rank(_ source: LegacySource?) -> Int {
        switch source {
        case nil: 5
        case .latestReceiptInfo: 4
        case .latestTransaction: 3
        case .inApp: 2
        case .appReceipt: 1
        case .transactionReceipt: 0
        }
    }
}
