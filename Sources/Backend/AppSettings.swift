package import AppStoreWire
package import Ledger
package import Primitives

/// One app that this server serves, as its operator configured it.
package struct AppSettings: Sendable {
    package let id: AppID
    /// Which signed payloads are this app's (FACT-4).
    package let expected: ExpectedApp
    package let policy: AppPolicy
    package let entitlements: EntitlementMap
    package let sandboxAccess: SandboxAccess

    package init(
        id: AppID, expected: ExpectedApp, policy: AppPolicy, entitlements: EntitlementMap,
        sandboxAccess: SandboxAccess = .testers([])
    ) {
        self.id = id
        self.expected = expected
        self.policy = policy
        self.entitlements = entitlements
        self.sandboxAccess = sandboxAccess
    }
}

/// Who may be answered from the Sandbox ledger, which App Review and TestFlight need (FACT-4). Never mixed into a Production answer.
package enum SandboxAccess: Sendable, Hashable {
    /// Only these customers; the default is none.
    case testers(Set<CustomerID>)
    case everyone
    case nobody

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
