import Crypto
package import Ledger
import Primitives

/// How a version of what an app chose is written: JSON with sorted keys, so that equal contents are equal texts for one version
/// of Tenure. Another version may know more choices; so contents are decoded and compared as values.
package enum SettingsCoding {
    package static func encode(_ content: SettingsContent) throws -> String { try StateCoding.encode(Document(content)) }

    /// - Throws: `StorageError` with `corrupt` for anything that `encode` did not write.
    package static func decode(_ text: String) throws -> SettingsContent {
        try StateCoding.decode(Document.self, from: text).content
    }

    /// SHA-256 in hexadecimal.
    package static func digest(of text: String) -> String {
        Hexadecimal.encode(SHA256.hash(data: Array(text.utf8)))
    }

    private struct Document: Codable {
        let policy: AppPolicy
        let products: [String: [Change]]
        let nonRenewingDurations: [String: String]
        /// Absent where nothing is said of them, as in what was written before they were known.
        let offerings: OfferingsDocument?
        /// The same.
        let signals: Thresholds?

        struct Change: Codable {
            let from: Int64
            let entitlements: [String]
        }

        /// Lengths of time are in milliseconds, shares in thousandths of a percent.
        struct Thresholds: Codable {
            let customersOfOneAccount: Int
            let accountsOfOneCustomer: Int
            let introductoryOffers: Int
            let refunds: Int
            let refundsAfterConsumption: Int
            let consumed: Int64
            let refusedClaims: Int
            let crossgrades: Int
            let loopWindow: Int64
            let window: Int64

            init(_ thresholds: AbuseThresholds) {
                customersOfOneAccount = thresholds.customersOfOneAccount
                accountsOfOneCustomer = thresholds.accountsOfOneCustomer
                introductoryOffers = thresholds.introductoryOffers
                refunds = thresholds.refunds
                refundsAfterConsumption = thresholds.refundsAfterConsumption
                consumed = thresholds.consumed
                refusedClaims = thresholds.refusedClaims
                crossgrades = thresholds.crossgrades
                loopWindow = thresholds.loopWindow.count
                window = thresholds.window.count
            }

            var thresholds: AbuseThresholds {
                var thresholds = AbuseThresholds()
                thresholds.customersOfOneAccount = customersOfOneAccount
                thresholds.accountsOfOneCustomer = accountsOfOneCustomer
                thresholds.introductoryOffers = introductoryOffers
                thresholds.refunds = refunds
                thresholds.refundsAfterConsumption = refundsAfterConsumption
                thresholds.consumed = consumed
                thresholds.refusedClaims = refusedClaims
                thresholds.crossgrades = crossgrades
                thresholds.loopWindow = Milliseconds(loopWindow)
                thresholds.window = Milliseconds(window)
                return thresholds
            }
        }

        init(_ content: SettingsContent) {
            policy = content.policy
            products = Dictionary(grouping: content.products, by: \.productId.rawValue).mapValues { entries in
                entries.map {
                    Change(from: $0.validFrom.millisecondsSince1970, entitlements: $0.entitlements.map(\.rawValue))
                }
            }
            nonRenewingDurations = Dictionary(
                content.durations.map { ($0.key.rawValue, $0.value.description) }
            ) { first, _ in first }
            offerings = content.offerings == AppOfferings() ? nil : OfferingsDocument(content.offerings)
            signals = content.signals == AbuseThresholds() ? nil : Thresholds(content.signals)
        }

        var content: SettingsContent {
            get throws {
                let entries = products.sorted { $0.key < $1.key }.flatMap { product, changes in
                    changes.map { change in
                        EntitlementMap.Entry(
                            productId: ProductID(product), validFrom: Timestamp(millisecondsSince1970: change.from),
                            entitlements: change.entitlements.map { EntitlementID($0) })
                    }
                }
                var durations: [ProductID: ProductDuration] = [:]
                for (product, text) in nonRenewingDurations {
                    guard let duration = ProductDuration(text) else {
                        throw StorageError(.corrupt, "\(text) is not a duration")
                    }
                    durations[ProductID(product)] = duration
                }
                return SettingsContent(
                    policy: policy, products: entries, durations: durations,
                    offerings: try offerings?.offerings ?? AppOfferings(),
                    signals: signals?.thresholds ?? AbuseThresholds())
            }
        }
    }
}
