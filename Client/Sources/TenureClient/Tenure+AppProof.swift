import Foundation

/// Showing how the customer came by the app (LIC-3).
extension Tenure {
    /// Shows it once the store has said it, without anybody waiting for it: the store may take long.
    func beginShowingApp() {
        let before = showing
        showing = Task { [weak self] in
            await before?.value
            await self?.showApp()
        }
    }

    /// At the first launch and after each login: keeps what the store has for the customer, and sends it, once for each customer
    /// and text.
    func showApp() async {
        let customer = identity.customer
        do {
            let content: AppProof.Content
            if let signed = try await configuration.store.signedAppTransaction() {
                try learn(AppTransactionText(signed: signed)?.receiptType)
                content = .appTransaction(signed)
            } else if let receipt = try await configuration.store.receipt() {
                // It has everything that this Apple Account bought, whoever bought it here: while another customer's purchase is
                // on its way to the server, the receipt would make it this one's. The next launch shows it.
                if try await isAnotherBuying(than: customer) { return }
                // Not refreshed here, which would ask for a password (DEV-5); and no restore, which nobody asked for.
                content = .receipt(receipt, .queue)
            } else {
                return
            }
            await show(content, of: customer)
        } catch {
            report(TenureProblem(.storeFailed, error))
        }
    }

    /// Whether a purchase of another customer of this device has begun, and the server does not have it yet.
    private func isAnotherBuying(than customer: String) async throws -> Bool {
        if await queue.first(where: { $0.customer != customer && $0.kind == .purchase }) != nil { return true }
        return try intents.begun(at: configuration.clock.read().wall).contains { $0.customer != customer }
    }

    /// Keeps a proof until the server has it, and sends it.
    ///
    /// - Parameter again: also where the server has it, since the customer asks for it.
    func show(_ content: AppProof.Content, of customer: String, again: Bool = false) async {
        let proof = AppProof(customer: customer, content: content, addedAt: configuration.clock.read().wall)
        guard again || !shown.contains(proof.name) else { return }
        do {
            guard try await proofs.add(proof) != .full else {
                return report(TenureProblem(.queueFull, words: "\(AppProof.most) proofs of how the app was got wait"))
            }
            try await proofs.remove { proof.replaces($0) }
        } catch {
            return report(TenureProblem(.notKept, error))
        }
        await send()
        // Another turn of sending may have begun before it was there.
        if await proofs.isWaiting(proof.name) { await send() }
    }

    func send(_ proof: AppProof) async {
        let outcome: UploadOutcome
        do {
            let response = try await authorized(proof.customer) { server, _, who in
                switch proof.content {
                case .appTransaction(let signed):
                    try await server.showAppTransaction(signed, of: proof.customer, by: who)
                case .receipt(let receipt, let kind):
                    try await server.uploadReceipt(receipt, kind: kind, of: proof.customer, by: who)
                }
            }
            outcome = UploadOutcome(response, isAnswer: proof.isAnswered(by: response))
        } catch {
            return await proofs.failed(proof, at: configuration.clock.read().monotonic)
        }
        if case .parked(let code) = outcome { report(TenureProblem(.parked, words: "how the app was got: \(code)")) }
        do {
            if outcome == .kept {
                // Before it is forgotten: between the two it is sent once more, and not never.
                shown.insert(proof.name)
                try configuration.keep.keep(shown, as: Kept.shown)
            }
            try await proofs.note(outcome, of: proof, at: configuration.clock.read().monotonic)
        } catch {
            report(TenureProblem(.notKept, error))
        }
    }
}

extension AppProof {
    /// More customers than a device has between two answers of a server.
    static let most = 20

    /// Whether a body is the server's answer to it, and not something else with its status.
    func isAnswered(by response: ServerResponse) -> Bool {
        switch content {
        case .appTransaction: response.decoded(AppPurchaseAnswer.self) != nil
        case .receipt: response.decoded(ReceiptAnswer.self) != nil
        }
    }
}

/// Source: `AppPurchase` in the server's OpenAPI document.
private struct AppPurchaseAnswer: Decodable {
    let originalPurchaseDate: Instant
    let environment: String
    let shownAt: Instant
}

/// Source: `ReceiptAnswer` in the server's OpenAPI document.
private struct ReceiptAnswer: Decodable {
    let results: [Result]

    struct Result: Decodable {
        let originalTransactionId: String
    }
}
