package import Primitives

/// Names the kind of ``ID`` that a product has.
package enum ProductName {}
/// Names the kind of ``ID`` that a subscription group has.
package enum SubscriptionGroupName {}

package typealias ProductID = ID<ProductName>
package typealias SubscriptionGroupID = ID<SubscriptionGroupName>

/// What the simulated App Store sells: the products of one app.
package struct Catalogue: Sendable, Hashable {
    /// All products in the order of the file: one-time products, non-renewing ones, then subscriptions by group.
    package let products: [Product]
    /// All subscription groups in the order of the file.
    package let groups: [SubscriptionGroup]
    /// Where the shop stands.
    package let storefront: Storefront
    private let positions: [ProductID: Int]

    /// - Throws: ``CatalogueError/duplicateProduct(_:)`` when two products share an id.
    package init(products: [Product], groups: [SubscriptionGroup], storefront: Storefront) throws(CatalogueError) {
        var positions: [ProductID: Int] = [:]
        for (position, product) in products.enumerated() {
            guard positions.updateValue(position, forKey: product.id) == nil else {
                throw CatalogueError.duplicateProduct(product.id.rawValue)
            }
        }
        self.products = products
        self.groups = groups
        self.storefront = storefront
        self.positions = positions
    }

    /// The product of that id, if it is sold.
    package func product(_ id: ProductID) -> Product? {
        positions[id].map { products[$0] }
    }
}

/// One product.
package struct Product: Sendable, Hashable {
    /// What the customer gets, and by which rules.
    package enum Kind: Sendable, Hashable {
        case consumable
        case nonConsumable
        case nonRenewingSubscription
        case autoRenewable(SubscriptionTerms)
    }

    package let id: ProductID
    package let kind: Kind
    /// In the storefront's currency.
    package let price: Milliunits

    /// The terms, if this renews.
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
    /// Once per group and Apple Account.
    package let introductoryOffer: IntroductoryOffer?
}

/// A group of subscriptions of which a customer has one at a time.
package struct SubscriptionGroup: Sendable, Hashable {
    package let id: SubscriptionGroupID
    package let name: String
}

/// The price and length of a customer's first time in a group.
///
/// Source: Apple, `offerDiscountType`.
package struct IntroductoryOffer: Sendable, Hashable {
    /// How it is paid, in the spelling of `offerDiscountType`.
    package enum PaymentMode: String, Sendable, Hashable {
        case free = "FREE_TRIAL"
        case payAsYouGo = "PAY_AS_YOU_GO"
        case payUpFront = "PAY_UP_FRONT"
    }

    package let paymentMode: PaymentMode
    /// The price of one billed period, zero when free.
    package let price: Milliunits
    /// How long one billed period is.
    package let billedPeriod: SubscriptionPeriod
    /// How many billed periods in a row; 1 unless it is paid as one goes.
    package let billedPeriods: Int64
}

/// The country of the shop, and what follows from it.
///
/// Source: Apple, `storefront` and `storefrontId`.
package struct Storefront: Sendable, Hashable {
    /// Three letters, `USA`.
    package let countryCode: String
    /// Apple's number; nil for a country that is not in our table.
    package let id: String?
    /// ISO 4217; US dollars for a country that is not in our table.
    package let currency: String

    package init(countryCode: String) {
        self.countryCode = countryCode
        (id, currency) = Self.known[countryCode] ?? (nil, "USD")
    }

    private static let known: [String: (id: String?, currency: String)] = [
        "USA": ("143441", "USD"), "FRA": ("143442", "EUR"), "DEU": ("143443", "EUR"), "GBR": ("143444", "GBP"),
        "ITA": ("143450", "EUR"), "ESP": ("143454", "EUR"), "CAN": ("143455", "CAD"), "CHE": ("143459", "CHF"),
        "AUS": ("143460", "AUD"), "JPN": ("143462", "JPY"),
    ]
}
