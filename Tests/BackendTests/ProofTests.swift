import AppStoreWire
import Foundation
import GRDB
import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

@Suite struct `Proof of the books` {
    @Test func `AUDIT-2 Unchanged books are proved, and everything in them is checked`() async throws {
        try await withWorld(policy: AppPolicy(onRestore: .transfer)) { world in
            try await world.live()
            let report = try await world.backend.prove(ProofDepth(rebuild: true))
            #expect(report.findings == [])
            #expect(report.subscriptions == 1)
            #expect(report.facts == 5)
            #expect(report.seals == 1)
            #expect(report.auditRows >= 3)
        }
    }

    private static func number(of customer: String) -> String { "(SELECT id FROM customer WHERE customer = '\(customer)')" }

    /// What I45 requires later: nothing else shows whose the number is, and no chain is changed.
    @Test func `I45 AUDIT-2 After a customer's id is erased, the chains and their seals still verify`() async throws {
        try await withWorld(policy: AppPolicy(onRestore: .transfer)) { world in
            try await world.live()
            let rows = try await world.store.auditRows(of: World.key(), after: 0, limit: 100)
            #expect(Set(rows.map(\.row.customer)) == [World.alice, World.bob])
            let file = try DatabaseQueue(path: world.path)
            for table in ["audit", "tenure", "claim", "tokenRegistration", "sealedHead"] {
                let values = try file.read { try Row.fetchAll($0, sql: "SELECT * FROM \(table)") }.flatMap(\.databaseValues)
                let bytes = values.flatMap { Array(Data.fromDatabaseValue($0) ?? Data("\($0)".utf8)) }
                #expect(!String(decoding: bytes, as: UTF8.self).contains("alice"), "\(table)")
            }
            for sql in [
                "UPDATE customer SET customer = 'carol' WHERE customer = 'alice'",
                "DELETE FROM customer WHERE customer = 'alice'",
                "UPDATE customer SET id = id + 1, customer = NULL WHERE customer = 'alice'",
            ] {
                await #expect(throws: DatabaseError.self, "\(sql)") { try await file.write { try $0.execute(sql: sql) } }
            }
            try await file.write {
                try $0.execute(sql: "UPDATE customer SET customer = 'erased/' || id WHERE customer = 'alice'")
            }
            let kinds = try await world.findings()
            #expect(kinds.isDisjoint(with: [.auditRowChanged, .auditChainCut, .sealBroken, .customerMissing, .unreadable]))
            let erased = try await world.store.auditRows(of: World.key(), after: 0, limit: 100)
            #expect(erased.map(\.hash) == rows.map(\.hash))
            let names = Set(erased.map(\.row.customer))
            #expect(names.contains(World.bob) && !names.contains(World.alice) && names.count == 2)
        }
    }

    private static let tampering: [(String, Finding.Kind)] = [
        ("UPDATE audit SET auditRow = replace(auditRow, 'PER-1', 'PER-2')", .auditRowChanged),
        ("DELETE FROM customer", .customerMissing),
        ("DELETE FROM customer", .databaseDamaged),
        ("UPDATE audit SET hash = randomblob(32) WHERE sequence = 2", .auditRowChanged),
        ("DELETE FROM audit WHERE sequence = 1", .auditRowChanged),
        ("DELETE FROM audit WHERE sequence = (SELECT max(sequence) FROM audit)", .auditChainCut),
        ("DELETE FROM audit", .auditChainCut),
        ("DELETE FROM subscription", .auditChainCut),
        ("UPDATE auditSeal SET sealedAt = sealedAt + 1", .sealBroken),
        ("UPDATE sealedHead SET auditCount = auditCount + 1", .sealBroken),
        ("DELETE FROM sealedHead", .sealBroken),
        (
            "UPDATE fact SET decoded = (SELECT decoded FROM fact AS other WHERE other.factKey <> fact.factKey LIMIT 1)",
            .factDiffers
        ),
        ("UPDATE evidence SET document = x'00'", .unreadable),
        ("UPDATE subscription SET history = substr(history, 1, 8)", .unreadable),
        ("UPDATE holding SET holding = CAST(replace(holding, 'plus', 'pros') AS BLOB) WHERE customer = 'alice'", .holdingsDiffer),
        ("DELETE FROM holding WHERE customer = 'bob'", .holdingsDiffer),
        ("UPDATE tenure SET customer = \(number(of: "alice"))", .ownersDiffer),
        ("DELETE FROM claim WHERE customer = \(number(of: "bob"))", .historyDiffers),
        ("DELETE FROM periodAlias", .periodsDiffer),
        ("UPDATE subscription SET listing = CAST(replace(listing, 'bob', 'rob') AS BLOB)", .listingDiffers),
        ("UPDATE subscription SET listing = substr(listing, 1, 5)", .unreadable),
        ("UPDATE evidence SET notificationUUID = NULL", .notificationDiffers),
        ("UPDATE evidence SET notificationUUID = 'other' || notificationUUID", .notificationDiffers),
        ("UPDATE evidence SET notificationUUID = 'x' || id WHERE notificationUUID IS NULL", .notificationDiffers),
        ("UPDATE fact SET signedDate = signedDate + 1", .columnsDiffer),
        ("UPDATE fact SET transactionId = NULL WHERE transactionId IS NOT NULL", .columnsDiffer),
        ("UPDATE fact SET receivedAt = receivedAt + 1", .columnsDiffer),
        ("UPDATE claim SET customer = \(number(of: "bob")) WHERE customer = \(number(of: "alice"))", .columnsDiffer),
        ("UPDATE claim SET claimedAt = claimedAt + 1", .columnsDiffer),
        ("UPDATE claim SET claimId = 'x' || claimId", .columnsDiffer),
        ("UPDATE policy SET policy = policy || ' '", .columnsDiffer),
        ("UPDATE evidence SET receivedAt = receivedAt + 1", .columnsDiffer),
        ("UPDATE evidence SET notificationUUID = NULL; DELETE FROM fact", .documentUnused),
        ("DELETE FROM ledger", .databaseDamaged),
    ]

    @Test(arguments: tampering)
    func `AUDIT-2 I13 I14 A change in the file is found, and named by its kind`(_ sql: String, _ kind: Finding.Kind)
        async throws
    {
        try await withWorld(policy: AppPolicy(onRestore: .transfer)) { world in
            try await world.live()
            #expect(try await world.findings() == [])
            try world.tamper(sql)
            #expect(try await world.findings().contains(kind))
        }
    }

    /// If the whole chain and its head are rewritten, the seal reveals it.
    @Test func `AUDIT-2 A chain that was made shorter and consistent again is missed by its seal`() async throws {
        try await withWorld(policy: AppPolicy(onRestore: .transfer)) { world in
            try await world.live()
            let first = try #require(try await world.store.auditTexts(of: World.key(), after: 0, limit: 1).first).head
            let hash = first.hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            try world.tamper(
                "DELETE FROM audit WHERE sequence > 1; UPDATE subscription SET auditCount = 1, auditHead = x'\(hash)'")
            #expect(try await world.findings().contains(.auditChainCut))
        }
    }

    @Test func `A history that another version wrote is rebuilt, and nothing is reported twice`() async throws {
        try await withWorld { world in
            try await world.live()
            world.clock.set(PretendAppStore.june.adding(.days(400)))
            let worker = WorkLoop(
                store: world.store, clock: world.clock, lanes: [WorkLane(TellingPerformer(backend: world.backend))], worker: "w",
                pauses: .patient, jitter: { 0 })
            while try await worker.runOnce() > 0 {}
            let before = try #require(try await world.store.contents(of: World.key()))
            #expect(before.stored.history.toldUntil != nil)
            try world.tamper("UPDATE subscription SET history = CAST(x'7F' || substr(history, 2) AS BLOB)")
            #expect(try await world.store.contents(of: World.key()) == before)
        }
    }

    @Test func `I14 One changed bit in the kept bytes of a fact is found by its signature`() async throws {
        try await withWorld { world in
            try await world.live()
            // The last byte of a document belongs to the signed payload.
            try world.tamper(
                """
                UPDATE evidence
                SET document = CAST(substr(document, 1, length(document) - 12) || x'20' || substr(document, -11) AS BLOB)
                """)
            #expect(try await world.findings(ProofDepth()).contains(.factUnproven))
            #expect(try await !world.findings(ProofDepth(evidence: false)).contains(.factUnproven))
        }
    }

    @Test func `T06 Facts of a signer that is now distrusted are named`() async throws {
        try await withWorld { world in
            try await world.live()
            let app = try world.backend.settings(of: World.app)
            let serial = try #require(try await Self.leafSerial(of: world))
            let distrusting = Backend(
                store: world.store, verifier: AppStoreVerifier(roots: world.apple.roots, distrustedLeafSerials: [serial]),
                apps: [app], clock: world.clock)
            let findings = try await distrusting.prove(ProofDepth()).findings
            #expect(!findings.isEmpty)
            #expect(Set(findings.map(\.kind)) == [.factUnproven, .notificationDiffers])
        }
    }

    private static func leafSerial(of world: World) async throws -> String? {
        let app = try world.backend.settings(of: World.app)
        let verified = try await world.apple.verifier.transaction(
            try world.apple.sign(Purchase()), for: app.expected, at: world.clock.now()
        ).get()
        if case .signature(let signer) = verified.proof { return signer.leafSerial }
        return nil
    }

    @Test func `A seal names at most as many chains as a transaction should hold, and all of them in the end`() async throws {
        try await withWorld { world in
            for id in 1...5 {
                _ = try await world.claim(
                    World.alice, .purchase,
                    Purchase().with {
                        $0.originalTransactionId = "\(id)"
                        $0.transactionId = "\(id)"
                        $0.webOrderLineItemId = "9\(id)"
                    })
            }
            let now = world.clock.now()
            let counts = try await world.store.write { write in
                try (0..<4).map { _ in try write.seal(World.app, at: now, limit: 2)?.heads.count }
            }
            #expect(counts == [2, 2, 1, nil])
            #expect(try await world.findings() == [])
        }
    }

    @Test func `I13 Rows of another version of the rules are compared and counted, without a finding; a wrong history is one`()
        async throws
    {
        try await withWorld(policy: AppPolicy(onRestore: .transfer)) { world in
            try await world.live()
            try world.tamper { database in
                let row = try #require(try Row.fetchOne(database, sql: "SELECT foldVersion - 1 AS fold, policy FROM policy"))
                let (fold, text): (Int64, String) = (row["fold"], row["policy"])
                let number = PolicyRow.number(text: text, foldVersion: fold)
                try database.execute(sql: "INSERT INTO policy VALUES (?, ?, ?)", arguments: [number, fold, text])
                try database.execute(sql: "UPDATE subscription SET policy = ?", arguments: [number])
            }
            let same = try await world.backend.prove(ProofDepth(rebuild: true))
            #expect(same.findings == [])
            #expect(same.writtenByAnotherFold == 1)
            #expect(same.differingByTodaysFold == 0)
            try world.tamper(
                "UPDATE holding SET holding = CAST(replace(holding, 'plus', 'pros') AS BLOB) WHERE customer = 'alice'")
            let other = try await world.backend.prove(ProofDepth(rebuild: true))
            #expect(other.findings == [])
            #expect(other.differingByTodaysFold == 1)
            try world.tamper("DELETE FROM claim WHERE customer = \(Self.number(of: "bob"))")
            #expect(try await world.findings() == [.historyDiffers])
        }
    }

    @Test func `I14 Missing details of an older version are not a finding; different ones are`() async throws {
        try await withWorld { world in
            let refunded = Purchase().with { $0.revocationDate = $0.purchaseDate.adding(.days(3)) }
            var renewalInfo = RenewalInfo()
            renewalInfo.renewalPrice = 12_990
            _ = try await world.receive(Notification("u1", "REFUND", about: refunded, renewalInfo: renewalInfo))
            let lessOf: (Fact) -> Fact = { fact in
                switch fact {
                case .renewal(var word):
                    #expect(word.renewalPrice != nil)
                    (word.renewalPrice, word.currency, word.appAccountToken) = (nil, nil, nil)
                    return .renewal(word)
                case .notice(var notice, let id):
                    #expect(notice.revocation != nil)
                    notice.revocation = nil
                    return .notice(notice, about: id)
                case .transaction, .status, .failedQuestion: return fact
                }
            }
            try Self.rewrite(world, lessOf)
            #expect(try await !world.findings().contains(.factDiffers))
            try Self.rewrite(world) { fact in
                guard case .renewal(var word) = fact else { return fact }
                word.renewalPrice = Milliunits(1)
                return .renewal(word)
            }
            #expect(try await world.findings().contains(.factDiffers))
        }
    }

    private static func rewrite(_ world: World, _ change: (Fact) -> Fact) throws {
        try world.tamper { database in
            for row in try Row.fetchAll(database, sql: "SELECT factKey, decoded FROM fact") {
                let (key, decoded): (String, Data) = (row["factKey"], row["decoded"])
                let bytes = FactCoding.encode(change(try FactCoding.decode(Array(decoded))))
                try database.execute(sql: "UPDATE fact SET decoded = ? WHERE factKey = ?", arguments: [Data(bytes), key])
            }
        }
    }

    @Test func `I14 One document that cannot be read hides nothing of the others`() async throws {
        try await withWorld { world in
            try await world.live()
            try world.tamper(
                """
                UPDATE evidence SET document = x'00' WHERE id = (SELECT min(id) FROM evidence);
                UPDATE evidence
                SET document = CAST(substr(document, 1, length(document) - 12) || x'20' || substr(document, -11) AS BLOB)
                WHERE id = (SELECT max(id) FROM evidence)
                """)
            #expect(try await world.findings(ProofDepth()) == [.unreadable, .factUnproven])
        }
    }

    @Test func `AUDIT-2 A row that was added to a chain without updating the subscription is found`() async throws {
        try await withWorld { world in
            try await world.live()
            try world.tamper(
                """
                INSERT INTO audit SELECT ledger, originalTransactionId, sequence + 1, auditRow, hash FROM audit
                ORDER BY sequence DESC LIMIT 1
                """)
            #expect(try await world.findings() == [.auditChainCut])
        }
    }

    #if os(Linux)
        /// In a separate process, so that the peak is only its own. With a copy for each fact it would be more than a gigabyte.
        @Test func `Six hundred facts of one receipt of two megabytes are proved with a few copies of it in memory`() async {
            await #expect(processExitsWith: .success) {
                try await withWorld { world in
                    let scope = Scope(app: World.app, environment: .production)
                    let facts = (0..<600 as Range<Int64>).map { index in
                        let begins = PretendAppStore.june.adding(.days(30 * index))
                        var fact = TransactionFact(
                            originalTransactionId: World.key().originalTransactionId, transactionId: .init("\(index)"),
                            productId: .init("plus.monthly"), purchaseDate: begins, signedDate: begins)
                        fact.expiresDate = begins.adding(.days(30))
                        return Fact.transaction(fact)
                    }
                    let receipt = Evidence(form: .verifyReceiptAnswer, bytes: [UInt8](repeating: 0x20, count: 2 << 20))
                    try await world.store.write { write in
                        _ = try write.lock([World.key()], tokens: [])
                        let received = PretendAppStore.june
                        try write.keep([Arrival(scope: scope, evidence: receipt, facts: facts, receivedAt: received)])
                        let decision = Decision(
                            on: facts.map { .fact($0) }, history: SubscriptionHistory(key: World.key()), policy: AppPolicy(),
                            learnedAt: received)
                        try write.save([
                            try Saving(stored: nil, decisions: [decision], policy: AppPolicy(), learnedAt: received)
                        ])
                    }
                    let report = try await world.backend.prove(ProofDepth(rebuild: true))
                    #expect(report.facts == 600)
                    #expect(report.findings == [])
                    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
                    let peak = try #require(status.firstMatch(of: /VmHWM:\s+([0-9]+) kB/)).output.1
                    #expect(try #require(Int(peak)) < 300 * 1024)
                }
            }
        }
    #endif
}
