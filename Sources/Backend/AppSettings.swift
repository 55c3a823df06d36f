package import AppStoreWire
package import Ledger
package import Primitives
package import Storage

/// One app that this server serves, as its operator configured it.
package struct AppSettings: Sendable {
    package let id: AppID
    /// Which signed payloads are this app's (FACT-4).
    package let expected: ExpectedApp
    /// What the file says of policy, products and durations. What holds is what the store keeps (OWN-17); this is what `serve`
    /// applies, and what holds where nothing was ever applied.
    package let content: SettingsContent
    /// From which instant what the file says is to hold, where it is new; nil: from when it is applied.
    package var validFrom: Timestamp?
    package let sandboxAccess: SandboxAccess
    /// The app's shared secret and the account's, which Apple sends in a notification V1; without one none is taken. Not for
    /// logs.
    package var sharedSecrets: [String] = []
    /// Signs offers with the key that the configuration chose; nil: none is signed. Not for logs.
    package var offerSigner: OfferSigner?
    /// How Apple is asked about its purchases; nil: never.
    package var apple: AppleAccess?

    package init(
        id: AppID, expected: ExpectedApp, content: SettingsContent, sandboxAccess: SandboxAccess = .testers([])
    ) {
        self.id = id
        self.expected = expected
        self.content = content
        self.sandboxAccess = sandboxAccess
    }

    /// The same without durations of non-renewing subscriptions.
    package init(
        id: AppID, expected: ExpectedApp, policy: AppPolicy, entitlements: EntitlementMap,
        sandboxAccess: SandboxAccess = .testers([])
    ) {
        self.init(
            id: id, expected: expected, content: SettingsContent(policy: policy, products: entitlements.entries),
            sandboxAccess: sandboxAccess)
    }
}

extension AppSettings {
    /// Its ledgers, by environment.
    package var scopes: [Scope] {
        expected.environments.map { Scope(app: id, environment: $0) }.sorted()
    }

    /// The environments that it takes, in their order.
    package var environments: [Environment] { scopes.map(\.environment) }

    /// Refuses a question about an environment of which nothing is taken: an answer would be empty whatever was bought, and read
    /// as a denial (FACT-4).
    func checkTakes(_ environment: Environment) throws(BackendError) {
        guard expected.environments.contains(environment) else {
            throw .environmentNotTaken(environment, taken: expected.environments)
        }
    }
}

/// Who may be answered from the Sandbox ledger, which App Review and TestFlight need (FACT-4). Never mixed into a Production
/// answer.
package enum SandboxAccess: Sendable, Hashable {
    /// Only these customers; the default is none.
    case testers(Set<CustomerID>)
    case everyone
    case nobody

    /// Whether the app's operator named the customer.
    func names(_ customer: CustomerID) -> Bool {
        if case .testers(let customers) = self { customers.contains(customer) } else { false }
    }

    func admits(_ customer: CustomerID) -> Bool {
        switch self {
        case .testers(let customers): customers.contains(customer)
        case .everyone: true
        case .nobody: false
        }
    }
}

/// Where the server's time comes from: the machine, or a local App Store's clock. Read once per request (decision 6).
package protocol TimeSource: Sendable {
    func now() -> Timestamp
}
