import Storage

/// The one chain of what operators did (docs/decisions/0059).
extension Backend {
    /// Proves a page of it: each row follows from the one before, says what its columns say, and what was searched, where it is
    /// still kept, is what was searched.
    ///
    /// - Parameter before: the end of the page before.
    /// - Returns: the end of this page; nil where there is no more.
    func proveOperators(after before: AuditHead, limit: Int, into report: inout ProofReport) async throws -> AuditHead? {
        let rows = try await translatingStorageErrors {
            try await store.operatorNoteRows(after: before.sequence, limit: limit)
        }
        var head = before
        for row in rows {
            report.auditRows += 1
            let next = head.followed(byOperators: row.text)
            if row.head.sequence != next.sequence {
                let words = "operators' audit: rows \(next.sequence) to \(row.head.sequence - 1) are missing"
                report.findings.append(Finding(.auditRowChanged, nil, words))
            } else if row.head.hash != next.hash {
                let words = "operators' audit: row \(row.head.sequence) does not follow from the one before"
                report.findings.append(Finding(.auditRowChanged, nil, words))
            }
            do {
                if let difference = try row.difference() {
                    report.findings.append(Finding(.columnsDiffer, nil, "operators' audit: \(difference)"))
                }
            } catch let error as StorageError where error.code == .corrupt {
                report.findings.append(Finding(.unreadable, nil, "operators' audit: row \(row.head.sequence): \(error.reason)"))
            }
            // One changed row is one finding.
            head = row.head
        }
        return rows.isEmpty ? nil : head
    }
}
