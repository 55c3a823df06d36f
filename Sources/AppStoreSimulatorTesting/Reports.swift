internal import AppStoreModel
internal import AppStoreSimulator
internal import Primitives

/// What a store reports. The types are inside ``LocalAppStore``, because StoreKit and Foundation also have a `Transaction` and a
/// `Notification`.
extension LocalAppStore {
    /// A purchase or a renewal, and what StoreKit would hand to the app. Names and values are Apple's.
    ///
    /// Source: Apple, `JWSTransactionDecodedPayload`.
    public struct Transaction: Sendable, Hashable {
        /// Its own id.
        public let transactionId: String
        /// The id of the first purchase: it identifies the subscription.
        public let originalTransactionId: String
        /// What was bought.
        public let productId: String
        /// Milliseconds since 1970.
        public let purchaseDate: Int64
        /// Milliseconds since 1970; nil for a purchase that does not renew.
        public let expiresDate: Int64?
        /// When it was refunded or revoked, in milliseconds since 1970; nil: it was not.
        public let revocationDate: Int64?
        /// In thousandths of the unit of the account's currency.
        public let price: Int64
        /// The signed transaction: what an app uploads to its server.
        public let signedTransactionInfo: String

        init(_ signed: SignedTransaction) {
            transactionId = signed.transaction.transactionId.rawValue
            originalTransactionId = signed.transaction.originalTransactionId.rawValue
            productId = signed.productId.rawValue
            purchaseDate = signed.transaction.purchaseDate.millisecondsSince1970
            expiresDate = signed.transaction.expiresDate?.millisecondsSince1970
            revocationDate = signed.transaction.revocation?.date.millisecondsSince1970
            price = signed.transaction.price.count
            signedTransactionInfo = signed.signedTransactionInfo
        }
    }

    /// The present state of a subscription.
    public struct Subscription: Sendable, Hashable {
        /// It identifies the subscription.
        public let originalTransactionId: String
        /// Apple's value: 1 active, 2 expired, 3 billing retry, 4 billing grace period, 5 revoked.
        public let status: Int64
        /// The product that is paid for now.
        public let productId: String
        /// The product that will be paid for next.
        public let autoRenewProductId: String
        /// Whether it renews.
        public let autoRenews: Bool
        /// The newest period.
        public let latestTransaction: Transaction
        /// The signed renewal info.
        public let signedRenewalInfo: String

        init(_ report: SubscriptionReport) {
            originalTransactionId = report.subscription.originalTransactionId.rawValue
            status = report.subscription.status
            productId = report.productId.rawValue
            autoRenewProductId = report.autoRenewProductId.rawValue
            autoRenews = report.subscription.autoRenews
            latestTransaction = Transaction(report.latest)
            signedRenewalInfo = report.signedRenewalInfo
        }
    }

    /// A notification of version 2, and whether it reached its address.
    public struct Notification: Sendable, Hashable {
        /// The same in each delivery.
        public let notificationUUID: String
        /// In Apple's spelling: `DID_RENEW`.
        public let notificationType: String
        /// In Apple's spelling; nil where there is none.
        public let subtype: String?
        /// The body's `signedPayload`.
        public let signedPayload: String
        /// Whether a receiver answered with 200 to 206 at least once.
        public let isDelivered: Bool

        init(_ report: NotificationReport) {
            notificationUUID = report.record.notification.notificationUUID.description
            notificationType = report.record.notification.event.notificationType
            subtype = report.record.notification.event.subtype
            signedPayload = report.signedPayload
            isDelivered = report.record.isDelivered
        }
    }

    /// The whole state of a ``LocalAppStore`` at one moment.
    public struct Snapshot: Sendable {
        let state: SimulatorState
    }
}
