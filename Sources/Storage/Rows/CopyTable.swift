package import Ledger
import Primitives

/// A new row of `notificationCopy`.
package struct WrittenCopy: WrittenRow {
    package static let table = "notificationCopy"
    package static let filled = ["id"]

    package enum Column: Int, StoredColumn { case ledger, subject, name, receivedAt, writtenIn, content }

    private let copy: NotificationCopy
    private let content: String
    private let ledger: Int64

    package init(_ copy: NotificationCopy, ledger: Int64) throws {
        self.copy = copy
        content = try StateCoding.encode(copy.content)
        self.ledger = ledger
    }

    /// Only an app with such an endpoint needs copies.
    package var app: AppID { copy.scope.app }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .subject: .text(copy.subject)
        case .name: .text(copy.name)
        case .receivedAt: .instant(copy.receivedAt)
        // A database in which transactions run side by side puts the place of its own in its stead (``LogPlace/transaction``).
        case .writtenIn: .integer(0)
        case .content: .text(content)
        }
    }
}

/// A row of `notificationCopy`.
package struct CopyRow: Sendable, Hashable, ReadRow {
    package enum Column: Int, StoredColumn { case id, writtenIn, subject, receivedAt, content }

    private let (id, transaction): (Int64, Int64)
    private let (subject, text): (String, String)
    private let receivedAt: Timestamp

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        (id, transaction) = (try row.integer(.id), try row.integer(.writtenIn))
        (subject, text) = (try row.text(.subject), try row.text(.content))
        receivedAt = try row.instant(.receivedAt)
    }

    /// As it stands in the log of what Apple posted: its row is its number, too, since only a copy's order matters.
    package func logged(in scope: Scope) -> LoggedEvent {
        LoggedEvent(
            place: LogPlace(transaction: transaction, row: id, event: 0),
            subject: .subscription(SubscriptionKey(scope, OriginalTransactionID(subject))), sequence: id, text: text,
            toldAt: receivedAt)
    }
}
