package import Primitives

/// Whether an item may be used, by what right or why not (ENT-8).
package enum ContentUse: Sendable, Hashable {
    case allowed(Right)
    case refused(Refusal)

    package enum Right: String, Sendable, Hashable {
        /// The entitlement is active.
        case active
        /// Unlocked through a subscription, and of a kind that is kept.
        case kept
        /// Unlocked through a subscription, and published while it was paid.
        case publishedWhilePaid
    }

    package enum Refusal: String, Sendable, Hashable {
        /// It is of another kind, or not published yet.
        case notPublished
        /// The customer never unlocked it while they could.
        case notUnlocked
        /// It was open to the customer and ended with the subscription.
        case lost
    }
}

/// Whether an item may be unlocked now (ENT-8).
package enum ContentUnlockAnswer: Sendable, Hashable {
    /// How many more in this period when it is done; nil for any number.
    case allowed(leftAfterwards: Int?)
    /// It is unlocked already; unlocking it again takes nothing from the ration.
    case unlockedBefore(at: Timestamp)
    /// The ration of this period is used up; a new one comes with a period that begins at the end of this one. Nil where it does
    /// not end.
    case rationed(againAt: Timestamp?)
    case refused(Refusal)

    package enum Refusal: String, Sendable, Hashable {
        /// It is of another kind, or not published yet.
        case notPublished
        /// The entitlement is not active.
        case notActive
    }
}
