import Foundation
import Ledger
import Primitives
import Testing

/// Properties over random lives. `TENURE_SEED` sets the first seed and `TENURE_LIVES` how many lives; a failure prints its seed.
@Suite struct Properties {
    private static let firstSeed = ProcessInfo.processInfo.environment["TENURE_SEED"].flatMap { UInt64($0) } ?? 1
    private static let lives = ProcessInfo.processInfo.environment["TENURE_LIVES"].flatMap { UInt64($0) } ?? 1000

    private var seeds: Range<UInt64> { Self.firstSeed..<(Self.firstSeed + Self.lives) }

    private func fold(_ inputs: [LedgerInput], _ policy: AppPolicy = AppPolicy()) -> SubscriptionState {
        var history = SubscriptionHistory(key: key)
        for input in inputs {
            _ = history.record(input)
        }
        return SubscriptionState(folding: history, under: policy)
    }

    @Test func `FACT-2 any order and any duplication of the same facts and claims gives the same state`() async {
        for seed in seeds {
            await Task.yield()
            let life = Life(seed: seed)
            let expected = fold(life.inputs)
            let doubled = (life.inputs + life.inputs).shuffled(by: seed &+ 1)
            let reversed = Array(life.inputs.reversed())
            #expect(fold(doubled) == expected, "seed \(seed)")
            #expect(fold(reversed) == expected, "seed \(seed)")
        }
        print("properties: \(Self.lives) lives from seed \(Self.firstSeed), each shuffled, doubled and reversed")
    }

    @Test func `FACT-2 facts may arrive in any order between claims in their order`() async {
        for seed in seeds {
            await Task.yield()
            let life = Life(seed: seed)
            var early = Book()
            for input in life.facts + life.claims { early.tell(input) }
            var shuffled = Book()
            for input in life.facts.shuffled(by: seed) + life.claims { shuffled.tell(input) }
            #expect(early.state == shuffled.state, "seed \(seed)")
        }
    }

    @Test(arguments: RestorePolicy.allCases)
    func `OWN-1 there is at most one owner at any instant, and owners follow each other without gaps`(policy: RestorePolicy) async
    {
        for seed in seeds {
            await Task.yield()
            let state = fold(Life(seed: seed).inputs, AppPolicy(onRestore: policy))
            for (one, next) in zip(state.tenures, state.tenures.dropFirst()) {
                #expect(one.until == next.from && one.from < next.from && one.customer != next.customer, "seed \(seed)")
            }
            for span in state.spans {
                let holders = Life.customers.filter { customer in state.spans(of: customer).contains { $0.contains(span.from) } }
                #expect(holders.count <= 1, "seed \(seed)")
            }
        }
    }

    @Test func `ENT-6 access never outlives its evidence by more than the leeway and the grace period that Apple signed`() async {
        for seed in seeds {
            await Task.yield()
            let life = Life(seed: seed)
            let state = fold(life.inputs)
            let signedEnds = life.inputs.compactMap { input -> Timestamp? in
                guard case .fact(let fact) = input else { return nil }
                switch fact {
                case .transaction(let transaction): return transaction.expiresDate
                case .renewal(let renewal): return renewal.gracePeriodExpiresDate
                case .status(let answered, _): return answered.signedDate
                case .notice, .failedQuestion: return nil
                }
            }
            guard let last = signedEnds.max() else { continue }
            // Of a grace period Apple may sign no end: it lasts the days that the app chose at the most (ENT-7).
            for span in state.spans {
                let most: Milliseconds = span.kind == .gracePeriod ? .days(28) : .hours(24)
                #expect((span.until ?? .latestAccepted) <= last + most, "seed \(seed)")
            }
        }
    }

    @Test func `FACT-1 a history taken apart, as a store keeps it, and put together again gives the same state`() async throws {
        for seed in seeds.prefix(200) {
            await Task.yield()
            var book = Book()
            for input in Life(seed: seed).inputs { book.tell(input) }
            #expect(book.history.rebuilt == book.history, "seed \(seed)")
            #expect(SubscriptionState(folding: book.history.rebuilt, under: AppPolicy()) == book.state, "seed \(seed)")
        }
    }

    @Test func `moving every instant by the same duration moves every answer by it`() async {
        for seed in seeds.prefix(300) {
            await Task.yield()
            let inputs = Life(seed: seed).inputs
            let shift = Milliseconds.days(1000)
            let (here, there) = (fold(inputs), fold(inputs.map { $0.moved(by: shift) }))
            #expect(here.spans.map { $0.from + shift } == there.spans.map(\.from), "seed \(seed)")
            #expect(here.tenures.map { $0.from + shift } == there.tenures.map(\.from), "seed \(seed)")
            #expect(here.tenures.map(\.customer) == there.tenures.map(\.customer), "seed \(seed)")
        }
    }
}

extension LedgerInput {
    fileprivate func moved(by shift: Milliseconds) -> LedgerInput {
        switch self {
        case .registration, .vote, .merge, .intent, .reservation, .join, .separation, .chargeElsewhere, .predecessor,
            .continuation:
            return self
        case .claim(let claim):
            var shown = TransactionFact(
                originalTransactionId: key.originalTransactionId, transactionId: TransactionID("0"), productId: claim.productId,
                purchaseDate: claim.claimedAt, signedDate: claim.claimedAt)
            for alias in claim.aliases {
                switch alias {
                case .webOrderLineItem(let id): shown.webOrderLineItemId = id
                case .productAndSecond(let product, let second):
                    shown.productId = product
                    shown.purchaseDate = second + shift
                case .oneTimePurchase: shown.type = .nonConsumable
                case .seatAddition(let id):
                    (shown.transactionId, shown.details.additionalTransactionReason) = (id, "SEAT_ADDITION")
                }
            }
            return .claim(
                Claim(
                    id: claim.id, customer: claim.customer, kind: claim.kind, transaction: shown, productId: claim.productId,
                    claimedAt: claim.claimedAt + shift))
        case .fact(.transaction(var fact)):
            fact.purchaseDate = fact.purchaseDate + shift
            fact.expiresDate = fact.expiresDate.map { $0 + shift }
            fact.signedDate = fact.signedDate + shift
            if let date = fact.revocation?.revocationDate { fact.revocation?.revocationDate = date + shift }
            return .fact(.transaction(fact))
        case .fact(.renewal(var fact)):
            fact.signedDate = fact.signedDate + shift
            fact.gracePeriodExpiresDate = fact.gracePeriodExpiresDate.map { $0 + shift }
            return .fact(.renewal(fact))
        case .fact(.notice(var fact, let id)):
            fact.signedDate = fact.signedDate + shift
            return .fact(.notice(fact, about: id))
        case .fact(.status(var fact, let id)):
            fact.signedDate = fact.signedDate + shift
            return .fact(.status(fact, about: id))
        case .fact(.failedQuestion(var fact, let id)):
            fact.askedAt = fact.askedAt + shift
            return .fact(.failedQuestion(fact, about: id))
        }
    }
}
