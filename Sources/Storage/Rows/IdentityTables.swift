package import Ledger
package import Primitives

/// A row of `customerDevice`: an anonymous customer, by the secret of the device that uses the id (OWN-10).
extension CustomerDevice: ReadRow {
    /// Of `customerDevice`, joined with its `customer`.
    package enum Column: Int, StoredColumn {
        case app, customer, secretDigest, registeredAt

        package var sql: String {
            switch self {
            case .app, .customer: "customer.\(name)"
            default: name
            }
        }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            CustomerName(AppID(try row.text(.app)), CustomerID(try row.text(.customer))),
            secretDigest: try row.bytes(.secretDigest), registeredAt: try row.instant(.registeredAt))
    }
}

/// A new row of `customerDevice`.
package struct WrittenDevice: WrittenRow {
    package static let table = "customerDevice"

    package enum Column: Int, StoredColumn { case number, secretDigest, registeredAt }

    private let device: CustomerDevice
    private let number: Int64

    /// - Parameter number: the customer's.
    package init(_ device: CustomerDevice, number: Int64) {
        self.device = device
        self.number = number
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .number: .integer(number)
        case .secretDigest: .bytes(device.secretDigest)
        case .registeredAt: .instant(device.registeredAt)
        }
    }
}

/// A new row of `customerMerge`: an anonymous customer is found to be another one (OWN-10).
package struct WrittenMerge: WrittenRow {
    package static let table = "customerMerge"

    package enum Column: Int, StoredColumn { case anonymous, identified, mergedAt }

    private let mergedAt: Timestamp
    private let anonymous: Int64
    private let identified: Int64

    /// - Parameters:
    ///   - anonymous: the number of the anonymous customer.
    ///   - identified: that of the other, who may be anonymous too.
    package init(at mergedAt: Timestamp, of anonymous: Int64, into identified: Int64) {
        self.mergedAt = mergedAt
        self.anonymous = anonymous
        self.identified = identified
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .anonymous: .integer(anonymous)
        case .identified: .integer(identified)
        case .mergedAt: .instant(mergedAt)
        }
    }
}

/// Whom a customer is by the merges that are kept, with the app whose customers they are. An anonymous one may be merged into
/// another anonymous one, and that one into a third: it is about the last of them.
package struct StoredMerge: ReadRow {
    /// Of the two customers as `lesser` and `greater`, and of the last merge.
    package enum Column: Int, StoredColumn {
        case app, anonymous, identified, mergedAt, isIntoAnonymous

        package var sql: String {
            switch self {
            case .app: "lesser.app"
            case .anonymous: "lesser.customer"
            case .identified: "greater.customer"
            case .mergedAt: name
            case .isIntoAnonymous: "(SELECT COUNT(*) FROM customerDevice WHERE customerDevice.number = greater.id)"
            }
        }
    }

    /// How many merges of one customer after another are followed. There is no circle; a damaged table must not make one.
    package static let mostSteps = 16

    package let app: AppID
    package let merge: CustomerMerge

    /// The anonymous customer.
    package var name: CustomerName { CustomerName(app, merge.anonymous) }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        app = AppID(try row.text(.app))
        merge = CustomerMerge(
            anonymous: CustomerID(try row.text(.anonymous)), identified: CustomerID(try row.text(.identified)),
            mergedAt: try row.instant(.mergedAt), isIntoAnonymous: try row.integer(.isIntoAnonymous) != 0)
    }
}
