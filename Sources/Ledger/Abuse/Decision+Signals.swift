package import Primitives

extension Decision {
    /// Without one of these a decision shows no sign of abuse, so that a renewal asks nothing.
    private static let signs: Set<LedgerEvent.Kind> = [
        .purchaseRefunded, .subscriptionChanged, .ownerChanged, .claimRefused, .claimWaiting, .offerRedeemed,
    ]

    /// Whether something in it may be a sign of abuse, of this subscription or of several together: then it is worth a look.
    package var showsSigns: Bool {
        state.contested != before.contested || events.contains { Self.signs.contains($0.kind) }
    }

    /// Whom a sign of it is about; sorted.
    package var customersWithSigns: [CustomerID] {
        Set(events.filter { Self.signs.contains($0.kind) }.compactMap(\.customer)).sorted()
    }

    /// The signs of abuse that the subscription shows by itself since this decision (ABUSE-1); what only several subscriptions
    /// show together is not among them.
    ///
    /// Before and after are looked at as of one instant: a signal is found once, however much more shows it later.
    package func signals(under thresholds: AbuseThresholds = AbuseThresholds(), at instant: Timestamp) -> [AbuseSignal] {
        guard showsSigns else { return [] }
        func signals(of state: SubscriptionState) -> [AbuseSignal] {
            AbuseReview([state], accounts: AppleAccounts([state]), thresholds: thresholds, at: instant).signals
        }
        let (known, found) = (signals(of: before), signals(of: state))
        return found.filter { signal in !known.contains { $0.kind == signal.kind && $0.subject == signal.subject } }
    }
}
