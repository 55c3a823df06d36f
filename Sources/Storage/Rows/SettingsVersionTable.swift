import Ledger
import Primitives

extension SettingsVersion: WrittenRow, ReadRow {
    package static let table = "settingsVersion"

    package enum Column: Int, StoredColumn { case app, number, validFrom, appliedAt, actor, digest, document }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .app: .text(app.rawValue)
        case .number: .integer(number)
        case .validFrom: .instant(validFrom)
        case .appliedAt: .instant(appliedAt)
        case .actor: .text(actor)
        case .digest: .text(digest)
        case .document: .text(document)
        }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        app = AppID(try row.text(.app))
        number = try row.integer(.number)
        validFrom = try row.instant(.validFrom)
        appliedAt = try row.instant(.appliedAt)
        actor = try row.text(.actor)
        digest = try row.text(.digest)
        document = try row.text(.document)
    }
}
