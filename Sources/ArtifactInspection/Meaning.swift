package import AppStoreWire
package import Primitives

/// One thing that an artifact means, for support staff: a value, which ``sentence(quoting:)`` says.
package enum Meaning: Sendable, Hashable {
    case signature(Signature)
    case transaction(Transaction)
    case renewal(Renewal)
    /// A notification of version 2.
    case notification(NotificationMeaning)
    case hint(Hint)
    case receipt(Receipt)
    case answer(Answer)
    case ownJWS(OwnMeaning)
    case form(Form)

    /// Who signed, where it changes the conclusions.
    package enum Signature: Sendable, Hashable {
        case apple, xcode, addedRoot, givenIntermediate
    }

    package enum Transaction: Sendable, Hashable {
        case bought(String, ProductType, isRenewal: Bool, at: Timestamp)
        /// Another product took its place.
        case replaced
        case runs(until: Timestamp)
        case ended(Timestamp)
        case familySharingEnded(Timestamp)
        /// A seat of a group purchase was taken back.
        case assignmentRevoked(Timestamp)
        /// Thousandths of a per cent; nil: all of it.
        case refunded(Timestamp, share: Int64?)
        case offer(OfferType, isFree: Bool)
        case familyShared
        /// A seat of a group purchase.
        case assigned
        case monthOfCommitment
    }

    package enum Renewal: Sendable, Hashable {
        /// Nil: Apple does not say into what.
        case renews(into: String?)
        case ends
        case unknownStatus(AutoRenewStatus)
        case change(from: String, to: String)
        case paymentFailed
        case gracePeriod(until: Timestamp)
        case ended(ExpirationIntent)
        /// It counts with a transaction only.
        case namesNoApp
    }

    /// A notification of version 1.
    package enum Hint: Sendable, Hashable {
        case unknownType
        case provesNothing
        case perhaps(NotificationMeaning)
    }

    /// Receipts of both kinds, the app's own transaction, and what the App Store asks in real time.
    package enum Receipt: Sendable, Hashable {
        case appReceipt(purchases: Int, periods: Int)
        case latestPeriod(end: Timestamp)
        case environmentNotSigned
        /// Nil: the version is not said.
        case appTransaction(version: String?)
        case realtimeRequest(product: String, locale: String)
    }

    /// Answers of `/verifyReceipt` and refusals of the App Store Server API.
    package enum Answer: Sendable, Hashable {
        case provesToAsker
        case genuine(purchases: Int)
        case expired
        case otherEnvironment(VerifyReceiptHost)
        case wrongSecret
        case temporaryFault
        case malformedOrTemporary
        case inspectWhatWasSent
        case refusedForEver
        case notApples
        /// Apple's own words; nil: none.
        case apiRefused(String?)
        case isRetryable(Bool)
    }

    /// The text itself.
    package enum Form: Sendable, Hashable {
        case digits
        case askApple(transactionId: String)
        case importAsks
        case brokenLines
        case otherBase64
    }

    /// The sentence, with text of others inside it as `quote` makes it.
    package func sentence(quoting quote: Sentence.Quoting) -> Sentence {
        switch self {
        case .signature(let signature): signature.sentence
        case .transaction(let transaction): transaction.sentence(quote)
        case .renewal(let renewal): renewal.sentence(quote)
        case .notification(let notification): notification.sentence(quote)
        case .hint(let hint): hint.sentence(quote)
        case .receipt(let receipt): receipt.sentence(quote)
        case .answer(let answer): answer.sentence(quote)
        case .ownJWS(let own): own.sentence
        case .form(let form): form.sentence(quote)
        }
    }

    /// The sentence in English, with text of others as it is.
    package var english: String { sentence { $0 }.english }
}

// MARK: What verified payloads mean

extension Meaning {
    static func of<Payload>(signer verified: Verified<Payload>) -> [Meaning] {
        switch verified.signer?.authority {
        case .apple: [.signature(.apple)]
        case .xcode: [.signature(.xcode)]
        case .configured: [.signature(.addedRoot)]
        case nil: []
        }
    }

    static func of(_ transaction: TransactionPayload, at now: Timestamp) -> [Meaning] {
        var meaning: [Transaction] = [
            .bought(
                transaction.productId, transaction.type, isRenewal: transaction.transactionReason == .renewal,
                at: transaction.purchaseDate)
        ]
        if transaction.isUpgraded == true {
            meaning.append(.replaced)
        } else if let expires = transaction.expiresDate, transaction.revocationDate == nil {
            meaning.append(expires > now ? .runs(until: expires) : .ended(expires))
        }
        if let revoked = transaction.revocationDate { meaning.append(revocation(transaction, revoked)) }
        if let offer = transaction.offerType {
            meaning.append(.offer(offer, isFree: transaction.offerDiscountType == .freeTrial))
        }
        if transaction.inAppOwnershipType == .familyShared { meaning.append(.familyShared) }
        if transaction.inAppOwnershipType == .assigned { meaning.append(.assigned) }
        if transaction.billingPlanType == .monthly { meaning.append(.monthOfCommitment) }
        return meaning.map { .transaction($0) }
    }

    private static func revocation(_ transaction: TransactionPayload, _ date: Timestamp) -> Transaction {
        if transaction.revocationType == .familyRevoke { return .familySharingEnded(date) }
        if transaction.revocationType == .assignmentRevoke { return .assignmentRevoked(date) }
        return .refunded(date, share: transaction.revocationPercentage.flatMap { $0 < 100_000 ? Int64($0) : nil })
    }

    static func of(_ renewal: RenewalInfoPayload) -> [Meaning] {
        var meaning: [Renewal] = []
        switch renewal.autoRenewStatus {
        case .on: meaning.append(.renews(into: renewal.autoRenewProductId))
        case .off: meaning.append(.ends)
        default: meaning.append(.unknownStatus(renewal.autoRenewStatus))
        }
        if let next = renewal.autoRenewProductId, let product = renewal.productId, next != product {
            meaning.append(.change(from: product, to: next))
        }
        if renewal.isInBillingRetryPeriod == true { meaning.append(.paymentFailed) }
        if let grace = renewal.gracePeriodExpiresDate { meaning.append(.gracePeriod(until: grace)) }
        if let intent = renewal.expirationIntent { meaning.append(.ended(intent)) }
        return meaning.map { .renewal($0) }
    }

    static func of(_ download: AppTransactionPayload) -> [Meaning] {
        [.receipt(.appTransaction(version: download.applicationVersion))]
    }

    static func of(_ request: RealtimeRequestPayload) -> [Meaning] {
        [.receipt(.realtimeRequest(product: request.productId, locale: request.userLocale))]
    }

    static func of(_ receipt: AppReceiptPayload) -> [Meaning] {
        let ends = receipt.inApp.compactMap(\.expiresDate)
        var meaning: [Receipt] = [.appReceipt(purchases: receipt.inApp.count, periods: ends.count)]
        if let last = ends.max() { meaning.append(.latestPeriod(end: last)) }
        return meaning.map { .receipt($0) }
    }

    static func of(_ outcome: VerifyReceiptOutcome) -> [Meaning] {
        let meaning: [Answer] =
            switch outcome.meaning {
            case .answer(let answer): [.provesToAsker, .genuine(purchases: answer.purchases.count)]
            case .expired: [.expired]
            case .wrongEnvironment(let host): [.otherEnvironment(host)]
            case .wrongSecret: [.wrongSecret]
            // For 21002 Apple says that the receipt was malformed or missing, or that the service had a temporary issue, but not
            // which.
            case .retry:
                outcome.status == .malformedOrTemporary ? [.malformedOrTemporary, .inspectWhatWasSent] : [.temporaryFault]
            case .refused: [.refusedForEver]
            case .notAnAnswer: [.notApples]
            }
        return meaning.map { .answer($0) }
    }

    static func of(transactionId id: String) -> [Meaning] {
        [.form(.digits), .form(.askApple(transactionId: id)), .form(.importAsks)]
    }

    /// The removed wrapping that other programs would not accept.
    static func of(_ wrappings: [TextWrapping]) -> [Meaning] {
        if wrappings.contains(.brokenLines) { return [.form(.brokenLines)] }
        return wrappings.contains { $0 == .urlAlphabet || $0 == .missingPadding } ? [.form(.otherBase64)] : []
    }

    static func of(_ hint: NotificationV1Hint) -> [Meaning] {
        guard let meaning = hint.meaning else { return [.hint(.unknownType)] }
        let candidates = meaning.candidates.map { NotificationMeaning(type: $0.notificationType, subtype: $0.subtype) }
        return [.hint(.provesNothing)]
            + candidates.map { candidates.count == 1 ? .notification($0) : .hint(.perhaps($0)) }
    }
}
