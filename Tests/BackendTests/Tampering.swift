import Backend
import GRDB
import Ledger
import Primitives
import Storage
import Testing

/// Books, and what an attacker with access to their file does.
extension World {
    /// A life with a renewal, a refund, two customers, a notification about no subscription, and a seal in the middle.
    func live() async throws {
        _ = try await receive(Notification("u1", about: Purchase()))
        _ = try await receive(Notification("t1", "TEST", about: nil))
        _ = try await claim(Self.alice)
        clock.set(clock.now().adding(.days(40)))
        _ = try await claim(Self.bob, .restore, Purchase().renewed())
        #expect(try await backend.seal() == 1)
        let refunded = Purchase().renewed().with {
            $0.revocationDate = $0.purchaseDate.adding(.days(3))
            $0.signedDate = $0.purchaseDate.adding(.days(3))
        }
        _ = try await receive(Notification("u2", about: refunded))
    }

    /// The triggers do not stop this attacker, who removes them and puts them back.
    func tamper(_ sql: String) throws { try tamper { try $0.execute(sql: sql) } }

    func tamper(_ change: (Database) throws -> Void) throws {
        try DatabaseQueue(path: path).writeWithoutTransaction { database in
            let triggers = try Row.fetchAll(database, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
            for trigger in triggers { try database.execute(sql: "DROP TRIGGER \(trigger["name"] as String)") }
            try database.execute(sql: "PRAGMA foreign_keys = OFF")
            try change(database)
            for trigger in triggers { try database.execute(sql: trigger["sql"]) }
        }
    }

    func findings(_ depth: ProofDepth = ProofDepth(rebuild: true)) async throws -> Set<Finding.Kind> {
        Set(try await backend.prove(depth).findings.map(\.kind))
    }
}
