package import Ledger
package import Primitives
import StrictJSON

/// A webhook as RevenueCat writes it: the members of each kind of event, present also where they are null.
///
/// Source: RevenueCat, "Event Types and Fields" (webhooks).
package struct RevenueCatBody: Sendable, Hashable {
    /// Such as `RENEWAL`.
    package let type: String
    /// Nil for what was not bought in a store's app.
    package let app: AppID?
    package let environment: Environment
    package let store: SourceStore
    package let toldAt: Timestamp
    package let content: Content

    /// Where it was bought.
    package enum SourceStore: String, Sendable, Hashable {
        case appStore = "APP_STORE"
        case promotional = "PROMOTIONAL"
    }

    package enum Content: Sendable, Hashable {
        case lifecycle(Lifecycle)
        case transfer(from: [CustomerID], to: [CustomerID])
        case temporaryGrant(CustomerID)
    }

    package init(
        _ type: RevenueCatEvent.Kind, in scope: Scope, from store: SourceStore = .appStore, toldAt: Timestamp, _ content: Content
    ) {
        self.init(type: type.rawValue, in: scope, from: store, toldAt: toldAt, content)
    }

    private init(type: String, in scope: Scope, from store: SourceStore, toldAt: Timestamp, _ content: Content) {
        self.type = type
        app = store == .promotional ? nil : scope.app
        environment = scope.environment
        self.store = store
        self.toldAt = toldAt
        self.content = content
    }

    /// What a test of an endpoint tells.
    package static func test(of scope: Scope, at now: Timestamp) -> RevenueCatBody {
        var test = Lifecycle(customer: "test_customer", product: "test_product", original: nil, transaction: nil)
        (test.periodType, test.purchasedAt, test.isFamilyShare) = (.normal, now, false)
        return RevenueCatBody(type: "TEST", in: scope, from: .appStore, toldAt: now, .lifecycle(test))
    }

    /// The JSON.
    ///
    /// - Parameter id: of the parcel; for each body its own.
    package func text(id: String) -> String {
        var json = JSONWriter(reservingCapacity: 1024)
        json.object { json in
            json.member("api_version", "1.0")
            json.member("event") { json in
                json.object { json in
                    json.member("id", id)
                    json.member("type", type)
                    json.optionalMember("app_id", app?.rawValue)
                    json.member("event_timestamp_ms", toldAt.millisecondsSince1970)
                    json.member("store", store.rawValue)
                    switch content {
                    case .temporaryGrant(let customer): json.member("app_user_id", customer.rawValue)
                    case .transfer(let from, let to):
                        json.member("environment", environment.revenueCatName)
                        json.member("transferred_from") { $0.texts(from.map(\.rawValue)) }
                        json.member("transferred_to") { $0.texts(to.map(\.rawValue)) }
                    case .lifecycle(let lifecycle):
                        json.member("environment", environment.revenueCatName)
                        lifecycle.write(to: &json)
                    }
                }
            }
        }
        return json.text
    }
}

extension RevenueCatBody {
    /// What an event about a purchase says. Nil is null: it is not known.
    package struct Lifecycle: Sendable, Hashable {
        package let customer: String
        package var original: String
        package var aliases: [String]
        package let product: String
        /// Empty: none.
        package var entitlements: [EntitlementID] = []
        package var periodType: PeriodType?
        package var purchasedAt: Timestamp?
        package var expirationAt: Timestamp?
        package let transaction: String?
        package let originalTransaction: String?
        package var isFamilyShare: Bool?
        package var offerCode: String?
        package var storefront: String?
        /// What was paid with the event, or given back where it is negative, in the currency.
        package var price: Milliunits?
        package var currency: String?
        package var renewalNumber: Int64?
        /// What only one type has.
        package var own: OwnMember?

        package enum PeriodType: String, Sendable, Hashable {
            case trial = "TRIAL"
            case intro = "INTRO"
            case normal = "NORMAL"
            case promotional = "PROMOTIONAL"
        }

        package enum OwnMember: Sendable, Hashable {
            case isTrialConversion(Bool?)
            case gracePeriodExpiration(Timestamp?)
            case newProduct(String?)
            case cancelReason(RevenueCatEvent.Reason)
            case expirationReason(RevenueCatEvent.Reason)
        }

        package init(customer: String, product: String, original originalTransaction: String?, transaction: String?) {
            self.customer = customer
            original = customer
            aliases = [customer]
            self.product = product
            self.originalTransaction = originalTransaction
            self.transaction = transaction
        }

        /// Nothing costs the same in every currency; of any other amount in another currency the dollars are not known.
        private var dollars: Milliunits? { price?.count == 0 || currency == "USD" ? price : nil }

        fileprivate func write(to json: inout JSONWriter) {
            json.member("app_user_id", customer)
            json.member("original_app_user_id", original)
            json.member("aliases") { $0.texts(aliases) }
            json.member("subscriber_attributes") { $0.object { _ in } }
            json.member("experiments") { $0.texts([]) }
            json.member("product_id", product)
            json.member("entitlement_ids") { json in
                if entitlements.isEmpty { json.null() } else { json.texts(entitlements.map(\.rawValue)) }
            }
            json.nullableMember("entitlement_id", nil as String?)
            json.nullableMember("period_type", periodType?.rawValue)
            json.nullableMember("purchased_at_ms", purchasedAt?.millisecondsSince1970)
            json.nullableMember("expiration_at_ms", expirationAt?.millisecondsSince1970)
            json.nullableMember("transaction_id", transaction)
            json.nullableMember("original_transaction_id", originalTransaction)
            json.member("is_family_share") { json in if let isFamilyShare { json.bool(isFamilyShare) } else { json.null() } }
            json.nullableMember("offer_code", offerCode)
            json.nullableMember("country_code", storefront.flatMap { StorefrontCountry.code(of: $0) })
            json.member("price") { $0.amount(dollars) }
            json.nullableMember("currency", currency)
            json.member("price_in_purchased_currency") { $0.amount(price) }
            for name in ["tax_percentage", "commission_percentage", "takehome_percentage"] {
                json.member(named: name) { $0.null() }
            }
            json.nullableMember("renewal_number", renewalNumber)
            json.nullableMember("presented_offering_id", nil as String?)
            json.nullableMember("metadata", nil as String?)
            writeOwn(to: &json)
        }

        private func writeOwn(to json: inout JSONWriter) {
            switch own {
            case .isTrialConversion(let value):
                json.member("is_trial_conversion") { json in if let value { json.bool(value) } else { json.null() } }
            case .gracePeriodExpiration(let instant):
                json.nullableMember("grace_period_expiration_at_ms", instant?.millisecondsSince1970)
            case .newProduct(let product): json.nullableMember("new_product_id", product)
            case .cancelReason(let reason): json.member("cancel_reason", reason.rawValue)
            case .expirationReason(let reason): json.member("expiration_reason", reason.rawValue)
            case nil: break
            }
        }
    }
}

extension Environment {
    fileprivate var revenueCatName: String { self == .production ? "PRODUCTION" : "SANDBOX" }
}

extension JSONWriter {
    fileprivate mutating func texts(_ texts: [String]) {
        array { json in for text in texts { json.string(text) } }
    }

    /// Thousandths as a decimal number: 9990 is 9.99.
    fileprivate mutating func amount(_ amount: Milliunits?) {
        guard let count = amount?.count else { return null() }
        let (whole, rest) = count.magnitude.quotientAndRemainder(dividingBy: 1000)
        var text = "\(count < 0 ? "-" : "")\(whole)"
        if rest > 0 {
            var digits = String(String(1000 + rest).dropFirst())
            while digits.hasSuffix("0") { digits.removeLast() }
            text += ".\(digits)"
        }
        raw(text.utf8)
    }
}

extension LoggedEvent {
    /// The event that its text is; nil where this version does not read it.
    package var told: OutboxRow.Told? {
        do throws {
            switch subject {
            case .subscription(let key): return try EventCoding.decode(text, of: key).first.map { .ofSubscription($0) }
            case .customer(let key):
                return try CustomerEventCoding.decode(text, of: key.customer).first.map { .ofCustomer($0, key.scope) }
            case .endpoint(let key): return .ofEndpoint(try StateCoding.decode(EndpointEvent.self, from: text), key)
            }
        } catch {
            return nil
        }
    }
}
