#if canImport(StoreKit) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    import Foundation
    import StoreKit

    /// What is chosen on the app's page in the App Store, where the system has no `PurchaseIntent` yet: iOS 15 to 16.3, macOS 12
    /// to 14.3. It touches no transaction: those of StoreKit 2 are finished by the client, and the payment is declined here,
    /// since the product is bought by StoreKit 2 when the app is ready.
    ///
    /// Source: Apple, `SKPaymentTransactionObserver.paymentQueue(_:shouldAddStorePayment:for:)`, which an app uses where it does
    /// not use `PurchaseIntent`, and never both; "Promoting In-App Purchases". Deprecated since iOS 18.
    final class PromotedPayments: NSObject, SKPaymentTransactionObserver, Sendable {
        private let chosen: AsyncStream<String>.Continuation

        private init(_ chosen: AsyncStream<String>.Continuation) { self.chosen = chosen }

        /// Says each product that is chosen, by id, until the task is cancelled.
        static func follow(_ body: (String) -> Void) async {
            let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(10))
            let observer = PromotedPayments(continuation)
            SKPaymentQueue.default().add(observer)
            for await productId in stream { body(productId) }
            SKPaymentQueue.default().remove(observer)
        }

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

        func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct) -> Bool {
            chosen.yield(payment.productIdentifier)
            return false
        }
    }
#endif
