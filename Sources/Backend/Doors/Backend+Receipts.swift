package import AppStoreWire
import Intake
package import Ledger
package import Primitives
import Storage

/// Receipts of the old kinds, notifications V1 and fetched answers: the same way as everything else, by `ingest` (decision 0002).
extension Backend {
    /// What a receipt that a customer shows comes to.
    package enum ReceiptResult: Sendable {
        /// What the claim on each subscription in it came to, by the receipt's order.
        case judged([ClaimResult])
        /// Apple is asked first: what it is, where only Apple can say that and nothing came of it yet; or whether what it proves
        /// goes on, where all of it is over. To send it again later tells what became of it (RECON-6).
        case waits([ClaimResult], meanwhile: Meanwhile?)
    }

    /// What a customer may use while Apple is asked.
    package struct Meanwhile: Sendable {
        package let answer: CustomerAnswer
        package let environment: Primitives.Environment
    }

    /// Takes a receipt that a customer shows: everything in it becomes facts, and the customer claims each subscription that
    /// it names. Where only Apple can say what it is, that happens when Apple has answered.
    ///
    /// Calling it again with the same receipt is safe.
    ///
    /// - Parameters:
    ///   - text: the receipt in base64; line breaks in it do no harm.
    ///   - keepsIntents: the client asks before it buys (OWN-18).
    /// - Throws: `BackendError.refusedEvidence` if it proves nothing, if Apple refused it, and with `appleNotConfigured` where
    ///   only Apple can say what it is and nobody asks; `overloaded` where too many wait for Apple.
    package func claim(
        receipt text: String, by customer: CustomerID, _ kind: Claim.Kind, keepsIntents: Bool = false, app id: AppID
    ) async throws -> ReceiptResult {
        let app = try settings(of: id)
        let customer = try Self.named(customer)
        let claim = ReceiptClaim(customer, kind, keepsIntents: keepsIntents)
        switch ReceiptEncoding.bytes(base64: text.utf8) {
        case .failure(let refusal): throw refused(EvidenceRefusal(refusal))
        case .success(let receipt):
            switch try await read(receipt, claim, app: app) {
            case .proved(let request):
                let decisions = try await ingest(request).decisions
                let results = decisions.compactMap { ClaimResult($0, learnedAt: request.learnedAt) }
                guard app.asksByKey || !app.receiptHosts.isEmpty, decisions.waitForApple(at: request.learnedAt) else {
                    return .judged(results)
                }
                let environment = results.first?.key.environment
                return .waits(results, meanwhile: try await meanwhile(of: customer, app: app, in: environment))
            case .mustAskApple(let payload):
                return try await show(receipt, saying: payload, by: customer, as: claim, app: app)
            }
        }
    }

    /// A receipt from an import; where only Apple can say what it is, as a request to ask.
    func request(
        ofImported receipt: [UInt8], of customer: CustomerID?, _ kind: Claim.Kind, app: AppSettings
    ) async throws -> IngestRequest {
        let claim = ReceiptClaim(try customer.map { try Self.named($0) }, kind)
        switch try await read(receipt, claim, app: app) {
        case .proved(let request): return request
        case .mustAskApple:
            var request = IngestRequest(app: app, learnedAt: clock.now())
            request.orders = [try order(verifying: receipt, for: claim, as: .verifyImportedReceipt, app: app)]
            return request
        }
    }

    /// What a receipt is without asking Apple.
    private enum ReadReceipt {
        case proved(IngestRequest)
        /// What it says of itself.
        case mustAskApple(TransactionReceiptPayload)
    }

    private func read(_ receipt: [UInt8], _ claim: ReceiptClaim, app: AppSettings) async throws -> ReadReceipt {
        var request = IngestRequest(app: app, learnedAt: clock.now())
        switch try await proved(receipt, app: app, at: request.learnedAt) {
        case .mustAskApple(let payload): return .mustAskApple(payload)
        case .facts(let proven, let environment):
            request.arrivals = Arrival.of(
                proven, scope: Scope(app: app.id, environment: environment), receivedAt: request.learnedAt)
        }
        try await claimEverything(in: &request, as: claim, app: app)
        return .proved(request)
    }

    /// Has the customer claim what the arrivals of a request tell of; nothing where nobody claims.
    func claimEverything(in request: inout IngestRequest, as claim: ReceiptClaim, app: AppSettings) async throws {
        guard let customer = claim.customer else { return }
        let claimant = try await claimant(try Self.checked(customer), app: app, keepsIntents: claim.keepsIntents)
        request.claimEverything(for: claimant, claim.kind)
    }

    /// Takes what `/verifyReceipt` answered to our own server; returns whether it said anything new. The caller holds the
    /// connection over which the answer came (FACT-3).
    package func receive(_ answer: Verified<VerifyReceiptAnswer>, app id: AppID) async throws -> Bool {
        let app = try settings(of: id)
        return try await ingest(request(of: answer, app: app, at: clock.now())).isNew.contains(true)
    }

    /// What an answer of `/verifyReceipt` proves.
    func request(of answer: Verified<VerifyReceiptAnswer>, app: AppSettings, at now: Timestamp) -> IngestRequest {
        var request = IngestRequest(app: app, learnedAt: now)
        request.arrivals = Arrival.of(
            Intake.translate(answer), scope: Scope(app: app.id, environment: answer.environment), receivedAt: now)
        return request
    }

    private enum ProvedReceipt {
        case facts([ProvenFact], Primitives.Environment)
        case mustAskApple(TransactionReceiptPayload)
    }

    /// What a receipt proves: first as an app receipt, then as a transaction receipt from before iOS 7.
    private func proved(_ receipt: [UInt8], app: AppSettings, at now: Timestamp) async throws -> ProvedReceipt {
        // A property list begins with `{`, a PKCS#7 with a SEQUENCE.
        if receipt.first(where: { !Self.isWhiteSpace($0) }) == UInt8(ascii: "{") {
            switch verifier.transactionReceipt(receipt, for: app.expected, at: now) {
            case .failure(let refusal): throw refused(EvidenceRefusal(refusal))
            case .success(let receipt):
                return switch Intake.translate(receipt) {
                case .fact(let proven): .facts([proven], .sandbox)
                case .mustAskApple: .mustAskApple(receipt.payload)
                }
            }
        }
        switch await verifier.appReceipt(receipt, for: app.expected, at: now) {
        case .failure(let refusal): throw refused(EvidenceRefusal(refusal))
        case .success(let verified): return .facts(Intake.translate(verified), verified.environment)
        }
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    // MARK: Notifications V1

    /// Takes a notification V1. Nobody signed it: it is a hint, and only what a receipt in it proves is kept (FACT-3). A hint
    /// about a subscription that is known makes us ask Apple; one about any other is refused, so that a flood of them fills
    /// nothing (T49). The shared secret in it keeps strangers from making us work; it proves nothing else.
    func receive(
        _ hint: NotificationV1Hint, _ posted: PostedNotification, app: AppSettings, at learnedAt: Timestamp
    ) async throws -> TakenNotification {
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
        request.copy = posted.copy(in: scope, uuid: nil, about: hint.subscriptions.first, at: learnedAt)
        guard !proven.isEmpty || !named.isEmpty else {
            // Who had the URL before may know the subscription.
            _ = try await ingest(request)
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
        return TakenNotification(outcome: outcome, environment: hint.environment)
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
