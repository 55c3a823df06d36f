import Ledger
import Primitives

/// A new row of `operatorAudit`, and what stands apart from it.
package struct WrittenOperatorNote: WrittenRow {
    package static let table = "operatorAudit"

    package enum Column: Int, StoredColumn { case number, actor, at, what, customer, auditRow, hash }

    /// Where it stands in the chain.
    package let head: AuditHead
    /// Nil where nothing was searched.
    package let searched: WrittenSearch?
    private let columns: OperatorNoteRow.Columns
    private let text: String

    /// - Parameters:
    ///   - customer: the number of the act's customer.
    ///   - last: the end of the chain before it.
    package init(_ act: OperatorNote, customer number: Int64?, after last: AuditHead) throws {
        let document = OperatorNoteDocument(act, customer: number)
        text = try StateCoding.encode(document)
        columns = document.columns
        let head = last.followed(byOperators: text)
        self.head = head
        searched = act.searched.map { WrittenSearch($0, number: head.sequence) }
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .number: .integer(head.sequence)
        case .actor: .text(columns.actor)
        case .at: .instant(columns.at)
        case .what: .text(columns.what)
        case .customer: .integer(columns.customer)
        case .auditRow: .text(text)
        case .hash: .bytes(head.hash)
        }
    }
}

/// A row of `operatorSearch`: what a row of the audit says was searched for, until it is forgotten.
package struct WrittenSearch: WrittenRow {
    package static let table = "operatorSearch"

    package enum Column: Int, StoredColumn { case number, salt, words }

    private let words: SearchedWords
    private let number: Int64

    init(_ words: SearchedWords, number: Int64) { (self.words, self.number) = (words, number) }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .number: .integer(number)
        case .salt: .bytes(words.salt)
        case .words: .text(words.words)
        }
    }
}

/// The end of the operators' chain.
package struct OperatorChainEnd: ReadRow {
    package enum Column: Int, StoredColumn { case number, hash }

    package let head: AuditHead

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        head = AuditHead(sequence: try row.integer(.number), hash: try row.bytes(.hash))
    }
}

/// A row of `operatorAudit` with the customer's own id and what was searched for.
extension StoredOperatorNote: ReadRow {
    package enum Column: Int, StoredColumn {
        case number, auditRow, customerId, salt, words

        package var sql: String {
            switch self {
            case .number: "operatorAudit.number"
            case .customerId: "customer.customer"
            default: name
            }
        }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        let document = try OperatorNoteDocument(try row.text(.auditRow))
        let customer = try row.optionalText(.customerId).map { CustomerID($0) } ?? document.customer.map(CustomerNames.erased)
        self.init(
            number: try row.integer(.number),
            document.act(
                customer: customer,
                searched: try SearchedWords(row.optionalText(.words), salt: row.optionalBytes(.salt))))
    }
}

extension OperatorNoteRow: ReadRow {
    package enum Column: Int, StoredColumn {
        case number, actor, at, what, customer, auditRow, hash, salt, words

        package var sql: String { self == .number ? "operatorAudit.number" : name }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        head = AuditHead(sequence: try row.integer(.number), hash: try row.bytes(.hash))
        text = try row.text(.auditRow)
        columns = Columns(
            actor: try row.text(.actor), at: try row.instant(.at), what: try row.text(.what),
            customer: try row.optionalInteger(.customer))
        searched = try SearchedWords(row.optionalText(.words), salt: row.optionalBytes(.salt))
    }
}

extension SearchedWords {
    /// Nil where the words are not there.
    fileprivate init?(_ words: String?, salt: [UInt8]?) {
        guard let words, let salt else { return nil }
        self.init(words, salt: salt)
    }
}
