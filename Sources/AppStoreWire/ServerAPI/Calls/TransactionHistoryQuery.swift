public import Primitives

/// Which of a customer's transactions to list; nothing set: all.
///
/// The revision of the previous page must be sent with the same query. A customer's history may change between pages.
///
/// Source: Apple, App Store Server API, Get Transaction History, query parameters.
public struct TransactionHistoryQuery: Sendable, Hashable {
    /// Only purchases at this instant or later.
    public var startDate: Timestamp?
    /// Only purchases before this instant; it is later than ``startDate``.
    public var endDate: Timestamp?
    /// Only these products; empty: all.
    public var productIds: [String]
    /// Only these kinds of products; empty: all.
    public var productTypes: [HistoryProductType]
    /// The order, by when a transaction was last modified; nil: ascending.
    public var sort: HistorySort?
    /// Only these subscription groups; empty: all.
    public var subscriptionGroupIdentifiers: [String]
    /// Only what the customer got in this way; nil: all.
    public var inAppOwnershipType: InAppOwnershipType?
    /// True: only what was revoked; false: only what was not; nil: all.
    public var revoked: Bool?

    /// A query with these filters.
    public init(
        startDate: Timestamp? = nil, endDate: Timestamp? = nil, productIds: [String] = [],
        productTypes: [HistoryProductType] = [], sort: HistorySort? = nil, subscriptionGroupIdentifiers: [String] = [],
        inAppOwnershipType: InAppOwnershipType? = nil, revoked: Bool? = nil
    ) {
        self.startDate = startDate
        self.endDate = endDate
        self.productIds = productIds
        self.productTypes = productTypes
        self.sort = sort
        self.subscriptionGroupIdentifiers = subscriptionGroupIdentifiers
        self.inAppOwnershipType = inAppOwnershipType
        self.revoked = revoked
    }

    /// Names and values in Apple's order, the revision first.
    func items(revision: String?) throws(ServerAPIRequestError) -> [ServerAPIQueryItem] {
        if let startDate, let endDate, startDate >= endDate { throw ServerAPIRequestError(.startNotBeforeEnd, "startDate") }
        var pairs: [(String, String?)] = [
            ("revision", revision), ("startDate", startDate.map { String($0.millisecondsSince1970) }),
            ("endDate", endDate.map { String($0.millisecondsSince1970) }),
        ]
        pairs += productIds.map { ("productId", $0) }
        pairs += productTypes.map { ("productType", $0.rawValue) }
        pairs.append(("sort", sort?.rawValue))
        pairs += subscriptionGroupIdentifiers.map { ("subscriptionGroupIdentifier", $0) }
        pairs += [("inAppOwnershipType", inAppOwnershipType?.rawValue), ("revoked", revoked.map { $0 ? "true" : "false" })]
        return pairs.compactMap { name, value in value.map { ServerAPIQueryItem(name: name, value: $0) } }
    }
}
