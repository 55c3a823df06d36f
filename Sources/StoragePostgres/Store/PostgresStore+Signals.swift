import Ledger
package import Storage

/// Signals of abuse.
extension PostgresStore {
    package func signals(_ search: SignalSearch, in scope: Scope, limit: Int) async throws -> [StoredSignal] {
        try await read(scope) { reading, ledger in
            var subject: String?
            if let asked = search.subject {
                var numbers: [CustomerID: Int64] = [:]
                if case .customer(let customer) = asked {
                    let found = try reading.connection.execute(CustomerQueries.numbers(of: [CustomerName(scope.app, customer)]))
                    guard let row = try found.first.map(CustomerRow.init(row:)) else { return [] }
                    numbers[customer] = row.number
                }
                subject = SignalCoding.encode(asked) { numbers[$0] ?? 0 }
            }
            let rows = try reading.connection.execute(
                SignalQueries.signals(search, subject: subject, limit: limit, ledger: ledger))
            return try NumberedSignal.named(rows.map(NumberedSignal.init(row:)), in: scope, reading.names)
        } ?? []
    }

    package func signal(_ id: Int64, in scope: Scope) async throws -> StoredSignal? {
        try await read(scope) { reading, ledger in
            let rows = try reading.connection.execute(SignalQueries.signal(id, ledger: ledger))
            return try NumberedSignal.named(rows.map(NumberedSignal.init(row:)), in: scope, reading.names).first
        } ?? nil
    }
}
