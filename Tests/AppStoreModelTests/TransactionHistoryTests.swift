import Foundation
import Primitives
import Testing

@testable import AppStoreModel

/// Whoever keeps the place where a list ended gets what was modified since, and nothing is ever missed.
@Suite struct TransactionHistoryTests {
    private static let app = AppNumber(place: 0)

    /// With everything shown at once, and with changes that are shown hours and weeks late.
    private static let lags: [Int64] = [0, 3, 500]

    @Test(arguments: 1...12 as ClosedRange<UInt64>, lags)
    func `who resumes has at every end what the store shows, and gets each changed transaction once`(
        seed: UInt64, lagHours: Int64
    ) throws {
        var life = try EventfulLife(seed: seed)
        life.story.store.setShowingLag(.hours(lagHours))
        var readers = EventfulLife.accounts.map { HistoryReader(account: $0, order: .ascending) }
        var (again, longest) = (0, 0)
        for round in 0..<100 {
            for _ in 0..<life.number(below: 6) { life.act() }
            if life.number(below: 2) == 0 { try life.pass(.hours(Int64(life.number(below: 100)))) }
            let shown = life.story.store.shownLate
            for place in readers.indices where life.number(below: 3) == 0 {
                let (before, present) = (
                    readers[place].seen, try life.transactions(of: readers[place].account, in: shown, .ascending)
                )
                let read = try readers[place].readToEnd(shown, Self.app)
                #expect(read.map(\.lastChange) == read.map(\.lastChange).sorted())
                let changed = present.filter { before[$0.key] != $0.value }
                #expect(read.map(\.transactionId).sorted() == changed.keys.sorted(), "seed \(seed), round \(round)")
                #expect(readers[place].seen == present, "seed \(seed), round \(round)")
                again += changed.keys.count { before[$0] != nil }
                longest = max(longest, read.count)
            }
        }
        #expect(life.acts.count == EventfulLife.variety, "\(life.acts)")
        #expect(again > 20 && longest > HistoryPage.limit, "\(again), \(longest)")
        life.story.store.setShowingLag(Milliseconds(0))
        for place in readers.indices {
            _ = try readers[place].readToEnd(life.story.store, Self.app)
            let present = try life.transactions(of: readers[place].account, in: life.story.store, .ascending)
            #expect(readers[place].seen == present, "what was hidden comes")
            let nothing = try readers[place].readToEnd(life.story.store, Self.app)
            #expect(nothing.isEmpty)
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>, [HistoryOrder.ascending, .descending, .refunds])
    func `what is modified between two pages is not missed, in any order`(seed: UInt64, order: HistoryOrder) throws {
        var life = try EventfulLife(seed: seed)
        life.story.store.setShowingLag(.hours(Int64(seed % 3) * 2))
        var readers = EventfulLife.accounts.map { HistoryReader(account: $0, order: order) }
        for _ in 0..<60 {
            for _ in 0..<8 { life.act() }
            for place in readers.indices {
                while try readers[place].turn(life.story.store.shownLate, Self.app).hasMore {
                    for _ in 0..<life.number(below: 3) { life.act() }
                    if life.number(below: 4) == 0 { try life.pass(.hours(1)) }
                }
                let shown = life.story.store.shownLate
                for (id, transaction) in try life.transactions(of: readers[place].account, in: shown, order) {
                    #expect(readers[place].seen[id] == transaction, "seed \(seed)")
                }
            }
        }
        life.story.store.setShowingLag(Milliseconds(0))
        for reader in readers {
            var reader = reader
            _ = try reader.readToEnd(life.story.store, Self.app)
            let present = try life.transactions(of: reader.account, in: life.story.store, order)
            // A reversed refund leaves its list without a word, as at Apple.
            #expect(reader.seen.filter { present[$0.key] != nil } == present, "seed \(seed)")
            #expect(order == .refunds || reader.seen.count == present.count)
        }
    }

    @Test func `descending is the reverse of ascending, also while the clock stands still`() throws {
        var story = try Story(catalogue: try EventfulLife.catalogue())
        let ids = try (0..<45).map { _ in try story.buy("coins").transactionId }
        for (count, place) in [30, 3, 44, 3].enumerated() {
            try story.store.setAppAccountToken(CompactUUID(high: 1, low: UInt64(count)), of: ids[place])
        }
        var (up, down) = (HistoryReader(account: "anna", order: .ascending), HistoryReader(account: "anna", order: .descending))
        let read = try up.readToEnd(story.store, story.app).map(\.transactionId)
        #expect(read.suffix(3) == [ids[30], ids[44], ids[3]])
        #expect(read.count == 45)
        #expect(try down.readToEnd(story.store, story.app).map(\.transactionId) == read.reversed())
        try story.refund(ids[7])
        try story.refund(ids[5])
        #expect(try up.readToEnd(story.store, story.app).map(\.transactionId) == [ids[7], ids[5]])
        #expect(try down.readToEnd(story.store, story.app).map(\.transactionId) == [ids[5], ids[7]])
    }

    @Test func `a refund, its reversal and another refund each come once, and with nothing new the place goes on working`() throws
    {
        var story = try Story()
        let id = try story.buy("lifetime").transactionId
        var (all, refunds) = (HistoryReader(account: "anna", order: .ascending), HistoryReader(account: "anna", order: .refunds))
        for isRefunded in [false, true, false, true] {
            if isRefunded { try story.refund(id) } else if all.seen[id] != nil { try story.reverse(id) }
            let read = try all.readToEnd(story.store, story.app)
            #expect(read.map(\.transactionId) == [id])
            #expect(read.map { $0.revocation != nil } == [isRefunded])
            #expect(try refunds.readToEnd(story.store, story.app).map(\.transactionId) == (isRefunded ? [id] : []))
            for _ in 0..<3 {
                let page = try all.turn(story.store, story.app)
                #expect(page.transactions.isEmpty && !page.hasMore)
            }
        }
    }

    @Test func `a transaction that stays as it was did not change`() throws {
        var story = try Story()
        let id = try story.buy("plus.monthly", token: World.token).transactionId
        try story.store.finish(id)
        let before = story.store
        try story.advance(to: World.days(1))
        try story.store.finish(id)
        try story.store.setAppAccountToken(try #require(CompactUUID(World.token)), of: id)
        #expect(story.store.find(id) == before.find(id))
        #expect(story.store.lastChange == before.lastChange)
    }

    @Test func `a newer change that is not shown yet comes later, also where an older one is shown meanwhile`() throws {
        var story = try Story()
        let id = try story.buy("lifetime").transactionId
        story.store.setShowingLag(.hours(1))
        var reader = HistoryReader(account: "anna", order: .ascending)
        func read() throws -> [Bool?] {
            try reader.readToEnd(story.store.shownLate, story.app).map { $0.isFinished ? $0.revocation != nil : nil }
        }
        #expect(try read() == [nil])
        try story.store.finish(id)
        try story.advance(to: World.start.adding(.minutes(30)))
        try story.refund(id)
        #expect(try read() == [])
        try story.advance(to: World.start.adding(.minutes(60)))
        #expect(try read() == [false], "finished, and its refund is still hidden")
        #expect(try read() == [])
        try story.advance(to: World.start.adding(.minutes(90)))
        #expect(try read() == [true])
    }

    @Test func `a store that an earlier version saved lists its transactions in their order of then, and goes on`() throws {
        var life = try EventfulLife(seed: 3)
        for _ in 0..<200 {
            life.act()
            try life.pass(.hours(3))
        }
        let text = String(decoding: try JSONEncoder().encode(life.story.store), as: UTF8.self)
        #expect(text.contains(/"changeNumber":\d+/))
        let old = text.replacing(/,"changeNumber":\d+|"changeNumber":\d+,/, with: "")
        #expect(!old.contains("changeNumber"))
        life.story.store = try JSONDecoder().decode(AppStore.self, from: Data(old.utf8))
        try life.story.store.check()
        var readers = EventfulLife.accounts.map { HistoryReader(account: $0, order: .ascending) }
        for place in readers.indices {
            let read = try readers[place].readToEnd(life.story.store, Self.app)
            let order = { (transaction: StorePurchase) in (transaction.modifiedAt, transaction.transactionId) }
            #expect(read.map(\.transactionId) == read.sorted { order($0) < order($1) }.map(\.transactionId))
            #expect(read.count > 3)
        }
        for _ in 0..<100 {
            life.act()
            for place in readers.indices {
                _ = try readers[place].readToEnd(life.story.store, Self.app)
                #expect(
                    readers[place].seen == (try life.transactions(of: readers[place].account, in: life.story.store, .ascending)))
            }
        }
        try life.story.store.check()
    }

    @Test func `a saved store with a number that its changes have not reached is refused`() throws {
        var story = try Story()
        let first = try story.buy("lifetime")
        story.store.setShowingLag(.hours(1))
        try story.refund(first.transactionId)
        let text = String(decoding: try JSONEncoder().encode(story.store), as: UTF8.self)
        // The refunded transaction's and the store's; before, in what is not shown yet, the transaction's as it was bought.
        for (number, times) in [(story.store.lastChange, 2), (first.lastChange, 1)] {
            let right = "\"changeNumber\":\(number)"
            #expect(text.split(separator: right, omittingEmptySubsequences: false).count == times + 1)
            for wrong in ["9223372036854775807", "-9223372036854775808"] {
                let changed = text.replacing(right, with: "\"changeNumber\":\(wrong)")
                let store = try JSONDecoder().decode(AppStore.self, from: Data(changed.utf8))
                #expect(throws: DanglingReference.self) { try store.check() }
            }
        }
    }
}
