import AppStoreWire
import Intake
package import Ledger
package import Primitives
import Storage

extension Backend {
    /// What a customer uploads.
    package struct Upload: Sendable {
        package let customer: CustomerID
        package let kind: Claim.Kind
        /// The product that the customer claims to have bought; nil takes the transaction's own.
        package let productId: ProductID?
        package let signedTransactionInfo: String
        package let signedRenewalInfo: String?
        /// The client asks before it buys (OWN-18).
        package let keepsIntents: Bool

        package init(
            customer: CustomerID, kind: Claim.Kind, productId: ProductID?, signedTransactionInfo: String,
            signedRenewalInfo: String?, keepsIntents: Bool = false
        ) {
            self.keepsIntents = keepsIntents
            self.customer = customer
            self.kind = kind
            self.productId = productId
            self.signedTransactionInfo = signedTransactionInfo
            self.signedRenewalInfo = signedRenewalInfo
        }
    }

    /// What an upload came to.
    package struct ClaimResult: Sendable {
        package let outcome: ClaimOutcome
        package let key: SubscriptionKey
        /// The owner at the moment of the upload.
        package let owner: CustomerID?
        package let at: Timestamp

        /// What a decision says of the claim in it; nil where it is about none.
        init?(_ decision: Decision, learnedAt: Timestamp) {
            guard let outcome = decision.outcomes.first else { return nil }
            self.outcome = outcome
            key = decision.state.key
            // Its place among the claims may lie after our clock (Claim.placed).
            owner = decision.state.owner(at: max(learnedAt, decision.state.claims.last?.claim.claimedAt ?? learnedAt))
            at = learnedAt
        }

        /// The customer owns it, and says nothing new.
        init(ownerOf key: SubscriptionKey, _ customer: CustomerID, at instant: Timestamp) {
            (outcome, self.key, owner, at) = (.alreadyOwner, key, customer, instant)
        }

        /// - Throws: `ClaimRefused` where it was.
        package func accepted() throws(ClaimRefused) -> ClaimResult {
            guard case .refused(let reason, let rule) = outcome else { return self }
            throw ClaimRefused(reason: reason, rule: rule, owner: owner)
        }
    }

    /// The subscription serves another customer, and what was shown does not move it.
    package struct ClaimRefused: Error, Hashable {
        package let reason: ClaimOutcome.RefusalReason
        package let rule: Rule
        /// The owner at the moment of the upload.
        package let owner: CustomerID?
    }

    /// Takes a transaction that a customer shows (OWN-2 … OWN-4, OWN-8, OWN-9). The caller has authenticated the customer.
    ///
    /// Calling it again with the same upload is safe.
    package func claim(_ upload: Upload, app id: AppID) async throws -> ClaimResult {
        let request = try await request(of: upload, app: settings(of: id))
        guard let decision = try await ingest(request).decisions.first,
            let result = ClaimResult(decision, learnedAt: request.learnedAt)
        else { throw BackendError.unknownSubscription }
        return result
    }

    func request(of upload: Upload, app: AppSettings) async throws -> IngestRequest {
        let customer = try Self.named(upload.customer)
        if let named = upload.productId, !(1...Self.longestProductId).contains(named.rawValue.utf8.count) {
            throw BackendError.invalidIdentifier(name: "productId", longest: Self.longestProductId)
        }
        var request = IngestRequest(app: app, learnedAt: clock.now())
        request.arrivals = try await proved(
            upload.signedTransactionInfo, upload.signedRenewalInfo, app: app, at: request.learnedAt)
        request.claimEverything(
            for: try await claimant(customer, app: app, keepsIntents: upload.keepsIntents), upload.kind,
            productId: upload.productId)
        return request
    }

    /// The transaction, and the renewal info that goes with it, as facts.
    func proved(
        _ jws: String, _ renewalInfo: String?, app: AppSettings, at now: Timestamp
    ) async throws -> [Arrival] {
        let transaction = try verified(await verifier.transaction(jws, for: app.expected, at: now))
        var facts = [Intake.translate(transaction)]
        if let renewalInfo {
            let renewal = try verified(await verifier.renewalInfo(renewalInfo, for: app.expected, at: now))
            facts.append(Intake.translate(try verified(renewal.bound(to: transaction)), beside: transaction))
        }
        return Arrival.of(facts, scope: Scope(app: app.id, environment: transaction.payload.environment), receivedAt: now)
    }

    /// The longest product id that an upload may name, in bytes; Apple's are at most 100 characters.
    private static let longestProductId = 256

    func verified<Value>(_ result: Result<Value, JWSRefusal>) throws -> Value {
        switch result {
        case .success(let value): return value
        case .failure(let refusal):
            throw refused(EvidenceRefusal(refusal))
        }
    }

    /// Registers an `appAccountToken` for a customer (OWN-2). Registering it again for the same customer is safe.
    ///
    /// - Parameter isMinted: the app's backend made the token for this customer and nobody else, which it says with its server
    ///   key.
    /// - Throws: `BackendError.namesNobody`; `.tokenTaken` if it names another customer; `.tokenTooLate` if a purchase carried it
    ///   before, so that anyone who saw the purchase could register it: it is kept as a proposal and names no customer
    ///   (OWN-14).
    package func register(
        _ token: Ledger.AppAccountToken, for customer: CustomerID, isMinted: Bool = false, app id: AppID
    ) async throws {
        let app = try settings(of: id)
        var request = IngestRequest(app: app, learnedAt: clock.now())
        request.registration = TokenRegistration(
            token: try Self.named(token), customer: try Self.named(customer), registeredAt: request.learnedAt,
            isVouched: isMinted)
        switch try await ingest(request).holder {
        case customer: return
        case nil: throw BackendError.tokenTooLate
        default: throw BackendError.tokenTaken
        }
    }

    // MARK: What waits

    /// A claim that waits, and whom its subscription serves meanwhile.
    package struct WaitingClaim: Sendable, Hashable {
        package let key: SubscriptionKey
        package let owner: CustomerID?
        package let weighed: Ledger.SubscriptionState.WeighedClaim
    }

    /// A page of the claims that wait, by subscription.
    package struct WaitingPage: Sendable {
        package let claims: [WaitingClaim]
        /// The last subscription that was looked at; nil where there are no more.
        package let last: OriginalTransactionID?
    }

    /// The claims that wait for a decision or for news from Apple (OWN-9), of so many subscriptions after one.
    package func waitingClaims(
        app id: AppID, environment: Environment, after last: OriginalTransactionID?, limit: Int
    ) async throws -> WaitingPage {
        try settings(of: id).checkTakes(environment)
        let now = clock.now()
        let page = try await translatingStorageErrors {
            try await store.subscriptionsThatWait(
                in: Scope(app: id, environment: environment), after: last, limit: limit)
        }
        let claims = page.map(\.state).flatMap { state in
            state.claims.filter { $0.waitsFor != nil }.map {
                WaitingClaim(key: state.key, owner: state.owner(at: now), weighed: $0)
            }
        }
        return WaitingPage(
            claims: claims, last: page.count < limit ? nil : page.last?.history.key.originalTransactionId)
    }
}

extension IngestRequest {
    /// Has a customer claim every subscription that the arrivals tell of, by its last purchase among them. Nothing for an id that
    /// names nobody: the doors refuse it, and work that was queued before decision 0073 may still have it (OWN-2).
    mutating func claimEverything(for claimant: Claimant, _ kind: Claim.Kind, productId: Ledger.ProductID? = nil) {
        guard !claimant.customer.namesNobody else { return }
        registration = TokenRegistration(ofOwnId: claimant, firstUsedAt: learnedAt)
        for (scope, fact) in latestTransactions {
            let claim = Claim(
                // Without the customer: it stands in rows that are never changed (I45). One that is taken is given another.
                id: .init("\(kind.rawValue)/\(fact.transactionId)/\(learnedAt.millisecondsSince1970)"),
                customer: claimant, kind: kind, transaction: fact, productId: productId ?? fact.productId, claimedAt: learnedAt)
            claims.append((scope.key(of: .transaction(fact)), claim))
        }
    }

    private var latestTransactions: [(scope: Scope, fact: TransactionFact)] {
        var latest: [(scope: Scope, fact: TransactionFact)] = []
        var places: [OriginalTransactionID: Int] = [:]
        for arrival in arrivals {
            for case .transaction(let fact) in arrival.facts {
                guard let known = places[fact.originalTransactionId] else {
                    places[fact.originalTransactionId] = latest.count
                    latest.append((arrival.scope, fact))
                    continue
                }
                if fact.purchaseDate > latest[known].fact.purchaseDate { latest[known].fact = fact }
            }
        }
        return latest
    }
}
