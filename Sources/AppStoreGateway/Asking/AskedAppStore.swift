package import AppStoreWire
package import Backend
package import Ledger
package import Primitives

/// The gateway as the use cases want it: each app with its key and its hosts.
package struct AskedAppStore: AppleServer {
    private let gateway: AppStoreGateway
    private let accounts: [AppID: Account]

    /// With what an app's purchases are asked about, and where.
    package struct Account: Sendable {
        /// Nil where it has none, and only `/verifyReceipt` is asked.
        package let key: AppStoreKey?
        /// By environment; an environment without one is not asked.
        package let hosts: [Primitives.Environment: ServerAPIHost]
        /// Where `/verifyReceipt` is, of the same environments.
        package let receipts: [VerifyReceiptHost: VerifyReceiptAddress]

        /// - Parameter hosts: one that is not Apple's own answers at `/verifyReceipt` too, as the local App Store does.
        package init(key: AppStoreKey?, hosts: [Primitives.Environment: ServerAPIHost] = Self.apple) {
            self.key = key
            self.hosts = hosts
            receipts = Dictionary(
                VerifyReceiptHost.allCases.compactMap { receiptHost in
                    hosts[receiptHost.environment].map { (receiptHost, Self.address(of: receiptHost, beside: $0)) }
                }
            ) { first, _ in first }
        }

        private static func address(of receiptHost: VerifyReceiptHost, beside host: ServerAPIHost) -> VerifyReceiptAddress {
            let applesOwn: [ServerAPIHost] = [.production, .sandbox, .legacyProduction, .legacySandbox]
            if applesOwn.contains(host) { return VerifyReceiptAddress(receiptHost) }
            return VerifyReceiptAddress(host: receiptHost, url: host.baseURL + "/verifyReceipt")
        }

        /// Apple's own.
        package static let apple: [Primitives.Environment: ServerAPIHost] = [.production: .production, .sandbox: .sandbox]
    }

    package init(_ gateway: AppStoreGateway, _ accounts: [AppID: Account]) {
        self.gateway = gateway
        self.accounts = accounts
    }

    package func answer<Response>(
        to call: ServerAPICall<Response>, for app: AppID, in environment: Primitives.Environment
    ) async -> Result<ServerAPIAnswer<Response>, AppleFailure> {
        guard let account = accounts[app], let host = account.hosts[environment] else {
            return .failure(AppleFailure(GatewayFailure.noKey))
        }
        return await gateway.answer(to: call, as: account.key, from: host).mapError { AppleFailure($0) }
    }

    package func outcome(
        of receipt: VerifyReceiptRequest, from host: VerifyReceiptHost, for app: AppID
    ) async -> Result<VerifyReceiptOutcome, AppleFailure> {
        guard let address = accounts[app]?.receipts[host] else { return .failure(AppleFailure(GatewayFailure.noKey)) }
        return await gateway.outcome(of: receipt, from: address).mapError { AppleFailure($0) }
    }

    package func closedUntil(for app: AppID, at host: VerifyReceiptHost) -> Timestamp? {
        guard let address = accounts[app]?.receipts[host] else { return nil }
        if case .open(let until) = gateway.state(ofHostAt: address.url)?.breaker { return until }
        return nil
    }

    package func closedUntil(for app: AppID, in environment: Primitives.Environment) -> Timestamp? {
        if case .open(let until) = state(for: app, in: environment)?.breaker { return until }
        return nil
    }

    package func clockLead(for app: AppID, in environment: Primitives.Environment) -> Milliseconds? {
        state(for: app, in: environment)?.appleDate?.lead
    }

    private func state(for app: AppID, in environment: Primitives.Environment) -> HostState? {
        accounts[app]?.hosts[environment].flatMap { gateway.state(ofHostAt: $0.baseURL) }
    }
}

extension AppleFailure {
    init(_ failure: GatewayFailure) {
        let wasSent =
            switch failure {
            case .noKey, .notSigned, .breakerOpen, .cancelled: false
            case .refused, .receiptAnswerTooLarge, .network: true
            }
        self.init(failure.scope, code: failure.code, retryAt: failure.retryAt, wasSent: wasSent)
    }
}
