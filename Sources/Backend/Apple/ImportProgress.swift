import AppStoreWire
package import Ledger
package import Primitives
package import Storage

/// How far Apple has been asked about what imports named: transaction ids, and receipts that only Apple can judge.
package struct ImportProgress: Sendable, Hashable {
    /// One kind of work that an import leaves.
    package struct Part: Sendable, Hashable {
        package let kind: WorkKind
        /// How much of it is not at its end.
        package var count: Int
        /// How long the calls take at the least, with what the app may use of Apple's limit; a history may need several calls.
        package var atLeast: Milliseconds
    }

    /// In the order in which they are worked through; without those of which nothing is left.
    package let parts: [Part]

    package var isDone: Bool { parts.isEmpty }
    package var count: Int { parts.reduce(0) { $0 + $1.count } }
    /// The parts are asked side by side, but the history of an id after its statuses.
    package var atLeast: Milliseconds { parts.map(\.atLeast).max() ?? Milliseconds(0) }
}

/// Something that an import named and that was given up.
package struct ImportFailure: Sendable, Hashable {
    package let work: Int64
    package let kind: WorkKind
    /// The transaction id, or the digest of the receipt.
    package let subject: String
    /// Apple's code, such as `apple.4040010` for a transaction that Apple does not know.
    package let code: String
}

extension Backend {
    /// How much of an app's imports Apple is still to be asked about, in all its environments.
    ///
    /// - Throws: `BackendError`.
    package func importProgress(of id: AppID) async throws -> ImportProgress {
        let app = try settings(of: id)
        var parts: [ImportProgress.Part] = []
        try await translatingStorageErrors {
            for environment in app.expected.environments.sorted(by: { $0.rawValue < $1.rawValue }) {
                let scope = Scope(app: id, environment: environment)
                let waiting = try await store.backlog(of: Self.importKinds, in: scope, at: .latestAccepted, limit: .max)
                for found in waiting where found.count > 0 {
                    let hourly = Self.callsPerHour(for: found.kind, in: scope, app.apple ?? AppleAccess())
                    let part = ImportProgress.Part(
                        kind: found.kind, count: found.count,
                        atLeast: Milliseconds(Int64(found.count) * Milliseconds.hours(1).count / hourly))
                    if let known = parts.firstIndex(where: { $0.kind == part.kind }) {
                        parts[known].count += part.count
                        parts[known].atLeast = max(parts[known].atLeast, part.atLeast)
                    } else {
                        parts.append(part)
                    }
                }
            }
        }
        return ImportProgress(parts: parts)
    }

    /// What of an app's imports was given up, after the work with that number; at most `limit` are looked at.
    ///
    /// - Returns: what was found, and the number to go on after; nil where there is no more.
    /// - Throws: `BackendError`.
    package func importFailures(
        of id: AppID, after number: Int64, limit: Int = 1000
    ) async throws -> (failures: [ImportFailure], next: Int64?) {
        let page = try await translatingStorageErrors { try await store.work(after: number, limit: limit) }
        let failures = page.compactMap { work -> ImportFailure? in
            guard work.order.scope.app == id, case .failed = work.state, Self.isImport(work.order) else { return nil }
            return ImportFailure(
                work: work.id, kind: work.order.kind, subject: work.order.subject, code: work.lastError ?? "unknown")
        }
        return (failures, page.count < limit ? nil : page.last?.id)
    }

    private static let importKinds: [WorkKind] = [.fetchStatuses, .fetchHistory, .verifyImportedReceipt]

    private static func isImport(_ order: WorkOrder) -> Bool {
        order.kind == .fetchHistory ? order.key == HistoryReason.imported.rawValue : importKinds.contains(order.kind)
    }

    private static func callsPerHour(for kind: WorkKind, in scope: Scope, _ access: AppleAccess) -> Int64 {
        switch kind {
        case .fetchStatuses: BudgetedCall(.getAllSubscriptionStatuses, in: scope, access, .bulk).callsPerHour
        case .fetchHistory: BudgetedCall(.getTransactionHistory, in: scope, access, .bulk).callsPerHour
        default: BudgetedCall(ofReceiptIn: scope, access, .bulk).callsPerHour
        }
    }
}
