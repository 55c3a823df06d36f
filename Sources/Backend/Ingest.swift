import AppStoreWire
import Intake
import Ledger
import Primitives
import Storage

/// The one write path: whatever comes in becomes facts, claims and registrations, is decided by the rules, and is kept in one
/// transaction, all or nothing (decision 2).
struct Ingest {
    let app: AppSettings
    /// When we learned what is being written.
    let learnedAt: Timestamp

    /// Keeps a notification with everything it carries; false if its UUID was known, and then nothing changes (RECON-0).
    func record(_ notification: TranslatedNotification, in environment: Environment, _ transaction: any StoreTransaction) throws
        -> Bool
    {
        let scope = Scope(app: app.id, environment: environment)
        let record = NotificationRecord(
            scope: scope, notice: notification.notice, evidence: try evidence(notification.evidence), receivedAt: learnedAt)
        guard try transaction.insert(record) else { return false }
        try warn(of: notification.notice, in: scope, transaction)
        _ = try self.record(notification.facts, claim: nil, in: scope, transaction)
        return true
    }

    /// Keeps facts about one subscription, and what a customer claims from them.
    ///
    /// - Returns: what was decided; nil where there was nothing to decide about.
    func record(
        _ facts: [ProvenFact], claim: Claim?, in scope: Scope, _ transaction: any StoreTransaction
    ) throws -> Decision? {
        guard let id = facts.first?.fact.originalTransactionId else { return nil }
        var inputs: [LedgerInput] = []
        // A fact that is known already is not handed on: what is folded is exactly what is stored (FACT-1).
        for proven in facts where try keep(proven, in: scope, transaction) {
            inputs.append(.fact(proven.fact))
            try warn(of: proven.fact, in: scope, transaction)
        }
        inputs += try registrations(for: facts, transaction).map { .registration($0) }
        if let claim { inputs.append(.claim(claim)) }
        let key = SubscriptionKey(app: scope.app, environment: scope.environment, originalTransactionId: id)
        return try decide(on: inputs, about: key, transaction)
    }

    /// Registers a token and tells every subscription that bears it (OWN-2); false if it is registered already.
    func register(_ registration: TokenRegistration, _ transaction: any StoreTransaction) throws -> Bool {
        guard try transaction.register(registration, app: app.id, at: learnedAt) else { return false }
        for key in try transaction.subscriptions(bearing: registration.token, app: app.id) {
            _ = try decide(on: [.registration(registration)], about: key, transaction)
        }
        return true
    }

    private func decide(
        on inputs: [LedgerInput], about key: SubscriptionKey, _ transaction: any StoreTransaction
    ) throws -> Decision {
        let history = try transaction.history(of: key) ?? SubscriptionHistory(key: key)
        let placed = inputs.map { input in
            if case .claim(let claim) = input { LedgerInput.claim(claim.placed(after: history)) } else { input }
        }
        let decision = Decision(
            on: placed, history: history, state: try transaction.state(of: key), policy: app.policy, learnedAt: learnedAt)
        guard decision.changesHistory else { return decision }
        // Not all claims are kept (OWN-3), and one that is known already stands in the store.
        for case .claim(let claim) in placed where decision.history.claims.contains(claim) && !history.claims.contains(claim) {
            try transaction.insert(claim, on: key)
        }
        try transaction.save(decision, learnedAt: learnedAt)
        return decision
    }

    private func keep(_ proven: ProvenFact, in scope: Scope, _ transaction: any StoreTransaction) throws -> Bool {
        // A notice's bytes are the notification's, which stands in a table of its own.
        var bytes: SignedEvidence?
        if case .notice = proven.fact {
            bytes = nil
        } else {
            guard proven.form == .compactJWS else {
                throw StorageError(.other, "evidence of the form \(proven.form.rawValue) has no place in the store yet")
            }
            bytes = try evidence(proven.evidence)
        }
        return try transaction.insert(FactRecord(scope: scope, fact: proven.fact, evidence: bytes, receivedAt: learnedAt))
    }

    private func evidence(_ compact: [UInt8]) throws -> SignedEvidence {
        guard let evidence = SignedEvidence(compact: String(decoding: compact, as: UTF8.self)) else {
            throw StorageError(.other, "verified evidence is not a compact JWS")
        }
        return evidence
    }

    private func registrations(for facts: [ProvenFact], _ transaction: any StoreTransaction) throws -> [TokenRegistration] {
        try facts.compactMap { proven in
            guard case .transaction(let fact) = proven.fact, let token = fact.appAccountToken,
                let customer = try transaction.customer(of: token, app: app.id)
            else { return nil }
            return TokenRegistration(token: token, customer: customer)
        }
    }

    // MARK: Warnings (FACT-5)

    private func warn(of notice: NoticeFact, in scope: Scope, _ transaction: any StoreTransaction) throws {
        if !NoticeWords.types.contains(notice.notificationType) {
            try warn(.unknownNotificationType, notice.notificationType, in: scope, transaction)
        }
        try warnUnlessKnown("subtype", notice.subtype, KnownWords.subtypes, in: scope, transaction)
    }

    private func warn(of fact: Fact, in scope: Scope, _ transaction: any StoreTransaction) throws {
        guard case .transaction(let fact) = fact else { return }
        if !app.entitlements.knows(fact.productId) { try warn(.unknownProduct, fact.productId.rawValue, in: scope, transaction) }
        if case .unknown(let type) = fact.type { try warn(.unknownProductType, type, in: scope, transaction) }
        if case .unknown(let reason) = fact.transactionReason {
            try warn(.unknownTransactionReason, reason, in: scope, transaction)
        }
        let (revocationType, ownership) = (fact.revocation?.revocationType, fact.details.inAppOwnershipType)
        try warnUnlessKnown("revocationType", revocationType, KnownWords.revocationTypes, in: scope, transaction)
        try warnUnlessKnown("inAppOwnershipType", ownership, KnownWords.ownershipTypes, in: scope, transaction)
    }

    private func warnUnlessKnown(
        _ field: String, _ value: String?, _ known: Set<String>, in scope: Scope, _ transaction: any StoreTransaction
    ) throws {
        guard let value, !known.contains(value) else { return }
        try warn(.unknownValue, "\(field): \(value)", in: scope, transaction)
    }

    private func warn(
        _ kind: OperatorWarning.Kind, _ value: String, in scope: Scope, _ transaction: any StoreTransaction
    ) throws {
        try transaction.warn(OperatorWarning(kind: kind, value: value, firstSeenAt: learnedAt), in: scope)
    }
}

/// The spellings of Apple's that this version of Tenure has a meaning for.
///
/// Source: Apple, App Store Server Notifications, `notificationType` and `subtype`; App Store Server API, `revocationType` and
/// `inAppOwnershipType`.
enum KnownWords {
    static let subtypes: Set<String> = [
        "ACCEPTED", "ACTIVE_TOKEN_REMINDER", "AUTO_RENEW_DISABLED", "AUTO_RENEW_ENABLED", "BILLING_RECOVERY", "BILLING_RETRY",
        "CREATED",
        "DOWNGRADE", "FAILURE", "GRACE_PERIOD", "INITIAL_BUY", "PENDING", "PRICE_INCREASE", "PRODUCT_NOT_FOR_SALE", "RESUBSCRIBE",
        "SUMMARY", "UNREPORTED", "UPGRADE", "VOLUNTARY",
    ]
    static let revocationTypes: Set<String> = ["FAMILY_REVOKE", "REFUND_FULL", "REFUND_PRORATED"]
    static let ownershipTypes: Set<String> = ["FAMILY_SHARED", "PURCHASED"]
}
