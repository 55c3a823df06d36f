import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// Tokens and warnings.
    static let registrations: [Behaviour] = [
        Behaviour("STORE-11", "A token is registered once per app: the first customer keeps it") { store in
            let token = try token("a11ce000-0000-4000-8000-000000000001")
            try await store.write { write in
                try expect(try write.customer(of: token, app: Specimen.app), equals: nil, "before")
                for (customer, isNew) in [(Specimen.alice, true), (Specimen.bob, false), (Specimen.alice, false)] {
                    let registration = TokenRegistration(token: token, customer: customer)
                    try expect(
                        try write.register(registration, app: Specimen.app, at: Specimen.start), equals: isNew, "for \(customer)")
                }
                try expect(try write.customer(of: token, app: Specimen.app), equals: Specimen.alice, "its customer")
                try expect(try write.customer(of: token, app: Specimen.otherApp.app), equals: nil, "its customer in another app")
                let elsewhere = TokenRegistration(token: token, customer: Specimen.bob)
                try expect(
                    try write.register(elsewhere, app: Specimen.otherApp.app, at: Specimen.start), "it is free in another app")
            }
        },
        Behaviour("STORE-12", "The subscriptions that bear a token are found in every environment of the app, sorted") { store in
            let (hers, his) = (
                try token("a11ce000-0000-4000-8000-000000000001"), try token("b0b00000-0000-4000-8000-000000000002")
            )
            let placed: [(String, Scope, AppAccountToken)] = [
                ("1001", Specimen.scope, hers), ("1000", Specimen.sandbox, hers), ("1000", Specimen.scope, hers),
                ("1002", Specimen.scope, his), ("1003", Specimen.otherApp, hers),
            ]
            for (id, scope, token) in placed {
                for index in 0..<2 as Range<Int64> {
                    let record = Specimen.record(.transaction(Specimen.transaction(index, of: id, token: token)), in: scope)
                    try expect(try await store.write { try $0.insert(record) }, "\(id) is new in \(scope)")
                }
            }
            let found = try await store.write { try $0.subscriptions(bearing: hers, app: Specimen.app) }
            let expected = [Specimen.key("1000"), Specimen.key("1001"), Specimen.key("1000", in: Specimen.sandbox)]
            try expect(found, equals: expected, "subscriptions bearing her token")
        },
        Behaviour("STORE-13", "A warning is noted once per kind and value, at the instant when it was first seen") { store in
            let later = Specimen.start.adding(.hours(1))
            let expected = [
                OperatorWarning(kind: .unknownProduct, value: "x", firstSeenAt: Specimen.start),
                OperatorWarning(kind: .unknownProductType, value: "x", firstSeenAt: later),
            ]
            try await store.write { write in
                for warning in expected + [OperatorWarning(kind: .unknownProduct, value: "x", firstSeenAt: later)] {
                    try write.warn(warning, in: Specimen.scope)
                }
                try write.warn(expected[0], in: Specimen.sandbox)
            }
            try expect(try store.warnings(in: Specimen.scope, limit: 10), equals: expected, "warnings")
            try expect(try store.warnings(in: Specimen.sandbox, limit: 10), equals: [expected[0]], "warnings in the Sandbox")
            try expect(try store.warnings(in: Specimen.scope, limit: 1), equals: [expected[0]], "the oldest warning")
        },
        Behaviour("STORE-14", "Identifiers are told apart byte by byte, and come back as they were") { store in
            let names = ["José", "Jose\u{301}", "josé", "José ", "💎/%2F'\"--", String(repeating: "x", count: 256)]
            for (index, name) in names.enumerated() {
                let transaction = Specimen.transaction(of: "\(index)")
                let claim = Claim(
                    id: .init("claim/\(name)"), customer: CustomerID(name), kind: .purchase, transaction: transaction,
                    productId: transaction.productId, claimedAt: Specimen.start)
                _ = try await store.decide(
                    on: [.fact(.transaction(transaction)), .claim(claim)], about: Specimen.key("\(index)"))
            }
            for (index, name) in names.enumerated() {
                let ids = try store.holdings(of: CustomerID(name), in: Specimen.scope).map(\.originalTransactionId.rawValue)
                try expect(ids, equals: ["\(index)"], "subscriptions of \(name.debugDescription)")
                let owner = try store.subscription(Specimen.key("\(index)"))?.state.owner(at: Specimen.start)
                try expect(owner.map { Array($0.rawValue.utf8) }, equals: Array(name.utf8), "the owner's bytes")
            }
        },
    ]

    private static func token(_ text: String) throws -> AppAccountToken {
        guard let token = AppAccountToken(text) else { throw ConformanceFailure("\(text) is a UUID") }
        return token
    }
}
