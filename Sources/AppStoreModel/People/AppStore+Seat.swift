internal import Primitives

// MARK: - Seats

extension AppStore {
    /// Assigns a seat of a subscription to another account, which gets a subscription of its own that follows the purchaser's.
    ///
    /// How many seats were bought is not counted: Apple publishes no payload that says it.
    ///
    /// Source: Apple, `inAppOwnershipType` `ASSIGNED`, for groups whose invitations Apple manages.
    package mutating func assignSeat(
        of id: TransactionNumber, to name: AccountID
    ) throws(StoreRefusal) -> (seat: StoreSubscription, notifications: [StoreNotification]) {
        let subscription = try own(id)
        let account = try account(name)
        guard account.environment == self[subscription.account].environment else { throw .unknownEnvironment }
        guard account.number != subscription.account else { throw .alreadySubscribed }
        guard isRunning(subscription) else { throw .notActive }
        let known = copy(of: subscription, held: account.number)
        guard known.map({ $0.hasEnded && $0.ownership == .assigned }) ?? true else { throw .seatAssigned }
        _ = try nextId(of: account)
        let told = give(subscription, to: account.number, as: .assigned)
        guard let seat = copy(of: subscription, held: account.number) else { throw .unknownSeat }
        return (seat, told)
    }

    /// Takes a seat back: the account loses it at once, and the purchaser keeps the subscription.
    ///
    /// Source: Apple, `revocationType` `ASSIGNMENT_REVOKE`, in a `REVOKE` notification.
    package mutating func revokeSeat(
        of id: TransactionNumber, from name: AccountID
    ) throws(StoreRefusal) -> (seat: StoreSubscription, notifications: [StoreNotification]) {
        let subscription = try own(id)
        let account = try account(name)
        guard let seat = copy(of: subscription, held: account.number), seat.ownership == .assigned, !seat.hasEnded else {
            throw .unknownSeat
        }
        let told = revoke(seat.originalTransactionId)
        return (try self.subscription(seat.originalTransactionId), told)
    }

    /// The accounts whose seats of a subscription were not taken back.
    func seatHolders(of subscription: StoreSubscription) -> [AccountNumber] {
        (copies[subscription.originalTransactionId] ?? []).compactMap { subscriptions[$0] }
            .filter { $0.ownership == .assigned && $0.state != .revoked }.map(\.account)
    }

    /// The subscription that an account has through another one's; nil: none.
    func copy(of source: StoreSubscription, held account: AccountNumber) -> StoreSubscription? {
        self[account].installations[source.app]?.shared[source.originalTransactionId].flatMap { subscriptions[$0] }
    }

    /// Whether its customer has access to a period now.
    func isRunning(_ subscription: StoreSubscription) -> Bool {
        switch subscription.state {
        case .active, .billingGracePeriod: true
        case .billingRetry, .expired, .revoked: false
        }
    }
}
