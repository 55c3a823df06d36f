import Ledger
import Primitives

/// A new row of `evidence`.
package struct WrittenEvidence: WrittenRow {
    package static let table = "evidence"
    package static let filled = ["id"]

    package enum Column: Int, StoredColumn { case ledger, form, receivedAt, notificationUUID, document }

    private let document: [UInt8]
    private let form: Evidence.Form
    private let arrival: Arrival
    private let ledger: Int64

    /// - Parameters:
    ///   - document: the evidence as ``EvidenceDocument`` writes it.
    ///   - arrival: what the document came with.
    package init(document: [UInt8], form: Evidence.Form, of arrival: Arrival, ledger: Int64) {
        self.document = document
        self.form = form
        self.arrival = arrival
        self.ledger = ledger
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .form: .text(form.rawValue)
        case .receivedAt: .instant(arrival.receivedAt)
        case .notificationUUID: .text(arrival.notification?.notificationUUID)
        case .document: .bytes(document)
        }
    }
}

/// A document as its row has it, its headers still numbers.
package struct StoredDocument: Sendable, Hashable {
    package let form: Evidence.Form
    package let document: [UInt8]

    /// What arrived, byte for byte.
    ///
    /// - Parameter header: of a number.
    package func evidence(header: (Int64) throws -> String) throws -> Evidence {
        Evidence(form: form, bytes: try EvidenceDocument.decode(document, header: header))
    }
}

extension StoredDocument: ReadRow {
    package enum Column: Int, StoredColumn { case form, document }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        let spelling = try row.text(.form)
        guard let form = Evidence.Form(rawValue: spelling) else {
            throw StorageError(.corrupt, "evidence of the unknown form \(spelling)")
        }
        self.form = form
        document = try row.bytes(.document)
    }
}

extension NotificationRow: ReadRow {
    package enum Column: Int, StoredColumn { case notificationUUID, id }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(notificationUUID: try row.text(.notificationUUID), evidence: try row.integer(.id))
    }
}

extension FactlessNotification: ReadRow {
    package enum Column: Int, StoredColumn {
        case app, environment, receivedAt, notificationUUID, evidenceId

        package var sql: String { self == .evidenceId ? "evidence.id" : name }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            scope: try row.scope(.app, .environment),
            row: NotificationRow(notificationUUID: try row.text(.notificationUUID), evidence: try row.integer(.evidenceId)),
            receivedAt: try row.instant(.receivedAt))
    }
}
