/// What is written into the operators' audit. The spellings are stable: they are stored.
package enum AuditedAct: String, Sendable, Hashable, CaseIterable {
    // Letting in.
    case loggedIn
    case loginFailed
    case loggedOut
    /// The second factor was shown again, or was refused.
    case provedSecondFactor
    case proofFailed
    case usedLink
    case setFactors
    case changedPassword
    case madeRecoveryCodes
    case changedSettings
    case endedSession
    case endedSessions

    // Operators.
    case madeOperator
    case madeLink
    case changedRoles
    case endedOperator

    // Reading.
    case openedCustomer
    case openedSubscription
    case openedClaim
    case openedSignal
    case openedEvidence
    case searched
    /// What was pasted was inspected: a receipt, a JWS, a notification.
    case inspected
    /// An export was sent whole; how many lines it had.
    case exportedRows
    /// An export began; what became of it is said by a later row, unless the server was stopped.
    case beganExport
    /// An export broke off; how many lines of it were sent.
    case cutOffExport

    // On the command line.
    /// `tenure backup` made a copy of the database, which is whole.
    case madeBackup

    // Endpoints of webhooks, by whoever showed a key.
    case madeEndpoint
    case changedEndpoint
    case pausedEndpoint
    case resumedEndpoint
    case rotatedSecrets
    case resentEvents
    case removedEndpoint

    /// Whether it changes who can log in as somebody, or shows that somebody tried.
    package var isOfLogin: Bool {
        switch self {
        case .loggedIn, .loginFailed, .provedSecondFactor, .proofFailed, .usedLink, .setFactors, .changedPassword,
            .madeRecoveryCodes, .endedSession, .endedSessions:
            true
        case .loggedOut, .changedSettings, .madeOperator, .madeLink, .changedRoles, .endedOperator, .openedCustomer,
            .openedSubscription, .openedClaim, .openedSignal, .openedEvidence, .searched, .inspected, .exportedRows,
            .beganExport, .cutOffExport, .madeBackup, .madeEndpoint, .changedEndpoint, .pausedEndpoint, .resumedEndpoint,
            .rotatedSecrets, .resentEvents, .removedEndpoint:
            false
        }
    }
}
