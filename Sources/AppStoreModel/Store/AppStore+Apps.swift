package import Primitives

// MARK: - What is about an app as a whole

extension AppStore {
    /// A parent withdraws the consent to a child's use of the app.
    ///
    /// Source: Apple, `RESCIND_CONSENT`.
    package mutating func rescindConsent(to app: AppNumber, for id: AccountID) throws(StoreRefusal) -> [StoreNotification] {
        let account = try account(id)
        guard account.installations[app] != nil else { throw .unknownApp }
        return [
            StoreNotification(
                notificationUUID: uuid(account.environment), event: .rescindConsent, environment: account.environment,
                signedDate: nextSigningInstant(), subject: .consent(app, account.number), extra: nil)
        ]
    }

    /// A token for a purchase outside the App Store: it is made, a reminder is due, or it was not reported.
    ///
    /// Source: Apple, `EXTERNAL_PURCHASE_TOKEN`; a token of Sandbox begins with `SANDBOX`.
    package mutating func externalPurchase(
        _ event: StoreNotification.Event, in app: AppNumber, _ environment: Environment
    ) -> [StoreNotification] {
        let token = uuid(environment).description
        let id = environment == .sandbox ? "SANDBOX_\(token)" : token
        return [
            StoreNotification(
                notificationUUID: uuid(environment), event: event, environment: environment, signedDate: nextSigningInstant(),
                subject: .app(app), extra: .externalPurchase(id: id, createdAt: now))
        ]
    }
}
