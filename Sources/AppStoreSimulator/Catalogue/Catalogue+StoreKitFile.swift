internal import Primitives
internal import StrictJSON

extension Catalogue {
    /// Reads an Xcode StoreKit configuration file of format 1 to 5. Members that we do not know are ignored.
    ///
    /// Of the offers only introductory ones are read so far.
    ///
    /// Source: files written by Xcode 12 to 26; Apple publishes no description of the format.
    package init(storeKitFile bytes: [UInt8]) throws(CatalogueError) {
        let root = try Self.root(bytes)
        let version = root["version"]?.object?["major"]?.int64
        if let version, !(1...5).contains(version) { throw .unsupportedVersion(version) }
        var products: [Product] = []
        for list in ["products", "nonRenewingSubscriptions"] {
            for entry in try StoreKitEntry.list(root, list, path: "") { products.append(try entry.oneTimeProduct()) }
        }
        var groups: [SubscriptionGroup] = []
        for entry in try StoreKitEntry.list(root, "subscriptionGroups", path: "") {
            let group = SubscriptionGroup(id: ID(try entry.text("id")), name: entry.object["name"]?.string ?? "")
            groups.append(group)
            for subscription in try StoreKitEntry.list(entry.object, "subscriptions", path: entry.path) {
                products.append(try subscription.subscription(in: group.id))
            }
        }
        let country = root["settings"]?.object?["_storefront"]?.string ?? "USA"
        try self.init(products: products, groups: groups, storefront: Storefront(countryCode: country))
    }

    private static func root(_ bytes: [UInt8]) throws(CatalogueError) -> JSONObject {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(bytes)
        } catch {
            throw .json(error)
        }
        guard let root = document.root.object else { throw .malformed(path: "/") }
        return root
    }
}

/// One object of the file, with the path at which it stands, for messages.
private struct StoreKitEntry {
    let object: JSONObject
    let path: String

    /// The objects of a list; an absent list is empty.
    static func list(_ object: JSONObject, _ name: String, path: String) throws(CatalogueError) -> [StoreKitEntry] {
        guard let value = object[name], !value.isNull else { return [] }
        guard let array = value.array else { throw .malformed(path: "\(path)/\(name)") }
        var entries: [StoreKitEntry] = []
        for (index, element) in array.enumerated() {
            guard let object = element.object else { throw .malformed(path: "\(path)/\(name)/\(index)") }
            entries.append(StoreKitEntry(object: object, path: "\(path)/\(name)/\(index)"))
        }
        return entries
    }

    func text(_ name: String) throws(CatalogueError) -> String {
        guard let text = object[name]?.string, !text.isEmpty else { throw .malformed(path: "\(path)/\(name)") }
        return text
    }

    func price(_ name: String) throws(CatalogueError) -> Milliunits {
        let text = try text(name)
        guard let price = Milliunits(decimal: text) else { throw .price(path: "\(path)/\(name)", text) }
        return price
    }

    func period(_ name: String) throws(CatalogueError) -> SubscriptionPeriod {
        let text = try text(name)
        guard let period = SubscriptionPeriod(iso8601: text) else { throw .period(path: "\(path)/\(name)", text) }
        return period
    }

    func oneTimeProduct() throws(CatalogueError) -> Product {
        let type = try text("type")
        let kind: Product.Kind
        switch type {
        case "Consumable": kind = .consumable
        case "NonConsumable": kind = .nonConsumable
        case "NonRenewingSubscription": kind = .nonRenewingSubscription
        default: throw .unknownKind(path: "\(path)/type", type)
        }
        return Product(id: ID(try text("productID")), kind: kind, price: try price("displayPrice"))
    }

    func subscription(in group: SubscriptionGroupID) throws(CatalogueError) -> Product {
        guard let level = object["groupNumber"]?.int64, level >= 1 else { throw .malformed(path: "\(path)/groupNumber") }
        let terms = SubscriptionTerms(
            group: group, level: level, period: try period("recurringSubscriptionPeriod"),
            introductoryOffer: try introductoryOffer())
        return Product(id: ID(try text("productID")), kind: .autoRenewable(terms), price: try price("displayPrice"))
    }

    /// Formats up to 4 hold one offer; format 5 holds a list as well, of which the first counts.
    private func introductoryOffer() throws(CatalogueError) -> IntroductoryOffer? {
        if let value = object["introductoryOffer"], !value.isNull {
            guard let offer = value.object else { throw .malformed(path: "\(path)/introductoryOffer") }
            return try StoreKitEntry(object: offer, path: "\(path)/introductoryOffer").offer()
        }
        return try Self.list(object, "introductoryOffers", path: path).first?.offer()
    }

    private func offer() throws(CatalogueError) -> IntroductoryOffer {
        let period = try period("subscriptionPeriod")
        let count = object["numberOfPeriods"]?.int64 ?? 1
        guard (1...SubscriptionPeriod.maximumCount).contains(count) else { throw .malformed(path: "\(path)/numberOfPeriods") }
        let mode = try text("paymentMode")
        switch mode {
        case "free":
            return IntroductoryOffer(
                paymentMode: .free, price: Milliunits(0), billedPeriod: period.times(count), billedPeriods: 1)
        case "payUpFront":
            let price = try price("displayPrice")
            return IntroductoryOffer(paymentMode: .payUpFront, price: price, billedPeriod: period.times(count), billedPeriods: 1)
        case "payAsYouGo":
            let price = try price("displayPrice")
            return IntroductoryOffer(paymentMode: .payAsYouGo, price: price, billedPeriod: period, billedPeriods: count)
        default: throw .unknownKind(path: "\(path)/paymentMode", mode)
        }
    }
}

extension Milliunits {
    /// Reads `9.99`: digits, at most twelve, and after a point at most three more; nil for anything else.
    init?(decimal text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard (1...2).contains(parts.count), (1...12).contains(parts[0].utf8.count),
            parts.allSatisfy({ $0.utf8.allSatisfy(digits.contains) })
        else { return nil }
        let fraction = parts.count == 2 ? parts[1] : "0"
        guard (1...3).contains(fraction.utf8.count), let whole = Int64(parts[0]),
            let thousandths = Int64(fraction + String(repeating: "0", count: 3 - fraction.utf8.count))
        else { return nil }
        self.init(whole * 1000 + thousandths)
    }
}
