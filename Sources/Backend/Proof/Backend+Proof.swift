import AppStoreWire
import Ledger
import Primitives
import Storage

/// What was looked at, and what was found.
package struct ProofReport: Sendable, Hashable, Codable {
    package var subscriptions = 0
    /// Customers about whom anything was said.
    package var customers = 0
    package var facts = 0
    package var auditRows = 0
    package var seals = 0
    /// Subscriptions whose rows another version of the fold wrote, and which of them today's fold would write otherwise; looked
    /// for only where everything is folded anew. They are written anew with their next fact or claim.
    package var writtenByAnotherFold = 0
    package var differingByTodaysFold = 0
    package var findings: [Finding] = []

    /// Findings are kept one by one.
    private enum CodingKeys: String, CodingKey {
        case subscriptions, customers, facts, auditRows, seals, writtenByAnotherFold, differingByTodaysFold
    }

    package init() {}

    /// Adds what was looked at and found elsewhere.
    mutating func add(_ other: ProofReport) {
        subscriptions += other.subscriptions
        customers += other.customers
        facts += other.facts
        auditRows += other.auditRows
        seals += other.seals
        writtenByAnotherFold += other.writtenByAnotherFold
        differingByTodaysFold += other.differingByTodaysFold
        findings += other.findings
    }
}

/// How thoroughly the books are proved.
package struct ProofDepth: Sendable, Hashable {
    /// Verify each fact's evidence again.
    package var evidence = true
    /// Fold every subscription again and compare.
    package var rebuild = false

    package init(evidence: Bool = true, rebuild: Bool = false) {
        self.evidence = evidence
        self.rebuild = rebuild
    }
}

/// A seal among those of its app.
struct SealPlace: Sendable, Hashable {
    let number: Int64
    /// What the next one is chained to.
    let hash: [UInt8]
}

extension Backend {
    /// Proves the books of all configured apps: the chains of audit rows and their seals, the evidence of the facts, and, where
    /// it is asked for, everything that follows from them. Writes nothing; may run beside a server.
    ///
    /// - Parameters:
    ///   - lanes: how many subscriptions or customers are proved at the same time; at least 1.
    ///   - progress: told after each page how far it is.
    package func prove(
        _ depth: ProofDepth, lanes: Int = 1, progress: (ProofReport) -> Void = { _ in }
    ) async throws -> ProofReport {
        var run = ProofRun(of: nil, by: self, depth, lanes: lanes)
        var findings: [Finding] = []
        while !run.progress.isDone {
            findings += try await run.step()
            var report = run.progress.report
            report.findings = findings
            progress(report)
        }
        var report = run.progress.report
        report.findings = findings
        return report
    }

    func prove(_ key: CustomerKey, _ depth: ProofDepth, _ report: inout ProofReport) async throws {
        report.customers += 1
        do {
            guard let contents = try await store.contents(of: key) else { return }
            let subject = ChainSubject.customer(key.scope, contents.number)
            try await proveChain(of: subject, end: contents.stored.ends.audit, &report) { sequence, limit in
                try await store.auditTexts(of: key, after: sequence, limit: limit).map { row in
                    _ = try StoredCustomerAuditRow(row, of: key)
                    return ChainRow(head: row.head, text: row.text)
                }
            } now: {
                try await store.customer(key)?.ends.audit
            }
            for kept in contents.inputs where kept.columns != InputColumns(kept.input) {
                report.findings.append(
                    Finding(.columnsDiffer, about: subject, "\(kept.columns.kind) of \(kept.columns.recordedAt)"))
            }
            guard depth.rebuild else { return }
            if CustomerAccount(key, contents.inputs.map(\.input)) != contents.stored.account {
                let words = "\(contents.inputs.count) inputs come to another account"
                report.findings.append(Finding(.accountDiffers, about: subject, words))
            }
        } catch let error as StorageError where error.code == .corrupt {
            report.findings.append(Finding(.unreadable, nil, "a customer of \(key.scope.app): \(error.reason)"))
        } catch let error as StorageError {
            throw BackendError.store(StoreFailure(error))
        }
    }

    /// A row of a chain as it is kept.
    private struct ChainRow {
        let head: AuditHead
        let text: String
    }

    /// - Parameters:
    ///   - rows: those after a number, at most so many.
    ///   - now: the end of the chain as it is named now.
    private func proveChain(
        of subject: ChainSubject, end: AuditHead, _ report: inout ProofReport,
        rows: (Int64, Int) async throws -> [ChainRow], now: () async throws -> AuditHead?
    ) async throws {
        var proof = ChainProof(subject, end: end)
        // Bounded by the chain's end, which is known before.
        while proof.isOpen {
            let page = try await rows(proof.head.sequence, 500)
            guard !page.isEmpty else { break }
            for row in page { proof.take(row.head, row.text) }
            report.auditRows += page.count
        }
        proof.close()
        if proof.finding == nil, let next = try await rows(end.sequence, 1).first, let named = try await now(),
            named.sequence < next.head.sequence
        {
            proof.addsRow(next.head.sequence)
        }
        if let finding = proof.finding { report.findings.append(finding) }
    }

    /// T53: what keeps rows from being changed, and what the database itself says of its file.
    func proveDatabase(into report: inout ProofReport) async throws {
        do {
            report.findings += try await store.schemaDifferences().map { Finding(.schemaDiffers, nil, $0.words) }
        } catch let error as StorageError where error.code == .notPermitted {
            let words = "the schema was not checked: this role may not create temporary tables (GRANT TEMPORARY ON DATABASE)"
            report.findings.append(Finding(.unreadable, nil, words))
        } catch let error as StorageError {
            throw BackendError.store(StoreFailure(error))
        }
        report.findings += try await translatingStorageErrors {
            try await store.integrityProblems().map { Finding(.databaseDamaged, nil, $0) }
                + store.misnumbered(limit: Self.mostNamed).map {
                    Finding(.columnsDiffer, nil, "\($0): the number does not match its text")
                }
                + store.unusedDocuments(limit: Self.mostNamed).map { Finding(.documentUnused, nil, "document \($0)") }
        }
    }

    /// OWN-17: what the app chose says what it said when it was applied.
    func proveSettings(of app: AppID, into report: inout ProofReport) async throws {
        for version in try await translatingStorageErrors({ try await store.settings(of: app) })
        where SettingsCoding.digest(of: version.document) != version.digest {
            let words = "version \(version.number) of the settings of \(app): the digest does not match the document"
            report.findings.append(Finding(.columnsDiffer, nil, words))
        }
    }

    /// I16: those that no fact names, as `TEST`. Of the others their subscriptions' facts speak.
    func prove(_ notification: FactlessNotification, into report: inout ProofReport) async throws {
        guard let app = apps[notification.scope.app] else { return }
        let proof = EvidenceProof(verifier: verifier, app: app)
        let finding = try await translatingStorageErrors {
            try await proof.finding(of: notification, document: store.evidence)
        }
        if let finding { report.findings.append(finding) }
    }

    /// Of what can be there a million times when somebody has been at the file, so many are named.
    private static let mostNamed = 100

    /// AUDIT-2: each seal follows from the one before, and what it names is in the books.
    ///
    /// - Parameter before: the last one that was looked at.
    /// - Returns: the last one of this page; nil where there is no more.
    func proveSeals(of app: AppID, after before: SealPlace, into report: inout ProofReport) async throws -> SealPlace? {
        let page = try await translatingStorageErrors { try await store.seals(of: app, after: before.number, limit: 4) }
        guard !page.isEmpty else { return nil }
        var (number, previous) = (before.number, before.hash)
        for stored in page {
            report.seals += 1
            let seal = stored.seal
            if seal.number != number + 1 || seal.previous != previous || seal.hash != stored.hash {
                report.findings.append(Finding(.sealBroken, nil, "seal \(seal.number) of \(app)"))
            }
            let missed = try await translatingStorageErrors { try await store.missedHeads(of: app, seal: seal.number) }
            report.findings += missed.map { missed in
                let words =
                    missed.isSubjectThere
                    ? "row \(missed.entry.head.sequence) differs from what seal \(seal.number) names"
                    : "it was sealed and is missing"
                return Finding(.auditChainCut, about: missed.entry.subject, words)
            }
            (number, previous) = (seal.number, stored.hash)
        }
        return SealPlace(number: number, hash: previous)
    }

    func prove(_ key: SubscriptionKey, _ depth: ProofDepth, _ report: inout ProofReport) async throws {
        report.subscriptions += 1
        do {
            guard let contents = try await store.contents(of: key) else { return }
            report.facts += contents.facts.count
            guard contents.facts.count < StoredContents.limit else {
                let words = "it has \(StoredContents.limit) facts or more, and was not verified"
                report.findings.append(Finding(.unreadable, key, words))
                return
            }
            try await proveChain(of: key, end: contents.stored.ends.audit, &report)
            report.findings += ContentsProof(contents).columns()
            if depth.rebuild { try proveFold(of: contents, &report) }
            guard depth.evidence, let app = apps[key.app] else { return }
            report.findings += try await EvidenceProof(verifier: verifier, app: app).findings(
                of: contents.facts, key: key, document: store.evidence)
        } catch let error as StorageError where error.code == .corrupt {
            report.findings.append(Finding(.unreadable, key, error.reason))
        } catch let error as StorageError {
            throw BackendError.store(StoreFailure(error))
        }
    }

    /// What another version of the fold wrote is compared and counted; that it differs is no damage.
    private func proveFold(of contents: StoredContents, _ report: inout ProofReport) throws {
        let proof = ContentsProof(contents)
        report.findings += proof.history()
        let differences = try proof.fold()
        if contents.stored.isFoldCurrent {
            report.findings += differences
        } else {
            report.writtenByAnotherFold += 1
            if !differences.isEmpty { report.differingByTodaysFold += 1 }
        }
    }

    private func proveChain(of key: SubscriptionKey, end: AuditHead, _ report: inout ProofReport) async throws {
        var missing: [Finding] = []
        try await proveChain(of: .subscription(key), end: end, &report) { sequence, limit in
            try await store.auditTexts(of: key, after: sequence, limit: limit).map { row in
                _ = try StoredAuditRow(row, of: key)
                missing += row.unknownCustomers.map { number in
                    Finding(.customerMissing, key, "audit row \(row.head.sequence): customer \(number) is missing")
                }
                return ChainRow(head: row.head, text: row.text)
            }
        } now: {
            try await store.subscription(key)?.ends.audit
        }
        report.findings += missing
    }

    /// Seals the chains of all configured apps that moved since their last seals; returns how many (AUDIT-2).
    ///
    /// - Parameter goesOn: asked before each transaction; what is left is sealed the next time.
    package func seal(while goesOn: () -> Bool = { true }) async throws -> Int {
        var count = 0
        let now = clock.now()
        for app in apps.keys.sorted() {
            // Bounded, so that no transaction grows with the books; the next one takes the rest.
            while goesOn(),
                let seal = try await translatingStorageErrors({
                    try await store.write { try $0.seal(app, at: now, limit: 2000) }
                })
            {
                count += seal.heads.count
                if seal.heads.count < 2000 { break }
            }
        }
        return count
    }
}
