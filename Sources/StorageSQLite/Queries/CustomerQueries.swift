import GRDB
import Ledger
import Primitives
import Storage

/// The numbers that stand for customers in rows that are never changed (I45), what was said about them, and who is who.
enum CustomerQueries {
    static let selectNumber = "SELECT id FROM customer WHERE app = ? AND customer = ?"

    static func number(of name: CustomerName, _ database: Database) throws -> Int64? {
        try database.rows(selectNumber, [.text(name.app.rawValue), .text(name.customer.rawValue)]) { $0.integer(0) }.first
    }

    private static let insertion = SQLiteInsertion<CustomerRow>("ON CONFLICT (id) DO NOTHING")

    /// False where the number is taken.
    static func insert(_ name: CustomerName, number: Int64, _ database: Database) throws -> Bool {
        try database.run(insertion, CustomerRow(number: number, name: name)) > 0
    }

    static let selectNames = "SELECT \(CustomerRow.columns) FROM customer WHERE id = ?"

    static func names(of numbers: Set<Int64>, _ database: Database) throws -> CustomerNames {
        CustomerNames(try numbers.flatMap { try database.rows(selectNames, [.integer($0)]) })
    }

    // MARK: What was said

    static let selectBook = "SELECT \(FoundCustomerBook.columns) FROM customerBook WHERE ledger = ? AND customer = ?"

    static func book(of customer: CustomerID, ledger: Int64, _ database: Database) throws -> FoundCustomerBook? {
        try database.row(selectBook, [.integer(ledger), .text(customer.rawValue)])
    }

    static let selectInputs = """
        SELECT \(KeptInputRow.columns) FROM customerInput WHERE ledger = ? AND customer = ? ORDER BY kind, inputId
        """

    /// By kind and id.
    static func inputs(
        of number: Int64, _ key: CustomerKey, ledger: Int64, _ database: Database
    ) throws -> [CustomerContents.KeptInput] {
        let rows: [KeptInputRow] = try database.rows(selectInputs, [.integer(ledger), .integer(number)])
        return try KeptInputRow.kept(rows, of: key) { try names(of: $0, database) }
    }

    /// Run by `HoldingReaders`.
    static let selectInputsOfName = """
        SELECT decoded FROM customerInput
        WHERE ledger = ? AND customer = (SELECT id FROM customer WHERE app = ? AND customer.customer = ?)
        """

    /// Run by `HoldingReaders`; nothing for one who was erased.
    static let selectName = "SELECT customer FROM customer WHERE id = ?"

    private static let bookInsertion = SQLiteInsertion<WrittenCustomerBook>(
        "ON CONFLICT DO UPDATE SET \(WrittenCustomerBook.taken(except: WrittenCustomerBook.key))")
    private static let tellingInsertion = SQLiteInsertion<WrittenCustomerBook>(
        "ON CONFLICT DO UPDATE SET \(WrittenCustomerBook.taken(only: WrittenCustomerBook.told))")
    private static let inputInsertion = SQLiteInsertion<WrittenCustomerInput>()
    private static let auditInsertion = SQLiteInsertion<WrittenCustomerAudit>()

    static func save(_ rows: CustomerRows, ledger: Int64, at instant: Timestamp, _ database: Database) throws {
        let insertion = rows.inputs.isEmpty ? tellingInsertion : bookInsertion
        try database.run(insertion, WrittenCustomerBook(rows, ledger: ledger))
        for input in rows.inputs {
            try database.run(inputInsertion, WrittenCustomerInput(input, of: rows.number, ledger: ledger))
        }
        for row in rows.audit {
            try database.run(auditInsertion, WrittenCustomerAudit(row, of: rows.number, ledger: ledger))
        }
        if let told = rows.outbox {
            try AuditQueries.append(WrittenOutbox(told, at: instant, of: rows.number, ledger: ledger), database)
        }
    }

    static let selectAudit = """
        SELECT \(SubscriptionRows.Audit.columns) FROM customerAudit
        WHERE ledger = ? AND customer = ? AND sequence > ? ORDER BY sequence LIMIT ?
        """

    static func audit(
        of number: Int64, after sequence: Int64, limit: Int, ledger: Int64, _ database: Database
    ) throws -> [SubscriptionRows.Audit] {
        try database.rows(selectAudit, [.integer(ledger), .integer(number), .integer(sequence), .count(limit)])
    }

    static let selectNext = "SELECT customer FROM customerBook WHERE ledger = ? AND customer > ? ORDER BY customer LIMIT ?"

    /// By the table's own key.
    static func next(after customer: String, ledger: Int64, limit: Int, _ database: Database) throws -> [CustomerID] {
        try database.rows(selectNext, [.integer(ledger), .text(customer), .count(limit)]) { CustomerID($0.text(0)) }
    }

    // MARK: Who is who

    private static let deviceInsertion = SQLiteInsertion<WrittenDevice>("ON CONFLICT DO NOTHING")

    static func insert(_ device: WrittenDevice, _ database: Database) throws { try database.run(deviceInsertion, device) }

    static let selectDevice = """
        SELECT \(CustomerDevice.columns) FROM customerDevice JOIN customer ON customer.id = customerDevice.number
        WHERE customer.app = ? AND customer.customer = ?
        """

    static func device(of name: CustomerName, _ database: Database) throws -> CustomerDevice? {
        try database.row(selectDevice, [.text(name.app.rawValue), .text(name.customer.rawValue)])
    }

    private static let mergeInsertion = SQLiteInsertion<WrittenMerge>("ON CONFLICT DO NOTHING")

    static func insert(_ merge: WrittenMerge, _ database: Database) throws { try database.run(mergeInsertion, merge) }

    static let selectMerge = """
        WITH RECURSIVE followed (start, identified, mergedAt, step) AS (
            SELECT anonymous, identified, mergedAt, 1 FROM customerMerge JOIN customer ON customer.id = anonymous
                WHERE app = ? AND customer = ?
            UNION ALL
            SELECT start, next.identified, next.mergedAt, step + 1
                FROM followed JOIN customerMerge AS next ON next.anonymous = followed.identified
                WHERE step < \(StoredMerge.mostSteps))
        SELECT \(StoredMerge.columns) FROM followed
            JOIN customer AS lesser ON lesser.id = start JOIN customer AS greater ON greater.id = identified
        ORDER BY step DESC LIMIT 1
        """

    static func merge(of name: CustomerName, _ database: Database) throws -> CustomerMerge? {
        let found: StoredMerge? = try database.row(selectMerge, [.text(name.app.rawValue), .text(name.customer.rawValue)])
        return found?.merge
    }

    static let selectSubscriptions = """
        SELECT ledger, originalTransactionId FROM holding
            WHERE customer = ?1 AND ledger IN (SELECT id FROM ledger WHERE app = ?2)
        UNION SELECT ledger, originalTransactionId FROM claim WHERE customer = ?3
        UNION SELECT ledger, originalTransactionId FROM subscriptionInput WHERE customer = ?3
        UNION SELECT bearer.ledger, bearer.originalTransactionId
            FROM tokenRegistration AS said
                JOIN tokenOfSubscription AS bearer ON bearer.app = said.app AND bearer.token = said.token
            WHERE said.customer = ?3
        """

    static func subscriptions(
        naming name: CustomerName, scope: (Int64) throws -> Scope, _ database: Database
    ) throws -> [SubscriptionKey] {
        guard let number = try number(of: name, database) else { return [] }
        let values: [SQLiteValue] = [.text(name.customer.rawValue), .text(name.app.rawValue), .integer(number)]
        let places: [SubscriptionPlace] = try database.rows(selectSubscriptions, values)
        return try places.map { SubscriptionKey(try scope($0.ledger), $0.id) }.sorted()
    }
}
