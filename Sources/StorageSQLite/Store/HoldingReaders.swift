import GRDB
import Ledger
import Primitives
import Storage
import Synchronization

/// The connections that read what a customer has, the one query that every screen of an app waits for: a fixed few beside GRDB's
/// pool, each with that one statement prepared once and lent to one caller at a time. GRDB's way to a connection costs several
/// times what the query itself does (docs/decisions/0006).
final class HoldingReaders: Sendable {
    /// More are rarely at work at once; a caller who finds all of them lent waits some microseconds for one.
    private static let count = 8

    private let slots: [Slot]
    /// The reader that the next caller waits for if all of them are lent.
    private let turn = Atomic<Int>(0)

    private final class Slot: Sendable {
        /// Nil once closed.
        let reader: Mutex<HoldingReader?>

        init(path: String) throws { reader = Mutex(try HoldingReader(path: path)) }
    }

    /// Opens them; the file must be there, with its schema.
    init(path: String) throws {
        slots = try (0..<Self.count).map { _ in try Slot(path: path) }
    }

    func holdings(of customer: CustomerID, in scope: Scope) throws -> CustomerHoldings {
        // From the first one on and not in turn: so the pages that the first ones cache serve nearly all callers.
        for slot in slots {
            if let holdings = try slot.reader.withLockIfAvailable({ try Self.holdings(by: &$0, of: customer, in: scope) }) {
                return holdings
            }
        }
        let slot = slots[(turn.wrappingAdd(1, ordering: .relaxed).newValue & Int.max) % slots.count]
        return try slot.reader.withLock { try Self.holdings(by: &$0, of: customer, in: scope) }
    }

    private static func holdings(
        by reader: inout HoldingReader?, of customer: CustomerID, in scope: Scope
    ) throws -> CustomerHoldings {
        guard let holdings = try reader?.holdings(of: customer, in: scope) else {
            throw StorageError(.unavailable, "the store is closed")
        }
        return holdings
    }

    /// Waits for those who read.
    func close() { for slot in slots { slot.reader.withLock { $0 = nil } } }
}

/// One connection, open for reading only, with its statements.
private struct HoldingReader: ~Copyable {
    private let holdings: ReadingStatement
    /// What stands beside them, for a customer without any.
    private let besides: ReadingStatement
    private let ledger: ReadingStatement
    /// What was said about a customer, for an account in a form of another version.
    private let inputs: ReadingStatement
    private let names: ReadingStatement
    /// The numbers of the ledgers that were looked up; a ledger's number never changes.
    private var ledgers: [Scope: Int64] = [:]
    /// What is bound to the statement; most questions are about the same app.
    private var bound: Scope?

    init(path: String) throws {
        let connection = try ReadingConnection(path: path)
        let holdings = try connection.prepare(HoldingQueries.selectHoldings)
        let besides = try connection.prepare(HoldingQueries.selectBesideHoldings)
        let ledger = try connection.prepare(NameQueries.selectLedger)
        let inputs = try connection.prepare(CustomerQueries.selectInputsOfName)
        let names = try connection.prepare(CustomerQueries.selectName)
        self.holdings = holdings
        self.besides = besides
        self.ledger = ledger
        self.inputs = inputs
        self.names = names
    }

    /// The statement sees one snapshot by itself and is over, its lock with it, when this returns.
    mutating func holdings(of customer: CustomerID, in scope: Scope) throws -> CustomerHoldings {
        let key = CustomerKey(scope, customer)
        if bound != scope {
            guard let ledger = try ledger(of: scope) else { return try besides(of: key, ledger: 0) }
            bound = nil
            try holdings.bind(scope.app.rawValue, at: 1)
            try holdings.bind(ledger, at: 2)
            bound = scope
        }
        defer { holdings.reset() }
        try holdings.bind(customer.rawValue, at: 3)
        var found: [Holding] = []
        var account: CustomerAccount?
        var settings: Int64 = 0
        while try holdings.step() {
            if found.isEmpty { (settings, account) = (holdings.integer(1), try self.account(in: holdings, of: key)) }
            found.append(try HoldingCoding.decode(holdings.bytes(0)))
        }
        guard !found.isEmpty else { return try besides(of: key, ledger: ledgers[scope] ?? 0) }
        return CustomerHoldings(holdings: found, account: account, settings: settings)
    }

    private func besides(of key: CustomerKey, ledger: Int64) throws -> CustomerHoldings {
        defer { besides.reset() }
        try besides.bind(key.scope.app.rawValue, at: 1)
        try besides.bind(ledger, at: 2)
        try besides.bind(key.customer.rawValue, at: 3)
        // 0 for NULL.
        guard try besides.step() else { return CustomerHoldings(holdings: [], settings: 0) }
        return CustomerHoldings(holdings: [], account: try account(in: besides, of: key), settings: besides.integer(1))
    }

    /// Nil where nothing was said about the customer.
    private func account(in statement: borrowing ReadingStatement, of key: CustomerKey) throws -> CustomerAccount? {
        let bytes = statement.bytes(2)
        return bytes.isEmpty ? nil : try CustomerCoding.decode(bytes, of: key) { try inputs(of: key) }
    }

    private mutating func ledger(of scope: Scope) throws -> Int64? {
        if let known = ledgers[scope] { return known }
        defer { ledger.reset() }
        try ledger.bind(scope.app.rawValue, at: 1)
        try ledger.bind(scope.environment.rawValue, at: 2)
        guard try ledger.step() else { return nil }
        ledgers[scope] = ledger.integer(0)
        return ledgers[scope]
    }

    private func inputs(of key: CustomerKey) throws -> [CustomerInput] {
        defer { inputs.reset() }
        try inputs.bind(ledgers[key.scope] ?? 0, at: 1)
        try inputs.bind(key.scope.app.rawValue, at: 2)
        try inputs.bind(key.customer.rawValue, at: 3)
        var found: [CustomerInput] = []
        while try inputs.step() { found.append(try CustomerCoding.decode(inputs.bytes(0), of: key) { try name(of: $0) }) }
        return found
    }

    private func name(of number: Int64) throws -> CustomerID {
        defer { names.reset() }
        try names.bind(number, at: 1)
        guard try names.step(), let name = String(validating: names.bytes(0), as: UTF8.self), !name.isEmpty else {
            return CustomerNames.erased(number)
        }
        return CustomerID(name)
    }
}
