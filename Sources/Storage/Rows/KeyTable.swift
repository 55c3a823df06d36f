import Ledger
import Primitives

/// A row of `apiKey`.
package struct WrittenKey: WrittenRow {
    package static let table = "apiKey"
    package static let key: Set<Column> = [.app, .name]

    package enum Column: Int, StoredColumn {
        case app, name, kind, digest, scopes, madeAt, madeBy, endsAt, endedBy, lastUsedAt
    }

    private let stored: StoredKey

    package init(_ stored: StoredKey) { self.stored = stored }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .app: .text(stored.name.app.rawValue)
        case .name: .text(stored.name.name)
        case .kind: .text(stored.kind.rawValue)
        case .digest: .bytes(stored.digest.bytes)
        // None has a blank in it.
        case .scopes: .text(stored.scopes.joined(separator: " "))
        case .madeAt: .instant(stored.madeAt)
        case .madeBy: .text(stored.madeBy)
        case .endsAt: .integer(stored.endsAt?.millisecondsSince1970)
        case .endedBy: .text(stored.endedBy)
        case .lastUsedAt: .integer(stored.lastUsedAt?.millisecondsSince1970)
        }
    }
}

extension StoredKey: ReadRow {
    package typealias Column = WrittenKey.Column

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            KeyName(AppID(try row.text(.app)), try row.text(.name)), Kind(rawValue: try row.text(.kind)),
            digest: KeyDigest(bytes: try row.bytes(.digest)),
            scopes: try row.text(.scopes).split(separator: " ").map(String.init),
            made: Making(at: try row.instant(.madeAt), by: try row.text(.madeBy)))
        endsAt = try row.optionalInstant(.endsAt)
        endedBy = try row.optionalText(.endedBy)
        lastUsedAt = try row.optionalInstant(.lastUsedAt)
    }
}
