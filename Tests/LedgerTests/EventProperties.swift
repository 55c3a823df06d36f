import Foundation
import Ledger
import Primitives
import Testing

/// What must be true of events in every life. `TENURE_SEED` and `TENURE_LIVES` as for `Properties`; a failure prints its seed.
@Suite struct EventProperties {
    private static let firstSeed = ProcessInfo.processInfo.environment["TENURE_SEED"].flatMap { UInt64($0) } ?? 1
    private static let lives = ProcessInfo.processInfo.environment["TENURE_LIVES"].flatMap { UInt64($0) } ?? 1000

    private var seeds: Range<UInt64> { Self.firstSeed..<(Self.firstSeed + Self.lives) }

    private func story(of events: [LedgerEvent]) -> SubscriptionStory {
        events.reduce(into: SubscriptionStory()) { $0.take($1) }
    }

    @Test(arguments: [RestorePolicy.keep, .transfer])
    func `I38 folding the events in order gives the owner, the end of access, whether it renews and into what`(
        policy: RestorePolicy
    ) async {
        for seed in seeds.prefix(250) {
            await Task.yield()
            let life = Life(seed: seed)
            for order in [life.inputs, life.inputs.shuffled(by: seed)] {
                var book = Book(AppPolicy(onRestore: policy))
                for input in order {
                    book.tell(input, at: input.instant)
                    #expect(story(of: book.events) == SubscriptionStory(of: book.state), "seed \(seed)")
                }
                expectVisible(story(of: book.events), in: book, "seed \(seed)")
            }
        }
    }

    /// Compares the story told by events with the answers to queries.
    private func expectVisible(_ story: SubscriptionStory, in book: Book, _ comment: Comment) {
        let state = book.state
        #expect(story.owners.last == state.owner(at: day(2040, 1, 1)), comment)
        for customer in Life.customers {
            let ends = state.spans(of: customer).compactMap(\.until)
            #expect((story.access[customer] == nil) == ends.isEmpty, comment)
            guard case .until(let signed, let provisional) = story.access[customer] else { continue }
            #expect(max(signed, provisional ?? signed) == ends.max(), comment)
            #expect(!book.isActive(customer, at: max(signed, provisional ?? signed)), comment)
        }
        guard let last = state.periods.last, let word = state.renewal, word.signedDate >= last.purchaseDate else { return }
        guard case .active(_, let renewal) = state.status(at: last.purchaseDate) else { return }
        switch renewal {
        case .renews(let product): #expect(story.renews == true && (story.nextProductId ?? last.productId) == product, comment)
        case .ends: #expect(story.renews == false && story.nextProductId == nil, comment)
        case .unknown, .never: break
        }
    }

    @Test func `I37 a repeated delivery produces no event, and reporting twice at one instant produces none`() async {
        for seed in seeds.prefix(250) {
            await Task.yield()
            let life = Life(seed: seed)
            var book = Book()
            for input in life.inputs { book.tell(input, at: input.instant) }
            for input in life.inputs.shuffled(by: seed) {
                // A claim that was answered and not stored (decision 0010, 7) may contain something new by now.
                if case .claim(let claim) = input, !book.history.claims.contains(where: { $0.id == claim.id }) { continue }
                let again = book.tell(input, at: day(2031, 1, 1))
                #expect(again.events.isEmpty && !again.changesHistory, "seed \(seed)")
            }
            book.passTime(to: day(2031, 1, 1))
            let again = book.passTime(to: day(2031, 1, 1))
            #expect(again.events.isEmpty && !again.changesHistory, "seed \(seed)")
        }
    }

    @Test func `I37 whether reports are made hourly, at every due instant or at once, each end is reported exactly once`() async {
        for seed in seeds.prefix(300) {
            await Task.yield()
            let life = Life(seed: seed)
            var (patient, eager) = (Book(), Book())
            for input in life.inputs {
                patient.tell(input, at: input.instant)
                eager.doWhatIsDue(until: input.instant)
                eager.tell(input, at: input.instant)
            }
            for book in [patient, eager] {
                var book = book
                book.doWhatIsDue(until: day(2040, 1, 1))
                let ends = book.events.filter { $0.kind == .accessEnded }
                #expect(
                    Set(ends.map { "\($0.transactionId?.rawValue ?? "")/\($0.effectiveAt)" }).count == ends.count, "seed \(seed)")
                let isOver = book.state.status(at: day(2040, 1, 1)).map { !$0.givesAccess } ?? false
                let lastPeriod = book.state.periods.last
                // Restoring gives a period another transaction id, so the end is identified by its time.
                if isOver, let lastPeriod, let end = lastPeriod.end, end > lastPeriod.purchaseDate {
                    let last = ends.last { $0.effectiveAt > lastPeriod.purchaseDate }
                    #expect(last != nil, "seed \(seed): the end of the last period was not told")
                }
            }
        }
    }

    /// After these events a subscription is not over, or not in the same way.
    private static let takingBack: Set<LedgerEvent.Kind> = [
        .newsLate, .purchaseRefunded, .refundReversed, .billingFailed, .subscriptionStarted, .subscriptionRenewed,
        .subscriptionRecovered, .subscriptionResubscribed, .subscriptionChanged,
    ]

    /// Source: docs/events.md. A thousand lives in three orders have about ten such ends.
    @Test func `I37 in whatever order facts arrive, an end is reported again only after a fact that withdrew it`() async {
        for seed in seeds.prefix(500) {
            await Task.yield()
            let life = Life(seed: seed)
            for round in 0..<3 as Range<UInt64> {
                var book = Book()
                for input in life.inputs.shuffled(by: seed &* 31 &+ round) { book.tell(input, at: day(2031, 1, 1)) }
                var last: [LedgerEvent.Kind: LedgerEvent] = [:]
                for event in book.events {
                    if Self.takingBack.contains(event.kind) { last = [:] }
                    guard event.kind == .subscriptionExpired || event.kind == .accessEnded else { continue }
                    #expect(last.updateValue(event, forKey: event.kind) != event, "seed \(seed), order \(round)")
                }
            }
        }
    }

    private static let announcements: Set<LedgerEvent.Kind> = [
        .subscriptionStarted, .subscriptionRenewed, .subscriptionRecovered, .subscriptionResubscribed, .subscriptionChanged,
    ]

    @Test func `I37 in whatever order facts arrive, each period that serves has been announced exactly once`() async {
        for seed in seeds.prefix(500) {
            await Task.yield()
            let life = Life(seed: seed)
            for order in [life.inputs, life.inputs.shuffled(by: seed), life.inputs.shuffled(by: ~seed)] {
                var book = Book()
                for input in order { book.tell(input, at: day(2031, 1, 1)) }
                let announced = book.events.filter { Self.announcements.contains($0.kind) }
                for period in book.state.periods where period.transaction.type == .autoRenewableSubscription {
                    let own = announced.count { $0.effectiveAt == period.purchaseDate && $0.productId == period.productId }
                    #expect(period.neverServes ? own <= 1 : own == 1, "seed \(seed): \(period.transaction.transactionId)")
                }
            }
        }
    }

    @Test func `events survive being written and read`() async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        for seed in seeds.prefix(200) {
            await Task.yield()
            var book = Book()
            for input in Life(seed: seed).inputs { book.tell(input, at: input.instant) }
            #expect(try JSONDecoder().decode([LedgerEvent].self, from: try encoder.encode(book.events)) == book.events)
        }
    }

    @Test func `RECON-1 the same history gives the same work, in any order of arrival, and each key occurs once`() async {
        for seed in seeds.prefix(300) {
            await Task.yield()
            let life = Life(seed: seed)
            var histories = [SubscriptionHistory(key: key), SubscriptionHistory(key: key)]
            for input in life.inputs { _ = histories[0].record(input) }
            for input in life.facts.shuffled(by: seed) + life.claims { _ = histories[1].record(input) }
            let work = histories.map { DueWork.after(SubscriptionState(folding: $0, under: AppPolicy()), $0) }
            #expect(work[0] == work[1], "seed \(seed)")
            #expect(Set(work[0].map(\.key)).count == work[0].count, "seed \(seed)")
        }
    }
}

extension LedgerInput {
    /// When it happened, if the event says so.
    var instant: Timestamp {
        switch self {
        case .fact(let fact): fact.signedDate
        case .claim(let claim): claim.claimedAt
        case .registration: day(2026, 12, 31)
        case .vote(let vote): vote.votedAt
        case .merge(let merge): merge.mergedAt
        case .join(let join): join.joinedAt
        case .separation(let separation): separation.separatedAt
        case .intent(let intent): intent.madeAt
        case .reservation(let reservation): reservation.reservedAt
        case .chargeElsewhere(let charge): charge.copy.signedDate
        case .predecessor(let word): word.switchedAt
        case .continuation(let word): word.switchedAt
        }
    }
}

extension Book {
    /// Does all work that is due by the instant, each at its own time.
    mutating func doWhatIsDue(until limit: Timestamp) {
        for _ in 0..<1000 {
            let tells = DueWork.after(state, history).filter { $0.action == .tell && $0.at <= limit }
            guard let next = tells.first else { return }
            passTime(to: next.at)
        }
        Issue.record("telling does not come to an end")
    }
}
