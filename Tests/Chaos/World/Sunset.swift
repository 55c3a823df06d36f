import APIContract
import LedgerOracle

/// Subscriptions that all end at one instant shortly after they are loaded, with auto-renew off, so that only the clock
/// determines when the end is reported.
struct Sunset: Sendable {
    let app: ChaosApp
    let signer: ChaosSigner
    let count: Int
    /// When they end, in milliseconds since 1970.
    let end: Int64

    private static let day: Int64 = 86_400_000

    func originalTransactionId(_ index: Int) -> String { String(7_000_000_000 + index) }

    /// One notification for each: bought 30 days before the end, and turned off 29 days before it.
    func messages() throws -> [Message] {
        try (0..<count).map { index in
            let (id, from) = (originalTransactionId(index), end - 30 * Self.day)
            let transaction = OracleTransaction(
                originalTransactionId: id, transactionId: id, webOrderLineItemId: "8\(id)", productId: OracleProduct.all[0].id,
                purchaseDate: from, expiresDate: end, reason: .purchase, signedDate: from + Self.day)
            // Apple gives no reason before the end; with a reason all ends are reported at once, and no work remains for a day
            // later.
            let info = OracleRenewalInfo(
                originalTransactionId: id, autoRenewProductId: transaction.productId, autoRenewStatus: false, expirationIntent: 1,
                signedDate: from + Self.day)
            let digits = String(index)
            let notice = OracleNotice(
                originalTransactionId: id,
                uuid: "00000000-0000-4000-8f12-" + String(repeating: "0", count: 12 - digits.count) + digits,
                type: "DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_DISABLED", status: 1, signedDate: from + Self.day)
            let statement = ChaosLife.Statement(transaction: transaction, renewalInfo: info, notice: notice)
            return Message(
                name: "subscription \(id)", life: index, order: .free, method: .post,
                path: NativeAPI.receiveNotification.path(AppPath(app: app.id)),
                body: try signer.notification(notice, statement, of: app), evidence: .init())
        }
    }
}
