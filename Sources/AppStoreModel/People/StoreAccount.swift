package import Primitives

/// Names an account inside the store.
package struct AccountNumber: Sendable, Hashable, Comparable, SavedAsOne {
    let place: Int32

    package static func < (left: Self, right: Self) -> Bool { left.place < right.place }
}

/// Names a country inside the store.
package struct StorefrontNumber: Sendable, Hashable, SavedAsOne {
    let place: Int16
}

/// One Apple Account, of Production or of Sandbox.
package struct StoreAccount: Sendable, Hashable, Codable {
    /// What the account's card does.
    package enum Payment: String, Sendable, Hashable, Codable {
        case succeeds, fails
    }

    package let id: AccountID
    package let number: AccountNumber
    package let environment: Environment
    package internal(set) var storefront: StorefrontNumber
    package internal(set) var payment = Payment.succeeds
    package internal(set) var family: FamilyID?
    /// When its address was last changed; nil: never. Later copies of what was bought before carry no `appAccountToken`.
    var addressChangedAt: Timestamp?
    /// The first `signedDate` after that change; nil in states that earlier versions saved, where it is the instant itself.
    var addressChangeSignedAt: Timestamp?
    /// What it has in each app that it ever used.
    package internal(set) var installations: [AppNumber: Installation] = [:]
}

/// What one Apple Account has in one app.
package struct Installation: Sendable, Hashable, Codable {
    /// One per Apple Account and app, the same forever.
    package let appTransactionId: Int64
    /// When the account first got the app.
    package let originalPurchaseDate: Timestamp
    /// The groups in which the introductory offer was used.
    @SavedInOrder var introduced: Set<SubscriptionGroupID> = []
    /// Codes that were redeemed; each works once.
    @SavedInOrder var redeemed: Set<OfferNumber> = []
    /// The account's own subscription in each group.
    package internal(set) var subscriptions: [SubscriptionGroupID: TransactionNumber] = [:]
    /// Subscriptions of its own that another one replaced in their group, oldest first; nil: none.
    package internal(set) var replaced: [TransactionNumber]?
    /// What it has through its family or by a seat: its own `originalTransactionId` by the purchaser's.
    package internal(set) var shared: [TransactionNumber: TransactionNumber] = [:]
    /// Oldest first; renewals and family copies included, restored copies not.
    package internal(set) var transactions: [TransactionNumber] = []
}

/// Names the kind of ``ID`` that a family has.
package enum FamilyName {}
package typealias FamilyID = ID<FamilyName>

/// A family: who belongs to it, and whether purchases are shared.
package struct Family: Sendable, Hashable, Codable {
    package let id: FamilyID
    /// In the order in which they joined; the first is the organizer.
    package internal(set) var members: [AccountNumber]
    package internal(set) var isSharing = true

    /// Source: Apple, "What is Family Sharing?".
    static let maximumMembers = 6
}

/// Names the kind of ``ID`` that a device has.
package enum DeviceName {}
package typealias DeviceID = ID<DeviceName>

/// A phone, signed in with an Apple Account or not signed in.
package struct StoreDevice: Sendable, Hashable, Codable {
    package let id: DeviceID
    /// `identifierForVendor`, for which receipts are made.
    package let identifierForVendor: CompactUUID
    package internal(set) var account: AccountNumber?
    /// What the app's queue still holds, oldest first: bought, restored or renewed and not finished.
    package internal(set) var unfinished: [TransactionNumber] = []
}
