import Ledger
import Primitives

/// A row of `appleRequest`.
package struct WrittenAppleRequest: WrittenRow {
    package static let table = "appleRequest"
    package static let key: Set<Column> = [.ledger, .endpoint, .requestId]

    package enum Column: Int, StoredColumn {
        case ledger, endpoint, requestId, subject, content, actor, requestedAt, outcome, answer, answeredAt
    }

    private let request: AppleRequest
    private let ledger: Int64

    package init(_ request: AppleRequest, ledger: Int64) {
        self.request = request
        self.ledger = ledger
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .endpoint: .text(request.name.endpoint)
        case .requestId: .text(request.name.id)
        case .subject: .text(request.subject)
        case .content: .text(request.content)
        case .actor: .text(request.actor)
        case .requestedAt: .instant(request.requestedAt)
        case .outcome: .text(request.result?.outcome)
        case .answer: .text(request.result?.answer)
        case .answeredAt: .integer(request.result?.at.millisecondsSince1970)
        }
    }
}

extension AppleRequest: ReadRow {
    /// Of `appleRequest` joined with its `ledger`.
    package enum Column: Int, StoredColumn {
        case app, environment, endpoint, requestId, subject, content, actor, requestedAt, outcome, answer, answeredAt
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            AppleRequestName(
                try row.scope(.app, .environment), try row.text(.endpoint), id: try row.text(.requestId)),
            subject: try row.text(.subject), content: try row.text(.content), by: try row.text(.actor),
            at: try row.instant(.requestedAt))
        guard let outcome = try row.optionalText(.outcome), let at = try row.optionalInstant(.answeredAt) else { return }
        result = Result(outcome: outcome, answer: try row.optionalText(.answer) ?? "", at: at)
    }
}
