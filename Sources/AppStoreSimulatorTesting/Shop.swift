internal import AppStoreModel
internal import AppStoreSimulator
internal import Primitives

/// One of Apple's stores.
///
/// Source: Apple, `environment`.
public struct StoreEnvironment: Sendable, Hashable {
    /// In Apple's spelling.
    public let rawValue: String

    /// What customers pay for.
    public static let production = StoreEnvironment(rawValue: "Production")
    /// The store that testers use.
    public static let sandbox = StoreEnvironment(rawValue: "Sandbox")

    private init(rawValue: String) { self.rawValue = rawValue }
}

/// What a ``LocalAppStore`` sells, and when it opens.
public struct Shop: Sendable {
    /// The bundle id of the app.
    public var bundleId: String
    /// The app's Apple id.
    public var appAppleId: Int64
    /// The bytes of the `.storekit` file, of any of Xcode's formats 1 to 5.
    public var storeKitFile: [UInt8]
    /// The environment of accounts that name none.
    public var environment: StoreEnvironment
    /// The clock's time at the start, in milliseconds since 1970; 2026-01-01T00:00:00Z unless given.
    public var startsAt: Int64
    /// Ids follow from it: the same seed and the same calls give the same ones.
    public var seed: UInt64
    /// What `/verifyReceipt` requires as `password`; nil: nothing.
    public var sharedSecret: String?
    /// The In-App Purchase key that your server signs its calls and offers with: its id and its PEM, private or public.
    public var inAppPurchaseKey: (id: String, pem: String)?
    /// The issuer of that key, the `iss` of your server's tokens.
    public static let issuerId = SimulatedApp.usualIssuerId

    /// A shop of one app.
    public init(
        bundleId: String, appAppleId: Int64 = 1, storeKitFile: [UInt8], environment: StoreEnvironment = .sandbox,
        startsAt: Int64 = 1_767_225_600_000, seed: UInt64 = 1
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.storeKitFile = storeKitFile
        self.environment = environment
        self.startsAt = startsAt
        self.seed = seed
    }

    func configuration() throws -> SimulatorConfiguration {
        let catalogue: Catalogue
        do throws(CatalogueError) {
            catalogue = try Catalogue(storeKitFile: storeKitFile)
        } catch {
            throw LocalAppStoreError(code: "catalogue", description: "the .storekit file cannot be used: \(error)")
        }
        var app = SimulatedApp(bundleId: bundleId, appAppleId: appAppleId, catalogue: catalogue)
        app.sharedSecret = sharedSecret
        if let inAppPurchaseKey {
            app.keys = [try InAppPurchaseKey(id: inAppPurchaseKey.id, pem: inAppPurchaseKey.pem)]
        }
        var configuration = SimulatorConfiguration(
            apps: [app], environment: environment.primitive, startsAt: Timestamp(millisecondsSince1970: startsAt))
        configuration.facePorts = [.production: 0, .sandbox: 0]
        configuration.seed = seed
        configuration.limitsRates = false
        return configuration
    }
}

extension StoreEnvironment {
    var primitive: Primitives.Environment { self == .production ? .production : .sandbox }
}

/// Why a ``LocalAppStore`` refuses a request; equal where the codes are equal.
public struct LocalAppStoreError: Error, Equatable, CustomStringConvertible {
    /// Stable: `catalogue` where the `.storekit` file cannot be used, `configuration` where something else of the shop cannot be
    /// used, `didNotStart`; else a code of the control API: `unknownProduct`, `alreadySubscribed`, `paymentDeclined`.
    public let code: String
    /// For display.
    public let description: String

    /// An error with this code, to compare with.
    public static func refused(_ code: String) -> LocalAppStoreError {
        LocalAppStoreError(code: code, description: "the local App Store refused: \(code)")
    }

    /// Compares the codes alone.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    static let didNotStart = LocalAppStoreError(code: "didNotStart", description: "the local App Store did not start")
}
