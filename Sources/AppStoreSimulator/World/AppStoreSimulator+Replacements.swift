package import AppStoreModel
internal import Primitives

// MARK: - Subscriptions that come from another one

extension AppStoreSimulator {
    /// Sends the notification of a failed renewal again, after its recovery.
    package func repeatFailure(of id: TransactionNumber) async throws -> SubscriptionReport {
        try await changing { store throws(StoreRefusal) in ((), try store.repeatFailure(of: id)) }
        return try subscription(id)
    }

    /// Bills nothing, and returns the other subscription that has the newest period's charge from now on.
    package func reissue(_ id: TransactionNumber) async throws -> SubscriptionReport {
        let other = try await changing { store throws(StoreRefusal) in
            let (subscription, told) = try store.reissue(id)
            return (subscription.originalTransactionId, told)
        }
        return try subscription(other)
    }

    /// Switches between a standalone subscription and a bundle.
    package func switchSubscription(
        _ id: TransactionNumber, to product: StoreProductID
    ) async throws -> (outcome: Purchase.Outcome, transaction: SignedTransaction) {
        let purchase = try await changing { store throws(StoreRefusal) in
            let purchase = try store.switchSubscription(id, to: product)
            return (purchase, purchase.notifications)
        }
        return (purchase.outcome, try signed(purchase.transaction))
    }

    /// The seat, as a subscription of the account that it was assigned to.
    package func assignSeat(of id: TransactionNumber, to account: AccountID) async throws -> SubscriptionReport {
        let seat = try await changing { store throws(StoreRefusal) in
            let (seat, told) = try store.assignSeat(of: id, to: account)
            return (seat.originalTransactionId, told)
        }
        return try subscription(seat)
    }

    /// The seat, which has ended.
    package func revokeSeat(of id: TransactionNumber, from account: AccountID) async throws -> SubscriptionReport {
        let seat = try await changing { store throws(StoreRefusal) in
            let (seat, told) = try store.revokeSeat(of: id, from: account)
            return (seat.originalTransactionId, told)
        }
        return try subscription(seat)
    }

    /// Sets the token of later copies of a transaction; nil: none.
    package func setSignedToken(_ token: CompactUUID?, of id: TransactionNumber) async throws -> SignedTransaction {
        try await changing { store throws(StoreRefusal) in
            try store.setSignedToken(token, of: id)
            return ((), [])
        }
        return try transaction(id)
    }
}
