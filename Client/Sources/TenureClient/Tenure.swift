import Foundation

/// The customer's access, as the server last said it, on this device.
///
/// Nothing that is not a complete answer of the server ends access before the end that the last one named. A transaction is
/// finished at the store only once the server has it (DEV-1).
///
/// ```swift
/// let tenure = try Tenure(.init(server: url, app: "notes", publicKey: "tnr_pk_…", store: StoreKitStore(), folder: folder))
/// await tenure.start()
/// try await tenure.identify("alice")
/// let access = await tenure.current()
/// ```
public actor Tenure {
    let configuration: Configuration
    let server: TenureServer
    let tokens: CustomerTokens
    let queue: UploadQueue<UploadItem>
    let proofs: UploadQueue<AppProof>
    let intents: IntentJournal

    var identity: Identity
    /// The last answer to the customer; nil where there was none on this device.
    var held: HeldAnswer?
    /// Of what was signed with it, verified.
    var claims: SignedClaims?
    /// In Apple's spelling: whose ledger is asked.
    var environment: String

    /// What the server said to the uploads of purchases that are being waited for, by the item's name.
    var verdicts: [String: UploadVerdict] = [:]
    /// Purchases that were begun and are made by something else than this client, by product; the last one of each.
    var begunElsewhere: [String: BegunPurchase] = [:]
    var beginningElsewhere: [String: Task<BegunPurchase, Never>] = [:]
    /// Which proofs of how the app was got the server has.
    var shown: ShownProofs
    var showing: Task<Void, Never>?
    var refreshing: Task<Access, any Error>?
    var sending: Task<Void, Never>?
    /// Whether something came to be sent while a turn of sending was under way.
    var isNewsToSend = false
    /// Who waits until an item was sent, by its name.
    var awaited: [String: [CheckedContinuation<Void, Never>]] = [:]
    private var listening: [Task<Void, Never>] = []
    private var working: Task<Void, Never>?
    private var listeners: [UUID: AsyncStream<Access>.Continuation] = [:]
    private var problemListeners: [UUID: AsyncStream<TenureProblem>.Continuation] = [:]
    var promotedListeners: [UUID: AsyncStream<PromotedPurchase>.Continuation] = [:]
    /// What was chosen in the App Store and not taken up by the app.
    var promotedOnes: PromotedPurchases
    private var lastTold: Access?

    /// - Throws: where the folder cannot be made or read.
    public init(_ configuration: Configuration) throws {
        self.configuration = configuration
        server = TenureServer(configuration)
        tokens = CustomerTokens(configuration.customerToken)
        queue = try UploadQueue(try configuration.folder("uploads"), configuration.chance, most: UploadItem.most)
        proofs = try UploadQueue(try configuration.folder("proofs"), configuration.chance, most: AppProof.most)
        intents = try IntentJournal(try configuration.folder("intents"))
        let kept = try configuration.keep.decoded(Identity.self, Kept.identity)
        identity = kept ?? Identity(AnonymousCustomer(by: configuration.chance))
        shown = try configuration.keep.decoded(ShownProofs.self, Kept.shown) ?? ShownProofs()
        promotedOnes = try configuration.keep.decoded(PromotedPurchases.self, Kept.promoted) ?? PromotedPurchases()
        environment = try configuration.keep.decoded(String.self, Kept.environment) ?? "Production"
        if kept == nil { try configuration.keep.keep(identity, as: Kept.identity) }
        held = try configuration.keep.decoded(HeldAnswer.self, Kept.answer(to: identity.customer))
        claims = Self.claims(of: held, for: identity.customer, configuration)
    }

    /// Names of what is kept.
    enum Kept {
        static let identity = "identity.json"
        static let environment = "environment.json"
        static let shown = "shown.json"
        static let promoted = "promoted.json"

        /// One for each customer, so that who signs in again without a network has what was answered to them.
        static func answer(to customer: String) -> String { "answer-\(Digest.hexadecimal(of: customer)).json" }

        static func isAnswer(_ name: String) -> Bool { name.hasPrefix("answer-") }
    }

    // MARK: Running

    /// Listens to the store, uploads what it delivered, and asks the server: to be called once, before anything else at launch
    /// (DEV-1). Calling it again does nothing.
    public func start() async {
        guard listening.isEmpty else { return }
        listen()
        working = Task { [weak self, sleep = configuration.sleep] in
            while !Task.isCancelled, let pause = await self?.work() {
                do {
                    try await sleep(pause)
                } catch {
                    return
                }
            }
        }
        forgetOldIntents()
        await takeUnfinished()
        await foreground()
        beginShowingApp()
    }

    private func listen() {
        let store = configuration.store
        let (deliveries, promoted, hints) = (store.deliveries(), store.promoted(), store.hints())
        let reconnections = configuration.transport.reconnections()
        listening = [
            Task { [weak self] in
                for await transaction in deliveries { await self?.hear(transaction) }
            },
            Task { [weak self] in
                for await productId in promoted { await self?.promote(productId) }
            },
            Task { [weak self] in
                for await _ in hints { await self?.foreground() }
            },
            Task { [weak self] in
                for await _ in reconnections { await self?.foreground() }
            },
        ]
    }

    /// Nothing comes of a purchase that was begun so long ago.
    private func forgetOldIntents() {
        do {
            try intents.prune(at: configuration.clock.read().wall)
        } catch {
            report(TenureProblem(.notKept, error))
        }
    }

    /// Ends what ``start()`` began. What was not uploaded is there at the next start.
    public func stop() {
        for task in listening + [working, showing].compactMap({ $0 }) { task.cancel() }
        (listening, working) = ([], nil)
        for listener in listeners.values { listener.finish() }
        for listener in problemListeners.values { listener.finish() }
        for listener in promotedListeners.values { listener.finish() }
    }

    /// The app came to the foreground: the clock is looked at, what waits is sent, the server is asked (DEV-2). The same is done
    /// by itself where the transport tells that the network came back.
    public func foreground() async {
        tell(access())
        await hurry()
        do {
            _ = try await refresh()
        } catch {
            report(TenureProblem(.notAnswered, error))
        }
    }

    /// A turn of the work in the background: looks at the clock, and sends what is due.
    ///
    /// - Returns: in how many milliseconds the next is worth it: one minute at most, since the clock's high-water mark is kept
    ///   each minute in use.
    private func work() async -> Int64 {
        tell(access())
        await send()
        let monotonic = configuration.clock.read().monotonic
        let next = [await queue.nextDue(at: monotonic), await proofs.nextDue(at: monotonic)].compactMap { $0 }.min()
        return min(max(next ?? Length.minute, Length.second), Length.minute)
    }

    // MARK: Access

    /// The customer: who was identified, or the anonymous one of this device.
    public var customer: String { identity.customer }

    /// What the customer may use now. It never waits for the network.
    public func current() -> Access {
        let access = access()
        tell(access)
        return access
    }

    /// What the customer may use, now and whenever it changes.
    public func changes() -> AsyncStream<Access> {
        let (stream, continuation) = AsyncStream.makeStream(of: Access.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        listeners[id] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { [weak self] in await self?.forget(id) }
        }
        continuation.yield(access())
        return stream
    }

    /// What went wrong, for the app's own log: nothing here ends anybody's access.
    public func problems() -> AsyncStream<TenureProblem> {
        let (stream, continuation) = AsyncStream.makeStream(of: TenureProblem.self, bufferingPolicy: .bufferingNewest(100))
        let id = UUID()
        problemListeners[id] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { [weak self] in await self?.forget(id) }
        }
        return stream
    }

    func forget(_ id: UUID) { (listeners[id], problemListeners[id], promotedListeners[id]) = (nil, nil, nil) }

    func access(isFresh: Bool = false) -> Access {
        guard held != nil else { return .nothing(of: identity.customer) }
        let before = held?.clock
        let access = held?.access(
            at: configuration.clock.read(), claims: claims, isFresh: isFresh, signedOnly: configuration.signedOnly)
        // What was seen of the clock is kept, so that it cannot go behind it in the next process either.
        if let after = held?.clock, let before, after.highWater.since(before.highWater) >= Length.minute { keepAnswer() }
        return access ?? .nothing(of: identity.customer)
    }

    func keepAnswer() {
        guard let held else { return }
        do {
            try configuration.keep.keep(held, as: Kept.answer(to: held.answer.customer))
        } catch {
            report(TenureProblem(.notKept, error))
        }
    }

    func tell(_ access: Access) {
        guard access != lastTold else { return }
        lastTold = access
        for listener in listeners.values { listener.yield(access) }
    }

    func report(_ problem: TenureProblem) {
        for listener in problemListeners.values { listener.yield(problem) }
    }
}

/// Something that went wrong and that nothing was lost by.
public struct TenureProblem: Error, Sendable, Hashable {
    /// What went wrong.
    public let kind: Kind
    /// What it was about, for a log; no text for customers.
    public let words: String

    /// What can go wrong; a newer client may know more.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        /// As it is written in a log, and by the server where it comes from there.
        public let rawValue: String

        /// Any value, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The server did not answer, or something else did in its place.
        public static let notAnswered = Kind(rawValue: "notAnswered")
        /// The server does not take the customer's token.
        public static let notAuthorized = Kind(rawValue: "notAuthorized")
        /// The server refused the request; ``TenureProblem/words`` is its code.
        public static let refused = Kind(rawValue: "refused")
        /// Something could not be written on the device.
        public static let notKept = Kind(rawValue: "notKept")
        /// The store delivered what is no transaction.
        public static let unreadable = Kind(rawValue: "unreadable")
        /// So much waits for the server that no more is taken; the store keeps the rest.
        public static let queueFull = Kind(rawValue: "queueFull")
        /// The server will not take a transaction as it is.
        public static let parked = Kind(rawValue: "parked")
        /// A signed answer is not believed.
        public static let signatureRefused = Kind(rawValue: "signatureRefused")
        /// The store failed.
        public static let storeFailed = Kind(rawValue: "storeFailed")
        /// The store has none of the products that were asked for.
        public static let noProducts = Kind(rawValue: "noProducts")
    }

    /// - Parameters:
    ///   - kind: what went wrong.
    ///   - words: what it was about, for a log.
    public init(_ kind: Kind, words: String) { (self.kind, self.words) = (kind, words) }

    init(_ kind: Kind, _ error: any Error) {
        if let problem = error as? TenureProblem { self = problem } else { self.init(kind, words: "\(error)") }
    }
}
