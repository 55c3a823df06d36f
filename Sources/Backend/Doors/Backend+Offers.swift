import AppStoreWire
package import Ledger
package import Primitives
import Storage

/// Which offers a customer may have, the signatures that Apple wants with them, and what became of these (WALL-5, WALL-6).
extension Backend {
    /// A customer, and what their device shows of the Apple Account that would buy.
    package struct OfferQuestion: Sendable {
        package let customer: CustomerID
        package let shown: ShownAccount

        package init(customer: CustomerID, shown: ShownAccount) { (self.customer, self.shown) = (customer, shown) }
    }

    /// What a customer may have now.
    package struct OfferReport: Sendable {
        package let at: Timestamp
        /// Of the settings that have the offers (OWN-17).
        package let version: Int64
        /// Every promotional offer of the app, the best first.
        package let promotional: [(offer: PromotionalOffer, verdict: OfferVerdict)]
        /// Each plan with an introductory offer, and whether the customer may have it.
        package let introductory: [(productId: Ledger.ProductID, isAllowed: Bool)]
    }

    /// Who wants something signed, and what a purchase with it will bear.
    package struct OfferOrder: Sendable {
        package let question: OfferQuestion
        package let productId: Ledger.ProductID
        /// Whether the app's backend asks, who may speak for the customer, or the customer's own device.
        package let isByBackend: Bool
        /// How what is signed is answered, where the request may come again.
        package let once: Once<SignedOffer>

        package init(
            _ question: OfferQuestion, productId: Ledger.ProductID, isByBackend: Bool, once: Once<SignedOffer> = .unkeyed
        ) {
            (self.question, self.productId, self.isByBackend, self.once) = (question, productId, isByBackend, once)
        }
    }

    /// In which form a promotional offer is signed.
    package enum OfferForm: Sendable, Hashable {
        /// For the original StoreKit; the purchase must bear exactly this.
        case v1(OfferedUser)
        /// A JWS for StoreKit 2.
        case v2
    }

    /// What was signed.
    package struct SignedOffer: Sendable {
        package let issue: OfferView
        package let proof: Proof

        package enum Proof: Sendable {
            /// DER in base64, of the original StoreKit's form.
            case signature(String)
            case jws(String)
        }
    }

    /// A row of the log, and the purchase by which it was redeemed.
    package struct OfferView: Sendable, Hashable {
        package let nonce: String
        package let customer: CustomerID
        package let productId: Ledger.ProductID
        package let content: Content
        package let keyId: String
        /// With which API key it was asked for last; nil where that is not known.
        package let askedWith: String?
        package let issuedAt: Timestamp
        package let validUntil: Timestamp
        package let signatures: Int64
        /// To which transaction, or download of the app, a JWS is bound.
        package let transactionId: String?
        package let redemption: OfferRedemption?

        package enum Content: Sendable, Hashable {
            case promotionalV1(offerIdentifier: String, token: Ledger.AppAccountToken?)
            case promotionalV2(offerIdentifier: String)
            case introductory(isAllowed: Bool)
        }
    }

    // MARK: Asking

    /// The offers of the app, and whether the customer may have each. Nothing is kept.
    ///
    /// - Throws: `BackendError` with the refusal where something shown proves nothing.
    package func offers(for question: OfferQuestion, app id: AppID, environment: Environment) async throws -> OfferReport {
        let asking = try asking(question, id, environment)
        let now = clock.now()
        let known = try await situation(of: asking, at: now)
        let rows = try await issuedOffers(to: known.situation.ids.sorted(), in: asking.key.scope)
        let applicant = known.applicant(rows, signedByApp: 0)
        let (desk, catalogue) = (known.timeline.offerings.offers, known.timeline.catalogue)
        return OfferReport(
            at: now, version: known.timeline.newest.number,
            promotional: desk.offers.map { offer in
                (
                    offer,
                    desk.verdict(
                        on: offer.productId, offerIdentifier: offer.offerIdentifier, for: applicant, catalogue: catalogue,
                        map: known.timeline.entitlements)
                )
            },
            introductory: catalogue.products.filter { $0.introductoryOffer != nil }.map { product in
                (product.productId, !known.situation.usedIntroductoryOffer(of: product.subscriptionGroupIdentifier))
            })
    }

    // MARK: Signing

    /// Signs a promotional offer for a customer who may have it. Whoever asks again while the signature is valid is given the
    /// same offer: Apple takes its nonce once.
    ///
    /// - Throws: `OfferRefusal`; `AnsweredBefore`.
    package func signPromotionalOffer(
        _ offerIdentifier: String, _ form: OfferForm, for order: OfferOrder, app id: AppID, environment: Environment
    ) async throws -> SignedOffer {
        let asking = try asking(order.question, id, environment)
        let signer = try signer(of: asking)
        if case .v1(.appAccountToken(let token)) = form { _ = try Self.named(token) }
        if case .v1(.applicationUsername(let name)) = form {
            guard !CustomerID(name).namesNobody else { throw BackendError.namesNobody(name: "applicationUsername") }
            guard !name.isEmpty, name.isPlain(upTo: Self.longestCustomer), !name.unicodeScalars.contains("\u{2063}") else {
                throw BackendError.invalidIdentifier(name: "applicationUsername", longest: Self.longestCustomer)
            }
            let isTheirs = Ledger.AppAccountToken(name) != nil || name == asking.key.customer.rawValue
            guard order.isByBackend || isTheirs else { throw OfferRefusal.userOfAnother }
        }
        let now = clock.now().truncatedToSecond
        let known = try await situation(of: asking, at: now)
        let desk = known.timeline.offerings.offers
        let product = order.productId
        let group = known.timeline.catalogue.product(product)?.subscriptionGroupIdentifier
        let kept: OfferIssue.Form =
            switch form {
            case .v1(let user): .promotionalV1(offerIdentifier: offerIdentifier, token: user.token)
            case .v2:
                .promotionalV2(offerIdentifier: offerIdentifier, transactionId: known.transactionToName(in: group))
            }
        let draft = OfferDraft(form: kept, keyId: signer.key.keyId) { try signed(offerIdentifier, form, $0, by: signer) }
        return try await sign(draft, for: order, known, asking) { applicant, rows in
            let verdict = desk.verdict(
                on: product, offerIdentifier: offerIdentifier, for: applicant, catalogue: known.timeline.catalogue,
                map: known.timeline.entitlements)
            switch verdict {
            case .refused(.unknownOffer): throw OfferRefusal.unknownOffer(productId: product, offerIdentifier: offerIdentifier)
            case .refused(let refusal): throw OfferRefusal.notAllowed(refusal)
            case .issuedBefore(let outstanding): return rows.first { $0.nonce == outstanding.nonce }
            case .allowed: return nil
            }
        }
    }

    private func signed(
        _ offerIdentifier: String, _ form: OfferForm, _ issue: OfferIssue, by signer: OfferSigner
    ) throws -> SignedOffer {
        let (product, nonce) = (issue.productId.rawValue, issue.nonce.rawValue)
        let proof: SignedOffer.Proof
        do throws(OfferSigningError) {
            switch form {
            case .v1(let user):
                let text = user.signedText
                proof = .signature(
                    try signer.promotionalOfferV1(
                        productId: product, offerIdentifier: offerIdentifier, appAccountToken: text.isEmpty ? nil : text,
                        nonce: nonce, timestamp: issue.issuedAt
                    ).encodedSignature)
            case .v2:
                proof = .jws(
                    try signer.promotionalOffer(
                        productId: product, offerIdentifier: offerIdentifier, transactionId: issue.form.transactionId,
                        nonce: nonce, issuedAt: issue.issuedAt))
            }
        } catch {
            throw BackendError(error)
        }
        return SignedOffer(issue: OfferView(issue, redemption: nil), proof: proof)
    }

    /// Signs whether a customer may have the introductory offer of a subscription, which then counts in place of what the App
    /// Store would decide.
    ///
    /// - Throws: `OfferRefusal`; `AnsweredBefore`.
    package func signIntroductoryOffer(
        for order: OfferOrder, app id: AppID, environment: Environment
    ) async throws -> SignedOffer {
        let asking = try asking(order.question, id, environment)
        let signer = try signer(of: asking)
        let now = clock.now().truncatedToSecond
        let known = try await situation(of: asking, at: now)
        let catalogue = known.timeline.catalogue
        guard let product = catalogue.product(order.productId) else { throw OfferRefusal.unknownPlan(order.productId) }
        guard let transaction = known.transactionToName(in: product.subscriptionGroupIdentifier),
            let eligibility = IntroductoryEligibility(
                order.productId, for: known.situation, transactionId: transaction, catalogue: catalogue)
        else { throw OfferRefusal.transactionNeeded }
        let isAllowed = eligibility.allowIntroductoryOffer
        let draft = OfferDraft(
            form: .introductory(isAllowed: isAllowed, transactionId: transaction), keyId: signer.key.keyId
        ) { issue in
            do throws(OfferSigningError) {
                let jws = try signer.introductoryOfferEligibility(
                    productId: order.productId.rawValue, allowIntroductoryOffer: isAllowed, transactionId: transaction,
                    nonce: issue.nonce.rawValue, issuedAt: issue.issuedAt)
                return SignedOffer(issue: OfferView(issue, redemption: nil), proof: .jws(jws))
            } catch {
                throw BackendError(error)
            }
        }
        return try await sign(draft, for: order, known, asking) { applicant, rows in
            let outstanding = rows.first { row in
                guard case .introductory(isAllowed, _) = row.form else { return false }
                return row.productId == order.productId && row.issuedAt <= now && now < row.validUntil
            }
            if outstanding == nil, let refusal = known.timeline.offerings.offers.refusalByNumber(applicant) {
                throw OfferRefusal.notAllowed(refusal)
            }
            return outstanding
        }
    }

    /// What is to be signed, with which key, and how.
    private struct OfferDraft: Sendable {
        let form: OfferIssue.Form
        let keyId: String
        let sign: @Sendable (OfferIssue) throws -> SignedOffer
    }

    /// Keeps what is about to be signed, and signs it. Of one customer's signatures no two are decided at once, on whichever
    /// servers, so that the limits hold.
    ///
    /// - Parameter outstanding: the row of an offer that the customer was given before and can still use; nil for none. Throws
    ///   where nothing may be signed.
    private func sign(
        _ draft: OfferDraft, for order: OfferOrder, _ known: KnownSituation, _ asking: Asking,
        outstanding: @escaping @Sendable (OfferDesk.Applicant, [OfferIssue]) throws -> OfferIssue?
    ) async throws -> SignedOffer {
        let (scope, now) = (asking.key.scope, known.situation.at)
        let customers = known.situation.ids.sorted()
        let askedWith = ActingKey.name
        var fresh = OfferIssue(
            .init(scope, .init(tokens.mint().rawValue)), for: known.situation.customer, of: order.productId, draft.form,
            at: now, by: draft.keyId)
        fresh.askedWith = askedWith
        let perMinute = known.timeline.offerings.offers.signaturesPerMinute
        return try await translatingStorageErrors {
            try await store.write { [fresh] write in
                try order.once.perform(in: write, at: now) {
                    _ = try write.lock([], tokens: [], customers: customers.map { CustomerKey(scope, $0) })
                    if !order.isByBackend, case .promotionalV1(_, let token?) = draft.form {
                        guard try Self.isToken(token, of: customers, scope.app, in: write) else {
                            throw OfferRefusal.userOfAnother
                        }
                    }
                    let rows = try customers.flatMap { try write.issuedOffers(to: $0, in: scope, limit: Self.mostIssues) }
                    let lately = try write.issuedOffers(in: scope, since: now.adding(.minutes(-1)), limit: perMinute)
                    guard var again = try outstanding(known.applicant(rows, signedByApp: lately), rows) else {
                        try write.record(fresh)
                        return try draft.sign(fresh)
                    }
                    again.form = draft.form
                    again.signatures += 1
                    again.lastSignedAt = now
                    (again.keyId, again.askedWith) = (draft.keyId, askedWith)
                    try write.record(again)
                    return try draft.sign(again)
                }
            }
        }
    }

    private static func isToken(
        _ token: Ledger.AppAccountToken, of customers: [CustomerID], _ app: AppID, in write: any StoreTransaction
    ) throws -> Bool {
        try customers.contains { customer in
            if Ledger.AppAccountToken(customer.rawValue) == token { return true }
            return try write.tokens(of: CustomerName(app, customer)).contains { $0.registration.token == token }
        }
    }

    private func asking(_ question: OfferQuestion, _ id: AppID, _ environment: Environment) throws -> Asking {
        let app = try settings(of: id)
        let customer = try Self.named(question.customer)
        try checkOpen(environment, to: customer, of: app)
        return Asking(app, CustomerKey(Scope(app: id, environment: environment), customer), showing: question.shown)
    }

    /// Signatures do not say for which environment they are: who has bought something in the Sandbox for nothing must not get a
    /// signature for Production by it.
    private func signer(of asking: Asking) throws -> OfferSigner {
        guard let signer = asking.app.offerSigner else { throw OfferRefusal.notConfigured }
        let environment = asking.key.scope.environment
        let isHarmless = environment == .production || !asking.app.expected.environments.contains(.production)
        guard isHarmless || asking.app.sandboxAccess.names(asking.key.customer) else {
            throw OfferRefusal.notATester(environment)
        }
        return signer
    }

    // MARK: What became of them

    /// What was signed for a customer, the last one first, and the promotional offers that the customer's purchases redeemed;
    /// those that nobody here signed among them.
    package struct OfferHistory: Sendable {
        package let issued: [OfferView]
        package let redemptions: [OfferRedemption]
    }

    package func offerHistory(of customer: CustomerID, app id: AppID, environment: Environment) async throws -> OfferHistory {
        let app = try settings(of: id)
        try app.checkTakes(environment)
        let key = CustomerKey(Scope(app: id, environment: environment), try Self.checked(customer))
        let listings = try chosen.learn(try await settingsVersions(of: id), of: app).offerings.products
        return try await offerHistory(of: key, listings)
    }

    private func offerHistory(of key: CustomerKey, _ listings: [ProductListing]) async throws -> OfferHistory {
        let known = try await person(of: key)
        let rows = try await issuedOffers(to: known.person.customers, in: key.scope)
        let redemptions = OfferLog(rows.compactMap(\.promotional)).redemptions(
            in: try await states(of: known), listings: listings)
        let byNonce = Dictionary(
            redemptions.compactMap { redemption in redemption.nonce.map { ($0, redemption) } }
        ) { first, _ in first }
        return OfferHistory(
            issued: rows.sorted { ($1.issuedAt, $1.nonce) < ($0.issuedAt, $0.nonce) }.map {
                OfferView($0, redemption: byNonce[$0.nonce])
            },
            redemptions: redemptions.filter { redemption in
                redemption.nonce != nil || redemption.customer.map(known.person.customers.contains) ?? false
            })
    }

    /// A page of everything that was signed, from the first on.
    package struct OfferPage: Sendable {
        package let issued: [OfferView]
        /// Where it ends; nil where there is no more.
        package let last: Place?

        package struct Place: Sendable, Hashable {
            package let issuedAt: Timestamp
            package let nonce: String

            package init(issuedAt: Timestamp, nonce: String) { (self.issuedAt, self.nonce) = (issuedAt, nonce) }
        }
    }

    package func issuedOffers(
        app id: AppID, environment: Environment, after place: OfferPage.Place?, limit: Int
    ) async throws -> OfferPage {
        let app = try settings(of: id)
        try app.checkTakes(environment)
        let scope = Scope(app: id, environment: environment)
        let rows = try await translatingStorageErrors {
            try await store.issuedOffers(
                in: scope, after: place.map { .init(issuedAt: $0.issuedAt, nonce: .init($0.nonce)) }, limit: limit)
        }
        return OfferPage(
            issued: try await views(of: rows, in: scope, app),
            last: rows.count < limit ? nil : rows.last.map { .init(issuedAt: $0.issuedAt, nonce: $0.nonce.rawValue) })
    }

    /// What was signed for anybody, the last one first; at most `limit`.
    package func newestOffers(app id: AppID, environment: Environment, limit: Int) async throws -> [OfferView] {
        let app = try settings(of: id)
        try app.checkTakes(environment)
        let scope = Scope(app: id, environment: environment)
        let rows = try await translatingStorageErrors { try await store.newestOffers(in: scope, limit: limit) }
        return try await views(of: rows, in: scope, app)
    }

    /// Each with the purchase that redeemed it.
    private func views(of rows: [OfferIssue], in scope: Scope, _ app: AppSettings) async throws -> [OfferView] {
        let listings = try chosen.learn(try await settingsVersions(of: app.id), of: app).offerings.products
        var redeemed: [String: OfferRedemption] = [:]
        for customer in Set(rows.map(\.customer)) {
            for view in try await offerHistory(of: CustomerKey(scope, customer), listings).issued {
                redeemed[view.nonce] = view.redemption
            }
        }
        return rows.map { OfferView($0, redemption: redeemed[$0.nonce.rawValue]) }
    }

    /// The rows of a person under all their ids.
    private func issuedOffers(to customers: [CustomerID], in scope: Scope) async throws -> [OfferIssue] {
        try await translatingStorageErrors {
            var rows: [OfferIssue] = []
            for customer in customers { rows += try await store.issuedOffers(to: customer, in: scope, limit: Self.mostIssues) }
            return rows
        }
    }

    /// How many rows of one customer are looked at, the last ones.
    private static let mostIssues = 1000
}

extension Backend.KnownSituation {
    /// With what was signed for the customer before.
    fileprivate func applicant(_ rows: [OfferIssue], signedByApp: Int) -> OfferDesk.Applicant {
        let log = OfferLog(rows.compactMap(\.promotional))
        var applicant = OfferDesk.Applicant(
            situation: situation, isAuthenticated: true, log: log,
            redemptions: log.redemptions(in: own, listings: timeline.offerings.products))
        applicant.signedBesides = rows.filter { $0.promotional == nil }.map(\.issuedAt)
        applicant.signedByAppLately = signedByApp
        return applicant
    }

    /// What a JWS is bound to, so that nobody else can use it: the download that the device shows, or a transaction of what it
    /// shows; else the last purchase that was credited to the customer, in the group before any other. Nil where there is none.
    fileprivate func transactionToName(in group: String?) -> String? {
        if let shown = shown.appTransactionId ?? shown.transactionId?.rawValue { return shown }
        return (lastPurchase(in: group) ?? lastPurchase(in: nil))?.transactionId.rawValue
    }

    private func lastPurchase(in group: String?) -> CustomerPeriod? {
        CustomerPeriod.all(in: own).last { credited in
            credited.customer.map(situation.ids.contains) ?? false
                && (group == nil || credited.group(in: timeline.catalogue) == group)
        }
    }
}

extension Backend.OfferView {
    fileprivate init(_ issue: OfferIssue, redemption: OfferRedemption?) {
        nonce = issue.nonce.rawValue
        customer = issue.customer
        productId = issue.productId
        content =
            switch issue.form {
            case .promotionalV1(let offer, let token): .promotionalV1(offerIdentifier: offer, token: token)
            case .promotionalV2(let offer, _): .promotionalV2(offerIdentifier: offer)
            case .introductory(let isAllowed, _): .introductory(isAllowed: isAllowed)
            }
        (keyId, askedWith) = (issue.keyId, issue.askedWith)
        issuedAt = issue.issuedAt
        validUntil = issue.validUntil
        signatures = issue.signatures
        transactionId = issue.form.transactionId
        self.redemption = redemption
    }
}
