import AppStoreWire
import Ledger
import Primitives
import Storage

/// What was looked at, and what was found.
package struct ProofReport: Sendable, Hashable {
    package var subscriptions = 0
    package var facts = 0
    package var auditRows = 0
    package var seals = 0
    package var findings: [Finding] = []

    package init() {}
}

/// How thoroughly the books are proved.
package struct ProofDepth: Sendable, Hashable {
    /// Verify each fact's evidence again.
    package var evidence = true
    /// Fold every subscription anew and compare.
    package var rebuild = false

    package init(evidence: Bool = true, rebuild: Bool = false) {
        self.evidence = evidence
        self.rebuild = rebuild
    }
}

extension Backend {
    /// Proves the books of all configured apps: the chains of audit rows and their seals, the evidence of the facts, and, where
    /// it is asked for, everything that follows from them. Writes nothing; may run beside a server.
    ///
    /// - Parameter progress: told after each page of subscriptions how far it is.
    package func prove(_ depth: ProofDepth, progress: (ProofReport) -> Void = { _ in }) async throws -> ProofReport {
        var report = ProofReport()
        // Before the chains: what is sealed is there already, and what comes after is longer.
        var sealed: [SubscriptionKey: [(number: Int64, head: AuditHead)]] = [:]
        for app in apps.keys.sorted() { try await proveSeals(of: app, into: &report, &sealed) }
        var last: SubscriptionKey?
        while true {
            let page = try await translatingStorageErrors { try await store.subscriptions(after: last, limit: 500) }
            guard let end = page.last else { break }
            for key in page { try await prove(key, depth, sealed: sealed.removeValue(forKey: key) ?? [], &report) }
            last = end
            progress(report)
        }
        for key in sealed.keys.sorted() {
            report.findings.append(Finding(.auditChainCut, key, "it was sealed and is not there"))
        }
        return report
    }

    private func proveSeals(
        of app: AppID, into report: inout ProofReport, _ sealed: inout [SubscriptionKey: [(number: Int64, head: AuditHead)]]
    ) async throws {
        var (number, previous) = (Int64(0), AuditHead().hash)
        while true {
            let page = try await translatingStorageErrors { try await store.seals(of: app, after: number, limit: 10) }
            guard !page.isEmpty else { return }
            for stored in page {
                report.seals += 1
                let seal = stored.seal
                if seal.number != number + 1 || seal.previous != previous || seal.hash != stored.hash {
                    report.findings.append(Finding(.sealBroken, nil, "seal \(seal.number) of \(app)"))
                }
                for entry in seal.heads { sealed[entry.key, default: []].append((seal.number, entry.head)) }
                (number, previous) = (seal.number, stored.hash)
            }
        }
    }

    private func prove(
        _ key: SubscriptionKey, _ depth: ProofDepth, sealed: [(number: Int64, head: AuditHead)], _ report: inout ProofReport
    ) async throws {
        report.subscriptions += 1
        let contents: StoredContents
        do {
            guard let found = try await store.contents(of: key) else { return }
            contents = found
        } catch let error as StorageError where error.code == .corrupt {
            report.findings.append(Finding(.unreadable, key, error.reason))
            return
        } catch let error as StorageError {
            throw BackendError.store(StoreFailure(error))
        }
        report.facts += contents.facts.count
        report.auditRows += contents.audit.count
        let proof = ContentsProof(contents)
        report.findings += proof.chain()
        for seal in sealed where !proof.isSealed(seal.head) {
            report.findings.append(
                Finding(.auditChainCut, key, "row \(seal.head.sequence) is not as seal \(seal.number) names it"))
        }
        if depth.rebuild { report.findings += proof.rebuilt() }
        if depth.evidence, let app = apps[key.app] {
            report.findings += await EvidenceProof(verifier: verifier, app: app).findings(of: contents.facts, key: key)
        }
    }

    /// Seals the chains of all configured apps that moved since their last seals; returns how many (AUDIT-2).
    package func seal() async throws -> Int {
        var count = 0
        let now = clock.now()
        for app in apps.keys.sorted() {
            // Bounded, so that no transaction grows with the books; the next one takes the rest.
            while let seal = try await translatingStorageErrors({
                try await store.write { try $0.seal(app, at: now, limit: 2000) }
            }) {
                count += seal.heads.count
                if seal.heads.count < 2000 { break }
            }
        }
        return count
    }
}
