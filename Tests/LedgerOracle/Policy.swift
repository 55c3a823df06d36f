/// What the app chose (OWN-5, OWN-9 to OWN-13, PER-11, ENT-6). One version, for the whole life.
package struct OraclePolicy: Sendable, Hashable {
    package enum OnPurchase: Sendable, Hashable, CaseIterable { case followPurchase, stay, ask }
    package enum OnRestore: Sendable, Hashable, CaseIterable { case keep, transfer, transferIfInactive, ask }
    package enum PartialRefunds: Sendable, Hashable { case keep, revoke }
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
    package var familySharing: FamilySharing
    /// Milliseconds.
    package var leeway: Int64

    package init(
        onPurchase: OnPurchase = .followPurchase, onRestore: OnRestore = .keep, anonymousMayTake: Bool = false,
        mergeOnClaim: Bool = false, restoreLimit: Int = 3, restoreWindowDays: Int64 = 30,
        customersPerAppleAccount: Int? = nil, partialRefunds: PartialRefunds = .keep,
        familySharing: FamilySharing = .serve, leeway: Int64 = 3_600_000
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
    }

    /// Whether a version of a transaction bears a revocation that takes access (0017, 4 and 5).
    func takesAccess(_ transaction: OracleTransaction) -> Bool {
        guard transaction.revocationDate != nil else { return false }
        return !transaction.isPartialRefund || partialRefunds == .revoke
    }
}

/// An hour, in milliseconds.
let hour: Int64 = 3_600_000
/// A day, in milliseconds.
let day: Int64 = 24 * hour
