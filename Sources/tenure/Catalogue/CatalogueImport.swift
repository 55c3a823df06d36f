import AppStoreModel
import Ledger
import Primitives
import StrictJSON

/// The products of a `.storekit` file as `apps[].products` of the configuration: what they give stays, what the file says takes
/// the place of what was said before.
struct CatalogueImport {
    /// The new value of `products`.
    let products: [UInt8]
    private(set) var added: [String] = []
    private(set) var changed: [String] = []
    private(set) var unchanged: [String] = []
    /// Configured, and not in the file: as they were.
    private(set) var leftAlone: [String] = []
    /// Of which something could not be taken over, with the reason.
    private(set) var warnings: [String] = []

    /// - Parameters:
    ///   - catalogue: what the file has.
    ///   - present: the value of `products`; nil where there is none.
    init(_ catalogue: Catalogue, into present: JSONObject?) {
        var (added, changed, unchanged, warnings) = ([String](), [String](), [String](), [String]())
        let ids = Set(catalogue.products.map(\.id.rawValue))
        let kept = (present.map(Array.init) ?? []).filter { !ids.contains($0.name) }
        var lines = kept.map { Self.line($0.name, Array($0.value.rawBytes)) }
        for product in catalogue.products {
            let (id, before) = (product.id.rawValue, present?[product.id.rawValue])
            var value = JSONWriter()
            Self.write(product, of: catalogue, keeping: before, to: &value, &warnings)
            lines.append(Self.line(id, value.bytes))
            switch before {
            case nil: added.append(id)
            case .some(let before) where Array(before.rawBytes) == value.bytes: unchanged.append(id)
            case .some: changed.append(id)
            }
        }
        products = Array("{\n\(lines.joined(separator: ",\n"))\n      }".utf8)
        (self.added, self.changed, self.unchanged, self.warnings) = (added, changed, unchanged, warnings)
        leftAlone = kept.map(\.name)
    }

    /// A product on a line of its own, so that a change of the file is read as the change of some products.
    private static func line(_ name: String, _ value: [UInt8]) -> String {
        var writer = JSONWriter()
        writer.string(name)
        return "        \(writer.text): \(String(decoding: value, as: UTF8.self))"
    }

    private static func write(
        _ product: StoreProduct, of catalogue: Catalogue, keeping before: JSONValue?, to json: inout JSONWriter,
        _ warnings: inout [String]
    ) {
        let entitlements = before?.object?["entitlements"] ?? before
        json.object { json in
            json.member("entitlements") { json in
                if let entitlements, entitlements.array != nil { json.raw(entitlements.rawBytes) } else { json.array { _ in } }
            }
            json.member("type", product.kind.spelling)
            if product.name != product.id.rawValue { json.member("displayName", product.name) }
            if let terms = product.terms { write(terms, of: product, catalogue, to: &json, &warnings) }
            json.member("prices") { json in
                json.object { $0.member(named: catalogue.settings.storefront.currency, product.price.count) }
            }
        }
        if entitlements?.array == nil { warnings.append("\(product.id) gives nothing yet: write its entitlements.") }
    }

    private static func write(
        _ terms: SubscriptionTerms, of product: StoreProduct, _ catalogue: Catalogue, to json: inout JSONWriter,
        _ warnings: inout [String]
    ) {
        let duration = terms.period.iso8601
        guard PlanDuration(duration) != nil else {
            // A description without a place in its group would be refused as a whole.
            warnings.append("\(product.id) lasts \(duration), which the App Store does not have: described without its group.")
            return
        }
        json.member("group", terms.group.rawValue)
        json.member("level", terms.level)
        json.member("duration", PlanDuration(duration)?.rawValue ?? duration)
        let offers = product.offers.compactMap { number in
            catalogue.offers.indices.contains(number.place) ? catalogue.offers[number.place] : nil
        }
        guard let offer = offers.first(where: { $0.kind == .introductory }), let period = offer.billedPeriod else { return }
        json.member("introductoryOffer") { json in
            json.object { json in
                json.member("kind", offer.paymentMode.rawValue)
                json.member("length", period.iso8601)
            }
        }
    }
}

extension StoreProduct.Kind {
    /// As a `.storekit` file and the configuration spell it.
    fileprivate var spelling: String {
        switch self {
        case .consumable: "consumable"
        case .nonConsumable: "nonConsumable"
        case .nonRenewingSubscription: "nonRenewing"
        case .autoRenewable: "autoRenewable"
        }
    }
}
