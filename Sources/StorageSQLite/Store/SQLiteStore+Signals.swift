import GRDB
import Ledger
package import Storage

/// Signals of abuse.
extension SQLiteStore {
    package func signals(_ search: SignalSearch, in scope: Scope, limit: Int) async throws -> [StoredSignal] {
        try reading(scope) { reading, ledger in
            var subject: String?
            if let asked = search.subject {
                var numbers: [CustomerID: Int64] = [:]
                if case .customer(let customer) = asked {
                    let name = CustomerName(scope.app, customer)
                    guard let number = try CustomerQueries.number(of: name, reading.database) else { return [] }
                    numbers[customer] = number
                }
                subject = SignalCoding.encode(asked) { numbers[$0] ?? 0 }
            }
            return try SignalQueries.signals(
                search, subject: subject, limit: limit, in: NumberedScope(number: ledger, scope: scope), reading.database)
        } ?? []
    }

    package func signal(_ id: Int64, in scope: Scope) async throws -> StoredSignal? {
        try reading(scope) { try SignalQueries.signal(id, in: scope, ledger: $1, $0.database) } ?? nil
    }
}
