package import AppStoreWire
import Intake
package import Ledger
package import Primitives
package import Storage

/// The use cases. Each reads the clock once; each that writes does so through `Ingest`, in one transaction.
package struct Backend: Sendable {
    private let store: any Store
    private let verifier: AppStoreVerifier
    private let apps: [AppID: AppSettings]
    private let clock: any TimeSource
    /// What came in and what became of it; for operators.
    package let counters = IntakeCounters()

    package init(store: any Store, verifier: AppStoreVerifier, apps: [AppSettings], clock: any TimeSource) {
        self.store = store
        self.verifier = verifier
        self.apps = Dictionary(apps.map { ($0.id, $0) }) { first, _ in first }
        self.clock = clock
    }

    /// The server's time.
    package func now() -> Timestamp { clock.now() }

    /// - Throws: `BackendError.unknownApp`.
    package func settings(of app: AppID) throws -> AppSettings {
        guard let settings = apps[app] else { throw BackendError.unknownApp(app) }
        return settings
    }

    /// Throws unless questions can be answered and writes be kept.
    package func checkHealth() throws {
        try translatingStorageErrors { try store.checkHealth() }
    }

    // MARK: Notifications

    package enum NotificationOutcome: String, Sendable {
        /// It is kept and what follows from it is in force.
        case applied
        /// It was kept before; nothing changed.
        case duplicate
    }

    /// Takes Apple's POST to the notification URL; returns only when it is durable (RECON-0, RECON-4).
    ///
    /// - Throws: `BackendError.refusedEvidence` if it proves nothing: it is then kept nowhere but in a counter (T49).
    package func receiveNotification(_ body: [UInt8], app id: AppID) async throws -> NotificationOutcome {
        let app = try settings(of: id)
        let learnedAt = clock.now()
        let verified = try await verifyNotification(body, app: app, at: learnedAt)
        let environment = verified.notification.payload.subject.environment
        let translated = Intake.translate(verified)
        let isNew = try await write { try Ingest(app: app, learnedAt: learnedAt).record(translated, in: environment, $0) }
        counters.count(isNew ? .applied : .duplicate)
        return isNew ? .applied : .duplicate
    }

    private func verifyNotification(_ body: [UInt8], app: AppSettings, at now: Timestamp) async throws -> VerifiedNotification {
        do throws(JWSRefusal) {
            let signedPayload = try NotificationBody.signedPayload(in: body).get()
            return try await verifier.notification(signedPayload, for: app.expected, at: now).get()
        } catch {
            counters.count(.refused)
            throw BackendError.refusedEvidence(EvidenceRefusal(error))
        }
    }

    // MARK: Claims

    /// What a customer uploads.
    package struct Upload: Sendable {
        package let customer: CustomerID
        package let kind: Claim.Kind
        /// The product that he says he bought; nil takes the transaction's own.
        package let productId: ProductID?
        package let signedTransactionInfo: String
        package let signedRenewalInfo: String?

        package init(
            customer: CustomerID, kind: Claim.Kind, productId: ProductID?, signedTransactionInfo: String,
            signedRenewalInfo: String?
        ) {
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
    }

    /// Takes a transaction that a customer shows (OWN-2 … OWN-4, OWN-8, OWN-9). The caller has made sure that he is who he says.
    ///
    /// Calling it again with the same upload is safe.
    package func claim(_ upload: Upload, app id: AppID) async throws -> ClaimResult {
        let app = try settings(of: id)
        let customer = try Self.checked(upload.customer)
        let learnedAt = clock.now()
        let transaction = try verified(await verifier.transaction(upload.signedTransactionInfo, for: app.expected, at: learnedAt))
        var facts = [Intake.translate(transaction)]
        if let jws = upload.signedRenewalInfo {
            let renewal = try verified(await verifier.renewalInfo(jws, for: app.expected, at: learnedAt))
            facts.append(Intake.translate(try verified(renewal.bound(to: transaction)), beside: transaction))
        }
        guard case .transaction(let fact) = facts[0].fact else { throw BackendError.unknownSubscription }
        let claim = Claim(
            id: .init("\(customer)/\(upload.kind.rawValue)/\(fact.transactionId)/\(learnedAt.millisecondsSince1970)"),
            customer: customer,
            kind: upload.kind, transaction: fact, productId: upload.productId ?? fact.productId, claimedAt: learnedAt)
        let scope = Scope(app: id, environment: transaction.payload.environment)
        let proven = facts
        let decision = try await write { transaction in
            let ingest = Ingest(app: app, learnedAt: learnedAt)
            // A customer id that is itself a UUID is registered by itself (OWN-2).
            if let token = Ledger.AppAccountToken(customer.rawValue) {
                _ = try ingest.register(TokenRegistration(token: token, customer: customer), transaction)
            }
            return try ingest.record(proven, claim: claim, in: scope, transaction)
        }
        guard let decision, let outcome = decision.outcomes.first else { throw BackendError.unknownSubscription }
        // Its place among the claims may lie after our clock (Claim.placed).
        let at = max(learnedAt, decision.state.claims.last?.claim.claimedAt ?? learnedAt)
        return ClaimResult(outcome: outcome, key: decision.state.key, owner: decision.state.owner(at: at), at: learnedAt)
    }

    private func verified<Value>(_ result: Result<Value, JWSRefusal>) throws -> Value {
        switch result {
        case .success(let value): return value
        case .failure(let refusal):
            counters.count(.refused)
            throw BackendError.refusedEvidence(EvidenceRefusal(refusal))
        }
    }

    /// Registers an `appAccountToken` for a customer (OWN-2). Registering it again for the same customer is safe.
    ///
    /// - Throws: `BackendError.tokenTaken` if it stands for another customer.
    package func register(_ token: Ledger.AppAccountToken, for customer: CustomerID, app id: AppID) async throws {
        let app = try settings(of: id)
        let registration = TokenRegistration(token: token, customer: try Self.checked(customer))
        let learnedAt = clock.now()
        let holder = try await write { transaction -> CustomerID? in
            guard try !Ingest(app: app, learnedAt: learnedAt).register(registration, transaction) else { return customer }
            return try transaction.customer(of: token, app: id)
        }
        guard holder == customer else { throw BackendError.tokenTaken }
    }

    // MARK: Questions

    /// What the customer may use at the instant, or now (ENT-1).
    package func entitlements(
        of customer: CustomerID, app id: AppID, environment: Environment, at instant: Timestamp?
    ) throws -> CustomerAnswer {
        let app = try settings(of: id)
        if environment != .production, !app.sandboxAccess.admits(customer) { throw BackendError.environmentNotOpen }
        let holdings = try translatingStorageErrors {
            try store.holdings(of: customer, in: Scope(app: id, environment: environment))
        }
        return CustomerAnswer(at: instant ?? clock.now(), holdings: holdings, map: app.entitlements)
    }

    /// A subscription as it is known, and why anyone's access from it changed.
    package struct SubscriptionReport: Sendable {
        package let state: Ledger.SubscriptionState
        /// From the oldest change on, numbered 1, 2, 3, …; at most ``Backend/longestAudit``.
        package let audit: [(sequence: Int64, row: AuditRow)]
    }

    /// How many audit rows one report shows at the most.
    package static let longestAudit = 1000

    package func subscription(_ key: SubscriptionKey) throws -> SubscriptionReport {
        _ = try settings(of: key.app)
        return try translatingStorageErrors {
            guard let stored = try store.subscription(key) else { throw BackendError.unknownSubscription }
            let audit = try store.auditRows(of: key, after: 0, limit: Self.longestAudit)
            return SubscriptionReport(state: stored.state, audit: audit.map { ($0.sequence, $0.row) })
        }
    }

    /// What Apple sent that this version does not understand, from the oldest on (FACT-5); at most 1000.
    package func warnings(app id: AppID, environment: Environment) throws -> [Warning] {
        _ = try settings(of: id)
        return try translatingStorageErrors {
            try store.warnings(in: Scope(app: id, environment: environment), limit: 1000).map {
                Warning(kind: $0.kind.rawValue, value: $0.value, firstSeenAt: $0.firstSeenAt)
            }
        }
    }

    /// Something for operators to look at.
    package struct Warning: Sendable, Hashable {
        /// Stable.
        package let kind: String
        package let value: String
        package let firstSeenAt: Timestamp
    }

    // MARK: Together

    /// An id of a customer: 1 to 256 bytes, no control characters.
    package static func checked(_ customer: CustomerID) throws -> CustomerID {
        let bytes = customer.rawValue.utf8
        guard (1...256).contains(bytes.count), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw BackendError.invalidIdentifier(name: "customer")
        }
        return customer
    }

    private func write<Value: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value
    {
        do {
            return try await store.write(body)
        } catch let error as StorageError {
            throw BackendError.store(StoreFailure(error))
        }
    }

    private func translatingStorageErrors<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as StorageError {
            throw BackendError.store(StoreFailure(error))
        }
    }
}
