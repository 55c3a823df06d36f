import Primitives
import Testing

@testable import AppStoreModel

/// Three customers to whom everything happens, at random, that changes a transaction.
struct EventfulLife {
    var story: Story
    var randomness: SplitMix
    /// Acts that the store did not refuse, by their number.
    private(set) var acts: [UInt64: Int] = [:]

    static let accounts: [AccountID] = ["anna", "ben", "cleo"]
    /// How many different acts there are.
    static let variety = 12

    private static let shelf = """
        {"products":[{"productID":"coins","type":"Consumable","displayPrice":"0.99"},\
        {"productID":"for.good","type":"NonConsumable","displayPrice":"49.99","familyShareable":true}],\
        "subscriptionGroups":[{"id":"g","subscriptions":[\
        {"productID":"best","displayPrice":"9.99","groupNumber":1,"familyShareable":true,"recurringSubscriptionPeriod":"P1M"},\
        {"productID":"good","displayPrice":"4.99","groupNumber":2,"familyShareable":true,"recurringSubscriptionPeriod":"P1W"}]}]}
        """

    static func catalogue() throws -> Catalogue { try Catalogue(storeKitFile: Array(shelf.utf8)) }

    init(seed: UInt64) throws {
        story = try Story(seed: seed, catalogue: try Self.catalogue())
        for name in ["ben", "cleo"] { _ = try story.store.openAccount(name, in: .production) }
        _ = try story.store.openFamily("home", organizer: "anna")
        randomness = SplitMix(state: seed)
    }

    mutating func number(below bound: Int) -> Int { Int(randomness.next() % UInt64(bound)) }

    /// A transaction of anybody to which an act can happen; nil where there is none.
    private mutating func transaction(for choice: UInt64) -> TransactionNumber? {
        let all = story.store.accounts.flatMap { $0.installations[story.app]?.transactions ?? [] }
        let possible = all.filter { id in
            switch choice {
            case 1: story.store.find(id)?.revocation != nil
            case 2, 5: story.store.findSubscription(id) != nil
            default: true
            }
        }
        return possible.isEmpty ? nil : possible[number(below: possible.count)]
    }

    /// Something at this instant, unless the store refuses it.
    mutating func act() {
        let (choice, account) = (UInt64(number(below: Self.variety)), Self.accounts[number(below: 3)])
        do throws(StoreRefusal) {
            if choice >= 6 {
                try happen(to: account, choice)
            } else if let id = transaction(for: choice) {
                try change(id, choice)
            }
            acts[choice, default: 0] += 1
        } catch {
            // A refused act is none.
        }
    }

    private mutating func change(_ id: TransactionNumber, _ choice: UInt64) throws(StoreRefusal) {
        switch choice {
        case 0: _ = try story.store.refund(id, RefundOrder())
        case 1: _ = try story.store.reverseRefund(id)
        case 2: _ = try story.store.extend(id, days: 5)
        case 3: try story.store.finish(id)
        case 4: try story.store.setAppAccountToken(CompactUUID(high: randomness.next(), low: 1), of: id)
        default: _ = try story.store.setAutoRenew(number(below: 2) == 0, of: id)
        }
    }

    private mutating func happen(to account: AccountID, _ choice: UInt64) throws(StoreRefusal) {
        switch choice {
        case 6: _ = try story.store.join("home", account)
        case 7 where account != "anna": _ = try story.store.leaveFamily(account)
        case 8: _ = try story.store.restore(story.app, for: account)
        case 9:
            for _ in 0..<number(below: 40) { _ = try story.store.buy(story.order("coins", by: account)) }
        default: _ = try story.store.buy(story.order(["best", "good", "for.good"][number(below: 3)], by: account))
        }
    }

    mutating func pass(_ time: Milliseconds) throws { try story.advance(to: story.store.now.adding(time)) }

    /// What the store has of an account that is listed, by its id.
    func transactions(
        of account: AccountID, in store: AppStore, _ order: HistoryOrder
    ) throws -> [TransactionNumber: StorePurchase] {
        let ids = try store.account(account).installations[story.app]?.transactions ?? []
        return ids.compactMap { store.find($0) }.filter(order.admits).reduce(into: [:]) { $0[$1.transactionId] = $1 }
    }
}

extension HistoryOrder {
    /// What a list in this order is about.
    var admits: (StorePurchase) -> Bool { { self != .refunds || $0.revocation.map { $0.kind != .familyRevoke } ?? false } }
}

/// Somebody who reads an account's transactions, keeps the place, and goes on from there the next time.
struct HistoryReader {
    let account: AccountID
    let order: HistoryOrder
    var place = HistoryPlace.beginning
    var seen: [TransactionNumber: StorePurchase] = [:]

    /// The next page.
    mutating func turn(_ store: AppStore, _ app: AppNumber) throws -> HistoryPage {
        let page = store.history(of: try store.account(account), in: app, order, from: place, admits: order.admits)
        #expect(page.transactions.count <= 20)
        #expect(!page.hasMore || !page.transactions.isEmpty && page.end != place, "a reader would turn pages for ever")
        place = page.end
        for transaction in page.transactions { seen[transaction.transactionId] = transaction }
        return page
    }

    /// All pages until there are no more.
    mutating func readToEnd(_ store: AppStore, _ app: AppNumber) throws -> [StorePurchase] {
        var (read, hasMore) = ([StorePurchase](), true)
        while hasMore {
            let page = try turn(store, app)
            read += page.transactions
            hasMore = page.hasMore
        }
        return read
    }
}
