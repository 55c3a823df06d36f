internal import HTTPTypes
internal import Hummingbird
internal import Primitives
internal import StrictJSON

extension Response {
    /// An answer of one JSON object.
    static func json(_ status: HTTPResponse.Status = .ok, _ members: (inout JSONWriter) -> Void) -> Response {
        var json = JSONWriter(reservingCapacity: 1024)
        json.object(members)
        return Response(
            status: status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: .init(bytes: json.bytes)))
    }
}

/// How the control API writes what the store knows: Apple's words where Apple has one.
extension JSONWriter {
    mutating func members(of account: StoreAccount) {
        member("account", account.id.rawValue)
        member("appTransactionId", account.appTransactionId)
        let subscriptions = account.subscriptions.sorted { $0.key < $1.key }
        member("subscriptions") {
            $0.array { list in
                for (group, id) in subscriptions {
                    list.object {
                        $0.member("subscriptionGroupIdentifier", group.rawValue)
                        $0.member("originalTransactionId", id.rawValue)
                    }
                }
            }
        }
        member("transactions", Int64(account.transactions.count))
    }

    mutating func members(of signed: SignedTransaction) {
        let transaction = signed.transaction
        member("transactionId", transaction.transactionId.rawValue)
        member("originalTransactionId", transaction.originalTransactionId.rawValue)
        optionalMember("webOrderLineItemId", transaction.webOrderLineItemId)
        member("productId", transaction.product.id.rawValue)
        member("purchaseDate", transaction.purchaseDate.millisecondsSince1970)
        optionalMember("expiresDate", transaction.expiresDate?.millisecondsSince1970)
        if transaction.isUpgraded { member("isUpgraded", true) }
        optionalMember("revocationDate", transaction.revocation?.date.millisecondsSince1970)
        member("signedTransactionInfo", signed.signedTransactionInfo)
    }

    mutating func members(of list: [SignedTransaction]) {
        member("transactions") { json in
            json.array { elements in
                for signed in list { elements.object { $0.members(of: signed) } }
            }
        }
    }

    mutating func members(of report: SubscriptionReport) {
        let subscription = report.subscription
        member("originalTransactionId", subscription.originalTransactionId.rawValue)
        member("account", subscription.account.rawValue)
        member("status", subscription.status)
        member("statusText", subscription.statusText)
        member("productId", subscription.product.id.rawValue)
        member("autoRenewProductId", subscription.autoRenewProduct.id.rawValue)
        member("autoRenewStatus", subscription.autoRenews ? 1 : 0)
        optionalMember("expiresDate", report.latest.transaction.expiresDate?.millisecondsSince1970)
        if case .billingGracePeriod(let until, _) = subscription.state {
            member("gracePeriodExpiresDate", until.millisecondsSince1970)
        }
        if case .expired(_, let intent) = subscription.state { member("expirationIntent", intent.rawValue) }
        member("transactionId", report.latest.transaction.transactionId.rawValue)
        member("signedTransactionInfo", report.latest.signedTransactionInfo)
        member("signedRenewalInfo", report.signedRenewalInfo)
    }

    mutating func members(of record: OutboxRecord) {
        member("notificationUUID", record.notification.notificationUUID)
        member("notificationType", record.notification.event.notificationType)
        optionalMember("subtype", record.notification.event.subtype)
        member("signedDate", record.notification.signedDate.millisecondsSince1970)
        member("transactionId", record.notification.transaction.transactionId.rawValue)
        member("originalTransactionId", record.notification.transaction.originalTransactionId.rawValue)
        member("state", record.state.rawValue)
        member("sendAttempts") { json in
            json.array { list in
                for attempt in record.attempts {
                    list.object {
                        $0.member("attemptDate", attempt.attemptDate.millisecondsSince1970)
                        $0.member("sendAttemptResult", attempt.result.rawValue)
                    }
                }
            }
        }
        member("signedPayload", record.signedPayload)
    }

    mutating func members(of report: DeliveryReport) {
        switch report.mode {
        case .deliver: member("mode", "deliver")
        case .hold: member("mode", "hold")
        case .drop(let count):
            member("mode", "drop")
            member("count", count)
        case .duplicate(let count):
            member("mode", "duplicate")
            member("count", count)
        }
        nullableMember("url", report.url)
        member("held", Int64(report.held))
    }

    mutating func members(of now: Timestamp) {
        member("now", now.millisecondsSince1970)
        member("nowText", now.description)
    }

    mutating func members(of product: Product, currency: String) {
        member("productId", product.id.rawValue)
        member("type", product.kind.type)
        member("price", product.price.count)
        member("currency", currency)
        guard let terms = product.terms else { return }
        member("subscriptionGroupIdentifier", terms.group.rawValue)
        member("level", terms.level)
        member("period", terms.period.iso8601)
        guard let offer = terms.introductoryOffer else { return }
        member("introductoryOffer") { json in
            json.object {
                $0.member("offerDiscountType", offer.paymentMode.rawValue)
                $0.member("price", offer.price.count)
                $0.member("period", offer.billedPeriod.iso8601)
                $0.member("numberOfPeriods", offer.billedPeriods)
            }
        }
    }
}

extension StoreSubscription {
    /// Apple's name of ``status``.
    fileprivate var statusText: String {
        switch state {
        case .active: "active"
        case .billingGracePeriod: "billingGracePeriod"
        case .billingRetry: "billingRetry"
        case .expired: "expired"
        case .revoked: "revoked"
        }
    }
}
