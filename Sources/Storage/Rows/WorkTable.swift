import Primitives

/// A new row of `work`, pending.
package struct WrittenWork: WrittenRow {
    package static let table = "work"
    package static let filled = [
        "id", "asked", "attempts", "fence", "worker", "finishedAt", "failedAt", "lastError",
    ]

    package enum Column: Int, StoredColumn { case ledger, subject, workKey, kind, body, dueAt, isDecided, availableAt }

    /// What makes a row another work about the same subject.
    package static let replaced = Column.allCases.filter { $0 != .ledger && $0 != .subject }

    private let order: WorkOrder
    private let ledger: Int64

    package init(_ order: WorkOrder, ledger: Int64) {
        self.order = order
        self.ledger = ledger
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .subject: .text(order.subject)
        case .workKey: .text(order.key)
        case .kind: .text(order.kind.rawValue)
        case .body: .text(order.body)
        case .dueAt: .instant(order.dueAt)
        case .isDecided: .bool(order.isDecided)
        case .availableAt: .instant(order.dueAt)
        }
    }
}

/// The columns of `work` by which it is read, leased or listed.
package enum WorkColumn: Int, StoredColumn {
    case id, ledger, subject, workKey, kind, body, dueAt, isDecided, asked, attempts, fence, worker, availableAt, finishedAt
    case failedAt, lastError
}

extension WorkOrder {
    /// - Parameter scope: of a ledger's number.
    init(_ row: NamedRow<WorkColumn, some StoredRow>, scope: (Int64) throws -> Scope) throws {
        self.init(
            scope: try scope(row.integer(.ledger)), subject: try row.text(.subject),
            job: Job(key: try row.text(.workKey), kind: WorkKind(rawValue: try row.text(.kind)), body: try row.text(.body)),
            dueAt: try row.instant(.dueAt), isDecided: try row.bool(.isDecided))
    }
}

extension LeasedWork {
    /// - Parameter scope: of a ledger's number.
    package init(_ row: NamedRow<WorkColumn, some StoredRow>, scope: (Int64) throws -> Scope) throws {
        self.init(
            id: try row.integer(.id), order: try WorkOrder(row, scope: scope), attempt: try row.integer(.attempts),
            fence: try row.integer(.fence), asked: try row.integer(.asked), until: try row.instant(.availableAt))
    }
}

extension StoredWork {
    /// - Parameter scope: of a ledger's number.
    package init(_ row: NamedRow<WorkColumn, some StoredRow>, scope: (Int64) throws -> Scope) throws {
        let state: State =
            if let worker = try row.optionalText(.worker) {
                .leased(by: worker, until: try row.instant(.availableAt))
            } else if let finished = try row.optionalInstant(.finishedAt) {
                .done(at: finished)
            } else if let failed = try row.optionalInstant(.failedAt) {
                .failed(at: failed)
            } else {
                .waiting
            }
        self.init(
            id: try row.integer(.id), order: try WorkOrder(row, scope: scope), attempts: try row.integer(.attempts),
            state: state, lastError: try row.optionalText(.lastError))
    }
}

/// How many rows of work are due, and since when the longest due one is.
package struct DueCount: Sendable, ReadRow {
    package enum Column: Int, StoredColumn { case count, dueSince }

    private let count: Int64
    private let dueSince: Timestamp?

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        (count, dueSince) = (try row.integer(.count), try row.optionalInstant(.dueSince))
    }

    package func backlog(of kind: WorkKind) -> WorkBacklog {
        WorkBacklog(kind: kind, count: Int(clamping: count), dueSince: dueSince)
    }
}
