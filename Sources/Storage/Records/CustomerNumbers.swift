package import Ledger
import Primitives
import Synchronization

/// Draws the numbers under which customers are kept in rows that are never changed. By chance and not from their ids, so that a
/// number says nothing of anybody once nothing says whose it is (I45, docs/decisions/0029).
package final class CustomerNumbers: Sendable {
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    package init(_ generator: any RandomNumberGenerator & Sendable) { self.generator = Mutex(generator) }

    /// 64 bits.
    package func draw() -> Int64 { generator.withLock { Int64(bitPattern: $0.next()) } }

    /// How often another number is drawn where one is taken.
    package static let attempts = 8
}

/// A customer of an app; the same in all its environments.
package struct CustomerName: Sendable, Hashable, Comparable {
    package let app: AppID
    package let customer: CustomerID

    package init(_ app: AppID, _ customer: CustomerID) {
        self.app = app
        self.customer = customer
    }

    package static func < (left: Self, right: Self) -> Bool { (left.app, left.customer) < (right.app, right.customer) }
}

/// What some numbers of customers mean.
package struct CustomerNames: Sendable, Hashable {
    /// Nil for one who was erased.
    private let names: [Int64: CustomerID?]

    package init(_ rows: [CustomerRow] = []) {
        names = Dictionary(rows.map { ($0.number, $0.customer.map { CustomerID($0) }) }) { first, _ in first }
    }

    /// Whether a row with the number exists, be it that of an erased customer.
    package func isKept(_ number: Int64) -> Bool { names[number] != nil }

    /// The customer's own id, or words that stand for it where it is not kept any more.
    package subscript(_ number: Int64) -> CustomerID { (names[number] ?? nil) ?? Self.erased(number) }

    /// Stands for a customer whose own id is not kept any more.
    package static func erased(_ number: Int64) -> CustomerID { CustomerID("\(erasedPrefix)\(number)") }

    /// Whether it stands for somebody who was erased.
    package static func isErased(_ customer: CustomerID) -> Bool { customer.rawValue.hasPrefix(erasedPrefix) }

    /// No other customer's id begins so.
    package static let erasedPrefix = "erased/"
}

extension Saving {
    /// All customers that its rows may name, except those named only by rows of another version of the fold.
    package var customers: Set<CustomerName> {
        var customers = Set(decisions.flatMap { $0.auditRows.flatMap(\.customers) })
        if let last = decisions.last { customers.formUnion(last.state.tenures.compactMap(\.customer)) }
        return Set(customers.map { CustomerName(key.app, $0) })
    }
}

extension AuditRow {
    /// Everybody whom it names.
    var customers: [CustomerID] {
        [customer]
            + evidence.compactMap { evidence in
                if case .merge(let customer) = evidence { customer } else { nil }
            }
    }
}

extension Claim {
    /// Everybody whom it names.
    package var customers: [CustomerID] { [customer] + othersServed }
}
