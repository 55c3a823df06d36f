internal import AppStoreModel
internal import Primitives
internal import SimulatorPKI
internal import StrictJSON

/// `/verifyReceipt`: always HTTP 200, and a `status`.
///
/// Source: Apple, App Store Receipts (deprecated), `verifyReceipt`, `status`.
extension AppStoreSimulator {
    /// The statuses that this store answers by itself.
    private enum ReceiptStatus: Int64 {
        case valid = 0
        case malformed = 21002
        case unauthenticated = 21003
        case wrongSharedSecret = 21004
        case expired = 21006
        case sandboxReceipt = 21007
        case productionReceipt = 21008
        case noAccount = 21010
    }

    /// Answers a request that was posted to the address of an environment.
    func verifyReceipt(_ body: [UInt8], at environment: Environment, isStale: Bool) throws -> [UInt8] {
        guard let request = ReceiptRequest(body) else { return Self.status(.malformed) }
        let shown = isStale ? faults.stale ?? store : store
        if let text = request.propertyList { return try oldReceipt(text, request, at: environment, shown) }
        guard let der = request.receipt, let receipt = ShownReceipt(der, signedBy: try receipts.authority()) else {
            return Self.status(.unauthenticated)
        }
        guard receipt.environment == environment else {
            return Self.status(environment == .production ? .sandboxReceipt : .productionReceipt)
        }
        let app: AppNumber
        do throws(StoreRefusal) { app = try shown.app(receipt.bundleId) } catch { return Self.status(.noAccount) }
        guard isRight(request.password, of: app) else { return Self.status(.wrongSharedSecret) }
        let account = receipt.transactions.lazy.compactMap { shown.find($0)?.account }.first { _ in true }
        let answer = ReceiptAnswer(store: shown, app: app, receipt: receipt, account: account, request: request)
        let latest = account.flatMap { answer.hasSubscriptions($0) ? latestReceipt(of: app, for: $0) : nil }
        return answer.json(latestReceipt: latest, at: environment)
    }

    private func isRight(_ password: String?, of app: AppNumber) -> Bool {
        guard let secret = configuration.apps[app.index].sharedSecret else { return true }
        return password == secret
    }

    /// An answer that has only a status.
    static func status(_ status: Int64, isRetryable: Bool? = nil) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("status", status)
            if let isRetryable { json.member("is_retryable", isRetryable ? 1 : 0) }
        }
        return json.bytes
    }

    private static func status(_ status: ReceiptStatus) -> [UInt8] { self.status(status.rawValue) }

    // MARK: Before iOS 7

    /// A transaction receipt of iOS 6 and earlier: about one transaction; the answer is flat.
    private func oldReceipt(
        _ text: String, _ request: ReceiptRequest, at environment: Environment, _ shown: AppStore
    ) throws -> [UInt8] {
        guard let list = OldReceipt(text), let id = list.transaction else { return Self.status(.malformed) }
        guard let transaction = shown.find(id), list.isSigned(by: try receipts.oldAuthority()) else {
            return Self.status(.unauthenticated)
        }
        guard list.environment == environment else {
            return Self.status(environment == .production ? .sandboxReceipt : .productionReceipt)
        }
        guard isRight(request.password, of: transaction.app) else { return Self.status(.wrongSharedSecret) }
        let subscription = shown.subscriptions(of: transaction.app, for: transaction.account).first {
            $0.originalTransactionId == transaction.originalTransactionId
        }
        let isExpired = subscription?.hasEnded ?? false
        let answer = OldReceiptAnswer(store: shown, transaction: transaction, subscription: subscription)
        return answer.json(status: (isExpired ? ReceiptStatus.expired : .valid).rawValue, latestReceipt: request.text)
    }
}

/// What is posted to `/verifyReceipt`.
struct ReceiptRequest: Sendable {
    /// `receipt-data` as received.
    let text: String
    let password: String?
    let excludesOldTransactions: Bool
    /// Its bytes, if they are DER.
    let receipt: [UInt8]?
    /// Its text, if it is a property list.
    let propertyList: String?

    /// Apple's own limit is not known; ours is enough for a receipt of thousands of purchases.
    static let longest = 5 * 1024 * 1024

    init?(_ body: [UInt8]) {
        do throws(JSONError) {
            let limits = JSONLimits(maximumBytes: Self.longest, maximumDepth: 8, maximumElements: 1000)
            guard let object = try JSONDocument(body, limits: limits).root.object, let text = object["receipt-data"]?.string,
                let bytes = StrictBase64.decodePadded(Array(text.utf8)[...]), let first = bytes.first
            else { return nil }
            self.text = text
            password = object["password"]?.string
            excludesOldTransactions = object["exclude-old-transactions"]?.bool ?? false
            receipt = first == 0x30 ? bytes : nil
            propertyList = first == UInt8(ascii: "{") ? String(validating: bytes, as: UTF8.self) : nil
        } catch {
            return nil
        }
    }
}
