package import Primitives

/// A new row of `tenure`.
package struct WrittenTenure: WrittenRow {
    package static let table = "tenure"

    package enum Column: Int, StoredColumn {
        case ledger, originalTransactionId, revision, effectiveFrom, customer, rule, evidence, learnedAt
    }

    /// The revision to which all owners of one saving belong.
    package struct Revision: Sendable, Hashable {
        package let number: Int64
        package let learnedAt: Timestamp

        package init(number: Int64, learnedAt: Timestamp) {
            self.number = number
            self.learnedAt = learnedAt
        }
    }

    private let tenure: SubscriptionRows.TenureRow
    private let customer: Int64?
    private let revision: Revision
    private let place: SubscriptionPlace

    /// - Parameter customer: the owner's number; nil for no owner.
    package init(_ tenure: SubscriptionRows.TenureRow, customer: Int64?, in revision: Revision, at place: SubscriptionPlace) {
        self.tenure = tenure
        self.customer = customer
        self.revision = revision
        self.place = place
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(place.ledger)
        case .originalTransactionId: .text(place.id.rawValue)
        case .revision: .integer(revision.number)
        case .effectiveFrom: .instant(tenure.from)
        case .customer: .integer(customer)
        case .rule: .text(tenure.rule)
        case .evidence: .text(tenure.evidence)
        case .learnedAt: .instant(revision.learnedAt)
        }
    }
}

/// An owner with the revision that says so.
package struct FoundTenure: ReadRow {
    /// Of `tenure`, beside which stands `customer` as `owner`.
    package enum Column: Int, StoredColumn {
        case effectiveFrom, customer, rule, evidence, customerNumber, revision, learnedAt

        package var sql: String {
            switch self {
            case .customer: "owner.customer"
            case .customerNumber: "tenure.customer"
            default: name
            }
        }
    }

    private let revision: WrittenTenure.Revision
    private let tenure: SubscriptionRows.TenureRow

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        revision = WrittenTenure.Revision(number: try row.integer(.revision), learnedAt: try row.instant(.learnedAt))
        tenure = SubscriptionRows.TenureRow(
            from: try row.instant(.effectiveFrom), customer: try row.customer(.customer, number: .customerNumber),
            rule: try row.text(.rule), evidence: try row.text(.evidence))
    }

    /// The revisions that rows in their order make.
    package static func revisions(of rows: [FoundTenure]) -> [OwnerRevision] {
        var revisions: [OwnerRevision] = []
        for row in rows {
            let before = revisions.last?.number == row.revision.number ? revisions.removeLast().owners : []
            revisions.append(
                OwnerRevision(
                    number: row.revision.number, learnedAt: row.revision.learnedAt, owners: before + [row.tenure]))
        }
        return revisions
    }
}

extension SubscriptionRows.TenureRow: ReadRow {
    /// Of `tenure`, beside which stands `customer` as `owner`.
    package enum Column: Int, StoredColumn {
        case effectiveFrom, customer, rule, evidence, customerNumber

        package var sql: String {
            switch self {
            case .customer: "owner.customer"
            case .customerNumber: "tenure.customer"
            default: name
            }
        }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            from: try row.instant(.effectiveFrom), customer: try row.customer(.customer, number: .customerNumber),
            rule: try row.text(.rule), evidence: try row.text(.evidence))
    }
}
