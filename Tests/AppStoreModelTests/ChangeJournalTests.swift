import Primitives
import Testing

@testable import AppStoreModel

/// What services show late is what the store showed then.
@Suite struct ChangeJournalTests {
    /// A store in which much happens at random, with a copy of the whole of it after each instant.
    private struct Past {
        var story: Story
        var copies: [AppStore] = []
        var randomness: SplitMix

        init(seed: UInt64) throws {
            story = try Story(seed: seed)
            for name in ["ben", "cleo"] { _ = try story.store.openAccount(name, in: .production) }
            randomness = SplitMix(state: seed)
        }

        /// Something at this instant, unless the store refuses it.
        mutating func act() {
            let account = ["anna", "ben", "cleo"][Int(randomness.next() % 3)]
            let product = ["plus.monthly", "pro.monthly", "lifetime"][Int(randomness.next() % 3)]
            let transactions = story.store.accounts.flatMap { $0.installations.values.flatMap(\.transactions) }
            let any = transactions.isEmpty ? nil : transactions[Int(randomness.next() % UInt64(transactions.count))]
            do throws(StoreRefusal) {
                switch (randomness.next() % 5, any) {
                case (0, let id?): _ = try story.store.refund(id, RefundOrder())
                case (1, let id?): _ = try story.store.setAutoRenew(randomness.next() % 2 == 0, of: id)
                case (2, let id?): _ = try story.store.extend(id, days: 5)
                default: _ = try story.store.buy(story.order(product, by: AccountID(account)))
                }
            } catch {
                // A refused act changes nothing that is shown.
            }
        }

        mutating func pass(_ time: Milliseconds) throws {
            let target = story.store.now.adding(time)
            var isLeft = true
            while isLeft {
                let before = story.store
                isLeft = try story.store.step(upTo: target) != nil
                if story.store.now > before.now { copies.append(before) }
            }
        }

        /// The last copy that has everything until an instant.
        func copy(at instant: Timestamp) -> AppStore? { copies.last { $0.now <= instant } }
    }

    /// What statuses and histories read.
    private struct Shown: Equatable {
        var subscriptions: [StoreSubscription]
        var transactions: [StorePurchase]

        /// - Parameter ids: those that a later installation lists, of which some may be missing.
        init(_ store: AppStore, _ app: AppNumber, ids: [TransactionNumber]) {
            subscriptions = store.accounts.flatMap { store.subscriptions(of: app, for: $0.number) }
            transactions = ids.compactMap { store.find($0) }
        }
    }

    @Test(arguments: 1...20)
    func `a store that shows things late shows what a copy of that time shows`(seed: UInt64) throws {
        var past = try Past(seed: seed)
        let lag = Milliseconds.hours(Int64(seed) * 5)
        past.story.store.setShowingLag(lag)
        let begin = past.story.store.now
        var compared = 0
        for _ in 0..<60 {
            for _ in 0..<(past.randomness.next() % 3) { past.act() }
            try past.pass(.hours(Int64(past.randomness.next() % 96)))
            let store = past.story.store
            let horizon = store.now.adding(Milliseconds(-lag.count))
            guard horizon >= begin, let copy = past.copy(at: horizon) else { continue }
            let ids = store.accounts.flatMap { $0.installations[past.story.app]?.transactions ?? [] }
            #expect(Shown(store.shownLate, past.story.app, ids: ids) == Shown(copy, past.story.app, ids: ids), "seed \(seed)")
            compared += 1
            try store.check()
        }
        #expect(compared > 20)
    }

    @Test func `what is shown stays shown when a lag is set, changed and taken away`() throws {
        var story = try Story()
        let first = try story.buy("plus.monthly").transactionId
        story.store.setShowingLag(.hours(1))
        #expect(story.store.shownLate.find(first) != nil)
        let second = try story.buy("lifetime").transactionId
        #expect(story.store.shownLate.find(second) == nil)
        #expect(story.store.find(second) != nil, "only the copy is late")
        try story.advance(to: story.store.now.adding(.hours(1)))
        #expect(story.store.shownLate.find(second) != nil)
        story.store.setShowingLag(.hours(2))
        #expect(story.store.shownLate.find(second) != nil, "a longer lag hides nothing that was shown")
        try story.refund(second)
        #expect(story.store.shownLate.find(second)?.revocation == nil)
        story.store.setShowingLag(Milliseconds(0))
        #expect(story.store.shownLate.find(second)?.revocation != nil)
        #expect(story.store.journal == nil)
    }

    @Test func `a silent subscription renews, and is told in the history alone where that is wanted`() throws {
        for (isToldInHistory, names) in [(false, ["SUBSCRIBED/INITIAL_BUY"]), (true, ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])] {
            var story = try Story()
            let id = try story.buy("pro.monthly").originalTransactionId
            try story.store.setSilent(true, isToldInHistory: isToldInHistory, of: id)
            try story.advance(to: World.days(40))
            #expect(story.names == names)
            #expect(story.told.map(\.subject.isSilent) == [false] + names.dropFirst().map { _ in true })
            #expect(try story.latest.transactionId != id)
            try story.store.setSilent(false, of: id)
            try story.advance(to: World.days(70))
            #expect(story.told.last?.subject.isSilent == false)
            #expect(story.names.count == names.count + 1)
        }
    }
}
