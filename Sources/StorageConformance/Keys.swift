import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// The keys of apps.
    static let keys: [Behaviour] = [
        Behaviour("STORE-98", "A key is read back as it is, by its app and by its digest, and each app has its own") { store in
            try expect(try await store.apiKeys(of: nil), equals: [], "keys before any")
            try expect(try await store.apiKey(digest(1)), equals: nil, "one that nobody made")
            var full = key("b", 2)
            (full.endsAt, full.endedBy) = (Specimen.day(3), "mia/é")
            full.lastUsedAt = Timestamp(millisecondsSince1970: 0)
            let (plain, other) = (key("a", 1), key("a", 3, of: Specimen.otherApp.app))
            for made in [full, plain, other] { try await store.write { try $0.save(made) } }
            try expect(try await store.apiKeys(of: Specimen.app), equals: [plain, full], "an app's, by name")
            try expect(Set(try await store.apiKeys(of: nil)), equals: [plain, full, other], "all")
            try expect(try await store.apiKey(digest(2)), equals: full, "by its digest")
            try expect(try await store.apiKey(digest(4)), equals: nil, "by another digest")
        },
        Behaviour("STORE-99", "Of a key that is kept only its end and its use change, and no two keys are the same") { store in
            let made = key("a", 1)
            try await store.write { try $0.save(made) }
            let changed = try await store.write { write in
                guard var locked = try write.lockKeys(of: Specimen.app).first else { return nil as StoredKey? }
                (locked.endsAt, locked.endedBy, locked.lastUsedAt) = (Specimen.day(1), "bo", Specimen.day(2))
                try write.save(locked)
                return locked
            }
            try expect(try await store.apiKey(digest(1)), equals: changed, "with its end and its use")
            try await store.write { try $0.save(key("a", 9, scopes: ["admin"])) }
            try expect(try await store.apiKey(digest(9)), equals: nil, "another key under the name")
            let kept = try await store.apiKeys(of: Specimen.app)
            try expect(kept.map(\.scopes), equals: [made.scopes], "what it may do")
            try await expectError("constraint", "the same key under another name") {
                try await store.write { try $0.save(key("b", 1)) }
            }
            try expect(try await store.write { try $0.lockKeys(of: Specimen.otherApp.app) }, equals: [], "an app without keys")
        },
        Behaviour("STORE-100", "Whoever has the keys of an app for themselves sees what the one before made") { store in
            let names = (1...8).map { "k\($0)" }
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for (index, name) in names.enumerated() {
                    group.addTask {
                        try await store.write { write in
                            let known = try write.lockKeys(of: Specimen.app)
                            try write.save(key(name, UInt8(index + 1)))
                            return known.filter { $0.name.name != name }.count
                        }
                    }
                }
                return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            try expect(counts, equals: Set(0..<8), "how many each saw")
        },
    ]

    private static func digest(_ byte: UInt8) -> KeyDigest { KeyDigest(bytes: [UInt8](repeating: byte, count: 32)) }

    private static func key(
        _ name: String, _ byte: UInt8, of app: AppID = Specimen.app, scopes: [String] = ["webhooks:read", "events:read"]
    ) -> StoredKey {
        StoredKey(
            KeyName(app, name), .server, digest: digest(byte), scopes: scopes,
            made: StoredKey.Making(at: Specimen.start, by: "mia"))
    }
}
