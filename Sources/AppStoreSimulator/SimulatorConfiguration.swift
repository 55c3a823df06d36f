package import Primitives

/// What a local App Store is started with.
package struct SimulatorConfiguration: Sendable {
    package var bundleId: String
    package var appAppleId: Int64
    package var bundleVersion = "1"
    /// Production or Sandbox: which of Apple's two it plays.
    package var environment: Environment
    package var catalogue: Catalogue
    /// Where the clock stands at first.
    package var startsAt: Timestamp
    /// Where notifications are sent; nil: nowhere, they are only kept.
    package var notificationURL: String?
    package var host = "127.0.0.1"
    /// 0: any free one.
    package var port = 0
    /// Ids follow from it. A server that outlives the simulator needs another seed each time: it would take new purchases
    /// for old ones.
    package var seed: UInt64 = 1
    /// What ``AppStoreSimulator/exportedAuthority()`` wrote, to keep a root over restarts; nil: a new one. Its
    /// certificates are valid for 60 years from the start that they were made for, so the next start must not be earlier.
    package var authorityPEM: String?

    package init(bundleId: String, appAppleId: Int64, environment: Environment, catalogue: Catalogue, startsAt: Timestamp) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environment = environment
        self.catalogue = catalogue
        self.startsAt = startsAt
    }

    var app: StoreApp {
        StoreApp(bundleId: bundleId, appAppleId: appAppleId, bundleVersion: bundleVersion, environment: environment)
    }
}

/// Why a local App Store does not start.
package enum SimulatorConfigurationError: Error, Equatable {
    /// Only Production and Sandbox have notifications and chains of three certificates.
    case environment(Environment)
    /// It starts between 1980 and 2100.
    case startsAt(Timestamp)
    /// Not an `http:` or `https:` address of at most 2048 bytes.
    case notificationURL
}
