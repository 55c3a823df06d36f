import BenchmarkSamples

/// A table of the store as the database itself describes it, so that a column that is new needs no change here.
struct TableShape: Sendable {
    let name: String
    /// The columns of the primary key, in its order.
    let key: [String]
    let others: [String]

    var columns: [String] { key + others }

    /// All tables of a database, by name.
    static func all(in database: any RawDatabase) throws -> [String: TableShape] {
        var columns: [String: [(name: String, place: Int64)]] = [:]
        for row in try database.run(database.selectColumns) {
            guard row.count == 3, let table = row[0].characters, let column = row[1].characters, let place = row[2].number else {
                throw BenchError("the database does not describe its tables")
            }
            columns[table, default: []].append((column, place))
        }
        return Dictionary(
            uniqueKeysWithValues: columns.map { table, columns in
                let key = columns.filter { $0.place > 0 }.sorted { $0.place < $1.place }.map(\.name)
                return (table, TableShape(name: table, key: key, others: columns.filter { $0.place == 0 }.map(\.name)))
            })
    }
}

/// How the rows of one subscription, or of its customer, are found in a table.
struct WrittenTable: Sendable {
    let name: String
    /// The condition on a row, in which `$2` is the name.
    let found: String
    let by: Name

    enum Name: Sendable { case subscription, customer }

    /// Names the search: a table is searched in several ways.
    var key: String { "\(name) \(found)" }

    private init(_ name: String, _ found: String = "originalTransactionId = $2", by: Name = .subscription) {
        (self.name, self.found, self.by) = (name, found, by)
    }

    /// The document of a notification is found by its `notificationUUID`.
    static let evidence = WrittenTable("evidence", "notificationUUID = $2")
    static let fact = WrittenTable("fact")

    /// The tables that a notification may write besides, in the order in which the store writes them. One that is missing here
    /// ends a run, because afterwards all tables are compared.
    static let decided = [
        WrittenTable("subscription"), WrittenTable("tenure"), WrittenTable("holding", "customer = $2", by: .customer),
        WrittenTable("periodAlias"), WrittenTable("audit"), WrittenTable("outbox"),
        WrittenTable("work", "subject IN ($2, 'appleAccount/' || $2)"),
        WrittenTable("work", "subject = 'customer/' || $2", by: .customer),
        WrittenTable("customerChange", "customer IN (SELECT id FROM customer WHERE customer = $2)", by: .customer),
    ]

    static let all = [evidence, fact] + decided
}
