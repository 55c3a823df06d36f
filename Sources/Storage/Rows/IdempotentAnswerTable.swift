import Ledger
import Primitives

/// A row of `idempotentAnswer`.
package struct WrittenAnswer: WrittenRow {
    package static let table = "idempotentAnswer"
    package static let key: Set<Column> = [.app, .holder, .idempotencyKey]

    package enum Column: Int, StoredColumn {
        case app, holder, idempotencyKey, request, about, status, answer, keptAt
    }

    private let kept: KeptAnswer

    package init(_ kept: KeptAnswer) { self.kept = kept }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .app: .text(kept.name.app.rawValue)
        case .holder: .bytes(kept.name.holder)
        case .idempotencyKey: .bytes(kept.name.key)
        case .request: .bytes(kept.request)
        case .about: .bytes(kept.about?.bytes)
        case .status: .integer(Int64(kept.status))
        case .answer: .bytes(kept.sealed)
        case .keptAt: .instant(kept.keptAt)
        }
    }
}

extension KeptAnswer: ReadRow {
    package typealias Column = WrittenAnswer.Column

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            IdempotencyName(AppID(try row.text(.app)), holder: try row.bytes(.holder), key: try row.bytes(.idempotencyKey)),
            request: try row.bytes(.request), about: try row.optionalBytes(.about).map { SubjectDigest(bytes: $0) },
            status: Int(try row.integer(.status)), sealed: try row.bytes(.answer), keptAt: try row.instant(.keptAt))
    }
}
