package import AppStoreModel
package import Primitives

/// A transaction and what a device would get as its `jwsRepresentation`.
package struct SignedTransaction: Sendable, Hashable {
    package let transaction: StorePurchase
    /// For display and control calls: the id of the product that is a number in the transaction.
    package let productId: StoreProductID
    package let signedTransactionInfo: String
}

/// The present state of a subscription.
package struct SubscriptionReport: Sendable, Hashable {
    package let subscription: StoreSubscription
    package let account: AccountID
    package let bundleId: String
    package let productId: StoreProductID
    package let autoRenewProductId: StoreProductID
    package let latest: SignedTransaction
    package let signedRenewalInfo: String
}

/// The present state of an account.
package struct AccountReport: Sendable {
    package let account: StoreAccount
    package let storefront: Storefront
    /// By bundle id.
    package let installations: [(bundleId: String, installation: Installation)]
}

// MARK: - People

extension AppStoreSimulator {
    /// A new Apple Account, in the default environment unless another is named. It has the first app.
    package func openAccount(
        _ id: String? = nil, in environment: Environment? = nil, country: String? = nil
    ) async throws -> AccountReport {
        let environment = environment ?? configuration.environment
        let first = try app(nil)
        let account = try await changing { store throws(StoreRefusal) in
            let account = try store.openAccount(id, in: environment, country: country)
            try store.install(first, for: account.id)
            return (account.id, [])
        }
        return try self.account(account)
    }

    package func account(_ id: AccountID) throws -> AccountReport {
        let account = try store.account(id)
        return AccountReport(
            account: account, storefront: store[account.storefront],
            installations: account.installations.sorted { $0.key < $1.key }.map { (store[$0.key].bundleId, $0.value) })
    }

    /// The accounts from a place on, in the order in which they were opened.
    package func accounts(from place: Int, limit: Int) throws -> [AccountReport] {
        try store.accounts.dropFirst(place).prefix(limit).map { try account($0.id) }
    }

    package func setPayment(_ payment: StoreAccount.Payment, of id: AccountID) async throws -> AccountReport {
        try await changing { store throws(StoreRefusal) in ((), try store.setPayment(payment, of: id)) }
        return try account(id)
    }

    package func changeStorefront(of id: AccountID, to country: String) async throws -> AccountReport {
        try await changing { store throws(StoreRefusal) in
            _ = try store.changeStorefront(of: id, to: country)
            return ((), [])
        }
        return try account(id)
    }

    package func changeAddress(of id: AccountID) async throws -> AccountReport {
        try await changing { store throws(StoreRefusal) in
            try store.changeAddress(of: id)
            return ((), [])
        }
        return try account(id)
    }

    // MARK: Families

    package func openFamily(_ name: String, organizer: AccountID) async throws -> Family {
        try await changing { store throws(StoreRefusal) in ((), try store.openFamily(name, organizer: organizer)) }
        return try store.family(FamilyID(name))
    }

    package func family(_ id: FamilyID) throws -> (family: Family, members: [AccountID]) {
        let family = try store.family(id)
        return (family, family.members.map { store[$0].id })
    }

    package func join(_ family: FamilyID, _ account: AccountID) async throws {
        try await changing { store throws(StoreRefusal) in ((), try store.join(family, account)) }
    }

    package func leave(_ family: FamilyID, _ account: AccountID) async throws {
        try await changing { store throws(StoreRefusal) in
            let family = try store.family(family)
            guard try store.account(account).family == family.id else { throw .notInFamily }
            return ((), try store.leaveFamily(account))
        }
    }

    package func setSharing(_ isOn: Bool, of family: FamilyID) async throws {
        try await changing { store throws(StoreRefusal) in ((), try store.setSharing(isOn, of: family)) }
    }

    // MARK: Devices

    package func addDevice(_ id: String?, for account: AccountID?) async throws -> StoreDevice {
        try await changing { store throws(StoreRefusal) in (try store.addDevice(id, for: account), []) }
    }

    package func device(_ id: DeviceID) throws -> (device: StoreDevice, account: AccountID?) {
        let device = try store.device(id)
        return (device, device.account.map { store[$0].id })
    }

    package func signIn(_ device: DeviceID, as account: AccountID?) async throws -> StoreDevice {
        try await changing { store throws(StoreRefusal) in (try store.signIn(device, as: account), []) }
    }

    /// What the app's queue on the device holds, oldest first.
    package func unfinished(on device: DeviceID, limit: Int) throws -> [SignedTransaction] {
        try store.device(device).unfinished.prefix(limit).map { try signed(try store.transaction($0)) }
    }

    /// What StoreKit says on the device of how its Apple Account came by an app, signed now.
    ///
    /// Source: Apple, `AppTransaction.shared`.
    /// - Throws: `SimulatorRefusal.appTransactionMissing` where the device is signed in with no Apple Account, or with one that
    ///   never had the app.
    package func appTransaction(of app: AppNumber, on device: DeviceID) throws -> String {
        guard let account = try store.device(device).account,
            let signed = try printer.signedAppTransaction(of: app, for: account, in: store)
        else { throw SimulatorRefusal.appTransactionMissing }
        return signed
    }

    package func finish(_ id: TransactionNumber) async throws {
        try await changing { store throws(StoreRefusal) in
            try store.finish(id)
            return ((), [])
        }
    }
}

// MARK: - The store's own books

extension AppStoreSimulator {
    /// A subscription as the store has it. Nothing is signed, so this can be asked often.
    package func book(of id: TransactionNumber) throws -> StoreSubscription { try store.subscription(id) }

    /// Everything that an account bought in an app, oldest first, as the store has it; nothing is signed.
    package func purchases(of id: AccountID, app: AppNumber) throws -> [StorePurchase] {
        try (store.account(id).installations[app]?.transactions ?? []).map { try store.transaction($0) }
    }

    package func productId(of purchase: StorePurchase) -> StoreProductID { store[purchase.app].catalogue[purchase.product].id }
}

// MARK: - Purchases

extension AppStoreSimulator {
    /// The app of a bundle id; the first app where none is named.
    package func app(_ bundleId: String?) throws -> AppNumber {
        guard let bundleId else { return try store.app(configuration.apps[0].bundleId) }
        return try store.app(bundleId)
    }

    /// Buys, and delivers the notifications that this causes.
    ///
    /// - Parameter proof: what the app's server signed for a promotional offer, or for a second introductory one.
    package func buy(_ order: PurchaseOrder, proof: OfferProof? = nil) async throws -> (
        outcome: Purchase.Outcome, transaction: SignedTransaction
    ) {
        try await inTurn {
            if let proof { try check(proof, for: order) }
            let purchase = try store.buy(order)
            lostReceipts.remove(order.account)
            try await tell(purchase.notifications)
            return (purchase.outcome, try signed(purchase.transaction))
        }
    }

    package func redeem(
        code: String, app: AppNumber, account: AccountID, appAccountToken: CompactUUID?
    ) async throws -> (outcome: Purchase.Outcome, transaction: SignedTransaction) {
        try await inTurn {
            let purchase = try store.redeem(code: code, app: app, account: account, appAccountToken: appAccountToken)
            lostReceipts.remove(account)
            try await tell(purchase.notifications)
            return (purchase.outcome, try signed(purchase.transaction))
        }
    }

    /// The transactions of an app that a device of the account knows, newest first, signed now.
    package func transactions(of id: AccountID, app: AppNumber, limit: Int) throws -> [SignedTransaction] {
        let transactions = try store.account(id).installations[app]?.transactions ?? []
        return try transactions.suffix(limit).reversed().map { try signed(try store.transaction($0)) }
    }

    package func transaction(_ id: TransactionNumber) throws -> SignedTransaction { try signed(try store.transaction(id)) }

    /// What a new device of that account gets.
    package func restore(_ app: AppNumber, for id: AccountID) async throws -> [SignedTransaction] {
        try await inTurn {
            let restored = try store.restore(app, for: id).map(signed)
            lostReceipts.remove(id)
            return restored
        }
    }

    package func subscription(_ id: TransactionNumber) throws -> SubscriptionReport {
        let subscription = try store.subscription(id)
        let latest = try store.latestTransaction(of: subscription)
        let renewal = try printer.signed(
            subscription, renewalDate: latest.expiresDate, in: store, at: store.signingInstant)
        let app = store[subscription.app]
        return SubscriptionReport(
            subscription: subscription, account: store[subscription.account].id, bundleId: app.bundleId,
            productId: app.catalogue[subscription.product].id,
            autoRenewProductId: app.catalogue[subscription.autoRenewProduct].id, latest: try signed(latest),
            signedRenewalInfo: renewal)
    }

    func signed(_ transaction: StorePurchase) throws -> SignedTransaction {
        SignedTransaction(
            transaction: transaction, productId: store[transaction.app].catalogue[transaction.product].id,
            signedTransactionInfo: try printer.signed(transaction, in: store, at: store.signingInstant))
    }

    // MARK: What becomes of them

    package func setAutoRenew(_ isOn: Bool, of id: TransactionNumber) async throws -> SubscriptionReport {
        try await changing { store throws(StoreRefusal) in ((), try store.setAutoRenew(isOn, of: id)) }
        return try subscription(id)
    }

    package func setPayment(
        _ payment: StoreSubscription.Payment?, graceEnd: StoreSubscription.GraceEnd = .signed, of id: TransactionNumber
    ) async throws -> SubscriptionReport {
        try await changing { store throws(StoreRefusal) in ((), try store.setPayment(payment, graceEnd: graceEnd, of: id)) }
        return try subscription(id)
    }

    package func setSilent(
        _ isSilent: Bool, isToldInHistory: Bool = false, of id: TransactionNumber
    ) async throws -> SubscriptionReport {
        try await changing { store throws(StoreRefusal) in
            try store.setSilent(isSilent, isToldInHistory: isToldInHistory, of: id)
            return ((), [])
        }
        return try subscription(id)
    }

    package func answerPriceIncrease(_ agrees: Bool, of id: TransactionNumber) async throws -> SubscriptionReport {
        try await changing { store throws(StoreRefusal) in ((), try store.answerPriceIncrease(agrees, of: id)) }
        return try subscription(id)
    }

    package func extend(_ id: TransactionNumber, days: Int64) async throws -> SubscriptionReport {
        try await changing { store throws(StoreRefusal) in ((), try store.extend(id, days: days)) }
        return try subscription(id)
    }

    package func refund(_ id: TransactionNumber, _ order: RefundOrder = RefundOrder()) async throws -> SignedTransaction {
        try await changing { store throws(StoreRefusal) in ((), try store.refund(id, order)) }
        return try transaction(id)
    }

    package func reverseRefund(_ id: TransactionNumber) async throws -> SignedTransaction {
        try await changing { store throws(StoreRefusal) in ((), try store.reverseRefund(id)) }
        return try transaction(id)
    }

    package func requestRefund(_ id: TransactionNumber, _ reason: RefundRequest.Reason) async throws -> RefundRequest {
        try await changing { store throws(StoreRefusal) in ((), try store.requestRefund(id, reason)) }
        return try store.refundRequest(of: id)
    }

    package func decideRefund(_ id: TransactionNumber, grants: Bool) async throws -> RefundRequest {
        try await changing { store throws(StoreRefusal) in ((), try store.decideRefund(id, grants: grants)) }
        return try store.refundRequest(of: id)
    }

    package func rescindConsent(to app: AppNumber, for account: AccountID) async throws {
        try await changing { store throws(StoreRefusal) in ((), try store.rescindConsent(to: app, for: account)) }
    }

    package func externalPurchase(
        _ event: StoreNotification.Event, in app: AppNumber, _ environment: Environment?
    ) async throws {
        let environment = environment ?? configuration.environment
        try await changing { store throws(StoreRefusal) in ((), store.externalPurchase(event, in: app, environment)) }
    }

    // MARK: What the app's owner does

    package func raisePrice(
        of product: StoreProductID, in app: AppNumber, to price: Milliunits, needsConsent: Bool
    ) async throws {
        try await changing { store throws(StoreRefusal) in
            ((), try store.raisePrice(of: product, in: app, to: price, needsConsent: needsConsent))
        }
    }

    package func setForSale(_ isForSale: Bool, _ product: StoreProductID, in app: AppNumber) async throws {
        try await changing { store throws(StoreRefusal) in
            try store.setForSale(isForSale, product, in: app)
            return ((), [])
        }
    }

    package func setTerms(_ app: AppNumber, _ change: @Sendable (inout StoreApp.Terms) -> Void) async throws -> StoreApp.Terms {
        try await changing { store throws(StoreRefusal) in
            var terms = store[app].terms
            change(&terms)
            try store.setTerms(terms, of: app)
            return (terms, [])
        }
    }
}
