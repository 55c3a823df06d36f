package import Primitives
internal import StrictJSON

/// The signed parts inside a notification.
package struct SignedParts: Sendable {
    package var transaction: String?
    package var renewal: String?
    package var appTransaction: String?

    package init(transaction: String? = nil, renewal: String? = nil, appTransaction: String? = nil) {
        self.transaction = transaction
        self.renewal = renewal
        self.appTransaction = appTransaction
    }
}

extension AppStore {
    /// What Apple signs as a notification. It is signed last, because it contains parts that are signed before it.
    ///
    /// Source: Apple, `responseBodyV2DecodedPayload`.
    package func payload(of notification: StoreNotification, with parts: SignedParts) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 16_384)
        json.object { body in
            body.member("notificationType", notification.event.notificationType)
            body.optionalMember("subtype", notification.event.subtype)
            body.member("notificationUUID", notification.notificationUUID.description)
            switch notification.extra {
            case .summary(let order): body.member("summary") { $0.object { write(order, to: &$0) } }
            case .externalPurchase(let id, let createdAt):
                body.member("externalPurchaseToken") { json in
                    json.object { json in
                        json.member("externalPurchaseId", id)
                        json.member("tokenCreationDate", createdAt.millisecondsSince1970)
                        writeApp(of: notification, to: &json)
                    }
                }
            case .consumptionRequest, nil:
                let name: StaticString = notification.event == .rescindConsent ? "appData" : "data"
                body.member(name) { $0.object { writeBody(of: notification, parts, to: &$0) } }
            }
            body.member("version", "2.0")
            body.member("signedDate", notification.signedDate.millisecondsSince1970)
        }
        return json.bytes
    }

    private func writeApp(of notification: StoreNotification, to json: inout JSONWriter) {
        let app = self[notification.subject.app]
        // Sandbox does not know which app it is in the App Store; some kinds leave the number out there.
        if notification.environment == .production || notification.event != .test {
            json.member("appAppleId", app.appAppleId)
        }
        json.member("bundleId", app.bundleId)
    }

    private func writeBody(of notification: StoreNotification, _ parts: SignedParts, to json: inout JSONWriter) {
        writeApp(of: notification, to: &json)
        if notification.event != .test { json.member("bundleVersion", self[notification.subject.app].bundleVersion) }
        json.member("environment", notification.environment.rawValue)
        json.optionalMember("signedTransactionInfo", parts.transaction)
        json.optionalMember("signedRenewalInfo", parts.renewal)
        json.optionalMember("signedAppTransactionInfo", parts.appTransaction)
        json.optionalMember("status", notification.subject.subscription?.status)
        if case .consumptionRequest(let reason) = notification.extra {
            json.member("consumptionRequestReason", reason.rawValue)
        }
    }

    private func write(_ order: MassExtension, to json: inout JSONWriter) {
        let app = self[order.app]
        json.member("requestIdentifier", order.requestIdentifier)
        json.member("environment", order.environment.rawValue)
        json.member("appAppleId", app.appAppleId)
        json.member("bundleId", app.bundleId)
        json.member("productId", order.product.rawValue)
        if !order.storefronts.isEmpty {
            json.member("storefrontCountryCodes") { $0.array { list in for code in order.storefronts { list.string(code) } } }
        }
        json.member("succeededCount", order.succeededCount)
        json.member("failedCount", order.failedCount)
    }

    // MARK: Apps

    /// What Apple signs to state that an account has the app.
    ///
    /// Source: Apple, `AppTransaction`.
    package func appTransactionPayload(of app: AppNumber, for account: AccountNumber, signedDate: Timestamp) -> [UInt8]? {
        guard let installation = self[account].installations[app] else { return nil }
        let (seller, environment) = (self[app], self[account].environment)
        var json = JSONWriter(reservingCapacity: 512)
        json.object { json in
            json.member("receiptType", environment.rawValue)
            json.member("appAppleId", environment == .production ? seller.appAppleId : 0)
            json.member("bundleId", seller.bundleId)
            json.member("applicationVersion", seller.bundleVersion)
            json.member("versionExternalIdentifier", 0)
            json.member("receiptCreationDate", signedDate.millisecondsSince1970)
            json.member("originalPurchaseDate", installation.originalPurchaseDate.millisecondsSince1970)
            json.member("originalApplicationVersion", environment == .production ? seller.bundleVersion : "1.0")
            json.member("originalPlatform", "iOS")
            json.member("appTransactionId", String(installation.appTransactionId))
        }
        return json.bytes
    }

    // MARK: Questions

    /// What Apple signs when it asks the app's server, while a customer waits, what to show to the customer.
    ///
    /// Source: Apple, Retention Messaging, `DecodedRealtimeRequestBody`.
    package func realtimePayload(
        of subscription: StoreSubscription, locale: String, requestIdentifier: CompactUUID, signedDate: Timestamp
    ) -> [UInt8] {
        let app = self[subscription.app]
        var json = JSONWriter(reservingCapacity: 512)
        json.object { json in
            json.member("originalTransactionId", subscription.originalTransactionId.rawValue)
            json.member("appAppleId", app.appAppleId)
            json.member("productId", app.catalogue[subscription.product].id.rawValue)
            json.member("userLocale", locale)
            json.member("requestIdentifier", requestIdentifier.description)
            json.member("environment", self[subscription.account].environment.rawValue)
            json.member("signedDate", signedDate.millisecondsSince1970)
        }
        return json.bytes
    }
}
