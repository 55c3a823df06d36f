internal import Primitives
internal import StrictJSON

extension Catalogue {
    /// Reads an Xcode StoreKit configuration file of format 1 to 5. Members that we do not know are ignored here and stay in
    /// ``Catalogue/file``.
    ///
    /// Source: files written by Xcode 12 to 26; Apple publishes no description of the format.
    package init(storeKitFile bytes: [UInt8]) throws(CatalogueError) {
        let root = try Self.root(bytes)
        let version = root.fields.object["version"]?.object?["major"]?.int64
        if let version, !(1...5).contains(version) { throw .unsupportedVersion(version) }
        var reader = StoreKitReader()
        for list in ["products", "nonRenewingSubscriptions"] {
            for entry in try root.list(list) { try reader.readOneTimeProduct(entry) }
        }
        for entry in try root.list("subscriptionGroups") { try reader.readGroup(entry) }
        try self.init(
            products: reader.products, groups: reader.groups, offers: reader.offers, settings: try Self.settings(root),
            file: bytes)
    }

    private static func root(_ bytes: [UInt8]) throws(CatalogueError) -> StoreKitEntry {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(bytes)
        } catch {
            throw .json(error)
        }
        return try StoreKitEntry(document.root)
    }

    private static func settings(_ root: StoreKitEntry) throws(CatalogueError) -> CatalogueSettings {
        var settings = CatalogueSettings()
        if let stated = root.fields.object["settings"]?.object {
            if let country = stated["_storefront"]?.string { settings.storefront = Storefront(countryCode: country) }
            settings.isBillingGracePeriodEnabled = stated["_billingGracePeriodEnabled"]?.bool ?? false
        }
        guard let entry = try root.entry("subscriptionOffersKeyPair") else { return settings }
        let text = try entry.text("privateKey")
        // As PEM or as the base64 between its lines.
        let base64 = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-") }.joined()
        guard let key = StrictBase64.decodePadded(Array(base64.utf8)[...]) else {
            throw .key(path: entry.place("privateKey"))
        }
        settings.offerKey = CatalogueSettings.OfferKey(id: try entry.text("id"), privateKey: key)
        return settings
    }
}

/// Products, groups and offers as they are read.
private struct StoreKitReader {
    var products: [StoreProduct] = []
    var groups: [SubscriptionGroup] = []
    var offers: [Offer] = []

    mutating func readOneTimeProduct(_ entry: StoreKitEntry) throws(CatalogueError) {
        let type = try entry.text("type")
        let kind: StoreProduct.Kind
        switch type {
        case "Consumable": kind = .consumable
        case "NonConsumable": kind = .nonConsumable
        case "NonRenewingSubscription": kind = .nonRenewingSubscription
        default: throw .unknownKind(path: entry.place("type"), type)
        }
        var numbers: [OfferNumber] = []
        for offer in try entry.list("codeOffers") {
            numbers.append(keep(try offer.oneTimeCode()))
        }
        products.append(
            StoreProduct(
                id: ID(try entry.text("productID")), kind: kind, price: try entry.price("displayPrice"), name: entry.name,
                isFamilyShareable: entry.flag("familyShareable"), offers: numbers))
    }

    mutating func readGroup(_ entry: StoreKitEntry) throws(CatalogueError) {
        let group = SubscriptionGroup(id: ID(try entry.text("id")), name: entry.fields.object["name"]?.string ?? "")
        groups.append(group)
        for subscription in try entry.list("subscriptions") {
            try readSubscription(subscription, in: group.id)
        }
    }

    private mutating func readSubscription(_ entry: StoreKitEntry, in group: SubscriptionGroupID) throws(CatalogueError) {
        let level = try entry.level("groupNumber")
        let period = try entry.period("recurringSubscriptionPeriod")
        let terms = SubscriptionTerms(group: group, level: level, period: period, monthlyPlan: try entry.monthlyPlan(of: period))
        var numbers: [OfferNumber] = []
        for offer in try entry.introductoryOffers() { numbers.append(keep(offer)) }
        for (list, kind) in [("adHocOffers", Offer.Kind.promotional), ("codeOffers", .code), ("winbackOffers", .winBack)] {
            for offer in try entry.list(list) {
                numbers.append(keep(try offer.offer(kind)))
            }
        }
        products.append(
            StoreProduct(
                id: ID(try entry.text("productID")), kind: .autoRenewable(terms), price: try entry.price("displayPrice"),
                name: entry.name, isFamilyShareable: entry.flag("familyShareable"), offers: numbers))
    }

    private mutating func keep(_ offer: Offer) -> OfferNumber {
        offers.append(offer)
        return OfferNumber(offers.count - 1)
    }
}

/// One object of the file. Names and flags are read without errors: a member of another type counts as absent, because Xcode has
/// changed those between formats.
private struct StoreKitEntry {
    let fields: JSONFields

    init(_ root: JSONValue) throws(CatalogueError) {
        fields = try Self.read { () throws(JSONFieldError) in try JSONFields(root, rules: [.nullIsAbsent, .noEmptyTexts]) }
    }

    private init(_ fields: JSONFields) { self.fields = fields }

    private static func read<Value>(_ body: () throws(JSONFieldError) -> Value) throws(CatalogueError) -> Value {
        do throws(JSONFieldError) { return try body() } catch { throw .malformed(error) }
    }

    private var object: JSONObject { fields.object }

    func place(_ name: String) -> String { fields.place(name) }

    /// The objects of a list; an absent list is empty.
    func list(_ name: String) throws(CatalogueError) -> [StoreKitEntry] {
        try Self.read { () throws(JSONFieldError) in try fields.list(name) ?? [] }.map { StoreKitEntry($0) }
    }

    func entry(_ name: String) throws(CatalogueError) -> StoreKitEntry? {
        try Self.read { () throws(JSONFieldError) in try fields.fields(name) }.map { StoreKitEntry($0) }
    }

    func text(_ name: String) throws(CatalogueError) -> String {
        try Self.read { () throws(JSONFieldError) in try fields.requiredText(name) }
    }

    /// A subscription's place in its group, from 1.
    func level(_ name: String) throws(CatalogueError) -> Int64 {
        try Self.read { () throws(JSONFieldError) in try fields.requiredInteger(name, in: 1...Int64.max) }
    }

    /// For display: the name of the first localization, else the reference name.
    var name: String? {
        let localized = object["localizations"]?.array?.first { _ in true }?.object?["displayName"]?.string
        return [localized, object["referenceName"]?.string].compactMap(\.self).first { !$0.isEmpty }
    }

    func flag(_ name: String) -> Bool { object[name]?.bool ?? false }

    /// Xcode writes an empty text for a price of zero (format 1.1).
    func price(_ name: String) throws(CatalogueError) -> Milliunits {
        if object[name]?.string?.isEmpty == true { return Milliunits(0) }
        let text = try text(name)
        guard let price = Milliunits(decimal: text) else { throw .price(path: place(name), text) }
        return price
    }

    func period(_ name: String) throws(CatalogueError) -> SubscriptionPeriod {
        let text = try text(name)
        guard let period = SubscriptionPeriod(iso8601: text) else { throw .period(path: place(name), text) }
        return period
    }

    // MARK: Subscriptions

    /// The plan of twelve monthly payments, where a yearly product is sold that way (format 5).
    func monthlyPlan(of period: SubscriptionPeriod) throws(CatalogueError) -> MonthlyPlan? {
        for plan in try list("billingPlans") {
            guard plan.object["billingPlanType"]?.string == StoreBillingPlan.monthly.rawValue,
                plan.object["isEnabled"]?.bool ?? true
            else { continue }
            guard period.iso8601 == "P1Y" else { throw .monthlyPlan(path: plan.place("billingPlanType")) }
            return MonthlyPlan(price: try plan.price("displayPrice"), commitmentPrice: try plan.price("commitmentDisplayPrice"))
        }
        return nil
    }

    /// Formats up to 4 hold one offer; format 5 holds a list too, which contains that offer again.
    func introductoryOffers() throws(CatalogueError) -> [Offer] {
        var offers: [Offer] = []
        for entry in try list("introductoryOffers") { offers.append(try entry.offer(.introductory)) }
        guard offers.isEmpty, let entry = try entry("introductoryOffer") else { return offers }
        return [try entry.offer(.introductory)]
    }

    func offer(_ kind: Offer.Kind) throws(CatalogueError) -> Offer {
        Offer(
            kind: kind, identifier: try identifier(of: kind), payment: try payment(), eligibility: try eligibility(),
            isStackable: flag("isStackable"), isEligible: object["isEligible"]?.bool ?? true)
    }

    /// An offer code for a product that does not renew: a price, once.
    func oneTimeCode() throws(CatalogueError) -> Offer {
        let price = object["displayPrice"] == nil ? Milliunits(0) : try price("displayPrice")
        return Offer(
            kind: .code, identifier: try identifier(of: .code), payment: .init(mode: .oneTime, price: price, period: nil),
            eligibility: try eligibility())
    }

    private func identifier(of kind: Offer.Kind) throws(CatalogueError) -> String? {
        switch kind {
        case .introductory: nil
        case .promotional, .winBack: try text("offerID")
        case .code: try text("referenceName")
        }
    }

    private func eligibility() throws(CatalogueError) -> Set<Offer.Customer> {
        guard let list = object["eligibility"]?.array else { return Set(Offer.Customer.allCases) }
        var customers: Set<Offer.Customer> = []
        for element in list {
            let word = element.string ?? String(decoding: element.rawBytes, as: UTF8.self)
            guard let customer = Offer.Customer(rawValue: word) else { throw .unknownKind(path: place("eligibility"), word) }
            customers.insert(customer)
        }
        return customers
    }

    private func payment() throws(CatalogueError) -> Offer.Payment {
        let period = try period("subscriptionPeriod")
        let count = object["numberOfPeriods"]?.int64 ?? 1
        let counts = 1...SubscriptionPeriod.maximumCount
        guard counts.contains(count) else { throw .malformed(fields.error("numberOfPeriods", expected: .integer(counts))) }
        let mode = try text("paymentMode")
        switch mode {
        case "free": return .init(mode: .free, price: Milliunits(0), period: period.times(count))
        case "payUpFront": return .init(mode: .payUpFront, price: try price("displayPrice"), period: period.times(count))
        case "payAsYouGo":
            return .init(mode: .payAsYouGo, price: try price("displayPrice"), period: period, periods: count)
        default: throw .unknownKind(path: place("paymentMode"), mode)
        }
    }
}

extension Milliunits {
    /// Reads `9.99`: digits, at most twelve, and after a point at most three more; nil for anything else.
    package init?(decimal text: String) {
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
