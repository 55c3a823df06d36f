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
    /// In one text, in which the subscription ends where its length says.
    fileprivate var cursor: String {
        "\(revokedAt.millisecondsSince1970):\(originalTransactionId.rawValue.utf8.count):\(originalTransactionId)\(transactionId)"
    }

    /// - Throws: `CursorInvalid` for anything that ``cursor`` is not.
    fileprivate init(cursor: String) throws(CursorInvalid) {
        let parts = cursor.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let instant = Int64(parts[0]), let length = Int(parts[1]),
            (0...parts[2].utf8.count).contains(length)
        else { throw CursorInvalid() }
        let names = parts[2].utf8
        self.init(
            revokedAt: Timestamp(millisecondsSince1970: instant),
            originalTransactionId: OriginalTransactionID(String(decoding: names.prefix(length), as: UTF8.self)),
            transactionId: TransactionID(String(decoding: names.dropFirst(length), as: UTF8.self)))
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
