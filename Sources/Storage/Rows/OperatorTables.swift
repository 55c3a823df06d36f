import Ledger
import Primitives

/// A row of `operator`; `grants` and `factors` are JSON.
package struct WrittenOperator: WrittenRow {
    package static let table = "operator"
    package static let key: Set<Column> = [.name, .madeAt, .madeBy]

    package enum Column: Int, StoredColumn {
        case name, grants, factors, language, timeZone, madeAt, madeBy, endedAt, endedBy
    }

    private let stored: StoredOperator
    private let grants: String
    private let factors: String?

    package init(_ stored: StoredOperator) throws {
        self.stored = stored
        grants = try StateCoding.encode(stored.grants)
        factors = try stored.factors.map { try StateCoding.encode($0) }
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .name: .text(stored.name)
        case .grants: .text(grants)
        case .factors: .text(factors)
        case .language: .text(stored.language)
        case .timeZone: .text(stored.timeZone)
        case .madeAt: .instant(stored.madeAt)
        case .madeBy: .text(stored.madeBy)
        case .endedAt: .integer(stored.endedAt?.millisecondsSince1970)
        case .endedBy: .text(stored.endedBy)
        }
    }
}

extension StoredOperator: ReadRow {
    package typealias Column = WrittenOperator.Column

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            name: try row.text(.name), grants: try StateCoding.decode([Grant].self, from: try row.text(.grants)),
            madeAt: try row.instant(.madeAt), madeBy: try row.text(.madeBy))
        factors = try row.optionalText(.factors).map { try StateCoding.decode(Factors.self, from: $0) }
        language = try row.optionalText(.language)
        timeZone = try row.optionalText(.timeZone)
        endedAt = try row.optionalInstant(.endedAt)
        endedBy = try row.optionalText(.endedBy)
    }
}

/// A row of `operatorLink`; `chosen` is JSON.
package struct WrittenOperatorLink: WrittenRow {
    package static let table = "operatorLink"

    package enum Column: Int, StoredColumn { case digest, name, endsAt, usedAt, chosen }

    private let stored: StoredOperatorLink
    private let chosen: String?

    package init(_ stored: StoredOperatorLink) throws {
        self.stored = stored
        chosen = try stored.chosen.map { try StateCoding.encode($0) }
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .digest: .bytes(stored.digest)
        case .name: .text(stored.name)
        case .endsAt: .instant(stored.endsAt)
        case .usedAt: .integer(stored.usedAt?.millisecondsSince1970)
        case .chosen: .text(chosen)
        }
    }
}

extension StoredOperatorLink: ReadRow {
    package typealias Column = WrittenOperatorLink.Column

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            digest: try row.bytes(.digest), name: try row.text(.name), endsAt: try row.instant(.endsAt),
            chosen: try row.optionalText(.chosen).map { try StateCoding.decode(Chosen.self, from: $0) })
        usedAt = try row.optionalInstant(.usedAt)
    }
}

/// A row of `operatorSession`.
package struct WrittenOperatorSession: WrittenRow {
    package static let table = "operatorSession"

    package enum Column: Int, StoredColumn {
        case digest, name, begunAt, seenAt, provedAt, address, userAgent, endedAt
    }

    private let stored: StoredOperatorSession

    package init(_ stored: StoredOperatorSession) { self.stored = stored }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .digest: .bytes(stored.digest)
        case .name: .text(stored.name)
        case .begunAt: .instant(stored.begunAt)
        case .seenAt: .instant(stored.seenAt)
        case .provedAt: .instant(stored.provedAt)
        case .address: .text(stored.address)
        case .userAgent: .text(stored.userAgent)
        case .endedAt: .integer(stored.endedAt?.millisecondsSince1970)
        }
    }
}

extension StoredOperatorSession: ReadRow {
    package typealias Column = WrittenOperatorSession.Column

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            digest: try row.bytes(.digest), name: try row.text(.name), begunAt: try row.instant(.begunAt),
            provedAt: try row.instant(.provedAt),
            from: Client(address: try row.text(.address), userAgent: try row.text(.userAgent)))
        seenAt = try row.instant(.seenAt)
        endedAt = try row.optionalInstant(.endedAt)
    }
}

extension LoginFailures: WrittenRow, ReadRow {
    package static let table = "loginFailure"

    package enum Column: Int, StoredColumn { case subject, failures, lastAt }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .subject: .text(subject)
        case .failures: .integer(count)
        case .lastAt: .instant(lastAt)
        }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(of: try row.text(.subject), count: try row.integer(.failures), lastAt: try row.instant(.lastAt))
    }
}
