import Ledger
import Primitives
import Storage

/// The numbers that stand for customers in rows that are never changed (I45), what was said about them, and who is who.
enum CustomerQueries {
    private static let selectNumbers = """
        SELECT \(CustomerRow.columns) FROM unnest($1::text[], $2::text[]) AS asked (ofApp, named)
        JOIN customer ON app = ofApp AND customer = named
        """

    static func numbers(of names: [CustomerName]) -> PostgresStatement {
        PostgresStatement(selectNumbers, [.texts(names.map(\.app.rawValue)), .texts(names.map(\.customer.rawValue))])
    }

    private static let insertion = PostgresInsertion<CustomerRow>("ORDER BY app, customer ON CONFLICT DO NOTHING")

    /// Skips customers whose number is taken and customers that have one. In one order, so that two transactions that insert the
    /// same do not wait for each other in a circle.
    static func insert(_ rows: [CustomerRow]) throws -> PostgresStatement { try insertion.statement(rows) }

    private static let selectNames = "SELECT \(CustomerRow.columns) FROM customer WHERE id = ANY ($1::bigint[])"

    static func names(of numbers: Set<Int64>) -> PostgresStatement {
        PostgresStatement(selectNames, [.integers(numbers.sorted())])
    }

    // MARK: What was said

    private static let selectBooks = """
        SELECT \(FoundCustomerBook.columns) FROM unnest($1::bigint[], $2::text[]) AS asked (inLedger, named)
        JOIN customerBook ON ledger = inLedger AND customer = named
        """

    /// - Parameter ledgers: of the customers, in their order.
    static func books(of customers: [CustomerID], ledgers: [Int64]) -> PostgresStatement {
        PostgresStatement(selectBooks, [.integers(ledgers), .texts(customers.map(\.rawValue))])
    }

    private static let selectInputs = """
        SELECT \(KeptInputRow.columns) FROM customerInput WHERE ledger = $1 AND customer = $2 ORDER BY kind, inputId
        """

    /// By kind and id.
    static func inputs(of number: Int64, ledger: Int64) -> PostgresStatement {
        PostgresStatement(selectInputs, [.integer(ledger), .integer(number)])
    }

    private static let bookInsertion = PostgresInsertion<WrittenCustomerBook>(
        "ON CONFLICT (ledger, customer) DO UPDATE SET \(WrittenCustomerBook.taken(except: WrittenCustomerBook.key))")
    private static let tellingInsertion = PostgresInsertion<WrittenCustomerBook>(
        "ON CONFLICT (ledger, customer) DO UPDATE SET \(WrittenCustomerBook.taken(only: WrittenCustomerBook.told))")
    private static let inputInsertion = PostgresInsertion<WrittenCustomerInput>()
    private static let auditInsertion = PostgresInsertion<WrittenCustomerAudit>()

    static func save(_ rows: CustomerRows, ledger: Int64, at instant: Timestamp) throws -> [PostgresStatement] {
        let insertion = rows.inputs.isEmpty ? tellingInsertion : bookInsertion
        var statements = [insertion.statement(WrittenCustomerBook(rows, ledger: ledger))]
        let inputs = rows.inputs.map { WrittenCustomerInput($0, of: rows.number, ledger: ledger) }
        if !inputs.isEmpty { statements.append(try inputInsertion.statement(inputs)) }
        let audit = rows.audit.map { WrittenCustomerAudit($0, of: rows.number, ledger: ledger) }
        if !audit.isEmpty { statements.append(try auditInsertion.statement(audit)) }
        if let told = rows.outbox {
            statements.append(AuditQueries.append(WrittenOutbox(told, at: instant, of: rows.number, ledger: ledger)))
        }
        return statements
    }

    private static let selectAudit = """
        SELECT \(SubscriptionRows.Audit.columns) FROM customerAudit
        WHERE ledger = $1 AND customer = (SELECT id FROM customer WHERE app = $2 AND customer.customer = $3) AND sequence > $4
        ORDER BY sequence LIMIT $5
        """

    static func audit(
        of key: CustomerKey, after sequence: Int64, limit: Int, ledger: Int64
    ) -> PostgresStatement {
        PostgresStatement(
            selectAudit,
            [
                .integer(ledger), .text(key.scope.app.rawValue), .text(key.customer.rawValue), .integer(sequence),
                .count(limit),
            ])
    }

    /// By the table's own key.
    static func next(after customer: String, ledger: Int64, limit: Int) -> PostgresStatement {
        PostgresStatement(
            "SELECT customer FROM customerBook WHERE ledger = $1 AND customer > $2 ORDER BY customer LIMIT $3",
            [.integer(ledger), .text(customer), .count(limit)])
    }

    // MARK: Who is who

    private static let deviceInsertion = PostgresInsertion<WrittenDevice>("ON CONFLICT DO NOTHING")

    static func insert(_ device: WrittenDevice) -> PostgresStatement { deviceInsertion.statement(device) }

    private static let selectDevices = """
        SELECT \(CustomerDevice.columns) FROM unnest($1::text[], $2::text[]) AS asked (ofApp, named)
        JOIN customer ON customer.app = ofApp AND customer.customer = named
        JOIN customerDevice ON customerDevice.number = customer.id
        """

    static func devices(of names: [CustomerName]) -> PostgresStatement {
        PostgresStatement(selectDevices, [.texts(names.map(\.app.rawValue)), .texts(names.map(\.customer.rawValue))])
    }

    private static let mergeInsertion = PostgresInsertion<WrittenMerge>("ON CONFLICT DO NOTHING")

    static func insert(_ merge: WrittenMerge) -> PostgresStatement { mergeInsertion.statement(merge) }

    private static let selectMerges = """
        WITH RECURSIVE followed (start, identified, mergedAt, step) AS (
            SELECT anonymous, identified, mergedAt, 1 FROM unnest($1::text[], $2::text[]) AS asked (ofApp, named)
                JOIN customer ON customer.app = ofApp AND customer.customer = named
                JOIN customerMerge ON anonymous = customer.id
            UNION ALL
            SELECT start, next.identified, next.mergedAt, step + 1
                FROM followed JOIN customerMerge AS next ON next.anonymous = followed.identified
                WHERE step < \(StoredMerge.mostSteps))
        SELECT DISTINCT ON (start) \(StoredMerge.columns) FROM followed
            JOIN customer AS lesser ON lesser.id = start JOIN customer AS greater ON greater.id = identified
        ORDER BY start, step DESC
        """

    static func merges(of names: [CustomerName]) -> PostgresStatement {
        PostgresStatement(selectMerges, [.texts(names.map(\.app.rawValue)), .texts(names.map(\.customer.rawValue))])
    }

    private static let selectSubscriptions = """
        WITH asked AS (SELECT id FROM customer WHERE app = $1 AND customer = $2)
        SELECT ledger, originalTransactionId FROM holding
            WHERE customer = $2 AND ledger IN (SELECT id FROM ledger WHERE app = $1)
        UNION SELECT ledger, originalTransactionId FROM claim WHERE customer = (SELECT id FROM asked)
        UNION SELECT ledger, originalTransactionId FROM subscriptionInput WHERE customer = (SELECT id FROM asked)
        UNION SELECT bearer.ledger, bearer.originalTransactionId
            FROM tokenRegistration AS said
                JOIN tokenOfSubscription AS bearer ON bearer.app = said.app AND bearer.token = said.token
            WHERE said.customer = (SELECT id FROM asked)
        """

    static func subscriptions(naming name: CustomerName) -> PostgresStatement {
        PostgresStatement(selectSubscriptions, [.text(name.app.rawValue), .text(name.customer.rawValue)])
    }
}
