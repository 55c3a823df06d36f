/// A product as the store sells it to the Apple Account of this device.
public struct StoreProduct: Sendable, Hashable {
    /// Its id in App Store Connect.
    public var id: String
    /// Its name in the language of the device.
    public var displayName: String
    /// Its price as the store writes it, with the currency, such as `€9.99`. To be shown, not to be counted with.
    public var displayPrice: String

    /// A product, in the store's own words.
    public init(id: String, displayName: String, displayPrice: String) {
        (self.id, self.displayName, self.displayPrice) = (id, displayName, displayPrice)
    }
}

extension TenureProblem {
    /// The store has none of these products.
    ///
    /// Source: Apple, `Product.products(for:)`: products that the store does not know are left out of the answer without a word.
    public static func noProducts(_ ids: [String]) -> TenureProblem {
        TenureProblem(
            .noProducts,
            words: """
                The App Store has none of these products: \(ids.joined(separator: ", ")). The usual causes: \
                (1) agreements: in App Store Connect, Business, the Paid Apps agreement is not active, or tax or bank details \
                are missing; \
                (2) product state: a product is not in a state to be sold, such as Missing Metadata, or it was made within the \
                last hours; \
                (3) bundle id: the app's is not the one that the products belong to; \
                (4) region: the products are not for sale in the storefront of this Apple Account; \
                (5) StoreKit file: run from Xcode, the scheme names no StoreKit configuration file, or one without these products.
                """)
    }
}
