import Ledger
import LedgerOracle
import Primitives
import StrictJSON
import Testing

/// Reads what Apple signed into the oracle's words, member by member as Apple documents them, past everything of ours that reads
/// it.
enum OracleReading {
    /// - Returns: the subscription, and what is told of it.
    static func deliveries(ofNotification signedPayload: String) throws -> (id: String, [Delivery]) {
        let payload = try AskingStage.payload(signedPayload)
        let body = try #require(payload["data"]?.object)
        let transaction = try transaction(try #require(body["signedTransactionInfo"]?.string))
        let notice = OracleNotice(
            originalTransactionId: transaction.originalTransactionId, uuid: try text(payload, "notificationUUID"),
            type: try text(payload, "notificationType"), subtype: payload["subtype"]?.string, status: body["status"]?.int64,
            signedDate: try number(payload, "signedDate"))
        let info = try body["signedRenewalInfo"]?.string.map { try renewal($0) }
        return (
            transaction.originalTransactionId,
            [.transaction(transaction), .notice(notice)] + [info.map { Delivery.renewalInfo($0) }].compactMap(\.self)
        )
    }

    static func transaction(_ jws: String) throws -> OracleTransaction {
        let it = try AskingStage.payload(jws)
        var transaction = OracleTransaction(
            originalTransactionId: try text(it, "originalTransactionId"), transactionId: try text(it, "transactionId"),
            webOrderLineItemId: it["webOrderLineItemId"]?.string, productId: try text(it, "productId"),
            purchaseDate: try number(it, "purchaseDate"), expiresDate: it["expiresDate"]?.int64,
            isUpgraded: it["isUpgraded"]?.bool ?? false, revocationDate: it["revocationDate"]?.int64,
            revocationType: it["revocationType"]?.string, revocationPercentage: it["revocationPercentage"]?.int64,
            appTransactionId: it["appTransactionId"]?.string, signedDate: try number(it, "signedDate"))
        transaction.reason =
            switch it["transactionReason"]?.string {
            case "PURCHASE": .purchase
            case "RENEWAL": .renewal
            default: .none
            }
        return transaction
    }

    static func renewal(_ jws: String) throws -> OracleRenewalInfo {
        let it = try AskingStage.payload(jws)
        return OracleRenewalInfo(
            originalTransactionId: try text(it, "originalTransactionId"), autoRenewProductId: it["autoRenewProductId"]?.string,
            autoRenewStatus: it["autoRenewStatus"]?.int64.map { $0 == 1 },
            isInBillingRetryPeriod: it["isInBillingRetryPeriod"]?.bool ?? false,
            gracePeriodExpiresDate: it["gracePeriodExpiresDate"]?.int64, expirationIntent: it["expirationIntent"]?.int64,
            signedDate: try number(it, "signedDate"))
    }

    private static func text(_ object: JSONObject, _ name: String) throws -> String {
        try #require(object[name]?.string, "\(name) is missing")
    }

    private static func number(_ object: JSONObject, _ name: String) throws -> Int64 {
        try #require(object[name]?.int64, "\(name) is missing")
    }

    /// The first difference between what the oracle says of a subscription and what our ledger says; nil where they agree.
    static func difference(_ oracle: OracleSubscription, _ state: SubscriptionState) -> String? {
        let told = oracle.periods.map { "\($0.productId) \($0.purchaseDate)…\(words($0.end)) \($0.endReason) \($0.beginning)" }
        if let first = first(told, state.periods.map(words)) { return "period \(first)" }
        let spans = oracle.spans.map { "\(name(of: $0.kind)) \($0.productId) \($0.from)…\(words($0.until))" }
        if let first = first(spans, state.spans.map(words)) { return "span \(first)" }
        let owners = oracle.steps.map { "\($0.customer ?? "nobody") from \($0.from)" }
        let tenures = state.tenures.map { "\($0.customer?.rawValue ?? "nobody") from \($0.from.millisecondsSince1970)" }
        return first(owners, tenures).map { "owner \($0)" }
    }

    private static func first(_ oracle: [String], _ ledger: [String]) -> String? {
        let place = zip(oracle, ledger).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        guard let place = place ?? (oracle.count == ledger.count ? nil : min(oracle.count, ledger.count)) else { return nil }
        func word(_ list: [String]) -> String { place < list.count ? list[place] : "nothing" }
        return "\(place): oracle \(word(oracle)) · ledger \(word(ledger))"
    }

    private static func words(_ instant: Int64?) -> String { instant.map { String($0) } ?? "" }

    private static func words(_ period: Period) -> String {
        let reason =
            switch period.endReason {
            case .ran: "ran"
            case .replaced: "replaced"
            case .revoked: "revoked"
            }
        return "\(period.productId) \(period.purchaseDate.millisecondsSince1970)…\(words(period.end?.millisecondsSince1970))"
            + " \(reason) \(period.beginning)"
    }

    private static func words(_ span: AccessSpan) -> String {
        let kind =
            switch span.kind {
            case .paid: "paid"
            case .gracePeriod: "grace"
            case .provisional: "provisional"
            }
        return "\(kind) \(span.productId) \(span.from.millisecondsSince1970)…\(words(span.until?.millisecondsSince1970))"
    }

    private static func name(of kind: OracleAccessKind) -> String {
        switch kind {
        case .paid: "paid"
        case .grace: "grace"
        case .provisional: "provisional"
        }
    }
}
