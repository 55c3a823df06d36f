extension LedgerEvent {
    /// What happened. The spellings are stable: they stand in stored events and in what is sent. docs/events.md tells of each
    /// when it is emitted, with which fields, and what it never means.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        // MARK: Periods

        /// The first period that is known, and no source says that it renewed.
        case subscriptionStarted = "subscription.started"
        /// One more period of a running subscription.
        case subscriptionRenewed = "subscription.renewed"
        /// Apple could charge after it had failed to.
        case subscriptionRecovered = "subscription.recovered"
        /// Bought again after the end (OWN-7).
        case subscriptionResubscribed = "subscription.resubscribed"
        /// Another product at once: an upgrade or an immediate crossgrade (PER-3).
        case subscriptionChanged = "subscription.changed"
        /// A period's `expiresDate` was moved back by Apple.
        case subscriptionExtended = "subscription.extended"
        /// It is over and Apple no longer retries; emitted when Apple has said why, or a day after the end.
        case subscriptionExpired = "subscription.expired"
        /// A one-time purchase: consumable, non-consumable or non-renewing subscription (PER-9).
        case purchaseMade = "purchase.made"
        /// A transaction was refunded, in full or in part (PER-11).
        case purchaseRefunded = "purchase.refunded"
        /// A refund was undone (ENT-5).
        case refundReversed = "refund.reversed"
        /// Apple refused a refund.
        case refundDeclined = "refund.declined"
        /// Family Sharing stopped for this member (PER-2).
        case familySharingStopped = "familySharing.stopped"
        /// A seat of a group purchase was taken from this member (PER-12).
        case assignmentRevoked = "assignment.revoked"
        /// An offer was redeemed (PER-7).
        case offerRedeemed = "offer.redeemed"
        /// A consumable was to be delivered to a customer, and another one has it (PER-9).
        case deliveryRefused = "delivery.refused"

        // MARK: The next renewal

        /// It will renew into another product (PER-4).
        case changeScheduled = "change.scheduled"
        /// It will renew into its own product after all.
        case changeWithdrawn = "change.withdrawn"
        case renewalTurnedOff = "renewal.turnedOff"
        case renewalTurnedOn = "renewal.turnedOn"
        /// Apple could not charge and tries again.
        case billingFailed = "billing.failed"
        /// The billing grace period runs (ENT-7).
        case gracePeriodBegan = "gracePeriod.began"
        /// It ended without a payment.
        case gracePeriodEnded = "gracePeriod.ended"
        /// A higher price needs the customer's consent.
        case priceIncreasePending = "priceIncrease.pending"
        /// The customer consented, or was told of an increase that needs no consent.
        case priceIncreaseAccepted = "priceIncrease.accepted"

        // MARK: Ownership

        /// Another customer owns the subscription from `effectiveAt` on.
        case ownerChanged = "owner.changed"
        /// A customer probably owns it, and must say so (OWN-14).
        case ownerProposed = "owner.proposed"
        /// A claim is pending a decision, or Apple's word.
        case claimWaiting = "claim.waiting"
        case claimRefused = "claim.refused"
        /// An anonymous customer became an identified one (OWN-10).
        case customerMerged = "customer.merged"

        // MARK: Access

        /// A customer's access became longer, shorter, or began or ended at another time.
        case accessChanged = "access.changed"
        /// The subscription has stopped giving access to its owner.
        case accessEnded = "access.ended"
        /// Access is kept for want of news (ENT-6).
        case accessProvisional = "access.provisional"
        /// News shows that an emitted end was wrong.
        case newsLate = "news.late"

        // MARK: For the operator

        /// Apple asks what is known of a purchase whose refund was asked for (ABUSE-2).
        case consumptionRequested = "consumption.requested"
        /// A customer holds two running subscriptions that give the same (OWN-12).
        case paymentDoubled = "payment.doubled"
        /// A signal of abuse (ABUSE-1).
        case signalRaised = "signal.raised"
        /// Apple used a word that this version does not know (FACT-5).
        case warningUnknown = "warning.unknown"
    }
}
