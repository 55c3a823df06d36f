import AppStoreWire
import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

/// The content of the outbox after requests in any order and in batches of any size, read as a receiver does.
@Suite struct IngestStories {
    private static let customers = ["alice", "bob", "carol"].map { CustomerID($0) }
    private static let subscriptions = ["1001", "1002"]

    @Test(arguments: [RestorePolicy.keep, .transfer])
    func `I38 whatever the order and the batches, the stored events of a subscription fold to the same as its stored history`(
        onRestore: RestorePolicy
    ) async throws {
        var (compared, changes) = (0, 0)
        for seed in UInt64(1)...25 {
            var policy = AppPolicy()
            policy.onRestore = onRestore
            var generator = SplitMix64(state: seed)
            let requests = Requests(policy: policy).all(by: &generator).shuffled(using: &generator)
            let sizes = requests.map { _ in Int.random(in: 1...6, using: &generator) }
            try await withWorld(policy: policy) { world in
                var stories: [String: SubscriptionStory] = [:]
                var (rest, heard) = (requests[...], Int64(0))
                for size in sizes where !rest.isEmpty {
                    let batch = Array(rest.prefix(size))
                    rest = rest.dropFirst(size)
                    _ = try await world.store.write { try Ingest.apply(batch, in: $0) }
                    for row in try await world.store.outbox(after: heard, limit: 10_000) {
                        guard let event = row.event else { continue }
                        stories[event.subscription.originalTransactionId.rawValue, default: SubscriptionStory()].take(event)
                        if event.kind == .ownerChanged { changes += 1 }
                        heard = row.id
                    }
                    for id in Self.subscriptions {
                        guard let stored = try await world.store.subscription(World.key(id)) else { continue }
                        compared += 1
                        #expect(stories[id] == SubscriptionStory(of: stored.state), "seed \(seed), \(id)")
                    }
                }
            }
        }
        #expect(compared > 200 && changes > 100)
    }

    /// Two subscriptions of six periods each, with claims, tokens and renewal infos, each in a separate request.
    private struct Requests {
        let app: AppSettings
        private let scope = Scope(app: World.app, environment: .production)
        private let learnedAt = PretendAppStore.june

        init(policy: AppPolicy) {
            app = AppSettings(
                id: World.app, expected: .init(bundleId: "com.example.app", appAppleId: 42, environments: [.production]),
                policy: policy, entitlements: EntitlementMap(entries: []))
        }

        func all(by generator: inout SplitMix64) -> [IngestRequest] {
            var requests: [IngestRequest] = []
            for id in IngestStories.subscriptions {
                let token = Ledger.AppAccountToken("a11ce000-0000-4000-8000-00000000\(id)")
                if let token, Bool.random(using: &generator) {
                    var request = IngestRequest(app: app, learnedAt: learnedAt)
                    request.registration = TokenRegistration(
                        token: token, customer: IngestStories.customers[0], registeredAt: request.learnedAt, isVouched: true)
                    requests.append(request)
                }
                for period in 0..<6 {
                    let fact = transaction(id, period, token, by: &generator)
                    requests.append(arrival([.transaction(fact)]))
                    requests.append(arrival([.transaction(fact), .renewal(renewal(after: fact, by: &generator))]))
                    guard Bool.random(using: &generator) else { continue }
                    requests.append(claim(fact, number: period, by: &generator))
                }
            }
            return requests
        }

        private func arrival(_ facts: [Fact]) -> IngestRequest {
            var request = IngestRequest(app: app, learnedAt: learnedAt)
            request.arrivals = [Arrival(scope: scope, evidence: nil, facts: facts, receivedAt: learnedAt)]
            return request
        }

        /// A period of 30 days; some have another product, follow a pause, carry the token, or are refunded.
        private func transaction(
            _ id: String, _ number: Int, _ token: Ledger.AppAccountToken?, by generator: inout SplitMix64
        ) -> TransactionFact {
            let product = ["plus.monthly", "pro.monthly"][Int.random(in: 0...3, using: &generator) / 3]
            let pause = Int64(Int.random(in: 0...4, using: &generator) / 4 * 5)
            let from = learnedAt.adding(.days(Int64(number) * 30 - 150 + pause))
            var fact = TransactionFact(
                originalTransactionId: .init(id), transactionId: .init("\(id)-\(number)"), productId: ProductID(product),
                purchaseDate: from, signedDate: from)
            fact.expiresDate = from.adding(.days(30))
            fact.webOrderLineItemId = "9\(id)\(number)"
            fact.transactionReason = Bool.random(using: &generator) ? .renewal : .purchase
            if Int.random(in: 0...3, using: &generator) == 0 { fact.appAccountToken = token }
            if Int.random(in: 0...7, using: &generator) == 0 {
                fact.revocation = Revocation(revocationDate: from.adding(.days(3)), revocationType: "REFUND_FULL")
            }
            return fact
        }

        private func renewal(after fact: TransactionFact, by generator: inout SplitMix64) -> RenewalFact {
            var word = RenewalFact(
                originalTransactionId: fact.originalTransactionId, signedDate: fact.purchaseDate.adding(.days(2)))
            word.autoRenewStatus = Bool.random(using: &generator)
            word.autoRenewProductId = ProductID(Bool.random(using: &generator) ? "plus.monthly" : "pro.monthly")
            return word
        }

        private func claim(_ fact: TransactionFact, number: Int, by generator: inout SplitMix64) -> IngestRequest {
            var request = arrival([.transaction(fact)])
            let customer = IngestStories.customers[Int.random(in: 0...2, using: &generator)]
            let kind = Claim.Kind.allCases[Int.random(in: 0...2, using: &generator)]
            let key = World.key(fact.originalTransactionId.rawValue)
            let claim = Claim(
                id: .init("claim-\(fact.transactionId)"), customer: customer, kind: kind, transaction: fact,
                productId: fact.productId, claimedAt: learnedAt.adding(.minutes(Int64(number))))
            request.claims = [(key, claim)]
            return request
        }
    }
}

/// Random numbers from a seed.
///
/// Source: Sebastiano Vigna, <https://prng.di.unimi.it/splitmix64.c>.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
