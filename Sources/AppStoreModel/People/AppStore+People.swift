package import Primitives

// MARK: - Apple Accounts

extension AppStore {
    /// A new Apple Account; without an id it gets the next free number.
    ///
    /// - Parameter country: three letters; nil: the country of the first app's catalogue.
    package mutating func openAccount(
        _ wanted: String?, in environment: Environment, country: String? = nil
    ) throws(StoreRefusal) -> StoreAccount {
        guard accounts.count < Self.maximumAccounts else { throw .storeFull }
        guard books[environment] != nil else { throw .unknownEnvironment }
        let id = AccountID(wanted ?? freeAccountName())
        guard Self.isName(id.rawValue) else { throw .invalidAccountId }
        guard accountNumbers[id] == nil else { throw .accountExists }
        let storefront = try storefront(country ?? apps.first?.catalogue.settings.storefront.countryCode ?? "USA")
        let number = AccountNumber(place: Int32(truncatingIfNeeded: accounts.count))
        let account = StoreAccount(id: id, number: number, environment: environment, storefront: storefront)
        accounts.append(account)
        accountNumbers[id] = number
        return account
    }

    /// The account gets an app; it is no error if the account has it already.
    package mutating func install(_ app: AppNumber, for id: AccountID) throws(StoreRefusal) {
        _ = install(app, for: try account(id).number)
    }

    /// The account's card fails from now on, or works again. When it works again, what is owed is paid at once.
    package mutating func setPayment(
        _ payment: StoreAccount.Payment, of id: AccountID
    ) throws(StoreRefusal) -> [StoreNotification] {
        let account = try account(id)
        self[account.number].payment = payment
        guard payment == .succeeds else { return [] }
        var told: [StoreNotification] = []
        for id in subscriptions(of: account) {
            guard let subscription = subscriptions[id], subscription.payment == nil else { continue }
            told += recover(subscription)
        }
        return told
    }

    /// Moves an account to another country: only when none of its subscriptions renews any more.
    ///
    /// Source: Apple, "Change your Apple Account country or region": subscriptions must have been cancelled and run out before.
    package mutating func changeStorefront(of id: AccountID, to country: String) throws(StoreRefusal) -> StoreAccount {
        let account = try account(id)
        guard subscriptions(of: account).allSatisfy({ subscriptions[$0]?.hasEnded ?? true }) else { throw .subscriptionsActive }
        self[account.number].storefront = try storefront(country)
        return self[account.number]
    }

    /// The account gets another address. What is signed from then on about earlier purchases carries no `appAccountToken`.
    ///
    /// Source: public reports; Apple documents nothing about it.
    package mutating func changeAddress(of id: AccountID) throws(StoreRefusal) {
        let account = try account(id)
        self[account.number].addressChangedAt = now
        self[account.number].addressChangeSignedAt = nextSigningInstant()
    }

    /// The token of a copy of a transaction that is signed at an instant. A notification that was signed before the change of
    /// address is rebuilt with its token.
    func appAccountToken(of transaction: StorePurchase, signedDate: Timestamp) -> CompactUUID? {
        let account = self[transaction.account]
        guard let changed = account.addressChangedAt, transaction.purchaseDate <= changed,
            signedDate >= account.addressChangeSignedAt ?? changed
        else { return transaction.appAccountToken }
        return nil
    }

    /// The account's own subscriptions of all apps, oldest first.
    func subscriptions(of account: StoreAccount) -> [TransactionNumber] {
        account.installations.values.flatMap { Array($0.subscriptions.values) + ($0.replaced ?? []) }.sorted()
    }

    mutating func storefront(_ country: String) throws(StoreRefusal) -> StorefrontNumber {
        guard let storefront = Storefront(validating: country) else { throw .invalidStorefront }
        if let place = storefronts.firstIndex(of: storefront) { return StorefrontNumber(place: Int16(truncatingIfNeeded: place)) }
        guard storefronts.count < Int(Int16.max) else { throw .storeFull }
        storefronts.append(storefront)
        return StorefrontNumber(place: Int16(truncatingIfNeeded: storefronts.count - 1))
    }

    private func freeAccountName() -> String {
        var number = accounts.count + 1
        while accountNumbers[AccountID("account-\(number)")] != nil { number += 1 }
        return "account-\(number)"
    }

    /// Names are used in addresses, where `.` and `..` would mean something else.
    static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: ".")
            && name.unicodeScalars.allSatisfy {
                ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                    || "._-".unicodeScalars.contains($0)
            }
    }
}

// MARK: - Devices

extension AppStore {
    /// A new device, signed in with an account or not signed in.
    package mutating func addDevice(_ wanted: String?, for account: AccountID?) throws(StoreRefusal) -> StoreDevice {
        guard devices.count < Self.maximumDevices else { throw .storeFull }
        let id = DeviceID(wanted ?? freeDeviceName())
        guard Self.isName(id.rawValue) else { throw .invalidDeviceId }
        guard devices[id] == nil else { throw .deviceExists }
        var device = StoreDevice(id: id, identifierForVendor: uuid(.production))
        if let account { device.account = try self.account(account).number }
        devices[id] = device
        return device
    }

    private func freeDeviceName() -> String {
        var number = devices.count + 1
        while devices[DeviceID("device-\(number)")] != nil { number += 1 }
        return "device-\(number)"
    }

    package func device(_ id: DeviceID) throws(StoreRefusal) -> StoreDevice {
        guard let device = devices[id] else { throw .unknownDevice }
        return device
    }

    /// Signs the device out of its account and into another one, or none. Its queue is emptied, because it belongs to the old
    /// account.
    package mutating func signIn(_ id: DeviceID, as account: AccountID?) throws(StoreRefusal) -> StoreDevice {
        var device = try device(id)
        device.account = try account.map { id throws(StoreRefusal) in try self.account(id).number }
        device.unfinished = []
        devices[id] = device
        return device
    }

    /// The app says that it delivered what was bought: the transaction leaves the queue of every device.
    package mutating func finish(_ id: TransactionNumber) throws(StoreRefusal) {
        let purchase = try purchase(id)
        change(purchase.transactionId) { $0.isFinished = true }
        for device in devices.values where device.account == purchase.account {
            devices[device.id]?.unfinished.removeAll { $0 == id || $0 == purchase.transactionId }
        }
    }

    /// Adds a transaction to the queues of its account's devices.
    mutating func enqueue(_ id: TransactionNumber, of account: AccountNumber) {
        guard !devices.isEmpty else { return }
        for device in devices.values where device.account == account {
            devices[device.id]?.unfinished.append(id)
        }
    }

    /// What a new device of that account gets: each thing of the app that it may still use, under a new transaction id.
    package mutating func restore(_ app: AppNumber, for id: AccountID) throws(StoreRefusal) -> [StorePurchase] {
        let account = try account(id)
        var restored: [StorePurchase] = []
        let purchases = account.installations[app]?.transactions.reversed().compactMap(find) ?? []
        for purchase in purchases where isRestorable(purchase) {
            var copy = Self.copy(of: purchase, named: try nextId(of: account), at: now)
            append(&copy)
            restored.append(try transaction(copy.transactionId))
        }
        return restored
    }

    /// The next transaction's id.
    func nextId(of account: StoreAccount) throws(StoreRefusal) -> TransactionNumber {
        guard transactionCount < Self.maximumTransactions, let book = books[account.environment] else { throw .storeFull }
        return book.nextId
    }

    /// Used consumables are not restored; a subscription's newest period is, expired or not.
    private func isRestorable(_ purchase: StorePurchase) -> Bool {
        guard purchase.revocation == nil else { return false }
        switch self[purchase.app].catalogue[purchase.product].kind {
        case .consumable: return false
        case .nonConsumable, .nonRenewingSubscription: return true
        case .autoRenewable: return subscriptions[purchase.originalTransactionId]?.latest == purchase.transactionId
        }
    }

    /// Source: Apple, `transactionId` ("restores it on a new device").
    static func copy(of purchase: StorePurchase, named id: TransactionNumber, at instant: Timestamp) -> StorePurchase {
        var copy = StorePurchase(
            transactionId: id, originalTransactionId: purchase.originalTransactionId,
            webOrderLineItemId: purchase.webOrderLineItemId, account: purchase.account, app: purchase.app,
            product: purchase.product, purchaseDate: instant, originalPurchaseDate: purchase.originalPurchaseDate,
            expiresDate: purchase.expiresDate, reason: purchase.reason, ownership: purchase.ownership,
            quantity: purchase.quantity, price: purchase.price, storefront: purchase.storefront, offer: purchase.offer,
            commitment: purchase.commitment, modifiedAt: instant, restoredFrom: purchase.transactionId)
        copy.appAccountToken = purchase.appAccountToken
        return copy
    }
}
