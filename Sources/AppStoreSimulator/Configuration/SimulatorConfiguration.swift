package import AppStoreModel
package import Primitives

/// What a local App Store is started with.
package struct SimulatorConfiguration: Sendable {
    /// At least one; control calls that name no app are about the first.
    package var apps: [SimulatedApp]
    /// The environment of accounts that name none.
    package var environment: Environment
    /// The clock's time at the start.
    package var startsAt: Timestamp
    package var host = "127.0.0.1"
    /// Other names under which the control API may be called, such as a container's.
    package var allowedHosts: [String] = []
    /// The port of the control API and the page. 0: any free one.
    package var port = 0
    /// The ports of the App Store's own faces: App Store Server API and `/verifyReceipt`. 0: any free one; nil: none.
    package var facePorts: [Environment: Int] = [:]
    /// Ids follow from it. A server that outlives the simulator needs another seed each time: otherwise it would mistake new
    /// purchases for old ones.
    package var seed: UInt64 = 1
    /// What ``AppStoreSimulator/exportedAuthority()`` wrote, to keep a root across restarts; nil: a new one. Its certificates are
    /// valid for 60 years from the start time that they were made for, so the next start time must not be earlier.
    package var authorityPEM: String?
    /// Whether Apple's rate limits apply where the control API chose no other.
    package var limitsRates = true
    /// The real time: clients that do not know the simulated time date their tokens by it.
    package var outsideTime: @Sendable () -> Timestamp

    /// The state to continue from; nil: an empty store. See ``init(resuming:)``.
    var resumed: SimulatorState?

    /// Called with each instant that the clock reaches.
    package var clockMoved: @Sendable (Timestamp) -> Void = { _ in }

    package init(
        apps: [SimulatedApp], environment: Environment, startsAt: Timestamp, outsideTime: (@Sendable () -> Timestamp)? = nil
    ) {
        self.apps = apps
        self.environment = environment
        self.startsAt = startsAt
        self.outsideTime = outsideTime ?? { startsAt }
    }

    /// One app.
    package init(bundleId: String, appAppleId: Int64, environment: Environment, catalogue: Catalogue, startsAt: Timestamp) {
        self.init(
            apps: [SimulatedApp(bundleId: bundleId, appAppleId: appAppleId, catalogue: catalogue)], environment: environment,
            startsAt: startsAt)
    }

    /// Where the first app's notifications of the default environment are sent; nil: nowhere, they are only stored.
    package var notificationURL: String? {
        get { apps.first?.notificationURLs[environment] }
        set {
            guard !apps.isEmpty else { return }
            apps[0].notificationURLs[environment] = newValue
        }
    }
}

/// Why a simulator cannot be started.
package enum SimulatorConfigurationError: Error, Equatable {
    case noApps
    /// Only Production and Sandbox are Apple's own stores.
    case environment(Environment)
    /// Not between 1980 and 2100.
    case startsAt(Timestamp)
    /// Not an `http:` or `https:` address of at most 2048 bytes.
    case notificationURL
    /// Two keys with the same id.
    case duplicateKey(String)
    /// Two apps with the same bundle id or Apple id, or too many apps.
    case apps(StoreRefusal)
}
