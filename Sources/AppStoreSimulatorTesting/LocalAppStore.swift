internal import AppStoreModel
internal import AppStoreSimulator
internal import Logging
internal import Primitives
internal import ServiceLifecycle

/// An App Store inside a test: it sells what a `.storekit` file lists, signs as Apple does under a root of its own, answers the
/// App Store Server API and `/verifyReceipt` over HTTP on free ports, and posts notifications to an address of yours.
///
/// ```swift
/// try await LocalAppStore.run(Shop(bundleId: "com.example.shop", storeKitFile: file)) { store in
///     let anna = try await store.openAccount("anna")
///     let bought = try await store.buy("plus.monthly", for: anna)
///     try await store.advance(days: 31)
///     let subscription = try await store.subscription(bought.originalTransactionId)
///     #expect(subscription.status == 1)
/// }
/// ```
/// Its clock stands still until it is moved. Stores share nothing, so tests may run in parallel. Everything else that it can do
/// (families, offers, faults, price increases, reviews …) is available through the control API at ``controlAddress``.
public struct LocalAppStore: Sendable {
    private let simulator: AppStoreSimulator
    private let ports: [AppStoreSimulator.Listener: Int]

    /// Starts a store, runs the body, and ends the store, whether the body throws or not.
    ///
    /// - Throws: what the body throws; ``LocalAppStoreError`` where the shop cannot be opened; `CancellationError`.
    public static func run<Value: Sendable>(
        _ shop: Shop, _ body: @escaping @Sendable (LocalAppStore) async throws -> Value
    ) async throws -> Value {
        let simulator = try opened(shop)
        let (listeners, continuation) = AsyncStream.makeStream(of: (AppStoreSimulator.Listener, Int).self)
        var logger = Logger(label: "LocalAppStore")
        logger.logLevel = .error
        let application = simulator.buildApplication(logger: logger) { continuation.yield(($0, $1)) }
        let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
        return try await withThrowingTaskGroup(of: Value?.self) { tasks in
            tasks.addTask {
                defer { continuation.finish() }
                try await group.run()
                return nil
            }
            tasks.addTask {
                var ports: [AppStoreSimulator.Listener: Int] = [:]
                for await (listener, port) in listeners {
                    ports[listener] = port
                    if ports.count == Self.listeners { break }
                }
                try Task.checkCancellation()
                guard ports.count == Self.listeners else { throw LocalAppStoreError.didNotStart }
                return try await body(LocalAppStore(simulator: simulator, ports: ports))
            }
            do {
                while let value = try await tasks.next() {
                    guard let value else { continue }
                    await group.triggerGracefulShutdown()
                    try await tasks.waitForAll()
                    return value
                }
                throw LocalAppStoreError.didNotStart
            } catch {
                // Whichever of the two failed, the other one is cancelled.
                tasks.cancelAll()
                await group.triggerGracefulShutdown()
                while await tasks.nextResult() != nil {}
                throw error
            }
        }
    }

    private static func opened(_ shop: Shop) throws -> AppStoreSimulator {
        do {
            return try AppStoreSimulator(configuration: try shop.configuration())
        } catch let error as LocalAppStoreError {
            throw error
        } catch {
            throw LocalAppStoreError(code: "configuration", description: "the shop cannot be opened: \(error)")
        }
    }

    /// The control API, and one face for each environment.
    private static let listeners = 3

    // MARK: Where it is

    /// The control API: `http://127.0.0.1:…/control/v1`. Its calls are described in the document that it serves at `openapi.json`
    /// there.
    public var controlAddress: String { "http://127.0.0.1:\(ports[.control] ?? 0)/control/v1" }

    /// The address of the App Store Server API and of `/verifyReceipt` for an environment: append the paths that Apple's hosts
    /// have.
    public func serverAddress(of environment: StoreEnvironment) -> String {
        "http://127.0.0.1:\(ports[.face(environment.primitive)] ?? 0)"
    }

    /// The DER of the root certificate that everything is signed under: what a verifier is configured to trust.
    public var rootCertificate: [UInt8] { simulator.rootDER }

    /// The SHA-256 of ``rootCertificate`` in hexadecimal digits: what `trust.additionalRootSHA256` of Tenure takes.
    public var rootFingerprint: String { simulator.rootFingerprintText }

    // MARK: The clock

    /// The store's time, in milliseconds since 1970 as Apple writes dates.
    public var now: Int64 { simulator.clockNow().millisecondsSince1970 }

    /// Moves the clock. Everything that falls due on the way happens at its own instant and in order, and is delivered before the
    /// next.
    ///
    /// - Parameter days: 0 to 3653.
    /// - Throws: ``LocalAppStoreError`` with `clockGoesForward` or `tooFar`.
    public func advance(days: Int) async throws { try await advance(by: .days(Int64(days))) }

    /// Moves the clock by seconds, at most ten years.
    ///
    /// - Throws: ``LocalAppStoreError`` with `clockGoesForward` or `tooFar`.
    public func advance(seconds: Int) async throws { try await advance(by: .seconds(Int64(seconds))) }

    private func advance(by duration: Milliseconds) async throws {
        let target = simulator.clockNow().adding(duration)
        try await refusing { while try await !simulator.advance(to: target).isComplete {} }
    }

    /// Moves the clock to the next scheduled event: a renewal, an end, a retry. Where there is none, it stays.
    public func advanceToNext() async throws { try await refusing { _ = try await simulator.advanceToNext() } }

    // MARK: People

    /// Opens an Apple Account; without a name it gets the next free one.
    ///
    /// - Returns: its name here.
    /// - Throws: ``LocalAppStoreError/refused(_:)``.
    @discardableResult
    public func openAccount(_ name: String? = nil, in environment: StoreEnvironment? = nil) async throws -> String {
        try await refusing { try await simulator.openAccount(name, in: environment?.primitive).account.id.rawValue }
    }

    /// The account's card fails from now on, or works again. When it works again, what is owed is paid at once.
    public func setCard(of account: String, fails: Bool) async throws {
        try await refusing { _ = try await simulator.setPayment(fails ? .fails : .succeeds, of: ID(account)) }
    }

    // MARK: Purchases

    /// Buys a product, as StoreKit does for a customer of your app.
    ///
    /// - Parameters:
    ///   - appAccountToken: a UUID by which your app tells your server who bought.
    ///   - bundleId: the app, if it is not the first.
    /// - Throws: ``LocalAppStoreError/refused(_:)``, with `paymentDeclined` where the card fails.
    public func buy(
        _ productId: String, for account: String, appAccountToken: String? = nil, bundleId: String? = nil
    ) async throws -> Transaction {
        try await refusing {
            var order = PurchaseOrder(
                app: try await simulator.app(bundleId), account: ID(account), product: ID(productId))
            if let appAccountToken {
                guard let token = CompactUUID(appAccountToken) else { throw StoreRefusal.invalidAppAccountToken }
                order.appAccountToken = token
            }
            return Transaction(try await simulator.buy(order).transaction)
        }
    }

    /// What the account bought, newest first, signed now: what a device gets when it restores.
    public func restorePurchases(for account: String, bundleId: String? = nil) async throws -> [Transaction] {
        try await refusing {
            try await simulator.restore(try await simulator.app(bundleId), for: ID(account)).map(Transaction.init)
        }
    }

    /// A transaction in its present state, signed now.
    public func transaction(_ transactionId: String) async throws -> Transaction {
        try await refusing { Transaction(try await simulator.transaction(try Self.id(transactionId))) }
    }

    /// Refunds a transaction in full.
    @discardableResult
    public func refund(_ transactionId: String) async throws -> Transaction {
        try await refusing {
            let order = RefundOrder(
                percentage: StoreRevocation.wholePercentage, reason: .other, isRequestedByCustomer: false)
            return Transaction(try await simulator.refund(try Self.id(transactionId), order))
        }
    }

    /// The present state of a subscription, by its `originalTransactionId`.
    public func subscription(_ originalTransactionId: String) async throws -> Subscription {
        try await refusing { Subscription(try await simulator.subscription(try Self.id(originalTransactionId))) }
    }

    /// Turns auto-renew on or off, as a customer does in the settings.
    @discardableResult
    public func setAutoRenew(_ isOn: Bool, of originalTransactionId: String) async throws -> Subscription {
        try await refusing { Subscription(try await simulator.setAutoRenew(isOn, of: try Self.id(originalTransactionId))) }
    }

    /// The app receipt of an account, in base64 as an app sends it to `/verifyReceipt`.
    public func receipt(of account: String, bundleId: String? = nil) async throws -> String {
        try await refusing {
            let number = try await simulator.account(ID(account)).account.number
            guard await simulator.hasReceipt(ID(account)) else { throw SimulatorRefusal.receiptLost }
            let app = try await simulator.app(bundleId)
            return StrictBase64.encodePadded(
                try await simulator.appReceipt(of: app, for: number, device: CompactUUID(bytes: [])))
        }
    }

    // MARK: Notifications

    /// Posts App Store Server Notifications of version 2 to this address from now on; nil: nowhere, they are only stored.
    ///
    /// - Throws: ``LocalAppStoreError`` with `invalidURL` for what is not an `http:` or `https:` address.
    public func sendNotifications(to url: String?) async throws {
        try await refusing { try await simulator.setNotificationURL(url) }
    }

    /// The newest thousand notifications, oldest first.
    public func notifications() async throws -> [Notification] {
        try await refusing { try await simulator.notifications(limit: 1000).reversed().map(Notification.init) }
    }

    // MARK: State

    /// The present state of everything, for ``restore(_:)``.
    public func save() async throws -> Snapshot { try await refusing { Snapshot(state: try await simulator.save()) } }

    /// Restores everything, including the clock: between two tests of one store. The next ids were used before, so a server that
    /// received notifications must be restored as well.
    ///
    /// - Throws: ``LocalAppStoreError`` with `stateOfAnotherStore` for a snapshot of another store.
    public func restore(_ snapshot: Snapshot) async throws {
        try await refusing { try await simulator.restore(snapshot.state) }
    }

    private static func id(_ text: String) throws -> TransactionNumber {
        guard let id = TransactionNumber(text) else { throw StoreRefusal.unknownTransaction }
        return id
    }

    private func refusing<Value>(_ act: () async throws -> Value) async throws -> Value {
        do {
            return try await act()
        } catch let refusal as StoreRefusal {
            throw LocalAppStoreError.refused(refusal.rawValue)
        } catch let refusal as SimulatorRefusal {
            throw LocalAppStoreError.refused(refusal.rawValue)
        } catch SimulatorConfigurationError.notificationURL {
            throw LocalAppStoreError.refused("invalidURL")
        }
    }
}
