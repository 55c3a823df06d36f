import AppStoreWire
import Foundation
import Ledger
import Primitives
import SimulatorPKI
import Synchronization

@testable import Backend

/// Apple's `/verifyReceipt` as a script, each call taking the next reply; its App Store Server API knows no transaction.
final class ScriptedReceipts: AppleServer {
    enum Reply: Sendable {
        /// HTTP 200 with this JSON.
        case body(String)
        case http(Int, String)
        case failure(AppleFailure)

        /// An answer that has a status and nothing else.
        static func status(_ status: Int) -> Reply { .body(#"{"status":\#(status)}"#) }
    }

    struct Asked: Sendable, Hashable {
        let host: VerifyReceiptHost
        let password: String?
    }

    private struct State {
        var replies: [Reply] = []
        var asked: [Asked] = []
        var receipts: [String] = []
        var statuses = 0
        var closed: Timestamp?
    }

    private let state = Mutex(State())

    /// The calls of `/verifyReceipt`.
    var asked: [Asked] { state.withLock { $0.asked } }
    /// What was sent with them, in base64.
    var receipts: [String] { state.withLock { $0.receipts } }
    /// How often the App Store Server API was called.
    var statuses: Int { state.withLock { $0.statuses } }

    func reply(_ replies: [Reply]) { state.withLock { $0.replies += replies } }

    func close(until instant: Timestamp?) { state.withLock { $0.closed = instant } }

    func answer<Response>(
        to call: ServerAPICall<Response>, for app: AppID, in environment: Primitives.Environment
    ) async -> Result<ServerAPIAnswer<Response>, AppleFailure> {
        state.withLock { $0.statuses += 1 }
        return .failure(AppleFailure(.transaction, code: "apple.4040010"))
    }

    func outcome(
        of receipt: VerifyReceiptRequest, from host: VerifyReceiptHost, for app: AppID
    ) async -> Result<VerifyReceiptOutcome, AppleFailure> {
        let reply = state.withLock { state in
            state.asked.append(Asked(host: host, password: receipt.password))
            state.receipts.append(receipt.receiptData)
            return state.replies.isEmpty ? nil : state.replies.removeFirst()
        }
        return switch reply {
        case nil: .failure(AppleFailure(.host, code: "script.ended"))
        case .failure(let failure): .failure(failure)
        case .body(let json): .success(VerifyReceiptOutcome(httpStatus: 200, body: Array(json.utf8), from: host))
        case .http(let status, let body):
            .success(VerifyReceiptOutcome(httpStatus: status, body: Array(body.utf8), from: host))
        }
    }

    func clockLead(for app: AppID, in environment: Primitives.Environment) -> Milliseconds? { nil }

    func closedUntil(for app: AppID, in environment: Primitives.Environment) -> Timestamp? { nil }

    func closedUntil(for app: AppID, at host: VerifyReceiptHost) -> Timestamp? { state.withLock { $0.closed } }
}

/// Receipts from before iOS 7, and what Apple says of them, as its pages describe it.
enum OldReceipt {
    /// Keys are expensive to make. Nobody here knows the issuer, as nobody knows Apple's of those years.
    private static let signer: Result<TransactionReceiptAuthority, any Error> = Result {
        let june = PretendAppStore.june
        return try TransactionReceiptAuthority(validity: june.adding(.days(-400))...june.adding(.days(400)))
    }

    /// A month of a subscription from 1 June 2026, in base64 as a device sends it.
    static func text(_ id: String = "1001", environment: String? = nil) throws -> String {
        Data(try bytes(id, environment: environment)).base64EncodedString()
    }

    static func bytes(_ id: String = "1001", environment: String? = nil) throws -> [UInt8] {
        let start = PretendAppStore.june
        let purchaseInfo = """
            {
            	"original-transaction-id" = "\(id)";
            	"transaction-id" = "\(id)";
            	"product-id" = "plus.monthly";
            	"purchase-date-ms" = "\(start.millisecondsSince1970)";
            	"expires-date" = "\(start.adding(.days(30)).millisecondsSince1970)";
            	"bid" = "com.example.app";
            }
            """
        return Array(try signer.get().sign(purchaseInfo: purchaseInfo, environment: environment).utf8)
    }

    /// What `/verifyReceipt` says of it, in the iOS 6 style: the receipt, and the newest transaction beside it.
    ///
    /// - Parameter renewed: how many months were paid after the first.
    static func answer(
        _ id: String = "1001", status: Int = 0, renewed: Int64 = 0, latestReceipt: String? = nil, appItemId: String = "42"
    ) -> String {
        let isOver = status == 21006
        var members = [
            #""status":\#(status)"#, #""receipt":{\#(line(id, month: 0, appItemId))}"#,
            #""\#(isOver ? "latest_expired_receipt_info" : "latest_receipt_info")":{\#(line(id, month: renewed, appItemId))}"#,
            #""auto_renew_status":\#(isOver ? 0 : 1)"#, #""auto_renew_product_id":"plus.monthly""#,
        ]
        if isOver { members.append(#""expiration_intent":"1""#) }
        if let latestReceipt { members.append(#""latest_receipt":"\#(latestReceipt)""#) }
        return "{\(members.joined(separator: ","))}"
    }

    private static func line(_ id: String, month: Int64, _ appItemId: String) -> String {
        let start = PretendAppStore.june.adding(.days(30 * month))
        let transaction = month == 0 ? id : "\(id)\(month)"
        return """
            "bid":"com.example.app","app_item_id":"\(appItemId)","product_id":"plus.monthly","quantity":"1",\
            "transaction_id":"\(transaction)","original_transaction_id":"\(id)","web_order_line_item_id":"\(transaction)",\
            "purchase_date_ms":"\(start.millisecondsSince1970)",\
            "expires_date":"\(start.adding(.days(30)).millisecondsSince1970)"
            """
    }

    /// What it says of an app receipt with one subscription, in the iOS 7 style.
    ///
    /// - Parameters:
    ///   - months: what `latest_receipt_info` lists, each a month from 1 June 2026 on; nil leaves the list out.
    ///   - requested: when Apple answered.
    static func answer(
        toAppReceiptOf id: String, months: [Int64]?, requested: Timestamp, autoRenewStatus: Int? = 1
    ) -> String {
        let lines = months?.map { "{\(line(id, month: $0, "42"))}" }.joined(separator: ",")
        let latest = lines.map { #","latest_receipt_info":[\#($0)]"# } ?? ""
        let pending = autoRenewStatus.map {
            #"""
            ,"pending_renewal_info":[{"product_id":"plus.monthly","original_transaction_id":"\#(id)",\#
            "auto_renew_product_id":"plus.monthly","auto_renew_status":"\#($0)"\#
            \#($0 == 0 ? #","expiration_intent":"1""# : "")}]
            """#
        }
        return #"""
            {"status":0,"environment":"Production","receipt":{"receipt_type":"Production","bundle_id":"com.example.app",\#
            "adam_id":42,"in_app":[{\#(line(id, month: 0, "42"))}],\#
            "receipt_creation_date_ms":"\#(PretendAppStore.june.adding(.days(1)).millisecondsSince1970)",\#
            "request_date_ms":"\#(requested.millisecondsSince1970)"}\#(latest)\#(pending ?? "")}
            """#
    }
}

extension Backend.ReceiptResult {
    /// What the claims came to; empty where Apple must be asked first.
    var judged: [Backend.ClaimResult] {
        if case .judged(let results) = self { results } else { [] }
    }

    var waits: Bool { if case .waits = self { true } else { false } }
}
