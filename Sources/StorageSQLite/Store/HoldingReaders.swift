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
    /// The number of the app's newest version, for a customer without holdings.
    private let newest: ReadingStatement
    private let ledger: ReadingStatement
    /// The numbers of the ledgers that were looked up; a ledger's number never changes.
    private var ledgers: [Scope: Int64] = [:]
    /// What is bound to the statement; most questions are about the same app.
    private var bound: Scope?

    init(path: String) throws {
        let connection = try ReadingConnection(path: path)
        let holdings = try connection.prepare(HoldingQueries.selectHoldings)
        let newest = try connection.prepare(SettingsQueries.selectNewest)
        let ledger = try connection.prepare(NameQueries.selectLedger)
        self.holdings = holdings
        self.newest = newest
        self.ledger = ledger
    }

    /// The statement sees one snapshot by itself and is over, its lock with it, when this returns.
    mutating func holdings(of customer: CustomerID, in scope: Scope) throws -> CustomerHoldings {
        if bound != scope {
            guard let ledger = try ledger(of: scope) else {
                return CustomerHoldings(holdings: [], settings: try newestSettings(of: scope.app))
            }
            bound = nil
            try holdings.bind(scope.app.rawValue, at: 1)
            try holdings.bind(ledger, at: 2)
            bound = scope
        }
        defer { holdings.reset() }
        try holdings.bind(customer.rawValue, at: 3)
        var found: [Holding] = []
        var settings: Int64?
        while try holdings.step() {
            settings = holdings.integer(1)
            found.append(try HoldingCoding.decode(holdings.bytes(0)))
        }
        return CustomerHoldings(holdings: found, settings: try settings ?? newestSettings(of: scope.app))
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

    private func newestSettings(of app: AppID) throws -> Int64 {
        defer { newest.reset() }
        try newest.bind(app.rawValue, at: 1)
        // 0 for NULL.
        return try newest.step() ? newest.integer(0) : 0
    }
}
