internal import Primitives
internal import SimulatorPKI
internal import StrictJSON

/// Signs what the store says, with the store's own certificates and the store's own date.
struct StorePrinter: Sendable {
    let authority: SigningAuthority
    let app: StoreApp
    let storefront: Storefront

    init(authority: SigningAuthority, app: StoreApp, storefront: Storefront) {
        self.authority = authority
        self.app = app
        self.storefront = storefront
    }

    /// A `signedTransactionInfo`.
    func signed(_ transaction: StoreTransaction, of account: StoreAccount, at instant: Timestamp) throws -> String {
        let payload = TransactionPayload(
            transaction: transaction, appTransactionId: account.appTransactionId, app: app, storefront: storefront,
            signedDate: instant)
        return try authority.sign(payload: payload.bytes)
    }

    /// A `signedRenewalInfo`.
    func signed(
        _ subscription: StoreSubscription, latest: StoreTransaction, of account: StoreAccount, at instant: Timestamp
    ) throws -> String {
        let payload = RenewalPayload(
            subscription: subscription, renewalDate: latest.expiresDate, appTransactionId: account.appTransactionId, app: app,
            storefront: storefront, signedDate: instant)
        return try authority.sign(payload: payload.bytes)
    }

    /// A `signedPayload` of a notification.
    func signed(_ notification: StoreNotification) throws -> String {
        let date = notification.signedDate
        let transaction = try signed(notification.transaction, of: notification.account, at: date)
        let renewal = try notification.subscription.map {
            try signed($0, latest: notification.latest, of: notification.account, at: date)
        }
        var json = JSONWriter(reservingCapacity: 16_384)
        json.object { body in
            body.member("notificationType", notification.event.notificationType)
            body.optionalMember("subtype", notification.event.subtype)
            body.member("notificationUUID", notification.notificationUUID)
            body.member("data") { json in
                json.object { data in
                    data.member("appAppleId", app.appAppleId)
                    data.member("bundleId", app.bundleId)
                    data.member("bundleVersion", app.bundleVersion)
                    data.member("environment", app.environment.rawValue)
                    data.member("signedTransactionInfo", transaction)
                    data.optionalMember("signedRenewalInfo", renewal)
                    data.optionalMember("status", notification.subscription?.status)
                }
            }
            body.member("version", "2.0")
            body.member("signedDate", date.millisecondsSince1970)
        }
        return try authority.sign(payload: json.bytes)
    }
}
