package import AppStoreWire
import Intake
package import Ledger
import Primitives
import Storage

/// Receipts of the old kinds, notifications V1 and fetched answers: the same way as everything else, by `ingest` (decision 0002).
extension Backend {
    /// Takes a receipt that a customer shows: everything in it becomes facts, and the customer claims each subscription that
    /// it names.
    ///
    /// - Parameter text: the receipt in base64; line breaks in it do no harm.
    /// - Returns: what the claim on each came to, by the receipt's order.
    /// - Throws: `BackendError.refusedEvidence` if it proves nothing; `.appleMustBeAsked` if only Apple can say what it is.
    package func claim(
        receipt text: String, by customer: CustomerID, _ kind: Claim.Kind, app id: AppID
    ) async throws -> [ClaimResult] {
        let app = try settings(of: id)
        switch ReceiptEncoding.bytes(base64: text.utf8) {
        case .failure(let refusal): throw refused(EvidenceRefusal(refusal))
        case .success(let receipt): return try await claim(receipt, by: customer, kind, app: app)
        }
    }

    private func claim(
        _ receipt: [UInt8], by customer: CustomerID, _ kind: Claim.Kind, app: AppSettings
    ) async throws -> [ClaimResult] {
        let request = try await request(ofReceipt: receipt, by: customer, kind, app: app)
        let decisions = try await ingest(request).decisions
        return decisions.compactMap { ClaimResult($0, learnedAt: request.learnedAt) }
    }

    /// - Parameter customer: who claims what is in it; nil leaves it unclaimed.
    func request(
        ofReceipt receipt: [UInt8], by customer: CustomerID?, _ kind: Claim.Kind, app: AppSettings
    ) async throws -> IngestRequest {
        let customer = try customer.map(Self.checked)
        var request = IngestRequest(app: app, learnedAt: clock.now())
        let (proven, environment) = try await proved(receipt, app: app, at: request.learnedAt)
        request.arrivals = Arrival.of(
            proven, scope: Scope(app: app.id, environment: environment), receivedAt: request.learnedAt)
        if let customer { request.claimEverything(for: try await claimant(customer, app: app), kind) }
        return request
    }

    /// Takes what `/verifyReceipt` answered to our own server; returns whether it said anything new. The caller holds the
    /// connection over which the answer came (FACT-3).
    package func receive(_ answer: Verified<VerifyReceiptAnswer>, app id: AppID) async throws -> Bool {
        let app = try settings(of: id)
        let learnedAt = clock.now()
        var request = IngestRequest(app: app, learnedAt: learnedAt)
        request.arrivals = Arrival.of(
            Intake.translate(answer), scope: Scope(app: id, environment: answer.environment), receivedAt: learnedAt)
        return try await ingest(request).isNew.contains(true)
    }

    /// What a receipt proves: first as an app receipt, then as a transaction receipt from before iOS 7.
    private func proved(
        _ receipt: [UInt8], app: AppSettings, at now: Timestamp
    ) async throws -> (facts: [ProvenFact], environment: Primitives.Environment) {
        // A property list begins with `{`, a PKCS#7 with a SEQUENCE.
        if receipt.first(where: { !Self.isWhiteSpace($0) }) == UInt8(ascii: "{") {
            switch verifier.transactionReceipt(receipt, for: app.expected, at: now) {
            case .failure(let refusal): throw refused(EvidenceRefusal(refusal))
            case .success(let receipt):
                guard case .fact(let proven) = Intake.translate(receipt) else { throw BackendError.appleMustBeAsked }
                return ([proven], .sandbox)
            }
        }
        switch await verifier.appReceipt(receipt, for: app.expected, at: now) {
        case .failure(let refusal): throw refused(EvidenceRefusal(refusal))
        case .success(let verified): return (Intake.translate(verified), verified.environment)
        }
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    // MARK: Notifications V1

    /// Takes a notification V1. Nobody signed it: it is a hint, and only what a receipt in it proves is kept (FACT-3). A hint
    /// about a subscription that is known makes us ask Apple; one about any other is refused, so that a flood of them fills
    /// nothing (T49). The shared secret in it keeps strangers from making us work; it proves nothing else.
    func receive(_ hint: NotificationV1Hint, app: AppSettings, at learnedAt: Timestamp) async throws -> NotificationOutcome {
        guard hint.bundleId.map(app.expected.hasBundleId) ?? true, app.expected.environments.contains(hint.environment) else {
            throw refused(EvidenceRefusal(code: "wrongBundleId", part: "notification", words: "it is about another app"))
        }
        guard !app.sharedSecrets.isEmpty else {
            throw refused(
                EvidenceRefusal(
                    code: "sharedSecretNotConfigured", part: "notification",
                    words: "notifications of version 1 are accepted only for apps with sharedSecrets", setting: .sharedSecrets))
        }
        guard app.sharedSecrets.contains(where: { hint.hasPassword(equalTo: $0) }) else {
            throw refused(
                EvidenceRefusal(
                    code: "wrongSharedSecret", part: "notification", words: "its password is wrong", setting: .sharedSecrets))
        }
        let scope = Scope(app: app.id, environment: hint.environment)
        var request = IngestRequest(app: app, learnedAt: learnedAt)
        let proven = try await facts(in: hint, app: app, at: learnedAt)
        request.arrivals = Arrival.of(proven, scope: scope, receivedAt: learnedAt)
        let named = try await known(hint.subscriptions, in: scope)
        guard !proven.isEmpty || !named.isEmpty else {
            throw refused(
                EvidenceRefusal(
                    code: "unsigned", part: "notification", words: "it is a hint about a subscription that is not known here"))
        }
        request.orders = try named.map { id in
            WorkOrder(
                scope: scope, subject: id.rawValue, key: "hint", kind: .fetchHistory,
                body: try FetchHistoryBody(transactionId: id.rawValue).json, dueAt: learnedAt.adding(Self.hintsTogether))
        }
        let result = try await ingest(request)
        let outcome = result.isNew.contains(true) ? NotificationOutcome.applied : .hinted
        counters.count(outcome == .applied ? .applied : .duplicate)
        return outcome
    }

    /// What its receipt proves; nothing where it has none, or one that cannot be read without asking.
    private func facts(in hint: NotificationV1Hint, app: AppSettings, at now: Timestamp) async throws -> [ProvenFact] {
        guard let text = hint.unifiedReceipt?.latestReceipt ?? hint.latestReceipt,
            case .success(let receipt) = ReceiptEncoding.bytes(base64: text.utf8),
            case .success(let verified) = await verifier.appReceipt(receipt, for: app.expected, at: now),
            verified.environment == hint.environment
        else { return [] }
        return Intake.translate(verified)
    }

    private func known(_ ids: [OriginalTransactionID], in scope: Scope) async throws -> [OriginalTransactionID] {
        var known: [OriginalTransactionID] = []
        // A notification is about one subscription; its lists may name a customer's others.
        for id in ids.prefix(Self.mostHinted) {
            let key = SubscriptionKey(app: scope.app, environment: scope.environment, originalTransactionId: id)
            if try await translatingStorageErrors({ try await store.subscription(key) }) != nil { known.append(id) }
        }
        return known
    }

    private static let mostHinted = 16
    /// One action of a customer sends several of them; one question answers all.
    private static let hintsTogether = Milliseconds.seconds(10)
}

extension NotificationV1Hint {
    /// The subscriptions that it names, each once; letters and digits only, as all of Apple's are.
    fileprivate var subscriptions: [OriginalTransactionID] {
        let named = [originalTransactionId].compactMap { $0 } + purchases.compactMap(\.originalTransactionId)
        var seen: Set<String> = []
        return named.filter { text in
            (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { Character(UnicodeScalar($0)).isASCIIAlphanumeric }
                && seen.insert(text).inserted
        }.map { OriginalTransactionID($0) }
    }
}

extension Character {
    fileprivate var isASCIIAlphanumeric: Bool { isASCII && (isLetter || isNumber) }
}
