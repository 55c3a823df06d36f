import Ledger
import Primitives

/// What is shown to whom (WALL-1), as a version of an app's settings keeps it.
struct WallDocument: Codable {
    private let cohorts: [Member]
    private let offerings: [Shown]
    private let inAppChanges: Bool

    fileprivate struct Member: Codable {
        let id: String
        let condition: Condition
        let offering: String
    }

    private struct Shown: Codable {
        let id: String
        let products: [String]
        let privacyPolicy: String
        let terms: String
        let questions: String
    }

    init(_ wall: Wall) {
        cohorts = wall.cohorts.map {
            Member(id: $0.id.rawValue, condition: Condition($0.condition), offering: $0.offering.rawValue)
        }
        offerings = wall.offerings.map {
            Shown(
                id: $0.id.rawValue, products: $0.products.map(\.rawValue), privacyPolicy: $0.links.privacyPolicy,
                terms: $0.links.terms, questions: $0.links.questions)
        }
        inAppChanges = wall.inAppChanges
    }

    var wall: Wall {
        get throws {
            Wall(
                cohorts: try cohorts.map {
                    Cohort(id: CohortID($0.id), condition: try $0.condition.condition, offering: OfferingID($0.offering))
                },
                offerings: try offerings.map { shown in
                    guard
                        let links = OfferingLinks(
                            privacyPolicy: shown.privacyPolicy, terms: shown.terms, questions: shown.questions)
                    else { throw StorageError(.corrupt, "the links of offering \(shown.id) are no addresses") }
                    return Offering(id: OfferingID(shown.id), products: shown.products.map { ProductID($0) }, links: links)
                },
                inAppChanges: inAppChanges)
        }
    }
}

extension WallDocument {
    /// A condition: its kind, and those of the members that the kind has.
    fileprivate struct Condition: Codable {
        let kind: Kind
        var group: String?
        /// In milliseconds, or a version.
        var atLeast: String?
        var atMost: String?
        var below: String?
        var storefronts: [String]?
        var name: String?
        var value: String?
        var parts: [Condition]?

        enum Kind: String, Codable {
            case neverBought, active, inGraceOrRetry, lapsed, usedIntroductoryOffer, paidAppHolder, tester, storefront
            case appVersion, attribute, all, any, not
        }
    }
}

extension WallDocument.Condition {
    fileprivate init(_ condition: CohortCondition) {
        switch condition {
        case .neverBought(let group): (kind, self.group) = (.neverBought, group)
        case .active(let group): (kind, self.group) = (.active, group)
        case .inGraceOrRetry(let group): (kind, self.group) = (.inGraceOrRetry, group)
        case .lapsed(let group, let atLeast, let atMost):
            (kind, self.group) = (.lapsed, group)
            (self.atLeast, self.atMost) = (atLeast.map { "\($0.count)" }, atMost.map { "\($0.count)" })
        case .usedIntroductoryOffer(let group): (kind, self.group) = (.usedIntroductoryOffer, group)
        case .paidAppHolder: kind = .paidAppHolder
        case .tester: kind = .tester
        case .storefront(let storefronts): (kind, self.storefronts) = (.storefront, storefronts)
        case .appVersion(let atLeast, let below): (kind, self.atLeast, self.below) = (.appVersion, atLeast, below)
        case .attribute(let name, let value): (kind, self.name, self.value) = (.attribute, name, value)
        case .all(let parts): (kind, self.parts) = (.all, parts.map { Self($0) })
        case .any(let parts): (kind, self.parts) = (.any, parts.map { Self($0) })
        case .not(let part): (kind, parts) = (.not, [Self(part)])
        }
    }

    fileprivate var condition: CohortCondition {
        get throws {
            switch kind {
            case .neverBought: return .neverBought(group: group)
            case .active: return .active(group: group)
            case .inGraceOrRetry: return .inGraceOrRetry(group: group)
            case .lapsed: return .lapsed(group: group, atLeast: try duration(atLeast), atMost: try duration(atMost))
            case .usedIntroductoryOffer: return .usedIntroductoryOffer(group: try needed(group))
            case .paidAppHolder: return .paidAppHolder
            case .tester: return .tester
            case .storefront: return .storefront(try needed(storefronts))
            case .appVersion: return .appVersion(atLeast: atLeast, below: below)
            case .attribute: return .attribute(name: try needed(name), equals: try needed(value))
            case .all: return .all(try needed(parts).map { try $0.condition })
            case .any: return .any(try needed(parts).map { try $0.condition })
            case .not: return .not(try needed(parts?.first).condition)
            }
        }
    }

    private func needed<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw StorageError(.corrupt, "a condition \(kind.rawValue) lacks a member") }
        return value
    }

    private func duration(_ text: String?) throws -> Milliseconds? {
        try text.map { text in
            guard let count = Int64(text) else { throw StorageError(.corrupt, "\(text) is no duration") }
            return Milliseconds(count)
        }
    }
}
