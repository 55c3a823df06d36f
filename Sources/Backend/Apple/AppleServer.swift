package import AppStoreWire
package import Ledger
package import Primitives
package import Storage

/// Apple, as this server asks it. Whoever implements it sends the calls; it knows no rules and no store.
package protocol AppleServer: Sendable {
    /// Makes one call of the App Store Server API for an app. Never throws: whatever happens is an answer or a failure.
    func answer<Response>(
        to call: ServerAPICall<Response>, for app: AppID, in environment: Environment
    ) async -> Result<ServerAPIAnswer<Response>, AppleFailure>

    /// Asks `/verifyReceipt` once about a receipt of an app's. Never throws: whatever happens is an outcome or a failure.
    func outcome(
        of receipt: VerifyReceiptRequest, from host: VerifyReceiptHost, for app: AppID
    ) async -> Result<VerifyReceiptOutcome, AppleFailure>

    /// Until when that host of `/verifyReceipt` is left alone, because it failed too often; nil: it may be called.
    func closedUntil(for app: AppID, at host: VerifyReceiptHost) -> Timestamp?

    /// Until when the host of that environment is left alone, because it failed too often; nil: it may be called.
    func closedUntil(for app: AppID, in environment: Environment) -> Timestamp?

    /// How far our clock is ahead of that host's; negative: behind; nil where it has not answered yet. Tokens are refused
    /// where it is more than a few minutes.
    func clockLead(for app: AppID, in environment: Environment) -> Milliseconds?
}

/// Why a call has no usable answer. Never a statement about anyone's rights (FACT-7).
package struct AppleFailure: Error, Sendable, Hashable {
    package let scope: FailureScope
    /// Stable, such as `apple.4040010`, `unauthenticated` or `network.connectionRefused`; for stored failures and metrics.
    package let code: String
    /// The earliest instant for another attempt, where Apple or the breaker named one.
    package let retryAt: Timestamp?
    /// Whether anything was sent. Where nothing was, the question was not put.
    package let wasSent: Bool

    package init(_ scope: FailureScope, code: String, retryAt: Timestamp? = nil, wasSent: Bool = true) {
        self.scope = scope
        self.code = code
        self.retryAt = retryAt
        self.wasSent = wasSent
    }

    /// Whether it is the app's key that is wrong: Apple answered 401, or no token could be signed with it.
    var refusesKey: Bool { ["unauthenticated", "notSigned"].contains(code) || FailureClass.of(code) == "apple.401" }
}

/// How an app's purchases are asked about at Apple; an app without it is never asked about.
package struct AppleAccess: Sendable, Hashable {
    /// How much of what Apple allows is used, in percent: 1 to 100. The rest is left to whoever else calls with the app's key.
    package var share: Int64

    /// Whether every night everything that Apple told in the last 25 hours is looked through as well (RECON-2).
    package var sweepsNightly: Bool

    /// What of all that Apple told is looked through every hour (RECON-2).
    package var sweepsHourly = HourlySweep.everything

    /// Whether the app has an In-App Purchase key. Without one nobody asks the App Store Server API, and what is not proved by a
    /// receipt is not asked about (decision 0043).
    package var hasKey = true

    /// Whether `/verifyReceipt` is asked about receipts, where the app has shared secrets (RECON-3).
    package var verifiesReceipts = true

    /// How Apple's questions of what became of a purchase are answered (ABUSE-2).
    package var consumption: ConsumptionSettings

    package init(
        share: Int64 = 50, sweepsNightly: Bool = true, consumption: ConsumptionSettings = ConsumptionSettings()
    ) {
        self.share = share
        self.sweepsNightly = sweepsNightly
        self.consumption = consumption
    }
}

extension AppSettings {
    /// Whether the App Store Server API is asked about its purchases.
    package var asksByKey: Bool { apple?.hasKey ?? false }

    /// The hosts of `/verifyReceipt` that are asked about its receipts, Production first; none where nobody asks there.
    var receiptHosts: [VerifyReceiptHost] {
        guard let apple, apple.verifiesReceipts, !sharedSecrets.isEmpty else { return [] }
        return VerifyReceiptHost.allCases.filter { expected.environments.contains($0.environment) }
    }
}
