package import Primitives

/// Names the kind of ``ID`` that a product has.
package enum ProductName {}
/// Names the kind of ``ID`` that a subscription group has.
package enum SubscriptionGroupName {}

package typealias StoreProductID = ID<ProductName>
package typealias SubscriptionGroupID = ID<SubscriptionGroupName>

/// What one app sells in the simulated App Store.
///
/// Products, groups and offers have numbers, which are their places here, so that a stored purchase is small.
package struct Catalogue: Sendable, Hashable, Codable {
    /// All products in the order of the file: one-time products, non-renewing ones, then subscriptions by group.
    package let products: [StoreProduct]
    /// All subscription groups in the order of the file.
    package let groups: [SubscriptionGroup]
    /// All offers of all products.
    package let offers: [Offer]
    package let settings: CatalogueSettings
    /// The original file, with the members that are not read here; nil where the catalogue was not made from a file.
    package let file: [UInt8]?
    private let positions: [StoreProductID: Int]

    /// - Throws: ``CatalogueError/duplicateProduct(_:)`` when two products share an id.
    package init(
        products: [StoreProduct], groups: [SubscriptionGroup] = [], offers: [Offer] = [],
        settings: CatalogueSettings = CatalogueSettings(), file: [UInt8]? = nil
    ) throws(CatalogueError) {
        var positions: [StoreProductID: Int] = [:]
        for (position, product) in products.enumerated() {
            guard positions.updateValue(position, forKey: product.id) == nil else {
                throw CatalogueError.duplicateProduct(product.id.rawValue)
            }
        }
        self.products = products
        self.groups = groups
        self.offers = offers
        self.settings = settings
        self.file = file
        self.positions = positions
    }

    /// The product of that id, if there is one.
    package func product(_ id: StoreProductID) -> StoreProduct? { number(of: id).map { products[$0.place] } }

    /// Its number, if there is one.
    package func number(of id: StoreProductID) -> ProductNumber? { positions[id].map { ProductNumber($0) } }

    /// The product of a number from this catalogue.
    package subscript(_ number: ProductNumber) -> StoreProduct { products[number.place] }

    /// The offer of a number from this catalogue.
    package subscript(_ number: OfferNumber) -> Offer { offers[number.place] }

    /// The offers of a product of one kind, in the order of the file.
    package func offers(of product: StoreProduct, _ kind: Offer.Kind) -> [OfferNumber] {
        product.offers.filter { self[$0].kind == kind }
    }
}

/// A place in a list of a catalogue.
package struct CatalogueNumber<List>: Sendable, Hashable, Comparable, SavedAsOne, SavedAsKey {
    let rawValue: Int32

    /// - Parameter place: in the list; no list of a catalogue is as long as 2³¹.
    init(_ place: Int) { rawValue = Int32(truncatingIfNeeded: place) }

    package var place: Int { Int(rawValue) }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

package typealias ProductNumber = CatalogueNumber<StoreProduct>
package typealias OfferNumber = CatalogueNumber<Offer>

/// One product.
package struct StoreProduct: Sendable, Hashable {
    /// What the customer gets, and under which rules.
    package enum Kind: Sendable, Hashable {
        case consumable
        case nonConsumable
        case nonRenewingSubscription
        case autoRenewable(SubscriptionTerms)
    }

    package let id: StoreProductID
    package let kind: Kind
    /// In the storefront's currency, whichever it is.
    package let price: Milliunits
    /// For display; the id where the file has no name.
    package let name: String
    package let isFamilyShareable: Bool
    package let offers: [OfferNumber]

    package init(
        id: StoreProductID, kind: Kind, price: Milliunits, name: String? = nil, isFamilyShareable: Bool = false,
        offers: [OfferNumber] = []
    ) {
        self.id = id
        self.kind = kind
        self.price = price
        self.name = name ?? id.rawValue
        self.isFamilyShareable = isFamilyShareable
        self.offers = offers
    }

    /// The terms, if the product renews.
    package var terms: SubscriptionTerms? {
        if case .autoRenewable(let terms) = kind { terms } else { nil }
    }
}

/// What makes a product a subscription.
package struct SubscriptionTerms: Sendable, Hashable {
    package let group: SubscriptionGroupID
    /// The rank inside the group: 1 is the highest service. Apple's file calls it `groupNumber`.
    package let level: Int64
    package let period: SubscriptionPeriod
    /// Paid month by month for a year; nil where it is not sold that way.
    package let monthlyPlan: MonthlyPlan?

    package init(group: SubscriptionGroupID, level: Int64, period: SubscriptionPeriod, monthlyPlan: MonthlyPlan? = nil) {
        self.group = group
        self.level = level
        self.period = period
        self.monthlyPlan = monthlyPlan
    }
}

/// A year that is paid by the month: `billingPlanType` `MONTHLY`.
///
/// Source: Apple, "Managing the life cycle of monthly subscriptions with a 12-month commitment".
package struct MonthlyPlan: Sendable, Hashable {
    /// The price of one month.
    package let price: Milliunits
    /// The price of all twelve months.
    package let commitmentPrice: Milliunits

    package static let months: Int64 = 12
}

/// How a yearly subscription is paid, in the spelling of `billingPlanType`.
package enum StoreBillingPlan: String, Sendable, Hashable, CaseIterable, Codable {
    case billedUpfront = "BILLED_UPFRONT"
    case monthly = "MONTHLY"
}

/// A group of subscriptions of which a customer has one at a time.
package struct SubscriptionGroup: Sendable, Hashable {
    package let id: SubscriptionGroupID
    package let name: String
}

/// What the file says besides its products.
package struct CatalogueSettings: Sendable, Hashable {
    /// `_storefront`: the country of accounts that name none.
    package var storefront = Storefront(countryCode: "USA")
    /// `_billingGracePeriodEnabled`.
    package var isBillingGracePeriodEnabled = false
    /// `subscriptionOffersKeyPair`: what promotional offers are signed with.
    package var offerKey: OfferKey?

    package init() {}

    /// A key's id and its PKCS#8, as the file has it.
    package struct OfferKey: Sendable, Hashable {
        package let id: String
        /// DER. Xcode makes it for tests; it opens nothing at Apple.
        package let privateKey: [UInt8]
    }
}
