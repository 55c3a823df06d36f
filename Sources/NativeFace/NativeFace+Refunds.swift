import APIContract
import Backend
import Ledger
import Primitives
import Server

/// What Apple refunded, over all customers.
extension NativeFace {
    func listRefunds(_ call: OfApp<PageQuery, NoBody>) async throws -> PageBody<RefundItem> {
        let list = Listing(NativeAPI.listRefunds, call)
        let page = try await backend.refunds(
            app: call.app, environment: call.query.environment, before: try list.after.map { try .init(cursor: $0) },
            limit: call.query.limit)
        return PageBody(items: page.refunds.map { RefundItem($0) }, next: list.next(after: page.last?.cursor))
    }
}

extension Backend.RefundPage.Place {
    fileprivate var cursor: String {
        "\(revokedAt.millisecondsSince1970):\(TextPair(originalTransactionId.rawValue, transactionId.rawValue).text)"
    }

    /// - Throws: `CursorInvalid` for anything that ``cursor`` is not.
    fileprivate init(cursor: String) throws(CursorInvalid) {
        let parts = cursor.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let instant = Int64(parts[0]) else { throw CursorInvalid() }
        let pair = try TextPair(text: parts[1])
        self.init(
            revokedAt: Timestamp(millisecondsSince1970: instant), originalTransactionId: OriginalTransactionID(pair.first),
            transactionId: TransactionID(pair.second))
    }
}

extension RefundItem {
    fileprivate init(_ refund: Backend.RefundView) {
        self.init(
            Purchase(
                originalTransactionId: refund.originalTransactionId.rawValue, transactionId: refund.transactionId.rawValue,
                productId: refund.productId.rawValue, type: refund.type.rawValue, purchaseDate: refund.purchaseDate),
            revocationDate: refund.revokedAt)
        customer = refund.customer?.rawValue
        (isReversed, isPartial) = (refund.revocation == nil, refund.revocation?.isPartial ?? false)
        (revocationPercentage, revocationReason) = (refund.revocation?.revocationPercentage, refund.revocation?.revocationReason)
        revocationType = refund.revocation?.revocationType
        (quantity, refundedQuantity) = (refund.units, refund.refundedUnits)
        deliveries = refund.deliveries.map {
            Delivery(
                customer: $0.customer.rawValue, deliveredAt: $0.deliveredAt, quantity: $0.units, takeBack: $0.unitsToTakeBack)
        }
        takeBack = refund.unitsToTakeBack
    }
}
