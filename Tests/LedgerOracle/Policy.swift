/// The app's settings (OWN-2, OWN-4, OWN-5, OWN-9 to OWN-13, PER-11, ENT-6): one version.
package struct OraclePolicy: Sendable, Hashable {
    package enum OnPurchase: Sendable, Hashable, CaseIterable { case followPurchase, stay, ask }
    package enum OnRestore: Sendable, Hashable, CaseIterable { case keep, transfer, transferIfInactive, ask }
    package enum PartialRefunds: Sendable, Hashable { case endSubscriptions, keep }
    package enum PartialRefundsOfOthers: Sendable, Hashable { case keep, end }
    package enum FamilySharing: Sendable, Hashable { case serve, ignore }

    package var onPurchase: OnPurchase
    package var onRestore: OnRestore
    package var anonymousMayTake: Bool
    package var mergeOnClaim: Bool
    package var restoreLimit: Int
    package var restoreWindowDays: Int64
    /// `nil`: no limit.
    package var customersPerAppleAccount: Int?
    package var partialRefunds: PartialRefunds
    package var partialRefundsOfOthers = PartialRefundsOfOthers.keep
    package var familySharing: FamilySharing
    /// Milliseconds.
    package var leeway: Int64
    /// As chosen in App Store Connect: 3, 16 or 28 (ENT-7).
    package var graceDays: Int64
    /// Milliseconds from a `purchaseDate` within which a `purchase` upload is strong evidence (OWN-4).
    package var promptWindow: Int64
    /// Milliseconds from a `purchaseDate` within which weaker uploads are evidence at all (OWN-4).
    package var purchaseWindow: Int64
    /// `purchaseEvidence: tokenOnly`.
    package var tokenOnly: Bool
    /// A token that names the owner withstands a restore (OWN-2).
    package var tokenLocks: Bool

    package init(
        onPurchase: OnPurchase = .followPurchase, onRestore: OnRestore = .keep, anonymousMayTake: Bool = false,
        mergeOnClaim: Bool = false, restoreLimit: Int = 3, restoreWindowDays: Int64 = 30,
        customersPerAppleAccount: Int? = nil, partialRefunds: PartialRefunds = .endSubscriptions,
        familySharing: FamilySharing = .serve, leeway: Int64 = 3_600_000, graceDays: Int64 = 28,
        promptWindow: Int64 = 300_000, purchaseWindow: Int64 = 604_800_000, tokenOnly: Bool = false,
        tokenLocks: Bool = false
    ) {
        self.onPurchase = onPurchase
        self.onRestore = onRestore
        self.anonymousMayTake = anonymousMayTake
        self.mergeOnClaim = mergeOnClaim
        self.restoreLimit = restoreLimit
        self.restoreWindowDays = restoreWindowDays
        self.customersPerAppleAccount = customersPerAppleAccount
        self.partialRefunds = partialRefunds
        self.familySharing = familySharing
        self.leeway = leeway
        self.graceDays = graceDays
        self.promptWindow = promptWindow
        self.purchaseWindow = purchaseWindow
        self.tokenOnly = tokenOnly
        self.tokenLocks = tokenLocks
    }
}

/// The versions of the policy, each valid from an instant (OWN-17).
package struct OraclePolicies: Sendable, Hashable {
    /// A version that is not the first.
    package struct Version: Sendable, Hashable {
        package var validFrom: Int64
        package var policy: OraclePolicy

        package init(validFrom: Int64, policy: OraclePolicy) {
            self.validFrom = validFrom
            self.policy = policy
        }
    }

    /// The version before all others.
    package var first: OraclePolicy
    /// By their instants, ascending.
    package let then: [Version]

    package init(first: OraclePolicy, then: [Version] = []) {
        self.first = first
        self.then = then.enumerated().sorted { ($0.element.validFrom, $0.offset) < ($1.element.validFrom, $1.offset) }
            .map(\.element)
    }

    /// One version for the whole life.
    package init(_ policy: OraclePolicy) {
        self.init(first: policy)
    }

    /// Every version, the first one first.
    package var all: [OraclePolicy] { [first] + then.map(\.policy) }

    /// The version in force at an instant.
    package func policy(at instant: Int64) -> OraclePolicy {
        then.last { $0.validFrom <= instant }?.policy ?? first
    }

    /// Whether a version of a transaction has a revocation that removes access (0017, 4 and 5).
    func takesAccess(_ transaction: OracleTransaction) -> Bool {
        switch part(takenBy: transaction) {
        case .whole, .rest: true
        case .units, nil: false
        }
    }

    /// How much of what was bought a refund takes; nil where it takes nothing (PER-11, 0075): in part, an auto-renewable
    /// subscription and everything indivisible have a policy each, and of several only whole ones are taken, never the last.
    func part(takenBy transaction: OracleTransaction) -> OracleReturn.Part? {
        guard let date = transaction.revocationDate else { return nil }
        if !transaction.isPartialRefund { return .whole }
        let policy = policy(at: date)
        if transaction.type == .autoRenewable { return policy.partialRefunds == .endSubscriptions ? .rest : nil }
        if transaction.quantity == 1 { return policy.partialRefundsOfOthers == .end ? .whole : nil }
        guard transaction.type == .nonRenewing, let percentage = transaction.revocationPercentage else { return nil }
        // Apple rounds: of three units one is 33333.
        let taken = (1..<transaction.quantity).last { $0 * 100_000 <= transaction.quantity * (percentage + 1) }
        return taken.map { .units($0) }
    }

    /// `FAMILY_SHARED` under the policy that ignores it (0017, 7).
    func ignores(_ period: OraclePeriod) -> Bool {
        period.word.ownership == .familyShared && policy(at: period.purchaseDate).familySharing == .ignore
    }
}

/// An hour, in milliseconds.
let hour: Int64 = 3_600_000
/// A day, in milliseconds.
let day: Int64 = 24 * hour
