import APIContract
import Backend
import Ledger
import Primitives
import Server

/// Which offers a customer may have, and the signatures that Apple wants with them (WALL-5, WALL-6).
extension NativeFace {
    func addOffers(to router: inout EndpointRouter) {
        router.on(NativeAPI.askOffers, askOffers)
        router.on(NativeAPI.signPromotionalOffer, signPromotionalOffer)
        router.on(NativeAPI.signIntroductoryOffer, signIntroductoryOffer)
        router.on(NativeAPI.readOffers, readOffers)
        router.on(NativeAPI.listIssuedOffers, listIssuedOffers)
    }

    private func askOffers(_ call: OfCustomer<EnvironmentQuery, OfferQuestionBody>) async throws -> OffersBody {
        OffersBody(
            try await backend.offers(
                for: .init(customer: call.customer, shown: .init(call.body.shown)), app: call.app,
                environment: call.query.environment))
    }

    private func signPromotionalOffer(
        _ call: OfCustomer<EnvironmentQuery, PromotionalOrderBody>
    ) async throws -> SignedOfferBody {
        SignedOfferBody(
            try await backend.signPromotionalOffer(
                call.body.offerIdentifier, try form(call.body), for: order(call.body.productId, call.body.shown, call),
                app: call.app, environment: call.query.environment))
    }

    private func signIntroductoryOffer(
        _ call: OfCustomer<EnvironmentQuery, IntroductoryOrderBody>
    ) async throws -> SignedOfferBody {
        SignedOfferBody(
            try await backend.signIntroductoryOffer(
                for: order(call.body.productId, call.body.shown, call), app: call.app, environment: call.query.environment))
    }

    private func order<Body>(
        _ productId: String, _ shown: ShownAccountPart, _ call: OfCustomer<EnvironmentQuery, Body>
    ) -> Backend.OfferOrder {
        .init(
            .init(customer: call.customer, shown: .init(shown)), productId: ProductID(productId),
            isByBackend: call.caller == .appBackend, once: call.once { SignedOfferBody($0) })
    }

    private func form(_ body: PromotionalOrderBody) throws -> Backend.OfferForm {
        switch (body.form ?? "v2", body.appAccountToken, body.applicationUsername) {
        case ("v1", nil, nil): return .v1(.nobody)
        case ("v1", let text?, nil):
            guard let token = AppAccountToken(text) else {
                throw InvalidBody(member: "appAccountToken", reason: "is not a UUID")
            }
            return .v1(.appAccountToken(token))
        case ("v1", nil, let name?): return .v1(.applicationUsername(name))
        case ("v1", _, _):
            throw InvalidBody(member: "applicationUsername", reason: "cannot stand beside appAccountToken")
        case ("v2", nil, nil): return .v2
        case ("v2", .some, _): throw InvalidBody(member: "appAccountToken", reason: "belongs to the form v1")
        case ("v2", nil, .some): throw InvalidBody(member: "applicationUsername", reason: "belongs to the form v1")
        default: throw InvalidBody(member: "form", reason: "is not v1 or v2")
        }
    }

    private func readOffers(_ call: OfCustomer<EnvironmentQuery, NoBody>) async throws -> OfferHistoryBody {
        let history = try await backend.offerHistory(
            of: call.customer, app: call.app, environment: call.query.environment)
        return OfferHistoryBody(history)
    }

    private func listIssuedOffers(_ call: OfApp<PageQuery, NoBody>) async throws -> PageBody<IssuedOfferItem> {
        let list = Listing(NativeAPI.listIssuedOffers, call)
        let page = try await backend.issuedOffers(
            app: call.app, environment: call.query.environment, after: try list.after.map { try .init(cursor: $0) },
            limit: call.query.limit)
        return PageBody(items: page.issued.map { IssuedOfferItem($0) }, next: list.next(after: page.last?.cursor))
    }
}

extension Backend.OfferPage.Place {
    fileprivate var cursor: String { "\(issuedAt.millisecondsSince1970):\(nonce)" }

    /// - Throws: `CursorInvalid` for anything that ``cursor`` is not.
    fileprivate init(cursor: String) throws(CursorInvalid) {
        let parts = cursor.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let instant = Int64(parts[0]) else { throw CursorInvalid() }
        self.init(issuedAt: Timestamp(millisecondsSince1970: instant), nonce: String(parts[1]))
    }
}

extension Backend.ShownAccount {
    init(_ part: ShownAccountPart) {
        self.init(transactions: part.signedTransactions, appTransaction: part.signedAppTransaction)
    }
}

extension OffersBody {
    fileprivate init(_ report: Backend.OfferReport) {
        self.init(at: report.at, settingsVersion: report.version)
        promotional = report.promotional.map { offer, verdict in
            var shown = Promotional(
                productId: offer.productId.rawValue, offerIdentifier: offer.offerIdentifier, isAllowed: verdict.isAllowed)
            switch verdict {
            case .allowed: break
            case .issuedBefore: shown.reason = "issuedBefore"
            case .refused(let refusal): (shown.reason, shown.againAt) = (refusal.word, refusal.againAt)
            }
            return shown
        }
        introductory = report.introductory.map { Introductory(productId: $0.productId.rawValue, isAllowed: $0.isAllowed) }
    }
}

extension SignedOfferBody {
    fileprivate init(_ signed: Backend.SignedOffer) {
        self.init(issued: IssuedOfferItem(signed.issue))
        switch signed.proof {
        case .signature(let encoded): signature = encoded
        case .jws(let jws): compactJWS = jws
        }
    }
}

extension OfferHistoryBody {
    init(_ history: Backend.OfferHistory) {
        self.init(
            issued: history.issued.map { IssuedOfferItem($0) },
            redemptions: history.redemptions.map { OfferRedemptionItem($0) })
    }
}

extension IssuedOfferItem {
    fileprivate init(_ view: Backend.OfferView) {
        let form =
            switch view.content {
            case .promotionalV1: "promotionalV1"
            case .promotionalV2: "promotionalV2"
            case .introductory: "introductory"
            }
        self.init(
            customer: view.customer.rawValue, form: form, productId: view.productId.rawValue, nonce: view.nonce,
            keyId: view.keyId)
        switch view.content {
        case .promotionalV1(let offer, let token): (offerIdentifier, appAccountToken) = (offer, token?.rawValue)
        case .promotionalV2(let offer): offerIdentifier = offer
        case .introductory(let isAllowed): allowIntroductoryOffer = isAllowed
        }
        (issuedAt, validUntil, signatures) = (view.issuedAt, view.validUntil, view.signatures)
        (transactionId, askedWith) = (view.transactionId, view.askedWith)
        redemption = view.redemption.map { OfferRedemptionItem($0) }
    }
}

extension OfferRedemptionItem {
    fileprivate init(_ redemption: OfferRedemption) {
        self.init(
            originalTransactionId: redemption.originalTransactionId.rawValue, transactionId: redemption.transactionId.rawValue,
            productId: redemption.productId.rawValue, redeemedDate: redemption.redeemedDate)
        nonce = redemption.nonce?.rawValue
        customer = redemption.customer?.rawValue
        offerIdentifier = redemption.offerIdentifier
        price = redemption.price?.count
        currency = redemption.currency
        regularPrice = redemption.regularPrice?.count
        givenUp = redemption.givenUp?.count
    }
}
