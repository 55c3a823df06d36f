import AppStoreWire
import Backend
import Ledger
import Primitives
import Server
import StrictJSON

/// One app in the configuration file: its ids at Apple, its credentials, its policy, the entitlements of its products.
struct AppConfiguration {
    let settings: AppSettings
    let credentials: AppCredentials
    /// Nil where Apple is never asked.
    let apple: AppleConfiguration?

    private static let names: Set<String> = [
        "id", "bundleId", "appAppleId", "environments", "publicKey", "serverKeySHA256", "customerTokenSecret", "sandboxAccess",
        "customerTokenKeys", "policy", "products", "sharedSecrets", "nonRenewingDurations", "validFrom", "limits",
        "apple", "offerKeys", "signals",
    ]

    init(_ file: JSONFields, environment variables: [String: String]) throws {
        try file.refuseMembers(besides: Self.names.union(OfferingsConfiguration.members))
        let id = try Self.id(file)
        let (policy, products) = (try PolicyConfiguration.policy(file), try Self.products(file))
        let given = Set(products.flatMap(\.entitlements))
        if let unknown = policy.balanced.first(where: { !given.contains($0) }) {
            throw CommandError("\(file.place("policy.accrual.\(unknown)")) is an entitlement that no product gives.")
        }
        var settings = AppSettings(
            id: id, expected: try Self.expected(file),
            content: SettingsContent(
                policy: policy, products: products, durations: try Self.durations(file),
                offerings: try OfferingsConfiguration.offerings(file), signals: try SignalsConfiguration.thresholds(file)),
            sandboxAccess: try Self.sandboxAccess(file))
        settings.validFrom = try file.integer("validFrom", in: 0...Timestamp.latestAccepted.millisecondsSince1970).map {
            Timestamp(millisecondsSince1970: $0)
        }
        settings.sharedSecrets = try Self.sharedSecrets(of: id, file, variables)
        apple = try AppleConfiguration(
            in: file,
            of: .init(
                bundleId: settings.expected.bundleId, hasSharedSecrets: !settings.sharedSecrets.isEmpty,
                variable: "\(Self.prefix(of: id))_APPLE_PRIVATE_KEY"), variables)
        settings.apple = apple?.access
        settings.offerSigner = try OffersConfiguration.signer(
            .init(
                file: file, bundleId: settings.expected.bundleId, ofApple: apple?.signingKey,
                variablePrefix: Self.offerKeyVariables(of: id), variables: variables))
        self.settings = settings
        credentials = try Self.credentials(of: id, file, variables)
    }

    /// The id is used in addresses and in the names of environment variables.
    private static func id(_ file: JSONFields) throws -> AppID {
        let id = try file.requiredText("id")
        guard isId(id) else {
            throw CommandError("\(file.place("id")) must be 1 to 32 of a-z, 0-9 and -; it is part of addresses.")
        }
        return AppID(id)
    }

    /// Whether an app may have this id.
    static func isId(_ text: String) -> Bool { (1...32).contains(text.utf8.count) && text.allSatisfy(mayStandInId) }

    static func mayStandInId(_ character: Character) -> Bool {
        ("a"..."z").contains(character) && character.utf8.count == 1
            || ("0"..."9").contains(character) && character.utf8.count == 1
            || character == "-"
    }

    private static func expected(_ file: JSONFields) throws -> ExpectedApp {
        let environments = try (file.texts("environments") ?? []).map { spelling in
            guard let environment = Environment(rawValue: spelling) else {
                throw CommandError("\(file.place("environments")) must hold Production, Sandbox, Xcode or LocalTesting.")
            }
            return environment
        }
        let accepted = environments.isEmpty ? [.production, .sandbox] : Set(environments)
        let appAppleId = try file.integer("appAppleId", in: 1...Int64.max)
        guard appAppleId != nil || !accepted.contains(.production) else {
            throw CommandError(
                "\(file.place("appAppleId")) is missing: Production payloads are checked against it (App Store Connect)."
            )
        }
        return ExpectedApp(bundleId: try file.requiredText("bundleId"), appAppleId: appAppleId, environments: accepted)
    }

    /// `"product": ["entitlement"]`, or with history `"product": [{"from": milliseconds, "entitlements": ["…"]}]` (ENT-2), or
    /// either of them as `entitlements` of an object that also describes the product (``OfferingsConfiguration``).
    private static func products(_ file: JSONFields) throws -> [EntitlementMap.Entry] {
        let entries = try file.entries("products").flatMap { member in
            try Self.entries(of: member, at: file.place("products.\(member.name)"))
        }
        guard !entries.isEmpty else {
            throw CommandError("\(file.place("products")) is missing: no product would give anything.")
        }
        return entries
    }

    /// `"product": "P30D"`: how long each non-renewing subscription lasts (PER-9).
    private static func durations(_ file: JSONFields) throws -> [ProductID: ProductDuration] {
        var durations: [ProductID: ProductDuration] = [:]
        for member in try file.entries("nonRenewingDurations") {
            guard let duration = member.value.string.flatMap({ ProductDuration($0) }) else {
                throw CommandError(
                    """
                    \(file.place("nonRenewingDurations.\(member.name)")) must be a duration of days, weeks, months or years, \
                    from a day to a hundred years, such as P30D, P2W, P1M or P1Y.
                    """)
            }
            durations[ProductID(member.name)] = duration
        }
        return durations
    }

    private static func entries(of member: JSONObject.Member, at place: String) throws -> [EntitlementMap.Entry] {
        let listed = member.value.object.map { $0["entitlements"]?.array ?? nil } ?? member.value.array
        guard let elements = listed.map(Array.init) else {
            throw CommandError("\(place) must be a list of entitlements, or an object with one.")
        }
        let product = ProductID(member.name)
        if elements.allSatisfy({ $0.string != nil }) {
            let names = elements.compactMap(\.string).map { EntitlementID($0) }
            return [.init(productId: product, validFrom: Timestamp(millisecondsSince1970: 0), entitlements: names)]
        }
        return try elements.enumerated().map { index, element in
            let change = try JSONFields(element, at: "\(place)[\(index)]", knowing: ["from", "entitlements"])
            guard let from = try change.integer("from", in: 0...Timestamp.latestAccepted.millisecondsSince1970) else {
                throw CommandError("\(place) has a change without `from`, in milliseconds since 1970.")
            }
            let names = try (change.texts("entitlements") ?? []).map { EntitlementID($0) }
            return .init(productId: product, validFrom: Timestamp(millisecondsSince1970: from), entitlements: names)
        }
    }

    private static func sandboxAccess(_ file: JSONFields) throws -> SandboxAccess {
        guard let value = file.value("sandboxAccess") else { return .testers([]) }
        switch value.string {
        case "everyone": return .everyone
        case "nobody": return .nobody
        case .some: throw CommandError("\(file.place("sandboxAccess")) must be everyone, nobody or {\"testers\": […]}.")
        case nil: break
        }
        let testers = try file.fields("sandboxAccess", knowing: ["testers"])?.texts("testers") ?? []
        return .testers(Set(testers.map { CustomerID($0) }))
    }

    private static func prefix(of id: AppID) -> String {
        "TENURE_APP_" + id.rawValue.uppercased().replacing("-", with: "_")
    }

    /// The environment variables for the values that the file may leave out.
    static func variables(of id: AppID) -> [String] {
        ["SERVER_KEY_SHA256", "CUSTOMER_TOKEN_SECRET", "SHARED_SECRETS", "APPLE_PRIVATE_KEY"].map { "\(prefix(of: id))_\($0)" }
    }

    /// What the names of the variables begin with that may hold the text of a key of `offerKeys`; its id follows.
    static func offerKeyVariables(of id: AppID) -> String { "\(prefix(of: id))_OFFER_KEY_" }

    /// In the environment they are separated by commas.
    private static func sharedSecrets(
        of id: AppID, _ file: JSONFields, _ variables: [String: String]
    ) throws -> [String] {
        let named = variables["\(prefix(of: id))_SHARED_SECRETS"]?.split(separator: ",").map(String.init)
        let secrets = try named ?? file.texts("sharedSecrets") ?? []
        guard secrets.allSatisfy({ !$0.isEmpty }) else {
            throw CommandError("\(file.place("sharedSecrets")) holds an empty one.")
        }
        return secrets
    }

    private static func credentials(
        of id: AppID, _ file: JSONFields, _ variables: [String: String]
    ) throws -> AppCredentials {
        let prefix = prefix(of: id)
        guard let digest = try variables["\(prefix)_SERVER_KEY_SHA256"] ?? file.text("serverKeySHA256"),
            let bytes = Hexadecimal.decode(digest), bytes.count == 32
        else {
            throw CommandError(
                "\(file.place("serverKeySHA256")) must be the SHA-256 of the server key, in hexadecimal: `tenure keys`."
            )
        }
        let secret = try variables["\(prefix)_CUSTOMER_TOKEN_SECRET"] ?? file.text("customerTokenSecret")
        if let secret, secret.utf8.count < CustomerToken.shortestSecret {
            throw CommandError("\(file.place("customerTokenSecret")) must have at least \(CustomerToken.shortestSecret) bytes.")
        }
        var credentials = AppCredentials(
            app: id, publicKey: try file.requiredText("publicKey"), serverKeyDigest: bytes,
            customerTokenSecret: secret.map { Array($0.utf8) }, limits: try limits(file))
        credentials.customerTokenKeys = try CustomerTokenKeys(in: file)
        return credentials
    }

    /// A higher limit would never be reached.
    static let mostPerMinute: Int64 = 1_000_000_000

    private static func limits(_ file: JSONFields) throws -> AppLimits {
        var limits = AppLimits()
        let names: Set<String> = ["serverKeyPerMinute", "publicKeyPerMinute", "customerPerMinute"]
        guard let chosen = try file.fields("limits", knowing: names) else { return limits }
        func read(_ name: String, _ limit: inout Int) throws {
            if let number = try chosen.integer(name, in: 0...mostPerMinute) { limit = Int(number) }
        }
        try read("serverKeyPerMinute", &limits.serverKeyPerMinute)
        try read("publicKeyPerMinute", &limits.publicKeyPerMinute)
        try read("customerPerMinute", &limits.customerPerMinute)
        return limits
    }
}
