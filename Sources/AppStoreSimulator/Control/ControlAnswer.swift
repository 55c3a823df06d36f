internal import AppStoreModel
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

/// How the control API writes what the store knows: with Apple's name wherever Apple has one.
extension JSONWriter {
    /// A list of objects.
    mutating func list<Elements: Sequence>(
        _ name: StaticString, _ elements: Elements, _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        member(name) { json in
            json.array { list in
                for element in elements { list.object { write(&$0, element) } }
            }
        }
    }

    mutating func members(of report: AccountReport) {
        let account = report.account
        member("account", account.id.rawValue)
        member("environment", account.environment.rawValue)
        member("storefront", report.storefront.countryCode)
        member("payment", account.payment.rawValue)
        optionalMember("family", account.family?.rawValue)
        optionalMember("appTransactionId", report.installations.first.map { String($0.installation.appTransactionId) })
        let all = report.installations.flatMap { app in
            app.installation.subscriptions.sorted { $0.key < $1.key }.map { (app.bundleId, $0.key.rawValue, $0.value) }
        }
        list("subscriptions", all) { json, subscription in
            json.member("bundleId", subscription.0)
            json.member("subscriptionGroupIdentifier", subscription.1)
            json.member("originalTransactionId", subscription.2.rawValue)
        }
        let shared = report.installations.flatMap { app in app.installation.shared.values.sorted().map { (app.bundleId, $0) } }
        list("familySubscriptions", shared) { json, subscription in
            json.member("bundleId", subscription.0)
            json.member("originalTransactionId", subscription.1.rawValue)
        }
        member("transactions", Int64(report.installations.reduce(0) { $0 + $1.installation.transactions.count }))
    }

    mutating func members(of signed: SignedTransaction) {
        let transaction = signed.transaction
        member("transactionId", transaction.transactionId.rawValue)
        member("originalTransactionId", transaction.originalTransactionId.rawValue)
        optionalMember("webOrderLineItemId", transaction.webOrderLineItemId.map { String($0) })
        member("productId", signed.productId.rawValue)
        member("purchaseDate", transaction.purchaseDate.millisecondsSince1970)
        optionalMember("expiresDate", transaction.expiresDate?.millisecondsSince1970)
        member("price", transaction.price.count)
        member("inAppOwnershipType", transaction.ownership.rawValue)
        if transaction.isUpgraded { member("isUpgraded", true) }
        if transaction.isFinished { member("isFinished", true) }
        optionalMember("revocationDate", transaction.revocation?.date.millisecondsSince1970)
        member("orderId", OrderNumber.text(of: transaction.transactionId))
        member("signedTransactionInfo", signed.signedTransactionInfo)
    }

    mutating func members(of list: [SignedTransaction]) {
        self.list("transactions", list) { $0.members(of: $1) }
    }

    mutating func members(of report: SubscriptionReport) {
        let subscription = report.subscription
        member("originalTransactionId", subscription.originalTransactionId.rawValue)
        member("account", report.account.rawValue)
        member("bundleId", report.bundleId)
        member("status", subscription.status)
        member("statusText", subscription.statusText)
        member("productId", report.productId.rawValue)
        member("autoRenewProductId", report.autoRenewProductId.rawValue)
        member("autoRenewStatus", subscription.autoRenews ? 1 : 0)
        member("inAppOwnershipType", subscription.ownership.rawValue)
        optionalMember("expiresDate", report.latest.transaction.expiresDate?.millisecondsSince1970)
        if case .billingGracePeriod(let until, _) = subscription.state {
            member("gracePeriodExpiresDate", until.millisecondsSince1970)
        }
        if case .expired(_, let intent) = subscription.state { member("expirationIntent", intent.rawValue) }
        if let increase = subscription.priceIncrease { member("priceIncreaseStatus", increase.isAgreed ? 1 : 0) }
        if subscription.isSilent { member("isSilent", true) }
        if subscription.isToldInHistory ?? false { member("isToldInHistory", true) }
        member("transactionId", report.latest.transaction.transactionId.rawValue)
        member("signedTransactionInfo", report.latest.signedTransactionInfo)
        member("signedRenewalInfo", report.signedRenewalInfo)
    }

    mutating func members(of report: NotificationReport) {
        let notification = report.record.notification
        member("notificationUUID", notification.notificationUUID.description)
        member("notificationType", notification.event.notificationType)
        optionalMember("subtype", notification.event.subtype)
        member("bundleId", report.bundleId)
        member("environment", notification.environment.rawValue)
        member("signedDate", notification.signedDate.millisecondsSince1970)
        optionalMember("transactionId", notification.subject.transaction?.transactionId.rawValue)
        optionalMember("originalTransactionId", notification.subject.transaction?.originalTransactionId.rawValue)
        member("state", report.record.state.rawValue)
        list("sendAttempts", report.record.attempts) { json, attempt in
            json.member("attemptDate", attempt.attemptDate.millisecondsSince1970)
            json.member("sendAttemptResult", attempt.result.rawValue)
        }
        member("signedPayload", report.signedPayload)
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
        case .delay(let time):
            member("mode", "delay")
            member("seconds", time.count / 1000)
        }
        nullableMember("url", report.url)
        member("version", report.version.rawValue)
        member("held", Int64(report.held))
    }

    mutating func members(of now: Timestamp) {
        member("now", now.millisecondsSince1970)
        member("nowText", now.description)
    }

    mutating func members(of rate: ClockRate) {
        switch rate {
        case .stands: member("rate", 0)
        case .factor(let factor): member("rate", factor)
        }
    }

    mutating func members(of family: Family, _ members: [AccountID]) {
        member("family", family.id.rawValue)
        member("isSharing", family.isSharing)
        member("members") { $0.array { list in for id in members { list.string(id.rawValue) } } }
    }

    mutating func members(of device: StoreDevice, _ account: AccountID?) {
        member("device", device.id.rawValue)
        member("identifierForVendor", device.identifierForVendor.description)
        nullableMember("account", account?.rawValue)
        member("unfinished") { $0.array { list in for id in device.unfinished { list.string(id.rawValue) } } }
    }

    mutating func members(of request: RefundRequest) {
        member("transactionId", request.transaction.rawValue)
        member("consumptionRequestReason", request.reason.rawValue)
        member("requestedAt", request.requestedAt.millisecondsSince1970)
        member("isAnswered", request.isAnswered)
        optionalMember("refundPreference", request.preference?.rawValue)
        optionalMember("decision", request.decision?.rawValue)
    }

    mutating func members(of terms: StoreApp.Terms) {
        nullableMember("billingGracePeriodDays", terms.billingGracePeriodDays)
        member("earlyChargeHours", terms.earlyCharge.count / 3_600_000)
        switch terms.sandboxRate {
        case .realTime: member("sandboxMonthMinutes", 0)
        case .monthly(let minutes): member("sandboxMonthMinutes", minutes)
        }
        member("tokenOfPlanChange", terms.tokenOfPlanChange.rawValue)
    }
}

// MARK: Products

extension JSONWriter {
    mutating func members(of product: StoreProduct, in app: StoreApp, currency: String) {
        member("productId", product.id.rawValue)
        member("name", product.name)
        member("type", product.kind.type)
        member("price", app.catalogue.number(of: product.id).map { app.price(of: $0) }?.count ?? product.price.count)
        member("currency", currency)
        member("isFamilyShareable", product.isFamilyShareable)
        let offers = product.offers.map { app.catalogue[$0] }
        if !offers.isEmpty { list("offers", offers) { $0.members(of: $1) } }
        guard let terms = product.terms else { return }
        member("subscriptionGroupIdentifier", terms.group.rawValue)
        member("level", terms.level)
        member("period", terms.period.iso8601)
        if let plan = terms.monthlyPlan {
            member("monthlyPlan") { json in
                json.object {
                    $0.member("price", plan.price.count)
                    $0.member("commitmentPrice", plan.commitmentPrice.count)
                }
            }
        }
        guard let offer = offers.first(where: { $0.kind == .introductory }) else { return }
        member("introductoryOffer") { $0.object { $0.members(of: offer) } }
    }

    private mutating func members(of offer: Offer) {
        member("offerType", offer.kind.rawValue)
        optionalMember("offerIdentifier", offer.identifier)
        member("offerDiscountType", offer.paymentMode.rawValue)
        member("price", offer.price.count)
        optionalMember("period", offer.billedPeriod?.iso8601)
        member("numberOfPeriods", offer.billedPeriods)
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
