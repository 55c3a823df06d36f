package import Ledger
package import Primitives

/// A new row of `fact`.
package struct WrittenFact: WrittenRow {
    package static let table = "fact"

    package enum Column: Int, StoredColumn {
        case ledger, originalTransactionId, factKey, transactionId, signedDate, receivedAt, decoded, evidence
    }

    private let fact: Fact
    private let columns: FactColumns
    private let evidence: Int64?
    private let receivedAt: Timestamp
    private let ledger: Int64

    /// - Parameter evidence: the document's number; nil for a failed question, and where the statement itself takes the number
    ///   that the database has given last.
    package init(_ fact: Fact, evidence: Int64?, receivedAt: Timestamp, ledger: Int64) {
        self.fact = fact
        columns = FactColumns(fact)
        self.evidence = evidence
        self.receivedAt = receivedAt
        self.ledger = ledger
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .originalTransactionId: .text(fact.originalTransactionId.rawValue)
        case .factKey: .text(columns.factKey)
        case .transactionId: .text(columns.transactionId)
        case .signedDate: .instant(columns.signedDate)
        case .receivedAt: .instant(receivedAt)
        case .decoded: .bytes(FactCoding.encode(fact))
        case .evidence: .integer(evidence)
        }
    }
}

extension StoredContents.KeptFact: ReadRow {
    /// Of `fact`, beside which stands `evidence` as `document`.
    package enum Column: Int, StoredColumn {
        case decoded, receivedAt, evidence, factKey, transactionId, signedDate, documentReceivedAt

        package var sql: String {
            switch self {
            case .receivedAt: "fact.receivedAt"
            case .documentReceivedAt: "document.receivedAt"
            default: name
            }
        }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        fact = try FactCoding.decode(row.bytes(.decoded))
        receivedAt = try row.instant(.receivedAt)
        evidence = try row.optionalInteger(.evidence)
        evidenceReceivedAt = try row.optionalInstant(.documentReceivedAt)
        columns = FactColumns(
            factKey: try row.text(.factKey), transactionId: try row.optionalText(.transactionId),
            signedDate: try row.instant(.signedDate))
    }
}
