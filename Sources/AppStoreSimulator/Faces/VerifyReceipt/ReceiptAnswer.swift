internal import AppStoreModel
internal import Primitives
internal import SimulatorPKI
internal import StrictJSON

/// The answer about a valid app receipt: its content, and what is known now.
struct ReceiptAnswer {
    let store: AppStore
    let app: AppNumber
    let receipt: ShownReceipt
    let account: AccountNumber?
    let request: ReceiptRequest

    func hasSubscriptions(_ account: AccountNumber) -> Bool { !store.subscriptions(of: app, for: account).isEmpty }

    func json(latestReceipt: String?, at environment: Environment) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 8192)
        json.object { json in
            json.member("status", 0)
            json.member("environment", environment.rawValue)
            json.member("receipt") { $0.object { writeReceipt(to: &$0, environment) } }
            guard let account, hasSubscriptions(account) else { return }
            json.member("latest_receipt_info") { $0.array { writeLatest(of: account, to: &$0) } }
            json.optionalMember("latest_receipt", latestReceipt)
            json.member("pending_renewal_info") { json in
                json.array { list in
                    for subscription in store.subscriptions(of: app, for: account) {
                        list.object { store.writeLegacyRenewal(subscription, to: &$0) }
                    }
                }
            }
        }
        return json.bytes
    }

    /// Newest first, as Apple mostly does; with `exclude-old-transactions` the newest of each subscription.
    private func writeLatest(of account: AccountNumber, to list: inout JSONWriter) {
        var seen: Set<TransactionNumber> = []
        for purchase in store.legacyPurchases(of: app, for: account).reversed() {
            let isRenewable = store[app].catalogue[purchase.product].terms != nil
            if isRenewable, request.excludesOldTransactions, !seen.insert(purchase.originalTransactionId).inserted { continue }
            list.object { store.writeLegacy(purchase, in: .latestReceiptInfo, to: &$0) }
        }
    }

    private func writeReceipt(to json: inout JSONWriter, _ environment: Environment) {
        let (seller, isProduction) = (store[app], environment == .production)
        json.member("receipt_type", receipt.receiptType)
        json.member("adam_id", isProduction ? seller.appAppleId : 0)
        json.member("app_item_id", isProduction ? seller.appAppleId : 0)
        json.member("bundle_id", receipt.bundleId)
        json.member("application_version", receipt.applicationVersion)
        json.member("download_id", 0)
        json.member("version_external_identifier", 0)
        if let created = Timestamp(rfc3339: receipt.creationDate) { json.legacyDate("receipt_creation_date", created) }
        json.legacyDate("request_date", store.signingInstant)
        // In Sandbox it is the same for every purchase.
        let sandboxDate = Timestamp(millisecondsSince1970: 1_375_340_400_000)
        let installed = account.flatMap { store[$0].installations[app]?.originalPurchaseDate } ?? sandboxDate
        json.legacyDate("original_purchase_date", isProduction ? installed : sandboxDate)
        json.member("original_application_version", receipt.originalApplicationVersion)
        json.member("in_app") { json in
            json.array { list in
                for purchase in receipt.transactions.compactMap({ store.find($0) }) {
                    list.object { store.writeLegacy(purchase, in: .inApp, to: &$0) }
                }
            }
        }
    }
}

/// The flat answer about a transaction receipt.
///
/// Source: Apple's answers as found in old logs; no page describes them any more.
struct OldReceiptAnswer {
    let store: AppStore
    let transaction: StorePurchase
    let subscription: StoreSubscription?

    func json(status: Int64, latestReceipt: String) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 4096)
        json.object { json in
            json.member("status", status)
            json.member("receipt") { $0.object { write(transaction, to: &$0) } }
            guard let subscription else { return }
            let latest = store.find(subscription.latest) ?? transaction
            if subscription.hasEnded {
                json.member("latest_expired_receipt_info") { $0.object { write(latest, to: &$0) } }
            } else {
                json.member("latest_receipt", latestReceipt)
                json.member("latest_receipt_info") { $0.object { write(latest, to: &$0) } }
            }
            json.member("auto_renew_status", subscription.autoRenews ? 1 : 0)
            json.member("auto_renew_product_id", store[subscription.app].catalogue[subscription.autoRenewProduct].id.rawValue)
            if case .expired(_, let intent) = subscription.state { json.member("expiration_intent", String(intent.rawValue)) }
            switch subscription.state {
            case .billingRetry, .billingGracePeriod: json.member("is_in_billing_retry_period", "1")
            case .active, .expired, .revoked: json.member("is_in_billing_retry_period", "0")
            }
        }
        return json.bytes
    }

    private func write(_ purchase: StorePurchase, to json: inout JSONWriter) {
        let app = store[purchase.app]
        json.member("quantity", String(purchase.quantity))
        json.member("product_id", app.catalogue[purchase.product].id.rawValue)
        json.member("transaction_id", purchase.transactionId.rawValue)
        json.member("original_transaction_id", purchase.originalTransactionId.rawValue)
        json.legacyDate("purchase_date", purchase.purchaseDate)
        json.legacyDate("original_purchase_date", purchase.originalPurchaseDate)
        json.member("bid", app.bundleId)
        json.member("bvrs", app.bundleVersion)
        json.member("item_id", String(app.appAppleId))
        json.member("unique_identifier", "0000000000000000000000000000000000000000")
        json.optionalMember("web_order_line_item_id", purchase.webOrderLineItemId.map { String($0) })
        guard let expires = purchase.expiresDate else { return }
        // Here it is in milliseconds, and the texts have names of their own.
        json.member("expires_date", String(expires.millisecondsSince1970))
        json.legacyDate(named: "expires_date_formatted", expires)
    }
}

/// A property list in NeXT's style around a signature, as devices of iOS 6 and earlier kept it.
struct OldReceipt: Sendable {
    private let purchaseInfo: [UInt8]
    private let signature: [UInt8]
    let environment: Environment
    private let entries: [String: String]

    init?(_ text: String) {
        let outer = Self.entries(of: text)
        guard let info = outer["purchase-info"].flatMap({ StrictBase64.decodePadded(Array($0.utf8)[...]) }),
            let signature = outer["signature"].flatMap({ StrictBase64.decodePadded(Array($0.utf8)[...]) }),
            let inner = String(validating: info, as: UTF8.self)
        else { return nil }
        purchaseInfo = info
        self.signature = signature
        environment = outer["environment"] == "Sandbox" ? .sandbox : .production
        entries = Self.entries(of: inner)
    }

    var transaction: TransactionNumber? { entries["transaction-id"].flatMap { TransactionNumber($0) } }

    /// Checks by signing again: that gives the same signature.
    func isSigned(by authority: TransactionReceiptAuthority) -> Bool {
        do {
            let again = try authority.sign(
                purchaseInfo: String(decoding: purchaseInfo, as: UTF8.self), environment: nil)
            guard let field = Self.entries(of: again)["signature"] else { return false }
            return StrictBase64.decodePadded(Array(field.utf8)[...]) == signature
        } catch {
            return false
        }
    }

    /// Lines such as `"key" = "value";`.
    private static func entries(of text: String) -> [String: String] {
        var entries: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline).prefix(100) {
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            if parts.count == 5 { entries[String(parts[1])] = String(parts[3]) }
        }
        return entries
    }
}
