import AppStoreGateway
import AppStoreWire
import Backend
import Ledger
import Primitives
import Storage
import StrictJSON

/// `apps[].apple`: how Apple is asked, with an In-App Purchase key, with receipts alone, or with both, and where
/// (docs/operations/apple.md).
struct AppleConfiguration {
    /// With Apple's hosts, unless the file names others.
    let account: AskedAppStore.Account
    let access: AppleAccess
    /// Nil where Apple is asked by receipts alone.
    var signingKey: SigningKey? { account.key?.signingKey }

    private static let names: Set<String> = [
        "issuerId", "keyId", "privateKeyFile", "sharePercent", "hourlySweep", "nightlyFullSweep", "verifyReceipt",
        "hosts", "consumption",
    ]

    /// Of the app, as far as it decides how Apple is asked.
    struct App {
        let bundleId: String
        let hasSharedSecrets: Bool
        /// The variable of the environment that may hold the text of the key in place of the file.
        let variable: String
    }

    /// Reads `apple` of an app; nil where it has none: then Apple is never asked about its purchases.
    ///
    /// - Throws: `CommandError` that names the member and what it should be.
    init?(in fields: JSONFields, of app: App, _ variables: [String: String]) throws {
        guard let file = try fields.fields("apple", knowing: Self.names) else { return nil }
        let key = try Self.key(file, app, variables)
        var access = AppleAccess(
            share: try file.integer("sharePercent", in: 1...100) ?? AppleAccess().share,
            sweepsNightly: try file.bool("nightlyFullSweep") ?? AppleAccess().sweepsNightly,
            consumption: try file.fields("consumption", knowing: Self.consumptionNames).map { try Self.consumption($0) }
                ?? ConsumptionSettings())
        if let word = try file.text("hourlySweep") {
            access.sweepsHourly = try Self.choice(word, of: HourlySweep.allCases, at: file.place("hourlySweep"))
        }
        access.hasKey = key != nil
        access.verifiesReceipts = try file.bool("verifyReceipt") ?? true
        guard key != nil || (app.hasSharedSecrets && access.verifiesReceipts) else {
            throw CommandError(
                """
                \(file.place("keyId")) is missing: without an In-App Purchase key Apple can be asked about receipts alone, which \
                needs sharedSecrets of the app, and verifyReceipt not to be false.
                """)
        }
        self.access = access
        let named = try file.fields("hosts", knowing: ["production", "sandbox"])
        var hosts = AskedAppStore.Account.apple
        for (name, environment) in [("production", .production), ("sandbox", .sandbox)] as [(String, Primitives.Environment)] {
            if let host = try named.flatMap({ try Self.host($0, name, environment) }) { hosts[environment] = host }
        }
        account = AskedAppStore.Account(key: key, hosts: hosts)
    }

    private static let consumptionNames: Set<String> = [
        "consent", "refundPreference", "declineFromPercent", "sampleContentProvided",
    ]

    /// How Apple's questions of what became of a purchase are answered (ABUSE-2).
    private static func consumption(_ file: JSONFields) throws -> ConsumptionSettings {
        var settings = ConsumptionSettings()
        if let word = try file.text("consent") {
            settings.consent = try choice(word, of: ConsumptionSettings.Consent.allCases, at: file.place("consent"))
        }
        if let word = try file.text("refundPreference") {
            settings.refundPreference = try choice(
                word, of: ConsumptionReport.RefundPreference.allCases, at: file.place("refundPreference"))
        }
        settings.declineFrom = try file.integer("declineFromPercent", in: 0...100).map { $0 * 1000 }
        settings.samples = Set(try file.texts("sampleContentProvided")?.map { Ledger.ProductID($0) } ?? [])
        return settings
    }

    private static func choice<Choice: RawRepresentable<String>>(
        _ word: String, of choices: [Choice], at place: String
    ) throws -> Choice {
        guard let choice = Choice(rawValue: word) else {
            throw CommandError("\(place) must be one of \(choices.map(\.rawValue).joined(separator: ", ")).")
        }
        return choice
    }

    /// Nil where the file names none.
    private static func key(_ file: JSONFields, _ app: App, _ variables: [String: String]) throws -> AppStoreKey? {
        let isNamed =
            try variables[app.variable] != nil || file.text("privateKeyFile") != nil || file.text("keyId") != nil
            || file.text("issuerId") != nil
        guard isNamed else { return nil }
        return AppStoreKey(
            signingKey: try PrivateKeyText(file, variable: app.variable, variables).key(
                keyId: try file.requiredText("keyId"), issuerId: try file.requiredText("issuerId")),
            bundleId: app.bundleId)
    }

    private static func host(
        _ named: JSONFields, _ name: String, _ environment: Primitives.Environment
    ) throws -> ServerAPIHost? {
        guard let url = try named.text(name) else { return nil }
        guard url.hasPrefix("https://") || url.hasPrefix("http://"), !url.hasSuffix("/") else {
            throw CommandError("\(named.place(name)) must be http(s)://host[:port], without a slash at its end.")
        }
        return ServerAPIHost(baseURL: url, environment: environment)
    }
}
