import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// The people who use the console, and what they did.
    static let operators: [Behaviour] = [
        Behaviour("STORE-115", "An operator is read back as it is, and when and by whom it was made stays") { store in
            try expect(try await store.operators(), equals: [], "before any")
            try expect(try await store.storedOperator("mia"), equals: nil, "one that nobody made")
            try expect(try await store.write { try $0.lockOperator("mia") }, equals: nil, "the same, for oneself")
            var mia = person("mia")
            mia.factors = StoredOperator.Factors(
                passwordHash: "$scrypt$é", codeSecret: "1.x", lastStep: 59_000_000, recoveryCodes: [digest(1), digest(2)])
            (mia.language, mia.timeZone) = ("zh-Hans", "Asia/Shanghai")
            let (kept, bo) = (mia, person("bo"))
            try await store.write { write in
                for stored in [kept, bo] { try write.save(stored) }
            }
            try expect(try await store.operators(), equals: [bo, mia], "by name")
            var changed = StoredOperator(name: "mia", grants: [], madeAt: Specimen.day(9), madeBy: "somebody else")
            (changed.endedAt, changed.endedBy) = (Specimen.day(3), "bo")
            let ended = changed
            try await store.write { try $0.save(ended) }
            let found = try await store.storedOperator("mia")
            try expect(found?.grants, equals: [], "what it may")
            try expect(found?.factors, equals: nil, "how it logs in")
            try expect(found?.endedAt, equals: Specimen.day(3), "its end")
            try expect(found?.madeAt, equals: Specimen.start, "when it was made")
            try expect(found?.madeBy, equals: "commandLine", "who made it")
        },
        Behaviour("STORE-116", "A link is read back with its use, and those that were not used are removed with one call") {
            store in
            try await store.write { try $0.save(person("mia")) }
            let chosen = StoredOperatorLink.Chosen(passwordHash: "h", codeSecret: "1.s")
            var first = StoredOperatorLink(digest: digest(1), name: "mia", endsAt: Specimen.day(1))
            let second = StoredOperatorLink(digest: digest(2), name: "mia", endsAt: Specimen.day(2), chosen: chosen)
            let made = first
            try await store.write { write in for link in [made, second] { try write.save(link) } }
            try expect(try await store.operatorLink(digest(2)), equals: second, "with what was chosen")
            first.usedAt = Specimen.day(1)
            let used = first
            try await store.write { try $0.save(used) }
            try expect(try await store.write { try $0.lockOperatorLink(digest(1)) }, equals: used, "with its use")
            try await store.write { try $0.removeOperatorLinks(of: "mia") }
            try expect(try await store.operatorLink(digest(1)), equals: used, "the one that was used")
            try expect(try await store.operatorLink(digest(2)), equals: nil, "the one that was not")
            try await expectError("constraint", "a link of nobody") {
                try await store.write { try $0.save(StoredOperatorLink(digest: digest(3), name: "x", endsAt: Specimen.start)) }
            }
        },
        Behaviour("STORE-117", "An operator's sessions are listed by when they were seen, and end together but for one") {
            store in
            try await store.write { write in
                for name in ["mia", "bo"] { try write.save(person(name)) }
                for number in 1...4 { try write.save(session(UInt8(number), of: number == 4 ? "bo" : "mia")) }
            }
            var seen = session(1, of: "mia")
            (seen.seenAt, seen.provedAt) = (Specimen.day(30), Specimen.day(29))
            let moved = seen
            try await store.write { try $0.save(moved) }
            let listed = try await store.operatorSessions(of: "mia", limit: 10)
            try expect(listed, equals: [moved, session(3, of: "mia"), session(2, of: "mia")], "by when they were seen")
            try expect(try await store.operatorSessions(of: "mia", limit: 1), equals: [moved], "no more than asked for")
            func end(but digest: [UInt8]?) async throws -> Int {
                try await store.write { try $0.endOperatorSessions(of: "mia", but: digest, at: Specimen.day(31)) }
            }
            try expect(try await end(but: digest(2)), equals: 2, "how many ended")
            try expect(try await end(but: digest(2)), equals: 0, "how many ended once more")
            let live = try await store.operatorSessions(of: "mia", limit: 10).filter { $0.endedAt == nil }
            try expect(live.map(\.digest), equals: [digest(2)], "the one that goes on")
            try expect(try await store.operatorSession(digest(4))?.endedAt, equals: nil, "another operator's")
            try expect(try await end(but: nil), equals: 1, "the last one")
            try expect(
                try await store.write { try $0.lockOperatorSession(digest(2)) }?.endedAt, equals: Specimen.day(31), "its end")
        },
        Behaviour("STORE-118", "Failures of logins are counted one at a time, and old traces are forgotten") { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...8 {
                    group.addTask {
                        try await store.write { write in
                            var failures =
                                try write.lockLoginFailures(of: "name/mia")
                                ?? LoginFailures(of: "name/mia", count: 0, lastAt: Specimen.start)
                            failures.count += 1
                            try write.save(failures)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let counted = try await store.write { try $0.lockLoginFailures(of: "name/mia") }
            try expect(counted?.count, equals: 8, "how many failed")
            try await store.write { write in
                try write.save(person("mia"))
                try write.save(session(1, of: "mia"))
                try write.save(StoredOperatorLink(digest: digest(1), name: "mia", endsAt: Specimen.day(1)))
                try write.save(LoginFailures(of: "address/::1", count: 3, lastAt: Specimen.day(5)))
                try write.forgetOperatorTraces(before: Specimen.day(3), failuresBefore: Specimen.day(4), limit: 10)
            }
            try expect(try await store.write { try $0.lockLoginFailures(of: "name/mia") }, equals: nil, "old failures")
            try expect(try await store.operatorLink(digest(1)), equals: nil, "an old link")
            try expect(try await store.operatorSession(digest(1)), equals: nil, "an old session")
            try expect(try await store.write { try $0.lockLoginFailures(of: "address/::1") }?.count, equals: 3, "younger ones")
            try await store.write { try $0.forgetLoginFailures(of: "address/::1") }
            try expect(try await store.write { try $0.lockLoginFailures(of: "address/::1") }, equals: nil, "after a success")
        },
    ]

    static func digest(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    static func person(_ name: String) -> StoredOperator {
        StoredOperator(
            name: name, grants: [.init(app: nil, role: "viewer"), .init(app: Specimen.app, role: "support")],
            madeAt: Specimen.start, madeBy: "commandLine")
    }

    private static func session(_ number: UInt8, of name: String) -> StoredOperatorSession {
        StoredOperatorSession(
            digest: digest(number), name: name, begunAt: Specimen.start, provedAt: Specimen.start.adding(.hours(Int64(number))),
            from: .init(address: "2001:db8::\(number)", userAgent: "Browser \(number) é"))
    }
}
