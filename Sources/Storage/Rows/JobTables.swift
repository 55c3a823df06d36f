import Ledger
import Primitives

/// A row of `job`.
extension StoredJob: WrittenRow, ReadRow {
    package static let table = "job"
    package static let key: Set<Column> = [.app, .id]

    package enum Column: Int, StoredColumn {
        case app, id, kind, request, progress, state, reason, rowCount, startedAt, endedAt
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .app: .text(name.app.rawValue)
        case .id: .text(name.id)
        case .kind: .text(kind)
        case .request: .text(request)
        case .progress: .text(progress)
        case .state: .text(state.rawValue)
        case .reason: .text(reason)
        case .rowCount: .integer(rows)
        case .startedAt: .instant(startedAt)
        case .endedAt: .integer(endedAt?.millisecondsSince1970)
        }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        guard let state = State(rawValue: try row.text(.state)) else {
            throw StorageError(.corrupt, "a job has an unknown state")
        }
        self.init(
            JobName(AppID(try row.text(.app)), try row.text(.id)), kind: try row.text(.kind), request: try row.text(.request),
            progress: try row.text(.progress), startedAt: try row.instant(.startedAt))
        self.state = state
        rows = try row.integer(.rowCount)
        endedAt = try row.optionalInstant(.endedAt)
        reason = try row.optionalText(.reason)
    }
}

/// A row of `jobRow`.
extension JobRow: WrittenRow, ReadRow {
    package static let table = "jobRow"

    package enum Column: Int, StoredColumn { case app, job, number, content }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .app: .text(name.app.rawValue)
        case .job: .text(name.id)
        case .number: .integer(number)
        case .content: .text(content)
        }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            JobName(AppID(try row.text(.app)), try row.text(.job)), number: try row.integer(.number),
            content: try row.text(.content))
    }
}
