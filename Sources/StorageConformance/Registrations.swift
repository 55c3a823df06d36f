import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// Tokens and warnings.
    static let registrations: [Behaviour] = [
        Behaviour("STORE-11", "Every registration of a token in an app is kept once, by instant and customer") {
            store in
            let token = try Specimen.token()
            let (name, elsewhere) = (
                TokenName(app: Specimen.app, token: token), TokenName(app: Specimen.otherApp.app, token: token)
            )
            let hers = Specimen.registration(token, Specimen.alice)
            let his = Specimen.registration(token, Specimen.bob, isAnonymous: true, at: Specimen.day(-1))
            try await store.write { write in
                try expect(try write.lock([], tokens: [name]).registrations, equals: [:], "before")
                try write.register(hers, app: Specimen.app)
                try expect(try write.lock([], tokens: [name]).registrations, equals: [name: [hers]], "inside the transaction")
            }
            let found = try await store.write { write in
                for said in [hers, his, hers.borneBefore, hers] { try write.register(said, app: Specimen.app) }
                try write.register(his, app: Specimen.otherApp.app)
                return try write.lock([], tokens: [elsewhere, name]).registrations
            }
            try expect(found[elsewhere] ?? [], equals: [his], "registrations of another app")
            try expect(Set(found[name] ?? []), equals: [his, hers, hers.borneBefore], "registrations")
            try expect(found[name]?.first, equals: his, "the earliest")
        },
        Behaviour("STORE-12", "The subscriptions that bear a token are found in every environment of the app, sorted") { store in
            let (hers, his) = (try Specimen.token(), try Specimen.token("b0b00000-0000-4000-8000-000000000002"))
            let placed = [
                Placed("1001", Specimen.scope, hers), Placed("1000", Specimen.sandbox, hers),
                Placed("1004", Specimen.scope, hers), Placed("1002", Specimen.scope, his),
                Placed("1003", Specimen.otherApp, hers),
            ]
            for subscription in placed {
                let (id, scope, token) = (subscription.id, subscription.scope, subscription.token)
                for index in 0..<2 as Range<Int64> {
                    let fact = Fact.transaction(Specimen.transaction(index, of: id, token: token))
                    try expect(try await store.keep(Specimen.arrival([fact], in: scope)), "\(id) is new in \(scope)")
                }
            }
            let found = try await store.write { try $0.subscriptions(bearing: [TokenName(app: Specimen.app, token: hers)]) }
            let expected = [Specimen.key("1001"), Specimen.key("1004"), Specimen.key("1000", in: Specimen.sandbox)]
            try expect(found, equals: expected, "subscriptions bearing her token")
            let page = try await store.subscriptions(bearing: hers, in: Specimen.scope, limit: 1)
            try expect(page, equals: [OriginalTransactionID("1001")], "the first of a ledger")
            let all = try await store.subscriptions(bearing: hers, in: Specimen.scope, limit: 10)
            try expect(all, equals: ["1001", "1004"].map { OriginalTransactionID($0) }, "all of a ledger")
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
            try expect(try await store.warnings(in: Specimen.scope, limit: 10), equals: expected, "warnings")
            try expect(
                try await store.warnings(in: Specimen.sandbox, limit: 10), equals: [expected[0]], "warnings in the Sandbox")
            try expect(try await store.warnings(in: Specimen.scope, limit: 1), equals: [expected[0]], "the oldest warning")
        },
        Behaviour("STORE-14", "Identifiers are compared byte by byte, and are read back unchanged") { store in
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
                let ids = try await store.holdings(of: CustomerID(name), in: Specimen.scope).map(\.originalTransactionId.rawValue)
                try expect(ids, equals: ["\(index)"], "subscriptions of \(name.debugDescription)")
                let owner = try await store.subscription(Specimen.key("\(index)"))?.state.owner(at: Specimen.start)
                try expect(owner.map { Array($0.rawValue.utf8) }, equals: Array(name.utf8), "the owner's bytes")
            }
        },
    ]
}

/// A subscription that bears a token.
private struct Placed {
    let id: String
    let scope: Scope
    let token: AppAccountToken

    init(_ id: String, _ scope: Scope, _ token: AppAccountToken) {
        self.id = id
        self.scope = scope
        self.token = token
    }
}
