public import Foundation
public import TenureClient

/// What a store's view shows to a customer, as the server's wall says: which products, in which order, under which policies.
///
/// Offers are part of it as far as Apple's views take them: the wall names the product to buy, the plan with its introductory
/// offer or the same plan without (WALL-3), and Apple's view shows an introductory offer to whom Apple gives it.
public struct StoreShelf: Sendable, Hashable {
    /// What may be bought, in order, each once; empty where there is nothing to buy.
    public let productIds: [String]
    /// Whether they are of one subscription group, which is what Apple's `SubscriptionStoreView` sells.
    public let isOneGroup: Bool
    /// The links that Apple wants beside them (WALL-6); nil where the server has none.
    public let links: Wall.Links?
    /// Where customers manage at Apple what they have; nil where the wall names nothing of theirs.
    public let manageLink: URL?

    /// - Parameter wall: what the server says to show.
    public init(_ wall: Wall) {
        productIds = Self.once(wall.products.map(\.productId))
        isOneGroup = Set(wall.products.map(\.subscriptionGroupIdentifier)).count == 1
        (links, manageLink) = (wall.links, wall.manage.isEmpty ? nil : wall.manageLink)
    }

    /// - Parameter productIds: what the app sells where the server cannot be asked, in order.
    public init(productIds: [String]) {
        (self.productIds, isOneGroup, links, manageLink) = (Self.once(productIds), false, nil, nil)
    }

    private static func once(_ ids: [String]) -> [String] {
        var seen: Set<String> = []
        return ids.filter { seen.insert($0).inserted }
    }
}

/// Why a store's view has nothing to sell.
public struct StoreAbsence: Sendable, Hashable {
    /// Why.
    public let reason: Reason
    /// Where customers manage at Apple what they have; nil where they have nothing of what the wall sells.
    public let manageLink: URL?

    /// The reasons; a newer client may know more.
    public struct Reason: RawRepresentable, Sendable, Hashable {
        /// As it is written in a log.
        public let rawValue: String

        /// Any value, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The server is being asked.
        public static let asking = Reason(rawValue: "asking")
        /// The customer has all of it, or the server sells them nothing.
        public static let nothingToBuy = Reason(rawValue: "nothingToBuy")
        /// The server did not answer, and the app has named no products for that.
        public static let notAnswered = Reason(rawValue: "notAnswered")
        /// The App Store has none of the products (DEV-5), or failed; asked only before iOS 17, where Apple's views do not.
        public static let noProducts = Reason(rawValue: "noProducts")
    }
}

/// What a store's view knows: a shelf with something on it, or why there is none.
enum StoreState: Sendable, Hashable {
    case selling(StoreShelf)
    case absent(StoreAbsence)

    static let asking = StoreState.absent(StoreAbsence(reason: .asking, manageLink: nil))

    /// The App Store sells nothing of a shelf.
    static func withoutProducts(_ shelf: StoreShelf) -> StoreState {
        .absent(StoreAbsence(reason: .noProducts, manageLink: shelf.manageLink))
    }

    init(_ shelf: StoreShelf) {
        self =
            shelf.productIds.isEmpty
            ? .absent(StoreAbsence(reason: .nothingToBuy, manageLink: shelf.manageLink)) : .selling(shelf)
    }
}

/// When a wall is to be asked for again: another customer, or the same with something else to use.
struct StoreOccasion: Hashable {
    private let customer: String
    private let active: Set<String>

    init(_ access: Access) {
        (customer, active) = (access.customer, Set(access.entitlements.filter { $0.value.isActive }.keys))
    }
}
