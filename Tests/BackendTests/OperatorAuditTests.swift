import GRDB
import Ledger
import OperatorFactors
import Primitives
import Storage
import Testing

@testable import Backend

@Suite struct `The operators' audit` {
    private func opened(_ customer: CustomerID) -> OperatorDeed {
        var deed = OperatorDeed(.openedCustomer, in: Scope(app: World.app, environment: .production))
        deed.customer = customer
        return deed
    }

    private func searched(_ words: String) -> OperatorDeed {
        var deed = OperatorDeed(.searched, in: Scope(app: World.app, environment: .production))
        (deed.searched, deed.detail) = (words, "1 found")
        return deed
    }

    /// Mia looks at Alice, who bought something.
    private func withReading(_ body: (OperatorWorld, OperatorActor) async throws -> Void) async throws {
        try await withOperators { world in
            try await world.world.live()
            let mia = try await world.enrol()
            let actor = OperatorActor(mia.signedIn.identity, from: OperatorWorld.home)
            try await world.desk.note(opened(World.alice), by: actor)
            try await world.desk.note(searched("alice"), by: actor)
            try await world.desk.note(searched("1001"), by: actor)
            try await body(world, actor)
        }
    }

    @Test func `what was opened and searched is kept with who, from where, and when, and found by each of them`() async throws {
        try await withReading { world, _ in
            let page = try await world.desk.notes(OperatorNoteSearch(), limit: 2)
            #expect(page.notes.map(\.act.what) == ["searched", "searched"] && page.next == page.notes.last?.number)
            let rest = try await world.desk.notes(OperatorNoteSearch(before: page.next), limit: 500)
            #expect(
                rest.notes.map(\.act.what) == ["openedCustomer", "setFactors", "usedLink", "madeOperator"] && rest.next == nil)
            let first = try #require(rest.notes.first?.act)
            #expect(first.actor == "mia" && first.address == "192.0.2.1" && first.customer == World.alice)
            #expect(first.app == World.app && first.environment == .production && first.at == world.clock.now())
            var search = OperatorNoteSearch()
            search.customer = CustomerName(World.app, World.alice)
            #expect(try await world.desk.notes(search, limit: 10).notes.map(\.act.what) == ["openedCustomer"])
        }
    }

    @Test func `AUDIT-2 The chain of what operators did is proved with the books`() async throws {
        try await withReading { world, _ in
            let report = try await world.world.backend.prove(ProofDepth())
            #expect(report.findings == [])
            try world.world.tamper("DELETE FROM operatorSearch; DELETE FROM operatorAudit")
            let without = try await world.world.backend.prove(ProofDepth())
            #expect(report.auditRows == without.auditRows + 6)
        }
    }

    private static let changes: [(String, Finding.Kind)] = [
        ("UPDATE operatorAudit SET auditRow = replace(auditRow, 'mia', 'bob') WHERE number = 3", .auditRowChanged),
        ("DELETE FROM operatorAudit WHERE number = 3", .auditRowChanged),
        ("DELETE FROM operatorAudit WHERE number = 1", .auditRowChanged),
        ("UPDATE operatorAudit SET actor = 'bob' WHERE number = 3", .columnsDiffer),
        ("UPDATE operatorAudit SET at = at + 1 WHERE number = 3", .columnsDiffer),
        ("UPDATE operatorAudit SET what = 'loggedIn' WHERE number = 3", .columnsDiffer),
        ("UPDATE operatorAudit SET customer = NULL WHERE customer IS NOT NULL", .columnsDiffer),
        ("UPDATE operatorAudit SET hash = zeroblob(32) WHERE number = 3", .auditRowChanged),
        ("UPDATE operatorAudit SET auditRow = '{}' WHERE number = 3", .unreadable),
        ("UPDATE operatorSearch SET words = 'bob' WHERE words = 'alice'", .columnsDiffer),
        (
            """
            INSERT INTO operatorAudit SELECT number + 100, actor, at, what, customer, auditRow, hash FROM operatorAudit
            WHERE number = 1
            """, .auditRowChanged
        ),
    ]

    @Test(arguments: changes)
    func `AUDIT-2 A row of what operators did that was changed, removed or added is found`(sql: String, kind: Finding.Kind)
        async throws
    {
        try await withReading { world, _ in
            try world.world.tamper(sql)
            #expect(try await world.world.findings().contains(kind))
        }
    }

    @Test func `no row of what operators did can be changed or deleted by way of the store's connection`() async throws {
        try await withReading { world, _ in
            for sql in ["UPDATE operatorAudit SET actor = 'bob'", "DELETE FROM operatorAudit"] {
                await #expect(throws: DatabaseError.self) {
                    try await DatabaseQueue(path: world.world.path).write { try $0.execute(sql: sql) }
                }
            }
        }
    }

    @Test func `I45 An erased customer is named by no row and no search, and the chain is proved as before`() async throws {
        try await withReading { world, _ in
            let backend = world.world.backend
            let ballot = try Backend.Ballot(id: "request-1", actor: "mia", reason: "request 1", at: backend.now())
            _ = try await backend.erase(World.alice, by: ballot, app: World.app)
            let notes = try await world.desk.notes(OperatorNoteSearch(), limit: 10).notes
            #expect(notes.compactMap(\.act.searched?.words) == ["1001"])
            #expect(notes.compactMap(\.act.customer).allSatisfy { $0.rawValue.hasPrefix("erased/") })
            let texts =
                try world.world.texts("SELECT auditRow FROM operatorAudit")
                + world.world.texts("SELECT words FROM operatorSearch")
            #expect(!texts.contains { $0.contains("alice") })
            #expect(try await world.world.findings() == [])
        }
    }

    @Test func `searches are forgotten after 90 days, and rows that something was searched stay`() async throws {
        try await withReading { world, _ in
            let bo = try await world.enrol("bo")
            world.pass(.hours(90 * 24 + 1))
            _ = try await world.logIn("bo", code: try world.code(bo.secret))
            #expect(try world.world.texts("SELECT words FROM operatorSearch") == [])
            var search = OperatorNoteSearch()
            search.what = AuditedAct.searched.rawValue
            #expect(try await world.desk.notes(search, limit: 10).notes.count == 2)
            #expect(try await world.world.findings() == [])
        }
    }

    @Test func `long and strange texts are kept bounded, and what control a terminal is replaced`() async throws {
        try await withReading { world, actor in
            var deed = searched("\u{0}\u{1B}[2J" + String(repeating: "漢", count: 10_000))
            deed.reason = String(repeating: "r", count: 5000)
            try await world.desk.note(deed, by: actor)
            let act = try #require(try await world.desk.notes(OperatorNoteSearch(), limit: 1).notes.first?.act)
            let words = try #require(act.searched?.words)
            #expect(words.hasPrefix("\u{FFFD}\u{FFFD}[2J漢") && words.unicodeScalars.count == 201)
            #expect(act.reason?.count == 1001)
            #expect(try await world.world.findings() == [])
        }
    }
}
