package import AppStoreWire
import Intake
package import Ledger
package import Metrics
package import Primitives
package import Storage

/// The use cases. Each reads the clock once; each that writes does so through `Ingest`, in one transaction.
package struct Backend: Sendable {
    let store: any Store
    let verifier: AppStoreVerifier
    let apps: [AppID: AppSettings]
    let clock: any TimeSource
    let queue: IntakeQueue
    /// What the apps chose, as the store keeps it.
    let chosen: SettingsCache
    /// Makes the tokens that the server mints itself (OWN-18).
    let tokens: TokenMint
    /// How many unproved receipts a customer may have Apple asked about.
    let receiptAllowance = ReceiptAllowance()
    /// What came in and what became of it; for operators.
    package let counters = IntakeCounters()
    let metrics: BackendMetrics
    /// The keys that callers show.
    package let keys: KeyRing

    /// - Parameters:
    ///   - generator: of the tokens that the server mints.
    ///   - metrics: where is counted what came in; nowhere, unless somebody reads it.
    package init(
        store: any Store, verifier: AppStoreVerifier, apps: [AppSettings], clock: any TimeSource,
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) {
        self.metrics = BackendMetrics(metrics)
        keys = KeyRing(store, metrics: self.metrics)
        tokens = TokenMint(generator)
        self.store = store
        self.verifier = verifier
        self.apps = Dictionary(apps.map { ($0.id, $0) }) { first, _ in first }
        self.clock = clock
        chosen = SettingsCache()
        queue = IntakeQueue(store: store, settings: chosen)
    }

    /// The server's time.
    package func now() -> Timestamp { clock.now() }

    /// - Throws: `BackendError.unknownApp`.
    package func settings(of app: AppID) throws -> AppSettings {
        guard let settings = apps[app] else { throw BackendError.unknownApp(app) }
        return settings
    }

    /// Throws unless questions can be answered, and where this server came with what an earlier version says (OWN-17). Whether a
    /// write would find room is only known by writing.
    package func checkHealth() async throws {
        try await translatingStorageErrors { try await store.checkHealth() }
        try await checkSettings()
    }

    // MARK: Together

    /// How many characters an id of a customer has at the most.
    package static let longestCustomer = 200

    /// An id of a customer: 1 to 200 characters, none of which controls a terminal or a protocol.
    package static func checked(_ customer: CustomerID) throws -> CustomerID {
        // What stands in the place of erased customers names nobody (I45).
        let isFree = !customer.rawValue.hasPrefix(CustomerNames.erasedPrefix)
        guard !customer.rawValue.isEmpty, customer.rawValue.isPlain(upTo: longestCustomer), isFree else {
            throw BackendError.invalidIdentifier(name: "customer", longest: longestCustomer)
        }
        return customer
    }

    /// An id under which a customer may come to have something: as ``checked(_:)``, and no constant that names nobody (OWN-2).
    /// What a customer of such an id has from before can be read, moved away and erased.
    ///
    /// - Throws: `BackendError.invalidIdentifier`, `.namesNobody`.
    static func named(_ customer: CustomerID) throws -> CustomerID {
        let customer = try checked(customer)
        guard !customer.namesNobody else { throw BackendError.namesNobody(name: "customer") }
        return customer
    }

    /// The token, where it can name somebody.
    ///
    /// - Throws: `BackendError.namesNobody`.
    static func named(_ token: Ledger.AppAccountToken) throws -> Ledger.AppAccountToken {
        guard !token.namesNobody else { throw BackendError.namesNobody(name: "appAccountToken") }
        return token
    }

    /// Carries out what came in; returns when it is durable (decision 0002).
    func ingest(_ request: IngestRequest) async throws -> IngestResult {
        try await translatingStorageErrors { try await queue.submit(request) }
    }
}

/// Runs a use case; what the store reports is thrown in the words of use cases.
func translatingStorageErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let error as StorageError {
        throw BackendError.store(StoreFailure(error))
    }
}
