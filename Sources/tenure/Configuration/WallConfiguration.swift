import Ledger
import Primitives
import StrictJSON

/// What is shown to whom, as an app's file says it in `wall` (WALL-1): offerings, and cohorts in the order in which they are
/// tried.
struct WallConfiguration {
    /// What the app sells by subscription: an offering shows nothing else.
    let plans: PlanCatalogueDraft

    /// - Throws: `CommandError` that names the member and what it should be.
    func wall(_ file: JSONFields) throws -> Wall {
        guard let chosen = try file.fields("wall", knowing: ["links", "offerings", "cohorts", "inAppChanges"]) else {
            return Wall()
        }
        let common = try chosen.fields("links", knowing: Self.linkNames).map(links)
        var offerings: [Offering] = []
        for fields in try chosen.list("offerings") ?? [] {
            let offering = try offering(fields, common)
            guard !offerings.contains(where: { $0.id == offering.id }) else {
                throw CommandError("\(fields.place("id")): two offerings are called \(offering.id).")
            }
            offerings.append(offering)
        }
        var cohorts: [Cohort] = []
        for fields in try chosen.list("cohorts") ?? [] {
            let cohort = try cohort(fields, offerings)
            guard !cohorts.contains(where: { $0.id == cohort.id }) else {
                throw CommandError("\(fields.place("id")): two cohorts are called \(cohort.id).")
            }
            cohorts.append(cohort)
        }
        return Wall(cohorts: cohorts, offerings: offerings, inAppChanges: try chosen.bool("inAppChanges") ?? false)
    }

    // MARK: Offerings

    private static let linkNames: Set<String> = ["privacyPolicy", "terms", "questions"]

    private func links(_ fields: JSONFields) throws -> OfferingLinks {
        guard
            let links = OfferingLinks(
                privacyPolicy: try fields.requiredText("privacyPolicy"), terms: try fields.requiredText("terms"),
                questions: try fields.requiredText("questions"))
        else {
            throw CommandError(
                "\(fields.place("privacyPolicy")), terms and questions must be https:// addresses; questions may be a mailto:.")
        }
        return links
    }

    private func offering(_ fields: JSONFields, _ common: OfferingLinks?) throws -> Offering {
        try fields.refuseMembers(besides: ["id", "products", "links"])
        guard let links = try fields.fields("links", knowing: Self.linkNames).map(links) ?? common else {
            throw CommandError("\(fields.place("links")) are missing, here and in the wall: Apple wants them (WALL-6).")
        }
        let sold = Set(plans.families.flatMap(\.products).map(\.productId.rawValue))
        guard let products = try fields.texts("products"), !products.isEmpty else {
            throw CommandError("\(fields.place("products")) is missing.")
        }
        for (index, product) in products.enumerated() where !sold.contains(product) {
            throw CommandError(
                """
                \(fields.place("products", index)) is \(product), which products does not describe as a subscription, with \
                group, level and duration.
                """)
        }
        return Offering(
            id: OfferingID(try fields.requiredText("id")), products: products.map { ProductID($0) }, links: links)
    }

    // MARK: Cohorts

    private func cohort(_ fields: JSONFields, _ offerings: [Offering]) throws -> Cohort {
        try fields.refuseMembers(besides: ["id", "when", "offering"])
        let offering = OfferingID(try fields.requiredText("offering"))
        guard offerings.contains(where: { $0.id == offering }) else {
            throw CommandError("\(fields.place("offering")) is \(offering), which is none of the offerings.")
        }
        return Cohort(
            id: CohortID(try fields.requiredText("id")),
            condition: try fields.fields("when").map { try condition($0, depth: 0) } ?? .all([]), offering: offering)
    }

    /// An object with one member, which names the condition.
    private func condition(_ fields: JSONFields, depth: Int) throws -> CohortCondition {
        guard depth < 8 else { throw CommandError("\(fields.place("not")): conditions are nested deeper than 8.") }
        let members = fields.object.map(\.name)
        guard members.count == 1, let name = Condition(rawValue: members[0]) else {
            let known = Condition.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandError("\(fields.path) must have exactly one of \(known).")
        }
        return try condition(name, fields, depth)
    }

    private enum Condition: String, CaseIterable {
        case neverBought, active, inGraceOrRetry, lapsed, usedIntroductoryOffer, paidAppHolder, tester, storefront, appVersion
        case attribute
        case all, any, not
    }

    private func condition(_ name: Condition, _ fields: JSONFields, _ depth: Int) throws -> CohortCondition {
        func members(_ names: Set<String>) throws -> JSONFields {
            guard let found = try fields.fields(name.rawValue, knowing: names) else {
                throw CommandError("\(fields.place(name.rawValue)) must be an object.")
            }
            return found
        }
        func parts() throws -> [CohortCondition] {
            try (fields.list(name.rawValue) ?? []).map { try condition($0, depth: depth + 1) }
        }
        switch name {
        case .neverBought: return .neverBought(group: try group(try members(["group"])))
        case .active: return .active(group: try group(try members(["group"])))
        case .inGraceOrRetry: return .inGraceOrRetry(group: try group(try members(["group"])))
        case .lapsed: return try lapsed(try members(["group", "atLeastDays", "atMostDays"]))
        case .usedIntroductoryOffer:
            let found = try members(["group"])
            guard let group = try group(found) else { throw CommandError("\(found.place("group")) is missing.") }
            return .usedIntroductoryOffer(group: group)
        case .paidAppHolder:
            let isHolder = try fields.requiredBool(name.rawValue)
            return isHolder ? .paidAppHolder : .not(.paidAppHolder)
        case .tester:
            let isTester = try fields.requiredBool(name.rawValue)
            return isTester ? .tester : .not(.tester)
        case .storefront: return .storefront(try storefronts(fields))
        case .appVersion: return try version(try members(["atLeast", "below"]))
        case .attribute:
            let found = try members(["name", "equals"])
            return .attribute(name: try found.requiredText("name"), equals: try found.requiredText("equals"))
        case .all: return .all(try parts())
        case .any: return .any(try parts())
        case .not:
            guard let part = try fields.fields(name.rawValue) else {
                throw CommandError("\(fields.place("not")) must be a condition.")
            }
            return .not(try condition(part, depth: depth + 1))
        }
    }

    private func group(_ fields: JSONFields) throws -> String? {
        guard let group = try fields.text("group") else { return nil }
        let known = plans.families.map(\.subscriptionGroupIdentifier)
        guard known.contains(group) else {
            throw CommandError("\(fields.place("group")) is \(group); the products' groups are \(known.joined(separator: ", ")).")
        }
        return group
    }

    private func lapsed(_ fields: JSONFields) throws -> CohortCondition {
        let days: ClosedRange<Int64> = 0...36_500
        let (least, most) = (try fields.integer("atLeastDays", in: days), try fields.integer("atMostDays", in: days))
        if let least, let most, least > most {
            throw CommandError("\(fields.place("atLeastDays")) is more than atMostDays: nobody would match.")
        }
        return .lapsed(group: try group(fields), atLeast: least.map { .days($0) }, atMost: most.map { .days($0) })
    }

    private func storefronts(_ fields: JSONFields) throws -> [String] {
        let storefronts = try fields.texts(Condition.storefront.rawValue) ?? []
        for (index, storefront) in storefronts.enumerated() {
            guard storefront.utf8.count == 3, storefront.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
                throw CommandError(
                    "\(fields.place("storefront", index)) is \(storefront); Apple names them by three letters, such as USA."
                )
            }
        }
        return storefronts
    }

    private func version(_ fields: JSONFields) throws -> CohortCondition {
        for name in ["atLeast", "below"] {
            guard let text = try fields.text(name), ApplicationVersion(text) == nil else { continue }
            throw CommandError("\(fields.place(name)) is \(text); a version begins with a number, such as 2.0.")
        }
        return .appVersion(atLeast: try fields.text("atLeast"), below: try fields.text("below"))
    }
}
