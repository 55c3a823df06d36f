import AppStoreWire
import Intake
package import Ledger
package import Primitives
import Storage

/// What is asked and said of purchases before and after they are made.
extension Backend {
    /// What a customer may expect of a purchase, and the token to make it with (OWN-18).
    package struct PurchaseForecast: Sendable {
        package let answer: PurchaseQuestion.Answer
        /// The customer's one token, registered for nobody else: what the purchase is to bear.
        package let appAccountToken: Ledger.AppAccountToken
        package let productId: Ledger.ProductID
        package let at: Timestamp
    }

    /// What a client shows of the Apple Account that would buy.
    package struct ShownAccount: Sendable {
        /// Signed transactions; at most 20.
        package let transactions: [String]
        /// A signed app transaction; nil where none is shown.
        package let appTransaction: String?

        package init(transactions: [String], appTransaction: String? = nil) {
            (self.transactions, self.appTransaction) = (transactions, appTransaction)
        }
    }

    /// May this customer buy this product now? Keeps that they asked, for 30 days (OWN-18).
    ///
    /// - Parameter shown: what the client shows of the Apple Account, signed by Apple.
    package func askBeforePurchase(
        of productId: Ledger.ProductID, by customer: CustomerID, showing shown: ShownAccount, app id: AppID,
        environment: Environment
    ) async throws -> PurchaseForecast {
        let app = try settings(of: id)
        try app.checkTakes(environment)
        let key = CustomerKey(Scope(app: id, environment: environment), try Self.named(customer))
        guard productId.rawValue.isPlain(upTo: 256), !productId.rawValue.isEmpty else {
            throw BackendError.invalidIdentifier(name: "productId", longest: 256)
        }
        let claimant = try await claimant(customer, app: app)
        let now = clock.now()
        let known = try await person(of: key)
        let seen = try await account(shownBy: shown, key, app, at: now)
        var evidence = PurchaseQuestion.Evidence(try chosen.learn(try await settingsVersions(of: id), of: app))
        evidence.own = try await states(of: known)
        evidence.shown = seen.states
        evidence.appTransactionId = seen.appTransactionId
        evidence.otherIds = Set(known.person.customers)
        evidence.account = known.account
        evidence.isAnonymous = claimant.isAnonymous
        let question = PurchaseQuestion(customer: known.customer, productId: productId, at: now)
        let answer = question.answer(from: evidence)
        let token = try await token(of: claimant, app: app, at: now)
        let intent = PurchaseIntent(
            id: .init("\(productId)/\(now.millisecondsSince1970)"), customer: customer, isAnonymous: claimant.isAnonymous,
            productId: productId, madeAt: now)
        _ = try await decide(on: .intent(intent), about: known.key, app: app, at: now)
        return PurchaseForecast(answer: answer, appAccountToken: token, productId: productId, at: now)
    }

    /// The Apple Account that a client shows.
    struct SeenAccount: Sendable {
        /// The subscriptions that are kept and shown to be of it.
        var states: [Ledger.SubscriptionState] = []
        /// Apple's id of the app's download by it, where an app transaction or a transaction says it.
        var appTransactionId: String?
        /// Of the last transaction that is shown, whether it is kept or not.
        var transactionId: TransactionID?
    }

    /// - Throws: `BackendError` with the refusal where something shown proves nothing.
    func account(
        shownBy shown: ShownAccount, _ key: CustomerKey, _ app: AppSettings, at now: Timestamp
    ) async throws -> SeenAccount {
        guard shown.transactions.count <= Self.mostShown else {
            throw BackendError.invalidIdentifier(name: "signedTransactions", longest: Self.mostShown)
        }
        var subscriptions: Set<SubscriptionKey> = []
        var seen = SeenAccount()
        for jws in shown.transactions {
            for arrival in try await proved(jws, nil, app: app, at: now) where arrival.scope == key.scope {
                subscriptions.formUnion(arrival.facts.map { arrival.scope.key(of: $0) })
                for case .transaction(let line) in arrival.facts {
                    seen.transactionId = line.transactionId
                    if let told = line.appTransactionId, !told.isEmpty { seen.appTransactionId = told }
                }
            }
        }
        for subscription in subscriptions.sorted() {
            if let stored = try await translatingStorageErrors({ try await store.subscription(subscription) }) {
                seen.states.append(stored.state)
            }
        }
        if seen.appTransactionId == nil {
            seen.appTransactionId = seen.states.lazy.flatMap(\.periods).compactMap(\.transaction.appTransactionId).first {
                !$0.isEmpty
            }
        }
        guard let jws = shown.appTransaction else { return seen }
        let proved = try verified(await verifier.appTransaction(jws, for: app.expected, at: now))
        guard let id = Intake.appTransactionId(of: proved), proved.payload.receiptType == key.scope.environment else {
            return seen
        }
        let known = Set(seen.states.map(\.key))
        seen.states += try await self.states(shownBy: .appTransactionId(id), in: key.scope).filter { !known.contains($0.key) }
        seen.appTransactionId = id
        return seen
    }

    /// How many transactions one question may show.
    private static let mostShown = 20

    /// The token that a customer's purchases are to bear, whatever they buy: a device keeps it, so that a purchase which begins
    /// while this server is away bears it too (OWN-18). Asking again gives the same one; it is no intent to buy.
    ///
    /// The customer need not be known: one who is not has a token from now on.
    package func issueToken(to customer: CustomerID, app id: AppID) async throws -> Ledger.AppAccountToken {
        let app = try settings(of: id)
        let claimant = try await claimant(try Self.named(customer), app: app)
        return try await token(of: claimant, app: app, at: clock.now())
    }

    /// The customer's one token: their id where that is a UUID which names them, else the first that was vouched for, else one
    /// that is minted now (OWN-2, OWN-18).
    private func token(of claimant: Claimant, app: AppSettings, at now: Timestamp) async throws -> Ledger.AppAccountToken {
        var request = IngestRequest(app: app, learnedAt: now)
        if let own = TokenRegistration(ofOwnId: claimant, firstUsedAt: now) {
            request.registration = own
            // Where it is another customer's token, or a purchase bore it before, a purchase with it would not be theirs.
            if try await ingest(request).holder == claimant.customer { return own.token }
        }
        let name = CustomerName(app.id, claimant.customer)
        let known = try await translatingStorageErrors { try await store.write { try $0.tokens(of: name) } }
        if let token = known.first(where: \.registration.isVouched)?.registration.token { return token }
        let minted = tokens.mint()
        request.registration = TokenRegistration(
            token: minted, customer: claimant.customer, isAnonymous: claimant.isAnonymous, registeredAt: now, isVouched: true)
        _ = try await ingest(request)
        return minted
    }

    // MARK: After the purchase

    /// A consumable that a customer has, and how much of it.
    package struct Delivered: Sendable, Hashable {
        /// When it was delivered first.
        package let delivery: ConsumableDelivery
        /// How many units are theirs: those that were not given back.
        package let units: Int64
    }

    /// The app's backend wants to hand out a consumable; saying it again changes nothing (PER-9).
    ///
    /// - Throws: `CustomerRefusal.unknownPurchase` where the customer bought no such consumable, or all of it was refunded;
    ///   `.deliveredBefore` where another customer has it, and no vote allows that this one has it too.
    package func confirmDelivery(
        of transactionId: Ledger.TransactionID, to customer: CustomerID, app id: AppID, environment: Environment
    ) async throws -> Delivered {
        let app = try settings(of: id)
        try app.checkTakes(environment)
        let key = CustomerKey(Scope(app: id, environment: environment), try Self.checked(customer))
        let known = try await person(of: key)
        guard let purchase = try await consumable(transactionId, of: known) else {
            throw CustomerRefusal.unknownPurchase(transactionId.rawValue)
        }
        var request = IngestRequest(app: app, learnedAt: clock.now())
        request.delivery = .init(customer: known.key, purchase: purchase, transactionId: transactionId)
        switch try await ingest(request).delivery {
        case .delivered(let delivery, let units): return Delivered(delivery: delivery, units: units)
        case .refused(let first): throw CustomerRefusal.deliveredBefore(first)
        case .unknownPurchase, nil: throw CustomerRefusal.unknownPurchase(transactionId.rawValue)
        }
    }

    /// The subscription in whose book a consumable of the customer stands; nil where the customer has no such one.
    func consumable(_ transactionId: Ledger.TransactionID, of known: KnownPerson) async throws -> SubscriptionKey? {
        try await translatingStorageErrors {
            for key in try await store.subscriptions(having: transactionId, app: known.key.scope.app)
            where key.scope == known.key.scope {
                guard let state = try await store.subscription(key)?.state else { continue }
                if ConsumablePurchase.named(transactionId, of: known.person, in: state) != nil { return key }
            }
            return nil
        }
    }

    /// Keeps what the app's backend knows of a purchase, for the day Apple asks about its refund (ABUSE-2); the last one counts.
    ///
    /// - Throws: `CustomerRefusal.unknownPurchase` where the customer did not buy it.
    package func note(
        _ knowledge: ConsumptionKnowledge, of transactionId: Ledger.TransactionID, by customer: CustomerID, app id: AppID,
        environment: Environment
    ) async throws -> ConsumptionNote {
        let app = try settings(of: id)
        try app.checkTakes(environment)
        let key = CustomerKey(Scope(app: id, environment: environment), try Self.checked(customer))
        let known = try await person(of: key)
        let bought = CustomerPeriod.all(of: known.customer, in: try await states(of: known))
        guard let ids = bought.first(where: { $0.period.isNamed(by: transactionId) })?.period.transactionIds else {
            throw CustomerRefusal.unknownPurchase(transactionId.rawValue)
        }
        let now = clock.now()
        let note = ConsumptionNote(transactionId: transactionId, knowledge: knowledge, notedAt: now)
        let decision = try await decide(on: .consumption(note), about: known.key, app: app, at: now)
        return decision.account.consumption(ofAny: ids) ?? note
    }

    /// Takes an app transaction that a customer shows (LIC-3). Showing it again changes nothing.
    package func show(appTransaction jws: String, by customer: CustomerID, app id: AppID) async throws -> ShownAppPurchase {
        let app = try settings(of: id)
        let now = clock.now()
        let proved = try verified(await verifier.appTransaction(jws, for: app.expected, at: now))
        let verified = proved.payload
        guard let date = verified.originalPurchaseDate else {
            throw refused(
                EvidenceRefusal(
                    code: "originalPurchaseDateMissing", part: "appTransaction", words: "it has no original purchase date"))
        }
        let purchase = AppPurchase(
            customer: try Self.named(customer), originalPurchaseDate: date,
            originalApplicationVersion: verified.originalApplicationVersion, environment: verified.receiptType,
            platform: verified.originalPlatform == .macOS ? .macOS : .iOS)
        let shown = ShownAppPurchase(purchase, appTransactionId: Intake.appTransactionId(of: proved), shownAt: now)
        let key = CustomerKey(Scope(app: id, environment: verified.receiptType), customer)
        let decision = try await decide(on: .appPurchase(shown), about: try await person(of: key).key, app: app, at: now)
        if case .appPurchase(let kept)? = decision.account.input(.appPurchase, shown.id) { return kept }
        return shown
    }
}
