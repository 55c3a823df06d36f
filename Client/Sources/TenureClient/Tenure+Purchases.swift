import Foundation

/// What buying came to.
public enum PurchaseOutcome: Sendable, Hashable {
    /// The server has it, and says what the customer may use now.
    case bought(Access)
    /// It was bought, and the server does not have it yet: it is kept and sent again until it does.
    case waiting(Access)
    /// A parent or the bank is asked; the transaction comes later, perhaps on another device.
    case pending
    /// The customer changed their mind.
    case cancelled
    /// Nothing was bought: the customer has it already, or the Apple Account of this device has it for another customer, and the
    /// purchase would give this one nothing (OWN-12, OWN-18).
    case inVain(PurchaseForecast)
    /// It was bought, and serves another customer, whose the Apple Account's subscription is.
    ///
    /// - Parameter hint: the other customer, masked; nil where the server does not say.
    case servesAnother(hint: String?)
}

/// Buying and restoring.
extension Tenure {
    /// Buys a product for the customer.
    ///
    /// The server is asked before, so that nobody pays twice, and the purchase bears the customer's token. Where the server does
    /// not answer, the purchase goes on, with the token that was kept when it did.
    ///
    /// - Parameters:
    ///   - productId: its id in App Store Connect.
    ///   - offerIdentifier: a promotional offer of it, which the server signs for this purchase; nil: none. Nothing is bought
    ///     where the server does not sign it.
    ///   - anyway: also where the customer would get nothing for it, since they were told and want it.
    /// - Throws: ``TenureProblem``: `notKept` where what is needed to find the purchase again cannot be written (then nothing is
    ///   bought); `noProducts` where the store does not have the product; `storeFailed`; where the offer was not signed, as the
    ///   server says, such as `offer.hadBefore`, or `notAnswered`.
    public func purchase(
        _ productId: String, offer offerIdentifier: String? = nil, anyway: Bool = false
    ) async throws -> PurchaseOutcome {
        let customer = identity.customer
        let forecast = await heardForecast(of: productId)
        if let forecast, forecast.isInVain(withOffer: offerIdentifier != nil), !anyway { return .inVain(forecast) }
        var begun = BegunPurchase(
            customer: customer, productId: productId, appAccountToken: token(of: customer, forecast), forecast: forecast)
        var offer: SignedOffer?
        if let offerIdentifier { offer = try await signedOffer(offerIdentifier, for: begun) }
        do {
            try keepIntent(of: &begun)
        } catch {
            throw TenureProblem(.notKept, error)
        }
        let bought: StorePurchase
        do {
            bought = try await configuration.store.purchase(productId, appAccountToken: begun.appAccountToken, offer: offer)
        } catch let problem as TenureProblem where problem.kind == .noProducts {
            end(begun)
            throw problem
        } catch {
            // It may have been bought all the same: the intent stays, and says whose it is.
            throw TenureProblem(.storeFailed, error)
        }
        return await outcome(of: bought, begun)
    }

    /// A promotional offer for a purchase of the app's own, between ``beginPurchase(_:)`` and ``endPurchase(_:_:)``; for
    /// ``purchase(_:offer:anyway:)`` it is asked for by itself. Asking again while it is valid gives the same offer.
    ///
    /// - Parameters:
    ///   - offerIdentifier: Apple's name of the offer.
    ///   - begun: the purchase, which must bear its `appAccountToken`.
    /// - Throws: ``TenureProblem`` where the server does not sign it; its ``TenureProblem/words`` are the server's code.
    public func signedOffer(_ offerIdentifier: String, for begun: BegunPurchase) async throws -> SignedOffer {
        let response = try await authorized(begun.customer) { server, environment, who in
            try await server.signOffer(offerIdentifier, for: begun, in: environment, who)
        }
        guard response.status == 200, let answer = response.decoded(SignedOfferAnswer.self),
            let signature = Data(base64Encoded: answer.signature)
        else { throw Self.problem(response) }
        return SignedOffer(
            offerIdentifier: offerIdentifier, keyId: answer.issued.keyId, nonce: answer.issued.nonce,
            timestamp: answer.issued.issuedAt, signature: signature)
    }

    /// What the server says to a purchase before it is made; nil where it does not answer.
    func heardForecast(of productId: String) async -> PurchaseForecast? {
        do {
            return try await forecast(productId)
        } catch {
            report(TenureProblem(.notAnswered, error))
            return nil
        }
    }

    /// What a customer's purchase is to bear; nil where the server has never said it to this device.
    func token(of customer: String, _ forecast: PurchaseForecast?) -> UUID? {
        forecast?.appAccountToken ?? identity.appAccountToken(of: customer)
    }

    /// Keeps that a customer is about to buy, so that the purchase is theirs whatever becomes of the process.
    func keepIntent(of begun: inout BegunPurchase) throws {
        begun.intent = try intents.begin(
            PurchaseIntent(
                customer: begun.customer, productId: begun.productId, startedAt: configuration.clock.read().wall,
                appAccountToken: begun.appAccountToken), configuration.chance)
        // Begun here, it is not offered again.
        dismissPromoted(begun.productId)
    }

    /// Nothing comes of a purchase that was begun.
    private func end(_ begun: BegunPurchase?) {
        guard let name = begun?.intent else { return }
        do {
            try intents.end(name)
        } catch {
            report(TenureProblem(.notKept, error))
        }
    }

    /// What the store's word for a purchase comes to.
    ///
    /// - Parameter begun: nil where it was not begun in this process.
    func outcome(of bought: StorePurchase, _ begun: BegunPurchase?) async -> PurchaseOutcome {
        switch bought {
        case .cancelled:
            end(begun)
            return .cancelled
        case .pending: return .pending
        case .bought(let transaction): return await outcome(of: transaction)
        }
    }

    private func outcome(of transaction: StoreTransaction) async -> PurchaseOutcome {
        guard let item = await take(transaction, as: .purchase) else { return .waiting(current()) }
        await hurry()
        await send(first: item.name)
        // The turn that was under way may have sent it before, as what the store had delivered.
        if await queue.isWaiting(item.name) { await send(first: item.name) }
        guard await !queue.isWaiting(item.name) else { return .waiting(current()) }
        if let verdict = verdicts.removeValue(forKey: item.name), !verdict.isOwner, verdict.isDecided {
            return .servesAnother(hint: verdict.hint)
        }
        do {
            return .bought(try await ask())
        } catch {
            report(TenureProblem(.notAnswered, error))
            return .waiting(current())
        }
    }

    /// What a purchase would come to for the customer, before it is made (OWN-18).
    ///
    /// - Throws: ``TenureProblem`` where there is no complete answer.
    public func forecast(_ productId: String) async throws -> PurchaseForecast {
        let (customer, shown) = (identity.customer, await shownAccount())
        let response = try await authorized(customer) { server, environment, who in
            try await server.askPurchase(of: productId, by: customer, in: environment, showing: shown, who)
        }
        guard response.status == 200, let forecast = response.decoded(PurchaseForecast.self) else {
            throw Self.problem(response)
        }
        keep(forecast.appAccountToken, of: customer)
        return forecast
    }

    /// What this device has of the Apple Account; less where the store fails.
    private func shownAccount() async -> ShownAccount {
        do {
            let latest = try await configuration.store.latest().prefix(20).map(\.signedTransactionInfo)
            return ShownAccount(
                signedTransactions: Array(latest), signedAppTransaction: try await configuration.store.signedAppTransaction())
        } catch {
            report(TenureProblem(.storeFailed, error))
            return ShownAccount()
        }
    }

    // MARK: Restoring

    /// From where a customer's purchases are restored.
    public enum RestoreSource: Sendable, Hashable {
        /// What the server knows of the customer's account: nobody is asked for a password (DEV-3).
        case account
        /// What the Apple Account of this device has. The system may ask for its password: only when the customer wants it.
        case appStore
    }

    /// Restores what the customer has. What comes back may be known already, and is no second grant.
    ///
    /// - Throws: ``TenureProblem``: `storeFailed`, and where there is no complete answer.
    public func restore(_ source: RestoreSource) async throws -> Access {
        guard source == .appStore else { return try await refresh() }
        let customer = identity.customer
        do {
            try await configuration.store.synchronize()
            let transactions = try await configuration.store.latest()
            for transaction in transactions { await take(transaction, as: .restore) }
            // What was bought before StoreKit 2 signs it may be in the receipt alone.
            if transactions.isEmpty, let receipt = try await configuration.store.refreshReceipt() {
                await hurry()
                await show(.receipt(receipt, .restore), of: customer, again: true)
            }
        } catch {
            throw TenureProblem(.storeFailed, error)
        }
        await hurry()
        return try await refresh()
    }

    // MARK: Walls

    /// What to show to the customer now (WALL-1).
    ///
    /// - Parameters:
    ///   - storefront: StoreKit's `Storefront.current.countryCode`.
    ///   - appVersion: the app's version.
    /// - Throws: ``TenureProblem`` where there is no complete answer.
    public func wall(storefront: String? = nil, appVersion: String? = nil) async throws -> Wall {
        let (customer, shown) = (identity.customer, await shownAccount())
        let question = WallQuestion(
            storefront: storefront, appVersion: appVersion, signedTransactions: shown.signedTransactions,
            signedAppTransaction: shown.signedAppTransaction)
        let response = try await authorized(customer) { server, environment, who in
            try await server.wall(for: customer, in: environment, question, by: who)
        }
        guard response.status == 200, let wall = response.decoded(Wall.self) else { throw Self.problem(response) }
        return wall
    }
}

/// Source: `SignedOffer` in the server's OpenAPI document.
private struct SignedOfferAnswer: Decodable {
    let issued: Issued
    let signature: String

    struct Issued: Decodable {
        let keyId: String
        let nonce: UUID
        let issuedAt: Int
    }
}
