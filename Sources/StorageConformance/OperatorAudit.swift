import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// What operators did.
    static let operatorAudit: [Behaviour] = [
        Behaviour("STORE-119", "What operators do is numbered and chained, however many do something at once") { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...8 {
                    group.addTask {
                        _ = try await store.write {
                            try $0.append(OperatorNote(by: "op\(number)", at: Specimen.start, "loggedIn"))
                        }
                    }
                }
                try await group.waitForAll()
            }
            let last = try await store.write { write in
                _ = try write.append(OperatorNote(by: "mia", at: Specimen.day(1), "loggedOut"))
                return try write.append(OperatorNote(by: "mia", at: Specimen.day(1), "loggedIn"))
            }
            let rows = try await store.operatorNoteRows(after: 0, limit: 100)
            try expect(rows.map(\.head.sequence), equals: Array(1...10), "the numbers")
            var head = AuditHead()
            for row in rows {
                head = head.followed(byOperators: row.text)
                try expect(row.head, equals: head, "row \(row.head.sequence)")
                try expect(try row.difference(), equals: nil, "its columns")
            }
            try expect(last, equals: head, "the end of the chain")
            try expect(try await store.operatorNoteRows(after: 8, limit: 1).map(\.head.sequence), equals: [9], "a page")
        },
        Behaviour("STORE-120", "What operators did is read back, the newest first, by who, what and whom") { store in
            _ = try await store.say(try customerInputs())
            let acts = allActs
            try await store.write { write in for act in acts { _ = try write.append(act) } }
            let all = try await store.operatorNotes(OperatorNoteSearch(), limit: 10)
            var expected = acts
            // Of somebody who is not known nothing is kept.
            expected[3].customer = nil
            try expect(all.map(\.act), equals: expected.reversed(), "everything")
            try expect(all.map(\.number), equals: [4, 3, 2, 1], "the newest first")
            func numbers(_ change: (inout OperatorNoteSearch) -> Void) async throws -> [Int64] {
                var search = OperatorNoteSearch()
                change(&search)
                return try await store.operatorNotes(search, limit: 10).map(\.number)
            }
            let alice = CustomerName(Specimen.app, Specimen.alice)
            try expect(try await numbers { $0.before = 3 }, equals: [2, 1], "before a number")
            try expect(try await numbers { $0.actor = "bo" }, equals: [4, 3], "by who")
            try expect(try await numbers { $0.what = "openedCustomer" }, equals: [4, 1], "by what")
            try expect(try await numbers { $0.customer = alice }, equals: [1], "by whom")
            try expect(try await numbers { ($0.actor, $0.what, $0.before) = ("bo", "searched", 4) }, equals: [3], "by all")
            try expect(try await store.operatorNotes(OperatorNoteSearch(), limit: 2).map(\.number), equals: [4, 3], "a page")
        },
        Behaviour("STORE-121", "What was searched can be forgotten, and so can a customer, and the chain stays as it is") {
            store in
            _ = try await store.say(try customerInputs())
            let acts = allActs
            try await store.write { write in for act in acts { _ = try write.append(act) } }
            let before = try await store.operatorNoteRows(after: 0, limit: 10)
            try expect(before.map(\.searched?.words), equals: [nil, "find \(Specimen.alice.rawValue)", "1000", nil], "the words")
            try expect(before.contains { $0.text.contains(Specimen.alice.rawValue) }, equals: false, "the id in a row")
            let pseudonyms = try await store.write { write in
                _ = try write.lockSettings(of: Specimen.app)
                return try write.erase([CustomerName(Specimen.app, Specimen.alice)], from: [])
            }
            let after = try await store.operatorNoteRows(after: 0, limit: 10)
            try expect(after.map(\.head), equals: before.map(\.head), "the chain")
            try expect(after.map(\.text), equals: before.map(\.text), "its texts")
            try expect(after.map(\.searched?.words), equals: [nil, nil, "1000", nil], "words without the id")
            for row in after { try expect(try row.difference(), equals: nil, "what is proved of it") }
            let named = try await store.operatorNotes(OperatorNoteSearch(), limit: 10).last
            try expect(named?.act.customer, equals: pseudonyms.first?.name, "in the place of the customer")
            func forget(_ limit: Int) async throws -> Int {
                try await store.write { try $0.forgetSearches(before: Specimen.day(4), limit: limit) }
            }
            try expect(try await forget(10), equals: 1, "old searches")
            try expect(try await forget(10), equals: 0, "once more")
            try expect(try await store.operatorNoteRows(after: 0, limit: 10).map(\.head), equals: before.map(\.head), "the chain")
        },
    ]

    /// One of each kind: of a customer, two searches, of somebody who is not known.
    private static var allActs: [OperatorNote] {
        var opened = OperatorNote(by: "mia", at: Specimen.day(1), "openedCustomer")
        (opened.app, opened.environment, opened.customer) = (Specimen.app, .sandbox, Specimen.alice)
        (opened.address, opened.reason) = ("2001:db8::1", "a call, “é”")
        var searched = OperatorNote(by: "mia", at: Specimen.day(2), "searched")
        searched.searched = SearchedWords("find \(Specimen.alice.rawValue)", salt: [1, 2, 3])
        var other = OperatorNote(by: "bo", at: Specimen.day(3), "searched")
        (other.searched, other.detail, other.subject) = (SearchedWords("1000", salt: [4]), "1 found", "1000")
        var unknown = OperatorNote(by: "bo", at: Specimen.day(4), "openedCustomer")
        (unknown.app, unknown.environment, unknown.customer) = (Specimen.app, .production, CustomerID("nobody"))
        return [opened, searched, other, unknown]
    }
}
