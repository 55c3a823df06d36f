import Ledger
import Primitives
import Storage

/// What shows a signal stands in the books (ABUSE-1). That it is shown again by a review today is not asked: what it was counted
/// from moves out of the window.
extension Backend {
    ///
    /// - Parameter number: of the last one that was looked at; nil before the first.
    /// - Returns: that of the last one of this page; nil where there is no more.
    func proveSignals(of scope: Scope, before number: Int64?, into report: inout ProofReport) async throws -> Int64? {
        let asked = SignalSearch(before: number)
        let page = try await translatingStorageErrors { try await store.signals(asked, in: scope, limit: 100) }
        for signal in page { report.findings += try await findings(in: signal) }
        return page.last?.id
    }

    private func findings(in stored: StoredSignal) async throws -> [Finding] {
        var findings: [Finding] = []
        var known: [OriginalTransactionID: StoredSubscription] = [:]
        for evidence in stored.signal.evidence {
            let key = SubscriptionKey(stored.scope, evidence.subscription)
            if known[evidence.subscription] == nil {
                known[evidence.subscription] = try await translatingStorageErrors { try await store.subscription(key) }
            }
            guard let books = known[evidence.subscription], try await shows(evidence, books, in: stored.scope) else {
                findings.append(Finding(.signalDiffers, key, "signal \(stored.id): what shows it is not in the books"))
                continue
            }
        }
        return findings
    }

    private func shows(_ evidence: AbuseSignal.Evidence, _ books: StoredSubscription, in scope: Scope) async throws -> Bool {
        switch evidence.what {
        case .customer(let customer, _):
            return books.history.names(customer) || books.state.customers.contains(customer)
        case .claim(_, let claim): return books.history.claims.contains { $0.id == claim }
        case .transaction(let id, let transaction):
            if books.history.book.lines.contains(where: { $0.kept.contains { $0.transactionId == transaction } }) { return true }
            // Of a period that is known under another transaction by now.
            let bearers = try await translatingStorageErrors {
                try await store.subscriptions(having: transaction, app: scope.app)
            }
            return bearers.contains(SubscriptionKey(scope, id))
        }
    }
}
