import GRDB
package import Ledger
import Primitives
package import Storage

/// What the proof of the books reads.
extension SQLiteStore {
    package func subscriptions(after key: SubscriptionKey?, limit: Int) async throws -> [SubscriptionKey] {
        try read { try SubscriptionQueries.next(after: key, limit: limit, $0) }
    }

    package func contents(of key: SubscriptionKey) async throws -> StoredContents? {
        // One snapshot for all of its rows.
        let names = names.get()
        return try StorageError.translating {
            try pool.read { database in
                guard let ledger = try NameQueries.ledger(of: key.scope, database) else { return nil }
                let reading = SQLiteReading(database: database, names: names)
                defer { self.names.learn(found: reading.found.policies) }
                return try reading.contents(of: key, ledger: ledger)
            }
        }
    }

    /// By the table's own key, one ledger after the other.
    package func customers(after key: CustomerKey?, limit: Int) async throws -> [CustomerKey] {
        try read { database in
            var keys: [CustomerKey] = []
            var last = key?.customer.rawValue ?? ""
            var place = try key.flatMap { key in
                try NameQueries.ledger(of: key.scope, database).map { NumberedScope(number: $0, scope: key.scope) }
            }
            if place == nil {
                last = ""
                place = try NameQueries.nextLedger(after: key?.scope, database)
            }
            // Bounded by the ledgers, which are the apps and environments there are.
            while let ledger = place, keys.count < limit {
                keys += try CustomerQueries.next(
                    after: last, ledger: ledger.number, limit: limit - keys.count, database
                ).map { CustomerKey(ledger.scope, $0) }
                last = ""
                place = try NameQueries.nextLedger(after: ledger.scope, database)
            }
            return keys
        }
    }

    package func contents(of key: CustomerKey) async throws -> CustomerContents? {
        // One snapshot for all of its rows.
        try StorageError.translating {
            try pool.read { database in
                guard let ledger = try NameQueries.ledger(of: key.scope, database) else { return nil }
                return try SQLiteReading(database: database, names: names.get()).contents(of: key, ledger: ledger)
            }
        }
    }

    package func auditTexts(
        of key: CustomerKey, after sequence: Int64, limit: Int
    ) async throws -> [SubscriptionRows.Audit] {
        try reading(key.scope) { reading, ledger in
            guard let number = try CustomerQueries.number(of: key.name, reading.database) else { return [] }
            return try CustomerQueries.audit(
                of: number, after: sequence, limit: limit, ledger: ledger, reading.database)
        } ?? []
    }

    package func factlessNotifications(
        after place: FactlessNotification.Place?, limit: Int
    ) async throws -> [FactlessNotification] {
        try read { try ProofQueries.factless(after: place, limit: limit, $0) }
    }

    package func unusedDocuments(limit: Int) async throws -> [Int64] {
        try read { try ProofQueries.unusedDocuments(limit: limit, $0) }
    }

    package func misnumbered(limit: Int) async throws -> [String] {
        try read { try ProofQueries.misnumbered(limit: limit, $0) }
    }

    package func schemaDifferences() async throws -> [SchemaDifference] {
        try read { try SQLiteSchema.differences(in: $0, knowing: schema) }
    }

    package func integrityProblems() async throws -> [String] {
        try read { try ProofQueries.integrityProblems(limit: 20, $0) }
    }

    package func evidence(_ number: Int64) async throws -> Evidence {
        let names = names.get()
        return try read { database in
            let reading = SQLiteReading(database: database, names: names)
            return try EvidenceQueries.document(number, header: reading.header, database)
        }
    }

    package func auditTexts(of key: SubscriptionKey, after sequence: Int64, limit: Int) async throws -> [AuditRowText] {
        try reading(key.scope) { reading, ledger in
            try AuditQueries.rows(
                of: key.originalTransactionId, after: sequence, limit: limit, ledger: ledger, reading.database)
        } ?? []
    }

    package func seals(of app: AppID, after number: Int64, limit: Int) async throws -> [StoredSeal] {
        try read { try SealQueries.seals(of: app, after: number, limit: limit, $0) }
    }

    package func sealedPlaces(of key: SubscriptionKey, from sequence: Int64, limit: Int) async throws -> [SealedPlace] {
        try reading(key.scope) { reading, ledger in
            try SealQueries.places(
                of: key.originalTransactionId, from: sequence, limit: limit, ledger: ledger, reading.database)
        } ?? []
    }

    package func missedHeads(of app: AppID, seal number: Int64) async throws -> [MissedHead] {
        try read { try SealQueries.missed(by: app, seal: number, $0) }
    }
}
