internal import Primitives

/// Why a saved store is invalid: something in it refers to something that does not exist.
package struct DanglingReference: Error, Sendable, CustomStringConvertible {
    package let description: String
}

extension AppStore {
    /// Checks that all references in it are valid, as they are in everything that this store itself wrote. A saved store refers
    /// to places in lists by number, and a wrong number would crash the process when it is used.
    ///
    /// - Throws: ``DanglingReference``.
    package func check() throws(DanglingReference) {
        try Self.need(!apps.isEmpty && apps.count <= Self.maximumApps, "apps")
        try Self.need(books.count == 2 && mints.count == 2, "books")
        try Self.need(books.values.allSatisfy(\.isPlausible) && mints.values.allSatisfy(\.isPlausible), "numbers")
        for (place, app) in apps.enumerated() {
            let (known, number) = (Array(app.prices.keys) + app.withdrawn, AppNumber(place: Int32(place)))
            try Self.need(known.allSatisfy { has($0, in: number) }, "products of app \(place)")
        }
        for (place, account) in accounts.enumerated() {
            try Self.need(Int(account.number.place) == place && has(account.storefront), "account \(place)")
            for (app, installation) in account.installations {
                try Self.need(
                    has(app) && installation.redeemed.allSatisfy { has($0, in: app) }, "installations of account \(place)")
            }
        }
        try Self.need(accountNumbers.values.allSatisfy(has), "accounts by name")
        try Self.need(families.values.flatMap(\.members).allSatisfy(has), "families")
        try Self.need(devices.values.compactMap(\.account).allSatisfy(has), "devices")
        try Self.need(massExtensions.allSatisfy { has($0.app) }, "extensions")
        for subscription in subscriptions.values { try check(subscription) }
        for book in books.values { for transaction in book.all { try check(transaction) } }
        try Self.need(journal?.isWhole ?? true, "the changes that are not shown yet")
        for subscription in journal?.allSubscriptions ?? [] { try check(subscription) }
        for transaction in journal?.allTransactions ?? [] { try check(transaction) }
        try Self.need(notificationForm?.isWhole ?? true, "the form of notifications")
        try checkChanges()
        for due in dueQueue.all {
            guard case .massExtension(let place) = due.name else { continue }
            try Self.need(massExtensions.indices.contains(place), "due work")
        }
    }

    /// The same for a stored notification.
    package func check(_ notification: StoreNotification) throws(DanglingReference) {
        switch notification.subject {
        case .subscription(let subscription, let transaction, _):
            try check(subscription)
            try check(transaction)
        case .purchase(let transaction): try check(transaction)
        case .app(let app): try Self.need(has(app), "a notification")
        case .consent(let app, let account): try Self.need(has(app) && has(account), "a notification")
        }
    }

    /// Whoever resumes a history misses no transaction only if none has a number that the changes have not reached.
    private func checkChanges() throws(DanglingReference) {
        // Counting on from there does not overflow.
        try Self.need((0...1_000_000_000_000_000_000).contains(lastChange), "changes")
        let reached = 0...lastChange
        for book in books.values {
            try Self.need(book.all.allSatisfy { reached.contains($0.lastChange) }, "changes of transactions")
        }
        try Self.need(journal?.allTransactions.allSatisfy { reached.contains($0.lastChange) } ?? true, "changes not shown yet")
    }

    /// Whether it names an app of this store.
    package func has(_ app: AppNumber) -> Bool { apps.indices.contains(Int(app.place)) }

    private func has(_ account: AccountNumber) -> Bool { accounts.indices.contains(Int(account.place)) }

    private func has(_ storefront: StorefrontNumber) -> Bool { storefronts.indices.contains(Int(storefront.place)) }

    private func has(_ product: ProductNumber, in app: AppNumber) -> Bool {
        self[app].catalogue.products.indices.contains(product.place)
    }

    private func has(_ offer: OfferNumber, in app: AppNumber) -> Bool {
        self[app].catalogue.offers.indices.contains(offer.place)
    }

    private func check(_ subscription: StoreSubscription) throws(DanglingReference) {
        let app = subscription.app
        let isRight =
            has(app) && has(subscription.account) && has(subscription.product, in: app)
            && has(subscription.autoRenewProduct, in: app) && subscription.nextOffer.map { has($0.number, in: app) } ?? true
            && (0...Int32.max / 2).contains(subscription.renewals)
        try Self.need(isRight, "subscription \(subscription.originalTransactionId)")
    }

    private func check(_ transaction: StorePurchase) throws(DanglingReference) {
        let app = transaction.app
        let isRight =
            has(app) && has(transaction.account) && has(transaction.storefront) && has(transaction.product, in: app)
            && transaction.offer.map { has($0, in: app) } ?? true
        try Self.need(isRight, "transaction \(transaction.transactionId)")
    }

    private static func need(_ isRight: Bool, _ what: String) throws(DanglingReference) {
        guard isRight else { throw DanglingReference(description: "\(what): it refers to something that is missing") }
    }
}
