import Storage

/// The tables as `Storage/Rows` declares them, for comparison with those that a store's schema makes.
package struct DeclaredTables: Sendable {
    /// By table, as they are spelled in the code.
    package let columns: [String: Set<String>]

    /// Everything that the stores write. The table of the schema's own versions belongs to each store's migrations, and the
    /// beginning of the count of transactions to PostgreSQL alone.
    package static let all = DeclaredTables([
        WrittenLedger.self, CustomerRow.self, JWSHeaderRow.self, WrittenEvidence.self, WrittenFact.self, WrittenClaim.self,
        WrittenRegistration.self, WrittenBearer.self, PolicyRow.self, WrittenSubscription.self, WrittenAlias.self,
        WrittenTenure.self, WrittenHolding.self, WrittenAudit.self, WrittenOutbox.self, WrittenWarning.self, WrittenWork.self,
        SealRow.self, WrittenHead.self, SettingsVersion.self, WrittenCustomerBook.self, WrittenCustomerInput.self,
        WrittenCustomerAudit.self, WrittenSubscriptionInput.self, WrittenDevice.self, WrittenMerge.self,
        WrittenCustomerHead.self, StoredJob.self, JobRow.self, WrittenSighting.self, WrittenProposal.self,
        WrittenPendingReservation.self, WrittenBudget.self, WrittenRevision.self,
        WrittenSweepPlan.self, WrittenAppleRequest.self, WrittenOfferIssue.self,
        WrittenEndpoint.self, WrittenAttempt.self, WrittenParkedEvent.self,
        WrittenCopy.self, WrittenFloor.self, WrittenSignal.self, WrittenKey.self, WrittenAnswer.self,
        WrittenCustomerChange.self, WrittenOperator.self, WrittenOperatorLink.self, WrittenOperatorSession.self,
        LoginFailures.self, WrittenOperatorNote.self, WrittenSearch.self, WrittenRefund.self,
    ])

    private init(_ rows: [any WrittenRow.Type]) {
        columns = Dictionary(rows.map { ($0.table, Self.columns(of: $0)) }) { $0.union($1) }
    }

    private static func columns<Row: WrittenRow>(of row: Row.Type) -> Set<String> {
        Set(Row.Column.allCases.map(\.name) + Row.filled)
    }

    /// How a schema's tables differ from these, in words; empty where they do not.
    ///
    /// - Parameter schema: the columns by table, in any case, since PostgreSQL folds names to lower case.
    package func differences(from schema: [String: Set<String>]) -> [String] {
        let declared = Self.folded(columns)
        let found = Self.folded(schema).filter { !["schemaversion", "logepoch"].contains($0.key) }
        return Set(declared.keys).union(found.keys).sorted().flatMap { table -> [String] in
            guard let columns = declared[table] else { return ["the schema has the table \(table), which no row declares"] }
            guard let present = found[table] else { return ["a row of the table \(table) is declared, but not in the schema"] }
            return present.subtracting(columns).sorted().map { "the schema has \(table).\($0), which no row declares" }
                + columns.subtracting(present).sorted().map { "\(table).\($0) is declared, but not in the schema" }
        }
    }

    private static func folded(_ columns: [String: Set<String>]) -> [String: Set<String>] {
        Dictionary(columns.map { ($0.key.lowercased(), Set($0.value.map { $0.lowercased() })) }) { $0.union($1) }
    }
}
