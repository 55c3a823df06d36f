import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// What was signed so that customers may have offers (WALL-5).
    static let offers: [Behaviour] = [
        Behaviour("STORE-89", "What was signed is read back as it is, also once it was signed again in another form") { store in
            let token = AppAccountToken("a11ce000-0000-4000-8000-000000000001")
            let forms: [OfferIssue.Form] = [
                .promotionalV1(offerIdentifier: "back", token: token), .promotionalV1(offerIdentifier: "é\u{1}", token: nil),
                .promotionalV2(offerIdentifier: "back", transactionId: "1"),
                .promotionalV2(offerIdentifier: "b", transactionId: nil),
                .introductory(isAllowed: true, transactionId: "1"), .introductory(isAllowed: false, transactionId: "2"),
            ]
            let issues = forms.enumerated().map { issue("n\($0)", on: Int64($0 + 1), $1) }
            try await store.write { write in for issue in issues { try write.record(issue) } }
            try expect(
                try await store.issuedOffers(to: Specimen.alice, in: Specimen.scope, limit: 10), equals: issues.reversed(),
                "of one customer, the last one first")
            var again = issues[0]
            again.form = .promotionalV2(offerIdentifier: "back", transactionId: "7")
            (again.signatures, again.lastSignedAt, again.keyId) = (2, Specimen.day(9), "OTHER")
            again.askedWith = "deploy"
            let within = try await store.write { [again] write in
                try write.record(again)
                return try write.issuedOffers(to: Specimen.alice, in: Specimen.scope, limit: 10)
            }
            try expect(within.last, equals: again, "in the transaction that signs once more")
            try expect(within.count, equals: issues.count, "and no new row")
        },
        Behaviour("STORE-90", "What was signed is read in pages by time and nonce, of one ledger, and counted") { store in
            let issues = [issue("b", on: 1), issue("a", on: 2), issue("c", on: 2, to: Specimen.bob), issue("d", on: 3)]
            let elsewhere = issue("a", on: 1, in: Specimen.sandbox)
            try await store.write { write in for issue in issues.reversed() + [elsewhere] { try write.record(issue) } }
            func nonces(
                after place: OfferIssue.Place? = nil, limit: Int = 10, in scope: Scope = Specimen.scope
            ) async throws -> [String] {
                try await store.issuedOffers(in: scope, after: place, limit: limit).map(\.nonce.rawValue)
            }
            try expect(try await nonces(), equals: ["b", "a", "c", "d"], "all")
            try expect(try await nonces(limit: 2), equals: ["b", "a"], "up to a limit")
            try expect(try await nonces(after: issues[1].place), equals: ["c", "d"], "after one")
            try expect(try await nonces(in: Specimen.sandbox), equals: ["a"], "of another environment")
            try expect(try await nonces(in: Specimen.otherApp), equals: [], "of an app that has none")
            let newest = try await store.newestOffers(in: Specimen.scope, limit: 3).map(\.nonce.rawValue)
            try expect(newest, equals: ["d", "c", "a"], "the last one first")
            let ofBob = try await store.issuedOffers(to: Specimen.bob, in: Specimen.scope, limit: 10)
            try expect(ofBob, equals: [issues[2]], "of one customer")
            let counts = try await store.write { write in
                [
                    try write.issuedOffers(in: Specimen.scope, since: Specimen.day(1), limit: 10),
                    try write.issuedOffers(in: Specimen.scope, since: Specimen.day(1), limit: 2),
                    try write.issuedOffers(in: Specimen.scope, since: Specimen.day(3), limit: 10),
                ]
            }
            try expect(counts, equals: [3, 2, 0], "after an instant, up to a limit")
        },
        Behaviour("STORE-91", "Of two transactions that sign for one customer at once, one sees what the other signed") { store in
            for turn in 0..<25 as Range<Int64> {
                let seen = try await withThrowingTaskGroup(of: Int.self) { group in
                    for id in ["x", "y"] {
                        group.addTask {
                            try await store.write { write in
                                _ = try write.lock([], tokens: [], customers: [CustomerKey(Specimen.scope, Specimen.bob)])
                                let before = try write.issuedOffers(to: Specimen.bob, in: Specimen.scope, limit: 100)
                                try write.record(issue("\(turn)\(id)", on: turn + 1, to: Specimen.bob))
                                return before.count
                            }
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                try expect(seen.sorted(), equals: [Int(turn) * 2, Int(turn) * 2 + 1], "what the two see of each other")
            }
        },
    ]

    private static func issue(
        _ nonce: String, on day: Int64, _ form: OfferIssue.Form = .introductory(isAllowed: true, transactionId: "1"),
        to customer: CustomerID = Specimen.alice, in scope: Scope = Specimen.scope
    ) -> OfferIssue {
        OfferIssue(.init(scope, .init(nonce)), for: customer, of: ProductID("plus"), form, at: Specimen.day(day), by: "KEY")
    }
}
