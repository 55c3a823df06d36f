internal import Primitives

/// A transaction and what a device would be given as its `jwsRepresentation`.
package struct SignedTransaction: Sendable, Hashable {
    package let transaction: StoreTransaction
    package let signedTransactionInfo: String
}

/// A subscription as it stands.
package struct SubscriptionReport: Sendable, Hashable {
    package let subscription: StoreSubscription
    package let latest: SignedTransaction
    package let signedRenewalInfo: String
}

extension AppStoreSimulator {
    package func openAccount(_ id: String? = nil) async throws -> StoreAccount {
        try await inTurn { try store.openAccount(id) }
    }

    package func account(_ id: AccountID) throws -> StoreAccount { try store.account(id) }

    /// Buys, and delivers what that makes the store say.
    package func buy(_ product: ProductID, for account: AccountID, appAccountToken: String? = nil) async throws -> (
        outcome: Purchase.Outcome, transaction: SignedTransaction
    ) {
        try await inTurn {
            let purchase = try store.buy(product, for: account, appAccountToken: appAccountToken)
            try await tell(purchase.notifications)
            return (purchase.outcome, try signed(purchase.transaction))
        }
    }

    /// What a device of the account knows, newest first, signed now.
    package func transactions(of id: AccountID, limit: Int) throws -> [SignedTransaction] {
        try store.account(id).transactions.suffix(limit).reversed().map { try signed(try store.transaction($0)) }
    }

    /// What a new device of the account gets.
    package func restore(_ id: AccountID) async throws -> [SignedTransaction] {
        try await inTurn { try store.restore(id).map(signed) }
    }

    package func subscription(_ id: TransactionID) throws -> SubscriptionReport {
        let subscription = try store.subscription(id)
        let latest = try store.latestTransaction(of: subscription)
        let renewal = try printer.signed(
            subscription, latest: latest, of: try store.account(subscription.account), at: store.signingInstant)
        return SubscriptionReport(subscription: subscription, latest: try signed(latest), signedRenewalInfo: renewal)
    }

    package func setAutoRenew(_ isOn: Bool, of id: TransactionID) async throws -> SubscriptionReport {
        try await inTurn {
            try await tell(try store.setAutoRenew(isOn, of: id))
            return try subscription(id)
        }
    }

    package func setPayment(_ payment: StoreSubscription.Payment, of id: TransactionID) async throws -> SubscriptionReport {
        try await inTurn {
            try await tell(try store.setPayment(payment, of: id))
            return try subscription(id)
        }
    }

    package func refund(_ id: TransactionID, _ order: RefundOrder = RefundOrder()) async throws -> SignedTransaction {
        try await inTurn {
            try await tell(try store.refund(id, order))
            return try signed(try store.transaction(id))
        }
    }

    package func reverseRefund(_ id: TransactionID) async throws -> SignedTransaction {
        try await inTurn {
            try await tell(try store.reverseRefund(id))
            return try signed(try store.transaction(id))
        }
    }

    private func signed(_ transaction: StoreTransaction) throws -> SignedTransaction {
        let account = try store.account(transaction.account)
        return SignedTransaction(
            transaction: transaction,
            signedTransactionInfo: try printer.signed(transaction, of: account, at: store.signingInstant))
    }
}
