/// A notification with all signed parts inside it, each verified separately: the outer signature does not prove the inner ones.
///
/// Source: Apple, App Store Server Notifications, `data`; FACT-3, FACT-4.
public struct VerifiedNotification: Sendable, Hashable {
    /// The notification itself.
    public let notification: Verified<NotificationPayload>
    /// The transaction in its `data`, of the same app and environment.
    public let transaction: Verified<TransactionPayload>?
    /// The renewal info in its `data`, of the same subscription as ``transaction``.
    public let renewalInfo: Verified<RenewalInfoPayload>?
    /// A renewal info that came without a transaction: it counts only together with one from elsewhere (FACT-4).
    public let unboundRenewalInfo: UnboundRenewalInfo?
    /// The app transaction in its `appData`.
    public let appTransaction: Verified<AppTransactionPayload>?
}
