import AppStoreWire
import Ledger
import Primitives
import Storage

/// Receipts of which only Apple can say what they are: transaction receipts from before iOS 7, whose signer nobody vouches for,
/// or whose environment nobody signed (RECON-3, RECON-6).
extension Backend {
    /// How many wait at the most in one queue; further uploads are turned away, so that made-up receipts fill no disk.
    private static let mostWaitingReceipts = 10_000
    /// How long a refusal of Apple's is remembered. What was refused for a setting of ours is then asked about again.
    private static let refusalHolds = Milliseconds.hours(24)

    /// An order to ask Apple about it.
    ///
    /// - Throws: `BackendError.refusedEvidence` where the app has nobody asked.
    func order(
        verifying receipt: [UInt8], for claim: ReceiptClaim, as kind: WorkKind, app: AppSettings
    ) throws -> WorkOrder {
        guard let scope = app.receiptScopes.first else {
            throw refused(
                EvidenceRefusal(
                    code: "appleNotConfigured", part: "receipt",
                    words: "only Apple can say what it is, and nobody asks Apple about this app's receipts",
                    setting: app.sharedSecrets.isEmpty ? .sharedSecrets : .apple))
        }
        return try WorkOrder(
            verifying: receipt, for: claim, as: kind, from: ReceiptOrigin(scope: scope, receivedAt: clock.now()))
    }

    /// Takes such a receipt from a customer: as known, where Apple was asked about it, else for Apple to be asked at once.
    func show(
        _ receipt: [UInt8], saying payload: TransactionReceiptPayload, by customer: CustomerID, as claim: ReceiptClaim,
        app: AppSettings
    ) async throws -> ReceiptResult {
        let order = try order(verifying: receipt, for: claim, as: .verifyReceipt, app: app)
        if let results = try await claimAgain(payload, by: customer, as: claim, app: app) { return .judged(results) }
        let works = try await translatingStorageErrors {
            try await store.work(about: WorkOrder.key(ofReceipt: receipt, in: order.scope))
        }
        try await translatingStorageErrors { try checkRefusals(in: works) }
        let isWaiting = works.contains { work in
            guard work.order.key == order.key else { return false }
            return switch work.state {
            case .waiting, .leased: true
            case .done, .failed: false
            }
        }
        if !isWaiting {
            let name = CustomerName(app.id, try Self.checked(customer))
            if let until = receiptAllowance.take(name, at: clock.now()) { throw BackendError.tooManyReceipts(until: until) }
            try await keep(order, app: app)
        }
        return .waits([], meanwhile: try await meanwhile(of: customer, app: app))
    }

    private func keep(_ order: WorkOrder, app: AppSettings) async throws {
        // Also those that wait for their next attempt.
        let waiting = try await translatingStorageErrors {
            try await store.backlog(
                of: [order.kind], in: order.scope, at: .latestAccepted, limit: Self.mostWaitingReceipts)
        }
        guard waiting.allSatisfy({ $0.count < Self.mostWaitingReceipts }) else { throw BackendError.overloaded }
        var request = IngestRequest(app: app, learnedAt: clock.now())
        request.orders = [order]
        _ = try await ingest(request)
    }

    /// - Throws: `BackendError.refusedEvidence` where Apple refused it lately, whoever sent it.
    private func checkRefusals(in works: [StoredWork]) throws {
        for work in works {
            guard case .failed(let instant) = work.state, clock.now() < instant.adding(Self.refusalHolds) else { continue }
            guard let code = try StateCoding.decode(ReceiptWorkBody.self, from: work.order.body).refused else { continue }
            throw refused(EvidenceRefusal(code: "refusedByApple", part: "receipt", words: "Apple was asked about it: \(code)"))
        }
    }

    /// Claims once more what the customer claimed before, or owns; nil where there is nothing of the kind.
    ///
    /// What such a receipt says proves nothing, not even to whom a subscription belongs. So it brings about no more than what was
    /// proved earlier would if it were sent again.
    private func claimAgain(
        _ payload: TransactionReceiptPayload, by customer: CustomerID, as shown: ReceiptClaim, app: AppSettings
    ) async throws -> [ClaimResult]? {
        let claimant = try await claimant(try Self.checked(customer), app: app, keepsIntents: shown.keepsIntents)
        for scope in app.receiptScopes {
            let key = SubscriptionKey(scope, OriginalTransactionID(payload.originalTransactionId))
            let stored = try await translatingStorageErrors { try await store.subscription(key) }
            guard let stored else { continue }
            var request = IngestRequest(app: app, learnedAt: clock.now())
            if let claim = stored.state.claims.last(where: { $0.claim.customer == customer })?.claim {
                let id = "\(shown.kind.rawValue)/\(payload.transactionId)/\(request.learnedAt.millisecondsSince1970)"
                let again = Claim(
                    id: .init(id), customer: claimant, kind: shown.kind,
                    about: .init(of: claim.productId, aliases: claim.aliases),
                    claimedAt: request.learnedAt)
                request.claims = [(key, again)]
                let decisions = try await ingest(request).decisions
                return decisions.compactMap { ClaimResult($0, learnedAt: request.learnedAt) }
            }
            if stored.state.owner(at: request.learnedAt) == customer {
                return [ClaimResult(ownerOf: key, customer, at: request.learnedAt)]
            }
        }
        return nil
    }

    /// What a customer may use while Apple is asked; nil where they may not be answered.
    ///
    /// - Parameter known: of the receipt; nil, where only Apple can say it: Production, where the app takes it.
    func meanwhile(
        of customer: CustomerID, app: AppSettings, in known: Primitives.Environment? = nil
    ) async throws -> Meanwhile? {
        guard let environment = known ?? app.receiptScopes.first?.environment else { return nil }
        do {
            let answer = try await entitlements(of: customer, app: app.id, environment: environment, at: nil)
            return Meanwhile(answer: answer, environment: environment)
        } catch BackendError.environmentNotOpen {
            return nil
        }
    }

    /// What Apple said of a subscription's newest receipt, or that receipt itself, in base64: the newest one that it may be asked
    /// about with. Nil where no receipt tells of the subscription.
    func newestReceipt(of key: SubscriptionKey) async throws -> String? {
        guard let contents = try await store.contents(of: key) else { return nil }
        var seen: Set<Int64> = []
        for kept in contents.facts.reversed() where kept.fact.isOfReceipt {
            guard let number = kept.evidence, seen.insert(number).inserted else { continue }
            if seen.count > Self.mostReceiptsRead { return nil }
            let evidence = try await store.evidence(number)
            if let receipt = evidence.receipt(of: key.environment) { return receipt }
        }
        return nil
    }

    /// An answer without a receipt in it follows others that have one.
    private static let mostReceiptsRead = 16
}

extension Fact {
    /// Whether a receipt, or an answer about one, told of it.
    fileprivate var isOfReceipt: Bool {
        switch self {
        case .transaction(let fact): fact.source != nil
        case .renewal(let fact): fact.source != nil
        default: false
        }
    }
}

extension Evidence {
    /// The receipt that it is, or that Apple wrote into it; nil where it has none.
    fileprivate func receipt(of environment: Primitives.Environment) -> String? {
        switch form {
        case .compactJWS: return nil
        case .appReceipt, .transactionReceipt: return StrictBase64.encodePadded(bytes)
        case .verifyReceiptAnswer:
            guard let host = VerifyReceiptHost(of: environment) else { return nil }
            let outcome = VerifyReceiptOutcome(httpStatus: 200, body: bytes, from: host)
            switch outcome.meaning {
            case .answer(let answer), .expired(let answer):
                guard let text = answer.latestReceipt, case .success = ReceiptEncoding.bytes(base64: text.utf8) else {
                    return nil
                }
                return text
            case .wrongEnvironment, .wrongSecret, .retry, .refused, .notAnAnswer: return nil
            }
        }
    }
}
