import Ledger
import Primitives

/// What an app sells and has released, as a version of its settings keeps it.
struct OfferingsDocument: Codable {
    private let listings: [Listing]
    private let features: [ReleasedFeature]
    private let licences: Licences
    private let contentKinds: [Kind]
    /// Absent where there is none, as in what was written before walls were known.
    private let wall: WallDocument?
    /// Absent where there is none, as in what was written before offers were signed.
    private let offers: OffersDocument?

    fileprivate struct Listing: Codable {
        let productId: String
        let type: String
        let displayName: String?
        let plan: Plan?
        let prices: [String: Int64]
    }

    fileprivate struct Plan: Codable {
        let group: String
        let level: Int
        let duration: String
        let introductoryKind: String?
        let introductoryLength: String?
        let withoutIntroductoryOffer: String?
    }

    fileprivate struct ReleasedFeature: Codable {
        let id: String
        let name: String
        let releaseDate: Int64
    }

    fileprivate struct Licences: Codable {
        let slack: Int64
        let countsFamilySharing: Bool
        let paidApp: PaidApp?
        let testers: [Tester]
    }

    fileprivate struct PaidApp: Codable {
        let before: Int64?
        let belowVersion: String?
        let belowVersionOnMac: String?
        let updates: Int64
    }

    fileprivate struct Tester: Codable {
        let customer: String
        let originalPurchaseDate: Int64?
    }

    fileprivate struct Kind: Codable {
        let id: String
        let entitlement: String
        let afterTheEnd: String
        let unlocksPerPeriod: Int?
    }

    init(_ offerings: AppOfferings) {
        listings = offerings.products.map { product in
            Listing(
                productId: product.productId.rawValue, type: product.type.rawValue, displayName: product.displayName,
                plan: product.plan.map { plan in
                    Plan(
                        group: plan.subscriptionGroupIdentifier, level: plan.level, duration: plan.duration,
                        introductoryKind: plan.introductoryOffer?.kind.rawValue,
                        introductoryLength: plan.introductoryOffer?.length,
                        withoutIntroductoryOffer: plan.withoutIntroductoryOffer?.rawValue)
                },
                prices: Dictionary(product.prices.map { ($0.currency, $0.amount.count) }) { first, _ in first })
        }
        features = offerings.features.features.map {
            ReleasedFeature(id: $0.id.rawValue, name: $0.name, releaseDate: $0.releaseDate.millisecondsSince1970)
        }
        let policy = offerings.licences
        licences = Licences(
            slack: policy.slack.count, countsFamilySharing: policy.countsFamilySharing,
            paidApp: policy.paidApp.map { line in
                PaidApp(
                    before: line.before?.millisecondsSince1970, belowVersion: line.belowVersion?.text,
                    belowVersionOnMac: line.belowVersionOnMac?.text, updates: line.updates.count)
            },
            testers: policy.testers.map {
                Tester(
                    customer: $0.customer.rawValue, originalPurchaseDate: $0.originalPurchaseDate?.millisecondsSince1970)
            })
        contentKinds = offerings.contentKinds.map {
            Kind(
                id: $0.id.rawValue, entitlement: $0.entitlement.rawValue, afterTheEnd: $0.afterTheEnd.rawValue,
                unlocksPerPeriod: $0.unlocksPerPeriod)
        }
        wall = offerings.wall == Wall() ? nil : WallDocument(offerings.wall)
        offers = offerings.offers == OfferDesk() ? nil : OffersDocument(offerings.offers)
    }

    var offerings: AppOfferings {
        get throws {
            AppOfferings(
                products: try listings.map { try $0.listing }, features: FeatureTimeline(features.map(\.feature)),
                licences: try licences.policy, contentKinds: try contentKinds.map { try $0.kind },
                wall: try wall?.wall ?? Wall(), offers: try offers?.desk ?? OfferDesk())
        }
    }
}

extension OfferingsDocument.Listing {
    fileprivate var listing: ProductListing {
        get throws {
            ProductListing(
                productId: ProductID(productId), type: ProductKind(rawValue: type), displayName: displayName,
                plan: try plan?.plan,
                prices: prices.map { ProductListing.Price(currency: $0.key, amount: Milliunits($0.value)) })
        }
    }
}

extension OfferingsDocument.Plan {
    fileprivate var plan: ProductListing.Plan {
        get throws {
            var plan = ProductListing.Plan(subscriptionGroupIdentifier: group, level: level, duration: duration)
            plan.withoutIntroductoryOffer = withoutIntroductoryOffer.map { ProductID($0) }
            if let spelling = introductoryKind, let length = introductoryLength {
                guard let kind = PlanIntroductoryOffer.Kind(rawValue: spelling) else {
                    throw StorageError(.corrupt, "\(spelling) is no kind of introductory offer")
                }
                plan.introductoryOffer = PlanIntroductoryOffer(kind: kind, length: length)
            }
            return plan
        }
    }
}

extension OfferingsDocument.ReleasedFeature {
    fileprivate var feature: Feature {
        Feature(id: FeatureID(id), name: name, releaseDate: Timestamp(millisecondsSince1970: releaseDate))
    }
}

extension OfferingsDocument.Licences {
    fileprivate var policy: LicencePolicy {
        get throws {
            var policy = LicencePolicy(
                slack: Milliseconds(slack), paidApp: paidApp?.line,
                testers: testers.map { tester in
                    PaidAppTester(
                        customer: CustomerID(tester.customer),
                        originalPurchaseDate: tester.originalPurchaseDate.map { Timestamp(millisecondsSince1970: $0) })
                })
            policy.countsFamilySharing = countsFamilySharing
            return policy
        }
    }
}

extension OfferingsDocument.PaidApp {
    fileprivate var line: PaidAppLine {
        PaidAppLine(
            before: before.map { Timestamp(millisecondsSince1970: $0) },
            belowVersion: belowVersion.flatMap(ApplicationVersion.init),
            belowVersionOnMac: belowVersionOnMac.flatMap(ApplicationVersion.init), updates: CalendarMonths(updates))
    }
}

extension OfferingsDocument.Kind {
    fileprivate var kind: ContentKind {
        get throws {
            guard let retention = ContentKind.Retention(rawValue: afterTheEnd) else {
                throw StorageError(.corrupt, "\(afterTheEnd) is not what becomes of content")
            }
            return ContentKind(
                id: ContentKindID(id), entitlement: EntitlementID(entitlement), afterTheEnd: retention,
                unlocksPerPeriod: unlocksPerPeriod)
        }
    }
}
