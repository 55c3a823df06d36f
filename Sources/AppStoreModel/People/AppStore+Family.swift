internal import Primitives

// MARK: - Families

extension AppStore {
    /// A new family; the organizer is its first member.
    package mutating func openFamily(_ name: String, organizer: AccountID) throws(StoreRefusal) -> [StoreNotification] {
        guard families.count < Self.maximumFamilies else { throw .storeFull }
        let id = FamilyID(name)
        guard Self.isName(name) else { throw .invalidFamilyId }
        guard families[id] == nil else { throw .familyExists }
        let account = try account(organizer)
        guard account.family == nil else { throw .alreadyInFamily }
        families[id] = Family(id: id, members: [account.number])
        self[account.number].family = id
        return []
    }

    package func family(_ id: FamilyID) throws(StoreRefusal) -> Family {
        guard let family = families[id] else { throw .unknownFamily }
        return family
    }

    /// A new member gets what the others share, and shares what they have.
    package mutating func join(_ id: FamilyID, _ name: AccountID) throws(StoreRefusal) -> [StoreNotification] {
        var family = try family(id)
        let account = try account(name)
        guard account.family == nil else { throw .alreadyInFamily }
        guard family.members.count < Family.maximumMembers else { throw .familyFull }
        let others = family.members
        guard others.allSatisfy({ self[$0].environment == account.environment }) else { throw .unknownEnvironment }
        family.members.append(account.number)
        families[id] = family
        self[account.number].family = id
        guard family.isSharing else { return [] }
        return others.flatMap { give(whatIsOf: $0, to: account.number) }
            + others.flatMap { give(whatIsOf: account.number, to: $0) }
    }

    /// A member that leaves loses what the others shared, and the others lose what this member shared.
    package mutating func leaveFamily(_ name: AccountID) throws(StoreRefusal) -> [StoreNotification] {
        let account = try account(name)
        guard let id = account.family, var family = families[id] else { throw .notInFamily }
        family.members.removeAll { $0 == account.number }
        self[account.number].family = nil
        families[id] = family.members.isEmpty ? nil : family
        return family.members.flatMap { take(whatIsOf: $0, from: account.number) }
            + family.members.flatMap { take(whatIsOf: account.number, from: $0) }
    }

    /// Turns the sharing of purchases on or off, from now on.
    package mutating func setSharing(_ isOn: Bool, of id: FamilyID) throws(StoreRefusal) -> [StoreNotification] {
        var family = try family(id)
        guard family.isSharing != isOn else { return [] }
        family.isSharing = isOn
        families[id] = family
        var told: [StoreNotification] = []
        for giver in family.members {
            for taker in family.members where taker != giver {
                told += isOn ? give(whatIsOf: giver, to: taker) : take(whatIsOf: giver, from: taker)
            }
        }
        return told
    }
}

// MARK: - What is shared

extension AppStore {
    /// All members of the family, and all holders of its seats, get what was just bought, or its new state.
    mutating func share(_ subscription: StoreSubscription) -> [StoreNotification] {
        guard subscription.ownership == .purchased else { return [] }
        let isShareable = self[subscription.app].catalogue[subscription.product].isFamilyShareable
        var told = seatHolders(of: subscription).flatMap { give(subscription, to: $0, as: .assigned) }
        for member in others(in: subscription.account) {
            if isShareable {
                told += give(subscription, to: member, as: .familyShared)
            } else if let id = self[member].installations[subscription.app]?.shared[subscription.originalTransactionId],
                subscriptions[id]?.ownership == .familyShared
            {
                told += revoke(id)
            }
        }
        return told
    }

    mutating func shareOnce(_ purchase: StorePurchase) -> [StoreNotification] {
        let product = self[purchase.app].catalogue[purchase.product]
        guard product.kind == .nonConsumable, product.isFamilyShareable, purchase.ownership == .purchased else { return [] }
        return others(in: purchase.account).flatMap { give(purchase, to: $0) }
    }

    private func others(in account: AccountNumber) -> [AccountNumber] {
        guard let id = self[account].family, let family = families[id], family.isSharing else { return [] }
        return family.members.filter { $0 != account }
    }

    private mutating func give(whatIsOf giver: AccountNumber, to taker: AccountNumber) -> [StoreNotification] {
        var told: [StoreNotification] = []
        for (app, installation) in self[giver].installations.sorted(by: { $0.key < $1.key }) {
            for id in installation.subscriptions.values.sorted() {
                guard let subscription = subscriptions[id], !subscription.hasEnded,
                    self[app].catalogue[subscription.product].isFamilyShareable
                else { continue }
                told += give(subscription, to: taker, as: .familyShared)
            }
            for purchase in installation.transactions.compactMap(find) where purchase.revocation == nil {
                let product = self[app].catalogue[purchase.product]
                guard purchase.ownership == .purchased, product.kind == .nonConsumable, product.isFamilyShareable else {
                    continue
                }
                told += give(purchase, to: taker)
            }
        }
        return told
    }

    /// A member's copy of a subscription: a subscription of their own, with a period like the purchaser's. An account has one
    /// copy, of the ownership that it came by first.
    mutating func give(
        _ source: StoreSubscription, to member: AccountNumber, as ownership: StorePurchase.Ownership
    ) -> [StoreNotification] {
        guard let period = find(source.latest) else { return [] }
        _ = install(source.app, for: member)
        let known = copy(of: source, held: member)
        guard known == nil || known?.ownership == ownership else { return [] }
        if let known, let latest = find(known.latest), !known.hasEnded, latest.webOrderLineItemId != nil,
            latest.expiresDate == period.expiresDate, latest.product == period.product, latest.purchaseDate == period.purchaseDate
        {
            return []
        }
        let copy = billCopy(of: period, for: member, as: ownership, known)
        var subscription =
            known
            ?? StoreSubscription(
                originalTransactionId: copy.transactionId, account: member, app: source.app, group: source.group,
                originalPurchaseDate: copy.purchaseDate, ownership: ownership, state: source.state,
                latest: copy.transactionId, product: source.product, autoRenewProduct: source.autoRenewProduct,
                recentSubscriptionStartDate: now)
        let event: StoreNotification.Event = known == nil ? .initialBuy : known?.hasEnded == true ? .resubscribe : .upgrade
        follow(&subscription, source, copy.transactionId)
        self[member].installations[source.app]?.shared[source.originalTransactionId] = subscription.originalTransactionId
        if copies[source.originalTransactionId]?.contains(subscription.originalTransactionId) != true {
            copies[source.originalTransactionId, default: []].append(subscription.originalTransactionId)
        }
        keep(subscription)
        return told(event, about: subscription)
    }

    private mutating func give(_ purchase: StorePurchase, to member: AccountNumber) -> [StoreNotification] {
        let installation = install(purchase.app, for: member)
        let has = installation.transactions.contains { id in
            find(id).map { $0.product == purchase.product && $0.revocation == nil } ?? false
        }
        guard !has else { return [] }
        let copy = billCopy(of: purchase, for: member, as: .familyShared, nil)
        copies[purchase.transactionId, default: []].append(copy.transactionId)
        return told(.oneTimeCharge, about: copy)
    }

    /// Nobody pays for it, and it carries no `appAccountToken`.
    private mutating func billCopy(
        of purchase: StorePurchase, for member: AccountNumber, as ownership: StorePurchase.Ownership, _ known: StoreSubscription?
    ) -> StorePurchase {
        var bill = Bill(app: purchase.app, product: purchase.product, account: member, start: purchase.purchaseDate)
        bill.reason = purchase.reason
        bill.ownership = ownership
        bill.subscription = known
        bill.end = purchase.expiresDate
        let copy = self.bill(bill)
        enqueue(copy.transactionId, of: member)
        return copy
    }

    private func follow(_ copy: inout StoreSubscription, _ source: StoreSubscription, _ latest: TransactionNumber) {
        copy.state = source.state
        copy.product = source.product
        copy.autoRenewProduct = source.autoRenewProduct
        copy.autoRenews = source.autoRenews
        copy.latest = latest
    }

    // MARK: Following the purchaser

    /// Applies the change of a purchaser's subscription to its copies.
    mutating func mirror(_ source: StoreSubscription, _ event: StoreNotification.Event) -> [StoreNotification] {
        var told: [StoreNotification] = []
        for id in copies[source.originalTransactionId] ?? [] {
            guard var copy = subscriptions[id], copy.state != .revoked else { continue }
            var latest = copy.latest
            if event == .renewed || event == .billingRecovery, let period = find(source.latest) {
                let isShareable = self[source.app].catalogue[source.product].isFamilyShareable
                guard isShareable || copy.ownership == .assigned else {
                    told += revoke(id)
                    continue
                }
                latest = billCopy(of: period, for: copy.account, as: copy.ownership, copy).transactionId
            }
            follow(&copy, source, latest)
            keep(copy)
            told += self.told(event, about: copy)
        }
        return told
    }

    mutating func mirrorExtension(_ source: StoreSubscription, to end: Timestamp) -> [StoreNotification] {
        var told: [StoreNotification] = []
        for id in copies[source.originalTransactionId] ?? [] {
            guard var copy = subscriptions[id], !copy.hasEnded else { continue }
            change(copy.latest) { $0.expiresDate = end }
            copy.state = source.state
            keep(copy)
            told += self.told(.renewalExtended, about: copy)
        }
        return told
    }

    /// All members lose what came from this purchase.
    mutating func revokeCopies(of id: TransactionNumber) -> [StoreNotification] {
        (copies[id] ?? []).flatMap { revoke($0) }
    }

    private mutating func take(whatIsOf giver: AccountNumber, from taker: AccountNumber) -> [StoreNotification] {
        let given = Set(self[giver].installations.values.flatMap { $0.subscriptions.values + $0.transactions })
        let taken = given.sorted().flatMap { copies[$0] ?? [] }.compactMap(find)
            .filter { $0.account == taker && $0.ownership == .familyShared }
        return taken.flatMap { revoke($0.transactionId) }
    }

    /// Ends a copy, of a subscription or of a single purchase.
    mutating func revoke(_ id: TransactionNumber) -> [StoreNotification] {
        if var copy = subscriptions[id] {
            guard copy.state != .revoked, find(copy.latest)?.revocation == nil else { return [] }
            let kind: StoreRevocation.Kind = copy.ownership == .assigned ? .assignmentRevoke : .familyRevoke
            change(copy.latest) { [now] in $0.revocation = StoreRevocation(kind, at: now) }
            copy.state = .revoked
            copy.autoRenews = false
            keep(copy)
            return told(.revoke, about: copy)
        }
        guard let purchase = find(id), purchase.revocation == nil else { return [] }
        change(id) { [now] in $0.revocation = StoreRevocation(.familyRevoke, at: now) }
        return find(id).map { told(.revoke, about: $0) } ?? []
    }
}
