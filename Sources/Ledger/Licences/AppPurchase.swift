package import Primitives

/// How a customer came by the app itself, as a receipt or an app transaction says; that it was paid for is decided by
/// ``PaidAppLine`` (LIC-3).
///
/// Source: Apple, App Store Receipts, `original_purchase_date_ms` and `original_application_version`; StoreKit, `AppTransaction`.
package struct AppPurchase: Sendable, Hashable {
    package let customer: CustomerID
    package let originalPurchaseDate: Timestamp
    /// As Apple wrote it; nil where the source had no word for it.
    package let originalApplicationVersion: String?
    package let environment: Environment
    package let platform: Platform

    package init(
        customer: CustomerID, originalPurchaseDate: Timestamp, originalApplicationVersion: String?, environment: Environment,
        platform: Platform = .iOS
    ) {
        self.customer = customer
        self.originalPurchaseDate = originalPurchaseDate
        self.originalApplicationVersion = originalApplicationVersion
        self.environment = environment
        self.platform = platform
    }

    /// Which of the app's two version numbers Apple keeps (LIC-3).
    package enum Platform: String, Sendable, Hashable {
        /// `CFBundleVersion`.
        case iOS
        /// `CFBundleShortVersionString`.
        case macOS
    }
}
