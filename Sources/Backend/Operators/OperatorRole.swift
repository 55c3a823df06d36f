/// What a person who uses the console may see and do. An operator has one for each app, or one for all.
///
/// Roles are no ladder: an analyst sees money and no customer, support sees customers and no sums. What each one may is
/// ``may(_:)``, which guards both the control on a page and the handler behind it.
package enum OperatorRole: String, Sendable, Hashable, CaseIterable {
    /// Health of the server, the catalogue, the policy.
    case viewer
    /// And sums of money; no single customer.
    case analyst
    /// Customers and their subscriptions, and what waits for a person.
    case support
    /// And how the server runs: work, webhooks, imports, signals.
    case `operator`
    /// And the operators themselves, keys, and their audit.
    case admin

    /// The one answer to whether a role may do something.
    package func may(_ act: OperatorAct) -> Bool { act.roles.contains(self) }
}

/// Something that the console can show or do, as far as roles tell it apart.
package enum OperatorAct: String, Sendable, Hashable, CaseIterable {
    /// Numbers without persons and money: what waits, health, operations, certificates, clocks, the last verification.
    case seeHealth
    /// Products, entitlements, walls, and the policy with its versions.
    case seeSettings
    /// Sums of money, prices given up by offers.
    case seeMoney
    /// To search, and to open a customer, a subscription, a claim or a signal. Each is audited.
    case seeCustomers
    /// Webhook endpoints, deliveries, due work, imports and exports.
    case seeOperations
    /// Operators, their sessions and audit, and the names of keys.
    case seeOperators
    /// One's own password, factors and sessions.
    case changeOneself

    fileprivate var roles: Set<OperatorRole> {
        switch self {
        case .seeHealth, .seeSettings, .changeOneself: Set(OperatorRole.allCases)
        case .seeMoney: [.analyst, .operator, .admin]
        case .seeCustomers: [.support, .operator, .admin]
        case .seeOperations: [.operator, .admin]
        case .seeOperators: [.admin]
        }
    }
}
