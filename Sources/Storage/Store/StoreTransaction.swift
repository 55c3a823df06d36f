/// One transaction that is open for writing. Each part is what one kind of caller needs; both stores have the same functions in
/// the same order.
package protocol StoreTransaction: DecidingTransaction, SettingsTransaction, JobTransaction, BudgetTransaction,
    SweepTransaction, AppleRequestTransaction, OfferTransaction, LogTransaction, WebhookTransaction, KeyTransaction,
    IdempotencyTransaction, SealingTransaction, ErasingTransaction, OperatorTransaction
{}
