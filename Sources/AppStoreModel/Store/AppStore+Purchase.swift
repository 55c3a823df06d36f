internal import Primitives

/// What a customer asks for.
package struct PurchaseOrder: Sendable, Hashable {
    package var app: AppNumber
    package var account: AccountID
    package var product: StoreProductID
    /// A UUID that the app assigns to the purchase.
    package var appAccountToken: CompactUUID?
    /// For a consumable: how many.
    package var quantity: Int32 = 1
    package var offer = ChosenOffer.automatic
    package var plan = StoreBillingPlan.billedUpfront
    /// Whether it is bought as another subscription, with an `originalTransactionId` of its own, while the one of the same group
    /// fails to renew; otherwise it is refused then.
    package var isBesideFailing = false
    /// Whether a deferred change that is taken back by buying the running product again begins a new period at once; otherwise
    /// only the next renewal changes.
    package var beginsAnew = false

    package init(app: AppNumber, account: AccountID, product: StoreProductID) {
        self.app = app
        self.account = account
        self.product = product
    }

    /// Which offer the customer takes. The caller has checked the offer's signature.
    package enum ChosenOffer: Sendable, Hashable {
        /// The introductory one, if the customer is eligible.
        case automatic
        case none
        /// The introductory one, because the app's server said that the customer may have it again.
        case introductory
        case promotional(String)
        case winBack(String)
        case code(String)
    }
}

/// The outcome of a purchase.
package struct Purchase: Sendable, Hashable {
    package enum Outcome: String, Sendable, Hashable {
        case purchased, resubscribed, upgraded
        /// It replaces the current product at the next renewal.
        case deferred
        /// A deferred change was taken back.
        case reverted
        /// An offer for a subscription that the customer already has: it begins with the next renewal.
        case offerRedeemed
        /// It replaces a subscription of another group: a switch between a standalone subscription and a bundle.
        case switched
    }

    package let outcome: Outcome
    /// The new transaction; where nothing was billed, the current one, of the old product.
    package let transaction: StorePurchase
    package let notifications: [StoreNotification]
}

/// A period or a one-time product to be billed.
struct Bill {
    let app: AppNumber
    let product: ProductNumber
    let account: AccountNumber
    let start: Timestamp
    var appAccountToken: CompactUUID?
    var quantity: Int32 = 1
    var reason = StorePurchase.Reason.purchase
    var ownership = StorePurchase.Ownership.purchased
    var offer: OfferNumber?
    var price = Milliunits(0)
    /// The subscription that the period belongs to; nil when the period begins a new one.
    var subscription: StoreSubscription?
    var commitment: Commitment?
    /// Of a period that was billed before; nil: a new one.
    var webOrderLineItemId: Int64?
    /// Nil: the product or the offer determines the end.
    var end: Timestamp?
}

extension AppStore {
    /// A customer buys a product.
    package mutating func buy(_ order: PurchaseOrder) throws(StoreRefusal) -> Purchase {
        let account = try account(order.account)
        let catalogue = self[order.app].catalogue
        guard let number = catalogue.number(of: order.product) else { throw .unknownProduct }
        guard !self[order.app].withdrawn.contains(number) else { throw .productNotForSale }
        guard (1...10).contains(order.quantity) else { throw .invalidQuantity }
        _ = try nextId(of: account)
        let installation = install(order.app, for: account.number)
        guard let terms = catalogue[number].terms else { return try buyOnce(order, number, account) }
        guard order.plan == .billedUpfront || terms.monthlyPlan != nil else { throw .planNotOffered }
        let current = subscription(of: terms.group, installation, in: account.storefront)
        let offer = try chosenOffer(order, of: number, current: current, installation)
        let wish = Wish(order: order, product: number, terms: terms, offer: offer, account: account)
        guard let current else { return try subscribe(wish) }
        if current.hasEnded { return try resubscribe(wish, current) }
        if case .active = current.state { return try change(current, to: wish) }
        guard order.isBesideFailing else { throw .paymentDeclined }
        return try subscribe(wish)
    }

    /// The account's own subscription in a group. After a move to another country, a purchase does not continue the subscription
    /// that ended before: it is another one, with an `originalTransactionId` of its own (OWN-14).
    private func subscription(
        of group: SubscriptionGroupID, _ installation: Installation, in storefront: StorefrontNumber
    ) -> StoreSubscription? {
        guard let subscription = installation.subscriptions[group].flatMap({ subscriptions[$0] }) else { return nil }
        let hasMoved = subscription.hasEnded && find(subscription.latest).map { $0.storefront != storefront } ?? false
        return hasMoved ? nil : subscription
    }

    /// A customer redeems an offer code, which names its product by itself.
    package mutating func redeem(
        code: String, app: AppNumber, account: AccountID, appAccountToken: CompactUUID? = nil
    ) throws(StoreRefusal) -> Purchase {
        let catalogue = self[app].catalogue
        let product = catalogue.products.first { product in
            catalogue.offers(of: product, .code).contains { catalogue[$0].identifier == code }
        }
        guard let product else { throw .unknownOffer }
        var order = PurchaseOrder(app: app, account: account, product: product.id)
        order.offer = .code(code)
        order.appAccountToken = appAccountToken
        return try buy(order)
    }

    // MARK: What does not renew

    private mutating func buyOnce(
        _ order: PurchaseOrder, _ product: ProductNumber, _ account: StoreAccount
    ) throws(StoreRefusal) -> Purchase {
        let kind = self[order.app].catalogue[product].kind
        let installation = install(order.app, for: account.number)
        let isOwned = installation.transactions.contains { id in
            find(id).map { $0.product == product && $0.revocation == nil } ?? false
        }
        if kind == .nonConsumable, isOwned { throw .alreadyOwned }
        if kind == .nonConsumable, order.quantity != 1 { throw .invalidQuantity }
        let offer = try oneTimeOffer(order, product, installation)
        let price = offer.map { self[order.app].catalogue[$0].price } ?? self[order.app].price(of: product)
        try charge(account, price)
        if let offer { self[account.number].installations[order.app]?.redeemed.insert(offer) }
        var bill = Bill(app: order.app, product: product, account: account.number, start: now)
        bill.appAccountToken = order.appAccountToken
        bill.quantity = order.quantity
        bill.offer = offer
        bill.price = Milliunits(price.count * Int64(order.quantity))
        let transaction = self.bill(bill)
        enqueue(transaction.transactionId, of: account.number)
        let told = told(.oneTimeCharge, about: transaction)
        return Purchase(
            outcome: .purchased, transaction: transaction, notifications: told + shareOnce(transaction))
    }

    private func oneTimeOffer(
        _ order: PurchaseOrder, _ product: ProductNumber, _ installation: Installation
    ) throws(StoreRefusal) -> OfferNumber? {
        switch order.offer {
        case .automatic, .none: return nil
        case .introductory, .promotional, .winBack: throw .offerNotEligible
        case .code(let name):
            let catalogue = self[order.app].catalogue
            guard let number = catalogue.offers(of: catalogue[product], .code).first(where: { catalogue[$0].identifier == name })
            else { throw .unknownOffer }
            guard !installation.redeemed.contains(number) else { throw .offerNotEligible }
            return number
        }
    }

    // MARK: Subscriptions

    /// What a customer wants of a subscription group.
    struct Wish {
        var order: PurchaseOrder
        let product: ProductNumber
        let terms: SubscriptionTerms
        let offer: OfferNumber?
        let account: StoreAccount
        /// The subscription of another group that it replaces.
        var replacing: TransactionNumber?
    }

    mutating func subscribe(_ wish: Wish) throws(StoreRefusal) -> Purchase {
        let period = try billFirst(wish, nil)
        var subscription = StoreSubscription(
            originalTransactionId: period.transactionId, account: wish.account.number, app: wish.order.app,
            group: wish.terms.group, originalPurchaseDate: now, ownership: .purchased,
            state: .active(until: period.expiresDate ?? now), latest: period.transactionId, product: wish.product,
            autoRenewProduct: wish.product, recentSubscriptionStartDate: now)
        subscription.previousOriginalTransactionId = wish.replacing
        settle(&subscription, wish, period)
        enter(subscription)
        keep(subscription)
        let told = told(.initialBuy, about: subscription)
        return Purchase(outcome: .purchased, transaction: period, notifications: told + share(subscription))
    }

    /// Makes it the account's subscription of its group. One that it had there stays the account's where both go on at once or
    /// where a switch ended it.
    mutating func enter(_ subscription: StoreSubscription) {
        guard var installation = self[subscription.account].installations[subscription.app] else { return }
        if let earlier = installation.subscriptions[subscription.group].flatMap({ subscriptions[$0] }),
            !earlier.hasEnded || earlier.state == .revoked
        {
            installation.replaced = (installation.replaced ?? []) + [earlier.originalTransactionId]
        }
        installation.subscriptions[subscription.group] = subscription.originalTransactionId
        self[subscription.account].installations[subscription.app] = installation
    }

    private mutating func resubscribe(_ wish: Wish, _ current: StoreSubscription) throws(StoreRefusal) -> Purchase {
        var subscription = current
        if case .expired(let lapsed, _) = subscription.state, now.since(lapsed) >= Self.lapseThatStartsAnew {
            subscription.recentSubscriptionStartDate = now
        }
        if subscription.payment != nil { subscription.payment = .succeeds }
        let period = try billFirst(wish, subscription)
        settle(&subscription, wish, period)
        keep(subscription)
        let told = told(.resubscribe, about: subscription)
        return Purchase(outcome: .resubscribed, transaction: period, notifications: told + share(subscription))
    }

    /// Between products of one group the level decides, and for equal levels the period.
    ///
    /// Source: Apple, "Auto-renewable Subscriptions", upgrades, downgrades and crossgrades.
    private mutating func change(_ current: StoreSubscription, to wish: Wish) throws(StoreRefusal) -> Purchase {
        guard let old = terms(of: current.product, in: current.app) else { throw .unknownProduct }
        let isRedeemed = wish.offer.map { self[wish.order.app].catalogue[$0].kind != .introductory } ?? false
        let isSamePlan = wish.order.plan == current.renewalPlan
        if wish.product == current.product, isSamePlan {
            if isRedeemed { return try deferChange(current, wish, .offerRedeemed) }
            if wish.product == current.autoRenewProduct { throw .alreadySubscribed }
            guard wish.order.beginsAnew else { return try deferChange(current, wish, .reverted) }
            return try changeAtOnce(current, wish, .reverted, .reverted)
        }
        if wish.product == current.autoRenewProduct, isSamePlan, !isRedeemed { throw .alreadySubscribed }
        let isImmediate =
            wish.terms.level < old.level || (wish.terms.level == old.level && wish.terms.period == old.period)
        guard isImmediate, wish.product != current.product else {
            return try deferChange(current, wish, isRedeemed ? .offerRedeemedDowngrade : .downgrade)
        }
        return try changeAtOnce(current, wish, isRedeemed ? .offerRedeemedUpgrade : .upgrade, .upgraded)
    }

    /// A whole period from now on: of a higher product, or of the running one. Whether Apple marks as upgraded what the running
    /// product itself replaced is not known; here it stays as it was.
    private mutating func changeAtOnce(
        _ current: StoreSubscription, _ wish: Wish, _ event: StoreNotification.Event, _ outcome: Purchase.Outcome
    ) throws(StoreRefusal) -> Purchase {
        var (subscription, wish) = (current, wish)
        wish.order.appAccountToken = tokenOfChange(wish, current)
        let period = try billFirst(wish, subscription)
        if outcome == .upgraded { change(current.latest) { $0.isUpgraded = true } }
        settle(&subscription, wish, period)
        keep(subscription)
        return Purchase(
            outcome: outcome, transaction: period, notifications: told(event, about: subscription) + share(subscription))
    }

    /// A customer who chooses a product for the next renewal wants that renewal: auto-renew is turned on.
    private mutating func deferChange(
        _ current: StoreSubscription, _ wish: Wish, _ event: StoreNotification.Event
    ) throws(StoreRefusal) -> Purchase {
        var subscription = current
        subscription.autoRenewProduct = wish.product
        subscription.autoRenews = true
        subscription.renewalPlan = wish.order.plan
        subscription.keptPrice = self[wish.order.app].price(of: wish.product)
        subscription.priceIncrease = nil
        subscription.appAccountToken = tokenOfChange(wish, current) ?? current.appAccountToken
        let catalogue = self[wish.order.app].catalogue
        subscription.nextOffer = wish.offer.map { .init(number: $0, periodsLeft: catalogue[$0].billedPeriods) }
        use(wish)
        keep(subscription)
        let outcome: Purchase.Outcome =
            switch event {
            case .reverted: .reverted
            case .offerRedeemed: .offerRedeemed
            default: .deferred
            }
        let latest = try latestTransaction(of: subscription)
        enqueue(latest.transactionId, of: wish.account.number)
        return Purchase(outcome: outcome, transaction: latest, notifications: told(event, about: subscription))
    }

    /// The token that the change of plan of a running subscription carries.
    private func tokenOfChange(_ wish: Wish, _ current: StoreSubscription) -> CompactUUID? {
        switch self[wish.order.app].terms.tokenOfPlanChange {
        case .new: wish.order.appAccountToken
        case .kept: current.appAccountToken ?? wish.order.appAccountToken
        }
    }

    /// The first period of a purchase, paid now.
    private mutating func billFirst(_ wish: Wish, _ subscription: StoreSubscription?) throws(StoreRefusal) -> StorePurchase {
        let app = self[wish.order.app]
        var bill = Bill(app: wish.order.app, product: wish.product, account: wish.account.number, start: now)
        bill.appAccountToken = wish.order.appAccountToken
        bill.subscription = subscription
        bill.offer = wish.offer
        if wish.order.plan == .monthly, let plan = wish.terms.monthlyPlan {
            bill.price = plan.price
            bill.commitment = Commitment(
                billingPeriodNumber: 1,
                expiresDate: end(of: .oneYear, from: now, wish.order.app, wish.account.environment))
        } else {
            bill.price = wish.offer.map { app.catalogue[$0].price } ?? app.price(of: wish.product)
        }
        if subscription?.payment == nil { try charge(wish.account, bill.price) }
        use(wish)
        let period = self.bill(bill)
        enqueue(period.transactionId, of: wish.account.number)
        return period
    }

    /// An offer that was used stays used, whatever happens to the purchase.
    private mutating func use(_ wish: Wish) {
        guard let number = wish.offer else { return }
        switch self[wish.order.app].catalogue[number].kind {
        case .introductory: self[wish.account.number].installations[wish.order.app]?.introduced.insert(wish.terms.group)
        case .code: self[wish.account.number].installations[wish.order.app]?.redeemed.insert(number)
        case .promotional, .winBack: break
        }
    }

    /// Sets a subscription to what was just bought.
    private mutating func settle(_ subscription: inout StoreSubscription, _ wish: Wish, _ period: StorePurchase) {
        let catalogue = self[wish.order.app].catalogue
        subscription.state = .active(until: period.expiresDate ?? now)
        subscription.latest = period.transactionId
        subscription.product = wish.product
        subscription.autoRenewProduct = wish.product
        subscription.autoRenews = true
        subscription.appAccountToken = wish.order.appAccountToken
        subscription.nextOffer = wish.offer.flatMap { number in
            let left = catalogue[number].billedPeriods - 1
            return left > 0 ? .init(number: number, periodsLeft: left) : nil
        }
        subscription.keptPrice = self[wish.order.app].price(of: wish.product)
        subscription.priceIncrease = nil
        subscription.commitment = period.commitment
        subscription.renewalPlan = wish.order.plan
        subscription.renewals = 0
        subscription.recoveredFailure = nil
        subscription.chargesAt = chargeInstant(before: period.expiresDate, of: subscription)
    }

    // MARK: Offers

    private func chosenOffer(
        _ order: PurchaseOrder, of product: ProductNumber, current: StoreSubscription?, _ installation: Installation
    ) throws(StoreRefusal) -> OfferNumber? {
        let catalogue = self[order.app].catalogue
        func first(_ kind: Offer.Kind, _ name: String? = nil) -> OfferNumber? {
            catalogue.offers(of: catalogue[product], kind).first { name == nil || catalogue[$0].identifier == name }
        }
        // A yearly subscription paid by the month has offers of its own, which this store does not sell.
        if order.plan == .monthly, order.offer != .automatic, order.offer != .none { throw .offerNotEligible }
        switch order.offer {
        case .none: return nil
        case .introductory: return first(.introductory)
        case .automatic:
            guard order.plan == .billedUpfront, let group = catalogue[product].terms?.group,
                !installation.introduced.contains(group), current == nil || current?.hasEnded == true
            else { return nil }
            return first(.introductory)
        case .promotional(let name):
            guard let number = first(.promotional, name) else { throw .unknownOffer }
            // Apple leaves the choice to the app, among present and former subscribers.
            guard current != nil else { throw .offerNotEligible }
            return number
        case .winBack(let name):
            guard let number = first(.winBack, name) else { throw .unknownOffer }
            guard let current, case .expired = current.state, catalogue[number].isEligible else { throw .offerNotEligible }
            return number
        case .code(let name):
            guard let number = first(.code, name) else { throw .unknownOffer }
            let customer: Offer.Customer = current.map { $0.hasEnded ? .expired : .existing } ?? .new
            guard catalogue[number].eligibility.contains(customer), !installation.redeemed.contains(number) else {
                throw .offerNotEligible
            }
            return number
        }
    }

    /// The win-back offers that a former subscriber may have, the best first, in the order of the file.
    package func eligibleWinBackOffers(of subscription: StoreSubscription) -> [String] {
        guard case .expired(_, let intent) = subscription.state, intent != .billing, !subscription.autoRenews else { return [] }
        let catalogue = self[subscription.app].catalogue
        return catalogue.offers(of: catalogue[subscription.product], .winBack).filter { catalogue[$0].isEligible }
            .compactMap { catalogue[$0].identifier }
    }

    // MARK: Billing

    private func charge(_ account: StoreAccount, _ price: Milliunits) throws(StoreRefusal) {
        guard self[account.number].payment == .succeeds || price.count == 0 else { throw .paymentDeclined }
    }

    /// Makes and stores the transaction of one period or of one one-time product.
    mutating func bill(_ bill: Bill) -> StorePurchase {
        let account = self[bill.account]
        let id = books[account.environment]?.nextId ?? TransactionNumber(number: 0)
        let terms = terms(of: bill.product, in: bill.app)
        var transaction = StorePurchase(
            transactionId: id, originalTransactionId: bill.subscription?.originalTransactionId ?? id,
            webOrderLineItemId: terms == nil ? nil : bill.webOrderLineItemId ?? mints[account.environment]?.webOrderLineItemId(),
            account: bill.account,
            app: bill.app, product: bill.product, purchaseDate: bill.start,
            originalPurchaseDate: bill.subscription?.originalPurchaseDate ?? bill.start,
            expiresDate: bill.end ?? terms.map { end(of: bill, $0, account.environment) }, reason: bill.reason,
            ownership: bill.ownership, quantity: bill.quantity, price: bill.price, storefront: account.storefront,
            offer: bill.offer, commitment: bill.commitment, modifiedAt: now, restoredFrom: nil)
        transaction.appAccountToken = bill.appAccountToken
        append(&transaction)
        return transaction
    }

    private func end(of bill: Bill, _ terms: SubscriptionTerms, _ environment: Environment) -> Timestamp {
        let catalogue = self[bill.app].catalogue
        let period =
            bill.commitment != nil ? .oneMonth : bill.offer.flatMap { catalogue[$0].billedPeriod } ?? terms.period
        return end(of: period, from: bill.start, bill.app, environment)
    }

    func end(
        of period: SubscriptionPeriod, from start: Timestamp, _ app: AppNumber, _ environment: Environment
    ) -> Timestamp {
        environment == .sandbox ? self[app].terms.sandboxRate.end(of: period, from: start) : period.end(from: start)
    }

    /// When the next period is charged, where that is before this one ends.
    mutating func chargeInstant(before end: Timestamp?, of subscription: StoreSubscription) -> Timestamp? {
        let longest = self[subscription.app].terms.earlyCharge
        let environment = self[subscription.account].environment
        guard let end, longest.count > 0, environment == .production else { return nil }
        let lead = Milliseconds((mints[environment]?.number(below: longest.count) ?? 0) + 1)
        return max(now, end.adding(Milliseconds(-lead.count)))
    }

    /// Source: Apple, `recentSubscriptionStartDate`: shorter lapses do not count.
    private static let lapseThatStartsAnew = Milliseconds.days(60)
}
