import Ledger
import Primitives
import StrictJSON

/// What an app sells and has released, as its file says it: `products` in their long form, `features`, `licences` and
/// `contentKinds`, what of it is shown to whom: `wall`, and which offers are signed for whom: `offers`.
enum OfferingsConfiguration {
    static let members: Set<String> = ["features", "licences", "contentKinds", "wall", "offers"]

    static func offerings(_ file: JSONFields) throws -> AppOfferings {
        let listings = try listings(file)
        let plans = AppOfferings(products: listings).plans
        if let fault = plans.faults.first {
            throw CommandError("\(file.place("products")): \(words(of: fault)) (WALL-3, WALL-4)")
        }
        return AppOfferings(
            products: listings, features: try features(file), licences: try licences(file),
            contentKinds: try contentKinds(file), wall: try WallConfiguration(plans: plans).wall(file),
            offers: try OffersConfiguration(plans: plans).desk(file))
    }

    // MARK: Products

    private static let listed: Set<String> = [
        "entitlements", "type", "displayName", "group", "level", "duration", "introductoryOffer", "withoutIntroductoryOffer",
        "prices",
    ]

    /// Those of the products that are described and not only listed.
    private static func listings(_ file: JSONFields) throws -> [ProductListing] {
        try file.entries("products").compactMap { member in
            guard member.value.object != nil else { return nil }
            let fields = try JSONFields(member.value, at: file.place("products.\(member.name)"), knowing: listed)
            return try listing(ProductID(member.name), fields)
        }
    }

    private static func listing(_ product: ProductID, _ fields: JSONFields) throws -> ProductListing {
        let plan = try plan(fields)
        let type = try fields.choice("type", ProductType.self) ?? (plan == nil ? .nonConsumable : .autoRenewable)
        guard (plan == nil) == (type != .autoRenewable) else {
            throw CommandError(
                "\(fields.place("group")), level and duration belong to an autoRenewable product, and only to one.")
        }
        return ProductListing(
            productId: product, type: type.kind, displayName: try fields.text("displayName"), plan: plan,
            prices: try prices(fields))
    }

    /// Apple's types in the spelling of a `.storekit` file.
    private enum ProductType: String, CaseIterable {
        case autoRenewable, nonRenewing, consumable, nonConsumable

        var kind: ProductKind {
            switch self {
            case .autoRenewable: .autoRenewableSubscription
            case .nonRenewing: .nonRenewingSubscription
            case .consumable: .consumable
            case .nonConsumable: .nonConsumable
            }
        }
    }

    private static func plan(_ fields: JSONFields) throws -> ProductListing.Plan? {
        guard fields.has("group") || fields.has("level") || fields.has("duration") else { return nil }
        let duration = try fields.requiredText("duration")
        guard PlanDuration(duration) != nil else {
            let known = PlanDuration.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandError("\(fields.place("duration")) is \(duration); it must be one of \(known).")
        }
        var plan = ProductListing.Plan(
            subscriptionGroupIdentifier: try fields.requiredText("group"),
            level: Int(try fields.requiredInteger("level", in: 1...1000)), duration: duration)
        plan.withoutIntroductoryOffer = try fields.text("withoutIntroductoryOffer").map { ProductID($0) }
        if let offer = try fields.fields("introductoryOffer", knowing: ["kind", "length"]) {
            guard let kind = try offer.choice("kind", PlanIntroductoryOffer.Kind.self) else {
                throw CommandError("\(offer.place("kind")) is missing.")
            }
            plan.introductoryOffer = PlanIntroductoryOffer(kind: kind, length: try offer.requiredText("length"))
        }
        return plan
    }

    /// `{"USD": 9990}`: by currency, in thousandths of its unit.
    private static func prices(_ fields: JSONFields) throws -> [ProductListing.Price] {
        guard let prices = try fields.fields("prices") else { return [] }
        return try prices.object.map { member in
            guard member.name.utf8.count == 3, member.name.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
                throw CommandError("\(prices.place(member.name)) is no currency of ISO 4217, such as USD.")
            }
            return ProductListing.Price(
                currency: member.name, amount: Milliunits(try prices.requiredInteger(member.name, in: 0...1_000_000_000_000)))
        }
    }

    // MARK: Features and licences

    private static let instants = 0...Timestamp.latestAccepted.millisecondsSince1970

    /// `[{"id": "export.pdf", "name": "Export as PDF", "releaseDate": milliseconds}]` (LIC-1).
    private static func features(_ file: JSONFields) throws -> FeatureTimeline {
        var known: Set<String> = []
        let features = try (file.list("features") ?? []).map { fields in
            try fields.refuseMembers(besides: ["id", "name", "releaseDate"])
            let id = try fields.requiredText("id")
            guard known.insert(id).inserted else { throw CommandError("\(fields.place("id")): two features are called \(id).") }
            return Feature(
                id: FeatureID(id), name: try fields.requiredText("name"),
                releaseDate: Timestamp(millisecondsSince1970: try fields.requiredInteger("releaseDate", in: instants)))
        }
        return FeatureTimeline(features)
    }

    /// LIC-2, LIC-3.
    private static func licences(_ file: JSONFields) throws -> LicencePolicy {
        var policy = LicencePolicy()
        let names: Set<String> = ["slackHours", "countsFamilySharing", "paidApp", "testers"]
        guard let chosen = try file.fields("licences", knowing: names) else { return policy }
        if let hours = try chosen.integer("slackHours", in: 0...8784) { policy.slack = .hours(hours) }
        policy.countsFamilySharing = try chosen.bool("countsFamilySharing") ?? false
        policy.paidApp = try paidApp(chosen)
        policy.testers = try (chosen.list("testers") ?? []).map { fields in
            try fields.refuseMembers(besides: ["customer", "originalPurchaseDate"])
            return PaidAppTester(
                customer: CustomerID(try fields.requiredText("customer")),
                originalPurchaseDate: try fields.integer("originalPurchaseDate", in: instants).map {
                    Timestamp(millisecondsSince1970: $0)
                })
        }
        return policy
    }

    private static func paidApp(_ chosen: JSONFields) throws -> PaidAppLine? {
        let names: Set<String> = ["before", "belowVersion", "belowVersionOnMac", "updatesMonths"]
        guard let fields = try chosen.fields("paidApp", knowing: names) else { return nil }
        func version(_ name: String) throws -> ApplicationVersion? {
            try fields.text(name).map { text in
                guard let version = ApplicationVersion(text) else {
                    throw CommandError("\(fields.place(name)) is \(text); a version begins with a number, such as 2.0.")
                }
                return version
            }
        }
        let line = PaidAppLine(
            before: try fields.integer("before", in: instants).map { Timestamp(millisecondsSince1970: $0) },
            belowVersion: try version("belowVersion"), belowVersionOnMac: try version("belowVersionOnMac"),
            updates: CalendarMonths(try fields.integer("updatesMonths", in: 1...1200) ?? 12))
        guard line.before != nil || line.belowVersion != nil || line.belowVersionOnMac != nil else {
            throw CommandError("\(fields.place("before")) or a version is missing: who paid for the app (LIC-3)?")
        }
        return line
    }

    // MARK: Content

    /// `[{"id": "issue", "entitlement": "plus", "afterTheEnd": "kept", "unlocksPerPeriod": 4}]` (ENT-8).
    private static func contentKinds(_ file: JSONFields) throws -> [ContentKind] {
        var known: Set<String> = []
        return try (file.list("contentKinds") ?? []).map { fields in
            try fields.refuseMembers(besides: ["id", "entitlement", "afterTheEnd", "unlocksPerPeriod"])
            let id = try fields.requiredText("id")
            guard known.insert(id).inserted else { throw CommandError("\(fields.place("id")): two kinds are called \(id).") }
            return ContentKind(
                id: ContentKindID(id), entitlement: EntitlementID(try fields.requiredText("entitlement")),
                afterTheEnd: try fields.choice("afterTheEnd", ContentKind.Retention.self) ?? .lost,
                unlocksPerPeriod: try fields.integer("unlocksPerPeriod", in: 0...1_000_000).map { Int($0) })
        }
    }

    private static func words(of fault: PlanCatalogueFault) -> String {
        switch fault {
        case .noDuration(let group): "group \(group) has no product"
        case .unknownDuration(let product, let duration): "\(product) lasts \(duration), which the App Store does not have"
        case .groupTwice(let group): "group \(group) is named twice"
        case .productTwice(let product): "\(product) is named twice"
        case .levelBelowOne(let product): "\(product) has a level below 1"
        case .variantElsewhere(let product, let variant): "\(variant), which stands for \(product), is not in its group"
        case .variantOfAnotherPlan(let product, let variant):
            "\(variant), which stands for \(product), has another level or duration"
        case .variantWithIntroductoryOffer(let product, let variant):
            "\(variant), which stands for \(product), has an introductory offer"
        }
    }
}
