import AppStoreModel
import AppStoreSimulator
import Backend
import Ledger
import LedgerOracle
import Primitives
import Storage
import StorageSQLite

/// A customer, with one Apple Account and at most one subscription.
struct YearPerson: Sendable {
    let account: AccountID
    /// Their subscription renews without a notification, and they change nothing.
    let isSilent: Bool
    var subscription: TransactionNumber?
    /// When they, or Apple, last changed anything.
    var changedAt = AskingSite.start
    /// When something last changed in their favour that only a notification tells, and whose time nobody could know.
    var unforeseenAt: Timestamp?
}

// MARK: - What people do

extension YearOfLives {
    /// Something befalls a customer, as far as Apple allows it.
    mutating func act(_ number: Int) async throws {
        do {
            if let id = people[number].subscription {
                try await change(number, id)
            } else {
                try await buy(number, "first purchase")
            }
            people[number].changedAt = now
        } catch is StoreRefusal {
            figures.refusedActs += 1
        }
        guard !people[number].isSilent || people[number].subscription == nil else { return }
        // About eight in each life that lasts as long as the year.
        agenda.note(.act(number), at: now.adding(.hours(chance.between(6, size.days * 6))).millisecondsSince1970)
    }

    private mutating func change(_ number: Int, _ id: TransactionNumber) async throws {
        let book = try await site.simulator.book(of: id)
        switch book.state {
        case .active where book.payment == .fails(gracePeriodDays: nil) && chance.happens(50): try await pay(number, id)
        case .active: try await changeActive(number, book)
        case .billingGracePeriod, .billingRetry:
            if chance.happens(75) { try await pay(number, id) } else { try await setAutoRenew(number, id, isOn: false) }
        case .revoked where chance.happens(30):
            count("reversed refund")
            people[number].unforeseenAt = now
            _ = try await site.simulator.reverseRefund(book.latest)
        case .expired, .revoked: if chance.happens(60) { try await buy(number, "bought again") }
        }
    }

    private mutating func changeActive(_ number: Int, _ book: StoreSubscription) async throws {
        let id = book.originalTransactionId
        if book.priceIncrease?.isAgreed == false {
            count("answer to a price increase")
            // Whoever agrees renews: without it they would not.
            people[number].unforeseenAt = now
            _ = try await site.simulator.answerPriceIncrease(chance.happens(70), of: id)
            return
        }
        switch chance.below(100) {
        case ..<25: try await setAutoRenew(number, id, isOn: !book.autoRenews)
        case ..<40: try await fail(id, graceDays: nil)
        case ..<55: try await fail(id, graceDays: chance.pick([3, 16]))
        case ..<62:
            count("refund")
            _ = try await site.simulator.refund(book.latest, RefundOrder(isRequestedByCustomer: chance.happens(50)))
        case ..<84: try await buy(number, "change of plan")
        case ..<88:
            count("extension")
            if !book.autoRenews { people[number].unforeseenAt = now }
            _ = try await site.simulator.extend(id, days: chance.between(1, 20))
        default: count("nothing")
        }
    }

    private mutating func count(_ act: String) { figures.acts[act, default: 0] += 1 }

    private mutating func setAutoRenew(_ number: Int, _ id: TransactionNumber, isOn: Bool) async throws {
        count(isOn ? "auto-renew on" : "auto-renew off")
        if isOn { people[number].unforeseenAt = now }
        _ = try await site.simulator.setAutoRenew(isOn, of: id)
    }

    private mutating func fail(_ id: TransactionNumber, graceDays: Int64?) async throws {
        count(graceDays == nil ? "card fails" : "card fails, with grace")
        _ = try await site.simulator.setPayment(.fails(gracePeriodDays: graceDays), of: id)
    }

    /// The card works again: because the customer changed it on the device, which shows the app the new period, or by itself.
    private mutating func pay(_ number: Int, _ id: TransactionNumber) async throws {
        let isOnDevice = chance.happens(50)
        count(isOnDevice ? "card works, on the device" : "card works, unseen")
        let before = try await site.simulator.book(of: id).latest
        // Noted first: whoever pays may be asked about before the device has shown it.
        if !isOnDevice { people[number].unforeseenAt = now }
        let after = try await site.simulator.setPayment(.succeeds, of: id).subscription.latest
        if isOnDevice, after != before { try await upload(number, isPrompt: true) }
    }

    /// Buys what the customer does not have, and shows it to our server.
    private mutating func buy(_ number: Int, _ act: String) async throws {
        count(act)
        let person = people[number]
        let product =
            switch chance.below(100) {
            case ..<55: "plus.monthly"
            case ..<85: "pro.monthly"
            default: "plus.yearly"
            }
        let order = PurchaseOrder(
            app: try await site.simulator.app(nil), account: person.account, product: StoreProductID(product))
        let bought = try await site.simulator.buy(order)
        people[number].subscription = bought.transaction.transaction.originalTransactionId
        if person.isSilent {
            _ = try await site.simulator.setSilent(true, of: bought.transaction.transaction.originalTransactionId)
        }
        switch bought.outcome {
        case .purchased, .resubscribed, .upgraded, .switched: try await upload(number, isPrompt: true)
        // Auto-renew is on again, if it was off.
        case .deferred, .reverted, .offerRedeemed: people[number].unforeseenAt = now
        }
    }

    /// The customer's device shows our server the newest transaction, and keeps it where no server acknowledges it.
    mutating func upload(_ number: Int, isPrompt: Bool) async throws {
        uploads.insert(number)
        guard let living = server.living, let id = people[number].subscription else { return }
        let shown = try await site.simulator.subscription(id)
        let customer = people[number].account.rawValue
        let upload = Backend.Upload(
            customer: CustomerID(customer), kind: isPrompt ? .purchase : .queue, productId: nil,
            signedTransactionInfo: shown.latest.signedTransactionInfo, signedRenewalInfo: shown.signedRenewalInfo)
        let result: Backend.ClaimResult
        do {
            result = try await living.backend.claim(upload, app: AskingSite.app).accepted()
        } catch BackendError.store where server.living == nil {
            return
        }
        uploads.remove(number)
        figures.uploads += 1
        let transaction = try OracleReading.transaction(shown.latest.signedTransactionInfo)
        let claim = OracleClaim(
            id: "upload/\(figures.uploads)", originalTransactionId: id.rawValue, customer: customer,
            kind: isPrompt ? .purchase : .queue, shown: transaction, productId: transaction.productId,
            claimedAt: result.at.millisecondsSince1970)
        door.note([.claim(claim), .renewalInfo(try OracleReading.renewal(shown.signedRenewalInfo))], of: id.rawValue)
    }
}

// MARK: - The end

extension YearOfLives {
    /// How our ledger differs from what Apple's books and the oracle say, each with the customer.
    mutating func differences() async throws -> [String] {
        guard let living = server.living else { return ["no server lives"] }
        var differences: [String] = []
        for person in people {
            guard let id = person.subscription else { continue }
            let key = SubscriptionKey(
                Scope(app: AskingSite.app, environment: .production), OriginalTransactionID(id.rawValue))
            guard let kept = try await living.store.subscription(key) else {
                differences.append("\(person.account): \(id) is not known")
                continue
            }
            figures.compared += 1
            figures.periods += kept.state.periods.count
            for difference in try await books(of: person, id, kept) + oracle(of: person, id, kept, living) {
                differences.append("\(person.account): \(id): \(difference)")
            }
        }
        return differences
    }

    /// Beside Apple's own books, which nobody signed: what was bought, until when it serves, and whether it renews.
    private func books(of person: YearPerson, _ id: TransactionNumber, _ kept: StoredSubscription) async throws -> [String] {
        let app = try await site.simulator.app(nil)
        var differences: [String] = []
        var left = kept.state.periods
        let purchases = try await site.simulator.purchases(of: person.account, app: app)
        for purchase in purchases {
            let product = await site.simulator.productId(of: purchase).rawValue
            let place = left.firstIndex { $0.purchaseDate == purchase.purchaseDate && $0.productId.rawValue == product }
            guard let place else {
                // What renewed in silence is asked about at the end of the period before.
                let isDue = purchase.purchaseDate.adding(.hours(1)) < now
                if !person.isSilent || isDue { differences.append("\(product) of \(purchase.purchaseDate) is missing") }
                continue
            }
            let (ends, period) = (purchase.ends(among: purchases), left.remove(at: place))
            if !ends.contains(period.end) {
                differences.append("\(product) of \(purchase.purchaseDate) ends \(period.end as Any), not \(ends)")
            }
        }
        differences += left.map { "\($0.productId) of \($0.purchaseDate) is not in the books" }
        let book = try await site.simulator.book(of: id)
        let renewal = kept.history.renewals.max { $0.signedDate < $1.signedDate }
        if renewal?.autoRenewStatus != book.autoRenews { differences.append("auto-renew is \(book.autoRenews)") }
        return differences
    }

    /// Beside the oracle, which hears all that Apple signed, and our failed questions, of which Apple knows nothing.
    private func oracle(
        of person: YearPerson, _ id: TransactionNumber, _ kept: StoredSubscription, _ living: AskingServer
    ) async throws -> [String] {
        var deliveries = door.told[id.rawValue] ?? []
        deliveries += kept.history.questions.map {
            .failedQuestion(
                OracleFailedQuestion(
                    originalTransactionId: id.rawValue, askedAt: $0.askedAt.millisecondsSince1970, retryable: $0.isRetryable))
        }
        // Of its renewals Apple told nothing.
        if person.isSilent { return [] }
        let answer = Oracle(policy: OraclePolicy()).answer(to: deliveries)
        guard let told = answer[id.rawValue] else { return ["the oracle does not know it"] }
        var differences = [OracleReading.difference(told, kept.state)].compactMap(\.self)
        let customer = person.account.rawValue
        let isActive = try await living.backend.entitlements(
            of: CustomerID(customer), app: AskingSite.app, environment: .production, at: now
        ).overall.isActive
        let expected = answer.isActive(
            customer: customer, entitlement: "plus", products: ["plus.monthly", "plus.yearly", "pro.monthly"],
            at: now.millisecondsSince1970)
        if expected != isActive { differences.append("by the oracle active: \(expected)") }
        return differences
    }
}

extension StorePurchase {
    /// When it may stop to serve, by the books: at its end or its refund, or where something else was bought meanwhile, which
    /// replaces it or not: the books do not say so of every period, and the oracle decides. What was charged early and then
    /// refunded or replaced before it began never serves.
    fileprivate func ends(among all: [StorePurchase]) -> [Timestamp?] {
        let end = [expiresDate, revocation?.date].compactMap(\.self).min().map { max($0, purchaseDate) }
        let bought = all.filter { $0.reason == .purchase && $0 != self }.map { max($0.purchaseDate, purchaseDate) }
        let replaced = bought.filter { $0 < end ?? $0 }.map { Optional($0) }
        return [end] + replaced
    }
}
