/// All that is known at one moment and what follows from it.
struct LedgerMoment {
    let history: SubscriptionHistory
    let state: SubscriptionState
}
