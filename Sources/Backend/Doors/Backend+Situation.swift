import Ledger
import Primitives
import Storage

/// All that walls and offers ask of a customer.
extension Backend {
    /// Somebody who wants to know what to show, or what they may have.
    struct Asking: Sendable {
        let app: AppSettings
        let key: CustomerKey
        let shown: ShownAccount
        var storefront: String?
        var appVersion: String?

        init(_ app: AppSettings, _ key: CustomerKey, showing shown: ShownAccount) {
            (self.app, self.key, self.shown) = (app, key, shown)
        }
    }

    /// What is known of them.
    struct KnownSituation: Sendable {
        let person: KnownPerson
        /// The person's own subscriptions; by id.
        let own: [Ledger.SubscriptionState]
        /// The Apple Account that the device shows.
        let shown: SeenAccount
        let timeline: SettingsTimeline
        let situation: CustomerSituation
    }

    /// - Throws: `BackendError` with the refusal where something shown proves nothing.
    func situation(of asking: Asking, at now: Timestamp) async throws -> KnownSituation {
        let timeline = try chosen.learn(try await settingsVersions(of: asking.key.scope.app), of: asking.app)
        let known = try await person(of: asking.key)
        let shown = try await account(shownBy: asking.shown, asking.key, asking.app, at: now)
        let own = try await states(of: known)
        let others = shown.states.filter { state in !own.contains { $0.key == state.key } }
        let licences = CustomerLicences(of: known.person, states: own, policy: timeline.offerings.licences)
        var profile = CustomerSituation.Profile(
            customer: known.customer, isPaidAppHolder: licences.isPaidAppHolder,
            device: .init(
                storefront: asking.storefront, appVersion: asking.appVersion, appTransactionId: shown.appTransactionId,
                subscriptions: Set(shown.states.map(\.key.originalTransactionId))),
            attributes: known.account.attributes, account: known.account)
        profile.otherIds = Set(known.person.customers)
        profile.isTester = asking.app.sandboxAccess.names(asking.key.customer)
        return KnownSituation(
            person: known, own: own, shown: shown, timeline: timeline,
            situation: CustomerSituation(
                of: profile, states: own + others, catalogue: timeline.catalogue, map: timeline.entitlements, at: now))
    }
}
