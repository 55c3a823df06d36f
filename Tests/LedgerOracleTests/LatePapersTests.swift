import Ledger
import LedgerOracle
import Primitives
import Testing

/// News in any order around claims: whatever a server knew when it weighed a claim, in the end it agrees with the oracle, which
/// knows everything at once.
///
/// Only for policies under which no restore moves anything; under the others it matters what was known (decision 0010, 14).
@Suite struct LatePapersTests {
    private static let lives: UInt64 = 2000

    @Test func `OWN-2 the owners are the oracle's, in whatever order facts arrive between claims`() async {
        var compared = 0
        for seed in 1...Self.lives {
            await Task.yield()
            let life = Life(seed: seed)
            var policy = life.policies.first
            guard policy.onRestore == .keep || policy.onRestore == .ask else { continue }
            // With merges, anonymous customers and limits the effect of a claim depends on what was known, as with restores.
            (policy.anonymousMayTake, policy.mergeOnClaim, policy.customersPerAppleAccount) = (false, false, nil)
            let deliveries = Self.withoutPeople(life.deliveries)
            let order = Self.shuffled(deliveries, seed: seed)
            var live = LivePath(order, under: OraclePolicies(policy))
            for delivery in order { _ = live.tell(delivery) }
            let oracle = Oracle(policy: policy).answer(to: deliveries)
            for id in live.subscriptions {
                let owners = live.states[id]?.tenures.map { $0.customer?.rawValue } ?? []
                let expected = oracle[id]?.steps.map(\.customer) ?? []
                guard owners != expected else { continue }
                Issue.record("seed \(seed), \(id): \(owners), by the oracle \(expected)\n\(Printout(order).text)")
                return
            }
            if live.allStates.contains(where: { !$0.claims.isEmpty && $0.tenures.contains { $0.customer != nil } }) {
                compared += 1
            }
        }
        #expect(compared > 200)
    }

    /// Without votes, merges and failed requests, with claims of identified customers only, and with more data from Apple that
    /// contains a token nobody registered.
    private static func withoutPeople(_ deliveries: [Delivery]) -> [Delivery] {
        deliveries.compactMap { delivery in
            switch delivery {
            case .status, .failedQuestion, .merge, .join, .separation, .vote, .customerVote: return nil
            case .claim(var claim):
                claim.anonymous = false
                claim.othersServed = []
                claim.shown = withOtherToken(claim.shown)
                return .claim(claim)
            case .registration(var registration):
                registration.anonymous = false
                return .registration(registration)
            case .intent(var intent):
                intent.anonymous = false
                return .intent(intent)
            case .reservation(var reservation):
                reservation.anonymous = false
                return .reservation(reservation)
            case .transaction(let transaction): return .transaction(withOtherToken(transaction))
            default: return delivery
            }
        }
    }

    private static func withOtherToken(_ transaction: OracleTransaction) -> OracleTransaction {
        guard transaction.appAccountToken != nil, transaction.signedDate / 1000 % 2 == 0 else { return transaction }
        var other = transaction
        other.appAccountToken = "00000000-0000-4000-8000-00000000ffff"
        return other
    }

    /// Registrations first, claims in their order, everything else at any place.
    private static func shuffled(_ deliveries: [Delivery], seed: UInt64) -> [Delivery] {
        var chance = Chance(seed: seed &* 7919)
        var (first, claims, news): ([Delivery], [Delivery], [Delivery]) = ([], [], [])
        for delivery in deliveries {
            switch delivery {
            case .registration: first.append(delivery)
            case .claim: claims.append(delivery)
            default: news.append(delivery)
            }
        }
        var places = (claims.map { _ in true } + news.map { _ in false }).shuffled(using: &chance)[...]
        var (nextClaim, nextNews) = (claims[...], news.shuffled(using: &chance)[...])
        while let isClaim = places.popFirst() {
            if let next = isClaim ? nextClaim.popFirst() : nextNews.popFirst() { first.append(next) }
        }
        return first
    }
}
