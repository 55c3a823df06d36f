package import Backend
package import Ledger
package import Primitives

/// The ledger that a page is about: one app, one environment, never two on one page (FACT-4).
package struct ConsolePlace: Sendable, Hashable {
    package let app: AppID
    package let environment: Environment

    package init(_ app: AppID, _ environment: Environment) { (self.app, self.environment) = (app, environment) }
}

/// Everything that the console answers, as one enum: each page with its arguments. From it follow the address that links have,
/// what a request's path means, and which act a role must be allowed.
package enum ConsoleRoute: Sendable, Hashable {
    /// Leads to the overview of the first app that the visitor may see.
    case home
    /// A page of one app and environment.
    case page(ConsolePlace, Page)
    /// All rules.
    case rules
    /// One rule, by its id.
    case rule(String)
    /// The operators, their roles, and the keys of the apps.
    case operators
    /// What operators did and looked at, the newest first.
    case operatorsAudit(AuditView)
    /// A file of the console's own.
    case asset(ConsoleAsset)

    /// What of the operators' audit is asked for.
    package struct AuditView: Sendable, Hashable {
        /// Only rows with smaller numbers; nil: the newest.
        package var before: Int64?
        /// Only what this operator did.
        package var actor: String?
        /// Only this kind of act.
        package var act: String?

        package init(before: Int64? = nil, actor: String? = nil, act: String? = nil) {
            (self.before, self.actor, self.act) = (before, actor, act)
        }
    }

    package enum Page: Sendable, Hashable {
        case overview
        /// Nil: the empty form.
        case search(String?)
        /// What was pasted, as the body of a POST; nothing is kept.
        case inspect
        case customer(CustomerID, CustomerView)
        case subscription(OriginalTransactionID, at: Timestamp?)
        /// One list of a subscription, from the newest row on or from the one before a number.
        case records(OriginalTransactionID, SubscriptionRecords, before: Int?)
        /// One fact of a subscription, by its place in the list from 1 on, checked again.
        case fact(OriginalTransactionID, Int)
        case inbox(after: String?)
        case policy
        /// What one version of an app's settings says, by its number.
        case policyVersion(Int64)
        case catalogue
        /// What the wall shows to a customer; without one, the empty form.
        case wall(WallView)
        case offers
        case operations
        case jobs
        case verify
    }

    /// Whom the wall is asked about, and what their device would say of itself.
    package struct WallView: Sendable, Hashable {
        /// Nil: nobody yet.
        package var customer: CustomerID?
        /// As Apple spells it, such as `USA`; nil: the device says none.
        package var storefront: String?
        /// Of the app; nil: the device says none.
        package var appVersion: String?

        package init(_ customer: CustomerID? = nil, storefront: String? = nil, appVersion: String? = nil) {
            (self.customer, self.storefront, self.appVersion) = (customer, storefront, appVersion)
        }
    }

    /// The lists of a subscription that can be long. The spellings stand in addresses.
    package enum SubscriptionRecords: String, Sendable, Hashable, CaseIterable {
        case periods, owners, revisions, claims, votes, facts, audit, events, work
    }

    /// What of a customer is asked for.
    package struct CustomerView: Sendable, Hashable {
        /// For which instant; nil: now.
        package var at: Timestamp?
        /// Only this kind of entry in the time line; nil: all.
        package var kind: String?
        /// How many entries of the time line to pass over: those from this instant on, milliseconds since 1970; nil: none.
        package var before: Timestamp?

        package init(at instant: Timestamp? = nil, kind: String? = nil, before: Timestamp? = nil) {
            (at, self.kind, self.before) = (instant, kind, before)
        }
    }

    /// What a role must be allowed to see it; nil: every operator may.
    package var act: OperatorAct? {
        switch self {
        case .home, .rules, .rule, .asset: nil
        case .operators, .operatorsAudit: .seeOperators
        case .page(_, let page): page.act
        }
    }

    /// The app that a role is asked for; nil where it is about none.
    package var place: ConsolePlace? { if case .page(let place, _) = self { place } else { nil } }

    /// By which methods it is asked for.
    package var isPost: Bool { if case .page(_, .inspect) = self { true } else { false } }
}

extension ConsoleRoute.Page {
    package var act: OperatorAct {
        switch self {
        case .overview, .verify: .seeHealth
        case .search, .inspect, .customer, .subscription, .records, .fact, .inbox, .wall: .seeCustomers
        case .policy, .policyVersion, .catalogue: .seeSettings
        case .offers: .seeMoney
        case .operations, .jobs: .seeOperations
        }
    }
}

// MARK: Path

extension ConsoleRoute {
    /// The path behind the base path, with its query.
    var path: String {
        switch self {
        case .home: "/"
        case .rules: "/rules"
        case .rule(let id): "/rules/\(PercentEncoding.encode(id))"
        case .operators: "/operators"
        case .operatorsAudit(let view):
            "/operators/audit"
                + ConsoleQuery.text([("before", view.before.map { "\($0)" }), ("actor", view.actor), ("act", view.act)])
        case .asset(let asset): "/assets/\(asset.name)"
        case .page(let place, let page):
            "/apps/\(PercentEncoding.encode(place.app.rawValue))/\(place.environment.rawValue)\(page.path)"
        }
    }

    /// What a path and a query mean; nil where nothing has that address.
    ///
    /// - Parameters:
    ///   - path: behind the base path, as it came.
    ///   - query: as it came, without the question mark.
    package init?(path: Substring, query: Substring) {
        guard path.first == "/" else { return nil }
        var parts: [String] = []
        for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let decoded = PercentEncoding.decode(part), !decoded.utf8.contains(0) else { return nil }
            parts.append(decoded)
        }
        if parts == [""] {
            self = .home
            return
        }
        switch parts.first {
        case "rules": self.init(rule: Array(parts.dropFirst()))
        case "operators":
            switch parts.dropFirst() {
            case []: self = .operators
            case ["audit"]:
                guard let query = ConsoleQuery(ofAddress: query) else { return nil }
                let before = query["before"].flatMap { Int64($0) }
                self = .operatorsAudit(.init(before: before, actor: query["actor"], act: query["act"]))
            default: return nil
            }
        case "assets":
            guard parts.count == 2, let asset = ConsoleAsset.named(parts[1]) else { return nil }
            self = .asset(asset)
        case "apps":
            guard parts.count >= 3, let environment = Environment(rawValue: parts[2]), let query = ConsoleQuery(ofAddress: query),
                let page = Page(Array(parts.dropFirst(3)), query)
            else { return nil }
            self = .page(ConsolePlace(AppID(parts[1]), environment), page)
        default: return nil
        }
    }

    private init?(rule parts: [String]) {
        switch parts.count {
        case 0: self = .rules
        case 1: self = .rule(parts[0])
        default: return nil
        }
    }
}

extension ConsoleRoute.Page {
    fileprivate var path: String {
        switch self {
        case .overview: ""
        case .search(let text): "/search" + ConsoleQuery.text([("q", text)])
        case .inspect: "/search/inspect"
        case .customer(let id, let view):
            "/customers/\(PercentEncoding.encode(id.rawValue))"
                + ConsoleQuery.text([
                    ("at", view.at.map { "\($0)" }), ("kind", view.kind),
                    ("before", view.before.map { "\($0.millisecondsSince1970)" }),
                ])
        case .subscription(let id, let instant):
            "/subscriptions/\(PercentEncoding.encode(id.rawValue))" + ConsoleQuery.text([("at", instant.map { "\($0)" })])
        case .records(let id, let records, let before):
            "/subscriptions/\(PercentEncoding.encode(id.rawValue))/\(records.rawValue)"
                + ConsoleQuery.text([("before", before.map { "\($0)" })])
        case .fact(let id, let number): "/subscriptions/\(PercentEncoding.encode(id.rawValue))/facts/\(number)"
        case .inbox(let last): "/inbox" + ConsoleQuery.text([("after", last)])
        case .policy: "/policy"
        case .policyVersion(let number): "/policy/versions/\(number)"
        case .catalogue: "/catalogue"
        case .wall(let view):
            "/catalogue/wall"
                + ConsoleQuery.text([
                    ("customer", view.customer?.rawValue), ("storefront", view.storefront), ("appVersion", view.appVersion),
                ])
        case .offers: "/offers"
        case .operations: "/operations"
        case .jobs: "/jobs"
        case .verify: "/verify"
        }
    }

    fileprivate init?(_ parts: [String], _ query: ConsoleQuery) {
        switch (parts.first, parts.count) {
        case (nil, _): self = .overview
        case ("search", 1): self = .search(query["q"])
        case ("search", 2) where parts[1] == "inspect": self = .inspect
        case ("customers", 2):
            guard let instant = query.instant("at") else { return nil }
            let before = query["before"].flatMap { Int64($0) }.flatMap { Timestamp(validating: $0) }
            self = .customer(
                CustomerID(parts[1]), .init(at: instant.value, kind: query["kind"], before: before))
        case ("subscriptions", 2):
            guard let instant = query.instant("at") else { return nil }
            self = .subscription(OriginalTransactionID(parts[1]), at: instant.value)
        case ("subscriptions", 3):
            guard let records = ConsoleRoute.SubscriptionRecords(rawValue: parts[2]) else { return nil }
            self = .records(OriginalTransactionID(parts[1]), records, before: query["before"].flatMap { Int($0) })
        case ("subscriptions", 4) where parts[2] == "facts":
            guard let number = Int(parts[3]), number > 0 else { return nil }
            self = .fact(OriginalTransactionID(parts[1]), number)
        case ("inbox", 1): self = .inbox(after: query["after"])
        case ("policy", 1): self = .policy
        case ("policy", 3) where parts[1] == "versions":
            guard let number = Int64(parts[2]), number > 0, parts[2] == "\(number)" else { return nil }
            self = .policyVersion(number)
        case ("catalogue", 1): self = .catalogue
        case ("catalogue", 2) where parts[1] == "wall":
            self = .wall(
                .init(
                    query["customer"].map { CustomerID($0) }, storefront: query["storefront"],
                    appVersion: query["appVersion"]))
        case ("offers", 1): self = .offers
        case ("operations", 1): self = .operations
        case ("jobs", 1): self = .jobs
        case ("verify", 1): self = .verify
        default: return nil
        }
    }
}

/// The names and values of a query.
struct ConsoleQuery {
    private let values: [String: String]

    /// Nil where it is not percent-encoded UTF-8 or has more than 20 parts. Of one name the first value counts; an empty value is
    /// none, since a form sends its empty fields too.
    init?(_ query: Substring) {
        var values: [String: String] = [:]
        let parts = query.split(separator: "&")
        guard parts.count <= 20 else { return nil }
        for part in parts {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(pair[0]), let value = Self.decoded(pair.count > 1 ? pair[1] : "") else { return nil }
            if values[name] == nil, !value.isEmpty { values[name] = value }
        }
        self.values = values
    }

    /// The query of an address: nil also where a value spells NUL, which not every database keeps in a text.
    init?(ofAddress query: Substring) {
        self.init(query)
        guard !values.values.contains(where: { $0.utf8.contains(0) }) else { return nil }
    }

    subscript(name: String) -> String? { values[name] }

    /// An instant that a query may name; the value is nil where it names none.
    struct AskedInstant { let value: Timestamp? }

    /// Nil where the value is no instant: `2026-11-22T07:03:05Z`, or what a field for dates sends, `2026-11-22T07:03`, in UTC.
    func instant(_ name: String) -> AskedInstant? {
        guard let text = values[name] else { return AskedInstant(value: nil) }
        let read = Timestamp(rfc3339: text) ?? Timestamp(rfc3339: "\(text):00Z") ?? Timestamp(rfc3339: "\(text)Z")
        return read.map { AskedInstant(value: $0) }
    }

    /// Source: WHATWG URL, section 5.1 (`application/x-www-form-urlencoded`): a plus is a space.
    private static func decoded(_ part: Substring) -> String? {
        PercentEncoding.decode(Substring(part.replacing("+", with: " ")))
    }

    /// A query with its question mark, without the parts that are nil; empty where all are.
    static func text(_ parts: [(String, String?)]) -> String {
        let written = parts.compactMap { name, value in value.map { "\(name)=\(PercentEncoding.encode($0))" } }
        return written.isEmpty ? "" : "?" + written.joined(separator: "&")
    }
}
