package import Primitives

package enum Content {}
package typealias ContentID = ID<Content>
package typealias ContentKindID = ID<ContentKind>

/// A kind of content that an entitlement opens, such as a magazine's issues, and what becomes of it after the end (ENT-8).
package struct ContentKind: Sendable, Hashable {
    package let id: ContentKindID
    /// What opens it.
    package let entitlement: EntitlementID
    package var afterTheEnd: Retention
    /// How many items may be unlocked in one period; nil, and so any number, unless changed.
    package let unlocksPerPeriod: Int?

    /// - Parameter unlocksPerPeriod: less than none is none.
    package init(
        id: ContentKindID, entitlement: EntitlementID, afterTheEnd: Retention = .lost, unlocksPerPeriod: Int? = nil
    ) {
        self.id = id
        self.entitlement = entitlement
        self.afterTheEnd = afterTheEnd
        self.unlocksPerPeriod = unlocksPerPeriod.map { max($0, 0) }
    }

    /// What becomes of unlocked content when the entitlement ends: ENT-8. The first is the default.
    package enum Retention: String, Sendable, Hashable, CaseIterable {
        case lost
        case kept
        /// Only what was published while the customer had paid: the issues of their year.
        case keptIfPublishedWhilePaid
    }
}

/// One thing to read, see or play.
package struct ContentItem: Sendable, Hashable {
    package let id: ContentID
    package let kind: ContentKindID
    package let publishedAt: Timestamp

    package init(id: ContentID, kind: ContentKindID, publishedAt: Timestamp) {
        self.id = id
        self.kind = kind
        self.publishedAt = publishedAt
    }
}

/// A customer opened an item through their entitlement; a recorded input. Opening it again says nothing new.
package struct ContentUnlock: Sendable, Hashable {
    package let customer: CustomerID
    package let content: ContentID
    package let kind: ContentKindID
    package let unlockedAt: Timestamp

    package init(customer: CustomerID, content: ContentID, kind: ContentKindID, unlockedAt: Timestamp) {
        self.customer = customer
        self.content = content
        self.kind = kind
        self.unlockedAt = unlockedAt
    }
}
