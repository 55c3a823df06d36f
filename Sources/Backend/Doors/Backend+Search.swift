package import Ledger
package import Primitives
import Storage

/// Finding what somebody names, by whatever name they have.
extension Backend {
    /// Something that has the name, or is named by it.
    package struct SearchHit: Sendable, Hashable {
        package let kind: Kind
        /// The customer's id, or the subscription's `originalTransactionId`.
        package let id: String
        /// Where it was found.
        package let environment: Environment
        package let foundBy: Name
        /// Which period of the subscription the text names; nil unless it is the key of one.
        package var period: FoundPeriod?

        package struct FoundPeriod: Sendable, Hashable {
            package let purchaseDate: Timestamp
            /// When it stopped or stops giving service; nil for what does not end.
            package let end: Timestamp?
        }

        package enum Kind: String, Sendable, Hashable { case customer, subscription }

        /// What the text is there.
        package enum Name: String, Sendable, Hashable {
            case customer, originalTransactionId, transactionId, webOrderLineItemId, claimId, appAccountToken, appTransactionId
        }
    }

    /// Everything of the app that has the text for a name, in all of its environments: by environment, customers first.
    package func search(_ text: String, app id: AppID) async throws -> [SearchHit] {
        let app = try settings(of: id)
        guard !text.isEmpty, text.isPlain(upTo: Self.longestCustomer) else {
            throw BackendError.invalidIdentifier(name: "q", longest: Self.longestCustomer)
        }
        return try await translatingStorageErrors {
            var hits: [SearchHit] = []
            for scope in app.scopes { hits += try await found(text, in: scope) }
            let bought = try await store.subscriptions(having: TransactionID(text), app: id)
            hits += bought.map { SearchHit($0, by: .transactionId) }
            hits += try await subscriptions(withPeriod: text, app)
            hits += try await subscriptions(withClaim: text, app)
            if let token = AppAccountToken(text) { hits += try await found(token, app) }
            var seen: Set<[String]> = []
            return hits.filter { seen.insert([$0.kind.rawValue, $0.id, $0.environment.rawValue]).inserted }
        }
    }

    /// In which environments of the app a notification of Apple is kept that has the text for its UUID.
    ///
    /// - Throws: `BackendError`.
    package func environments(keeping notificationUUID: String, app id: AppID) async throws -> [Environment] {
        let app = try settings(of: id)
        guard notificationUUID.utf8.count == Self.lengthOfUUID else { return [] }
        // Apple writes them in lower case.
        let uuid = notificationUUID.lowercased()
        return try await translatingStorageErrors {
            var environments: [Environment] = []
            for scope in app.scopes where try await !store.knownNotifications([uuid], in: scope).isEmpty {
                environments.append(scope.environment)
            }
            return environments
        }
    }

    private static let lengthOfUUID = 36

    private func found(_ text: String, in scope: Scope) async throws -> [SearchHit] {
        let customer = CustomerID(text)
        var hits: [SearchHit] = []
        let access = try await store.access(of: customer, in: scope)
        let isNamed = try await store.subscriptions(naming: CustomerName(scope.app, customer)).contains { $0.scope == scope }
        if access.account != nil || !access.holdings.isEmpty || isNamed {
            hits.append(SearchHit(kind: .customer, id: text, environment: scope.environment, foundBy: .customer))
        }
        let key = SubscriptionKey(scope, OriginalTransactionID(text))
        if try await store.subscription(key) != nil { hits.append(SearchHit(key, by: .originalTransactionId)) }
        let shown = try await store.sightings(by: [.appTransactionId(text)], limit: AccountSearch.most, in: scope)
        hits += shown.map(\.subscription).sorted().map { SearchHit(SubscriptionKey(scope, $0), by: .appTransactionId) }
        return hits
    }

    /// So many subscriptions may have a period of one key: Apple gives each charge its own.
    private static let mostOfOnePeriod = 20

    private func subscriptions(withPeriod webOrderLineItemId: String, _ app: AppSettings) async throws -> [SearchHit] {
        let name = PeriodAlias.webOrderLineItem(webOrderLineItemId)
        let found = try await store.subscriptions(withPeriod: name, app: app.id, limit: Self.mostOfOnePeriod)
        var hits: [SearchHit] = []
        for key in found where app.environments.contains(key.environment) {
            var hit = SearchHit(key, by: .webOrderLineItemId)
            let period = try await store.subscription(key)?.state.periods.first { $0.aliases.contains(name) }
            hit.period = period.map { .init(purchaseDate: $0.purchaseDate, end: $0.end) }
            hits.append(hit)
        }
        return hits
    }

    /// A claim's id has the `transactionId` that was shown behind its kind, such as `restore/2000000112/1790000000000`, so no
    /// index of claims is needed. A reservation has no such id.
    private func subscriptions(withClaim id: String, _ app: AppSettings) async throws -> [SearchHit] {
        let parts = id.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, Claim.Kind(saidByClient: String(parts[0])) != nil else { return [] }
        let transaction = TransactionID(String(parts[1]))
        var keys = try await store.subscriptions(having: transaction, app: app.id)
        // What came with an old receipt has no signature of its own.
        keys += app.scopes.map { SubscriptionKey($0, OriginalTransactionID(transaction.rawValue)) }.filter { !keys.contains($0) }
        var hits: [SearchHit] = []
        for key in keys {
            let claims = try await store.subscription(key)?.history.claims ?? []
            if claims.contains(where: { $0.id.rawValue == id }) { hits.append(SearchHit(key, by: .claimId)) }
        }
        return hits
    }

    private func found(_ token: AppAccountToken, _ app: AppSettings) async throws -> [SearchHit] {
        let name = TokenName(app: app.id, token: token)
        let (registered, bearers) = try await store.write { write in
            (
                try write.lock([], tokens: [name]).registrations[name] ?? [], try write.subscriptions(bearing: [name])
            )
        }
        // A token is an app's, and so is whom it names.
        let customers = Set(registered.map(\.customer)).sorted().flatMap { customer in
            app.scopes.map {
                SearchHit(kind: .customer, id: customer.rawValue, environment: $0.environment, foundBy: .appAccountToken)
            }
        }
        return customers + bearers.map { SearchHit($0, by: .appAccountToken) }
    }
}

extension Backend.SearchHit {
    fileprivate init(_ key: SubscriptionKey, by name: Name) {
        self.init(
            kind: .subscription, id: key.originalTransactionId.rawValue, environment: key.environment, foundBy: name)
    }
}
