import Foundation

/// From the store to the server (DEV-1).
extension Tenure {
    /// What the store did not hear to be finished: also what an app that has ended since had bought.
    func takeUnfinished() async {
        do {
            // Each is kept before the first is sent, which may take long.
            for transaction in try await configuration.store.unfinished() { await take(transaction) }
            await send()
        } catch {
            report(TenureProblem(.storeFailed, error))
        }
    }

    /// The store delivered a transaction: it is kept for the upload, and sent.
    func deliver(_ transaction: StoreTransaction) async {
        if await take(transaction) != nil { await send() }
    }

    /// The same, and nobody waits until it is sent: the next one may be there by then.
    func hear(_ transaction: StoreTransaction) async {
        guard await take(transaction) != nil else { return }
        if sending != nil { isNewsToSend = true } else { Task { [weak self] in await self?.send() } }
    }

    /// Keeps a transaction for the upload. What cannot be kept stays unfinished: the store delivers it again.
    ///
    /// - Parameters:
    ///   - kind: how it came; nil: as its intent says, else by the store's queue.
    /// - Returns: the item; nil where none was kept.
    @discardableResult
    func take(_ transaction: StoreTransaction, as kind: UploadKind? = nil) async -> UploadItem? {
        guard let text = TransactionText(signed: transaction.signedTransactionInfo) else {
            report(TenureProblem(.unreadable, words: "what the store delivered is no transaction"))
            return nil
        }
        do {
            try learn(text.environment)
            let now = configuration.clock.read().wall
            let match = kind == .restore ? nil : try intents.match(text, at: now)
            // Signed anew it is the same purchase, and of the same customer, though another one may be logged in by now.
            let earlier = match == nil && kind == nil ? await queue.first { $0.transactionId == text.transactionId } : nil
            let item = UploadItem(
                customer: match?.intent.customer ?? earlier?.customer ?? identity.customer,
                kind: match == nil ? kind ?? earlier?.kind ?? .queue : .purchase,
                signedTransactionInfo: transaction.signedTransactionInfo, signedRenewalInfo: transaction.signedRenewalInfo,
                transactionId: text.transactionId, signedDate: text.signedDate, productId: text.productId,
                appAccountToken: text.appAccountToken, addedAt: now)
            guard try await queue.add(item) != .full else {
                report(TenureProblem(.queueFull, words: "\(UploadItem.most) transactions wait"))
                return nil
            }
            // Only now: until here the intent was what said whose purchase it is.
            if let match { try intents.end(match.name) }
            return item
        } catch {
            report(TenureProblem(.notKept, error))
            return nil
        }
    }

    /// Sends everything that is due, one after the other, once for all who ask at the same time.
    func send() async {
        if let sending { return await sending.value }
        let task = Task { await self.sendDue() }
        sending = task
        await task.value
    }

    /// Returns when an item was sent, whatever came of it, and not only when all that waits was: of a thousand that do, a purchase
    /// is answered at once.
    func send(first name: String) async {
        guard await queue.isWaiting(name) else { return }
        isNewsToSend = true
        if sending == nil { sending = Task { await self.sendDue() } }
        await withCheckedContinuation { awaited[name, default: []].append($0) }
    }

    private func wasSent(_ name: String) {
        for waiter in awaited.removeValue(forKey: name) ?? [] { waiter.resume() }
    }

    /// Each once in a turn, also what comes meanwhile.
    private func sendDue() async {
        await merge()
        var tried: Set<String> = []
        repeat {
            isNewsToSend = false
            while !Task.isCancelled, let item = await queue.next(at: configuration.clock.read().monotonic, besides: tried) {
                tried.insert(item.name)
                await send(item)
            }
            while !Task.isCancelled, let proof = await proofs.next(at: configuration.clock.read().monotonic, besides: tried) {
                tried.insert(proof.name)
                await send(proof)
            }
        } while isNewsToSend && !Task.isCancelled
        // At once: whoever has something to send from now on begins another turn.
        sending = nil
        for name in awaited.keys { wasSent(name) }
    }

    private func send(_ brief: UploadItem) async {
        defer { wasSent(brief.name) }
        let (item, outcome): (UploadItem, UploadOutcome)
        do {
            guard let whole = try await queue.whole(brief) else {
                return await queue.failed(brief, at: configuration.clock.read().monotonic)
            }
            item = whole
            // Never under another customer than its own: where that one is not here, it waits.
            let response = try await authorized(item.customer) { server, _, who in try await server.upload(item, by: who) }
            outcome = UploadOutcome(response, isAnswer: response.isUploadAnswer)
            if item.kind == .purchase, outcome == .kept {
                // Those of purchases that nobody waits for any more are of no use.
                if verdicts.count >= 100 { verdicts.removeAll() }
                verdicts[item.name] = UploadVerdict(response)
            }
        } catch {
            return await queue.failed(brief, at: configuration.clock.read().monotonic)
        }
        if case .parked(let code) = outcome {
            report(TenureProblem(.parked, words: "transaction \(item.transactionId): \(code)"))
        }
        do {
            // Finished before it is forgotten: between the two it is sent once more, and not delivered as somebody else's.
            if outcome == .kept {
                await configuration.store.finish(
                    StoreTransaction(
                        signedTransactionInfo: item.signedTransactionInfo, signedRenewalInfo: item.signedRenewalInfo))
            }
            try await queue.note(outcome, of: item, at: configuration.clock.read().monotonic)
        } catch {
            report(TenureProblem(.notKept, error))
        }
    }

    /// Whatever waits may be sent at once.
    func hurry() async {
        await queue.hurry()
        await proofs.hurry()
    }

    /// What the server would not take is sent again, such as after an update of the app or the server.
    ///
    /// - Throws: ``TenureProblem``: `notKept`.
    public func retryParked() async throws {
        do {
            try await queue.retryParked()
            try await proofs.retryParked()
        } catch {
            throw TenureProblem(.notKept, error)
        }
        await send()
    }

    /// Transactions that the server will not take as they are, by id, with its code.
    public func parked() async -> [String: String] {
        Dictionary(await queue.parked.map { ($0.transactionId, $0.parkedBecause ?? "") }) { first, _ in first }
    }

    /// Which ledger is meant, by what the store signs; the server answers for one at a time.
    func learn(_ said: String?) throws {
        guard let said, said == "Production" || said == "Sandbox", said != environment else { return }
        environment = said
        try configuration.keep.keep(said, as: Kept.environment)
    }
}
