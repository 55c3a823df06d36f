package import AppStoreWire
import Primitives

/// What verified payloads mean, in sentences for support staff.
package enum Meaning {
    /// Who signed, where it changes the conclusions.
    static func signer<Payload>(_ verified: Verified<Payload>) -> [String] {
        switch verified.signer?.authority {
        case .apple: ["Signed by Apple."]
        case .xcode: ["Signed by a copy of Xcode: test data, no purchase."]
        case .configured: ["Signed under a root that you added, not under Apple's."]
        case nil: []
        }
    }

    static let unbound = "A renewal info names no app: it counts only together with a transaction of the same subscription."
    static let unsignedEnvironment =
        "The environment of a transaction receipt is not signed: only Apple can tell whether it is Production."

    static func words(_ transaction: TransactionPayload, at now: Timestamp) -> [String] {
        var words = [
            "\(transaction.transactionReason == .renewal ? "Renewal" : "Purchase") of \(transaction.productId), "
                + "\(transaction.type.rawValue), on \(transaction.purchaseDate)."
        ]
        if transaction.isUpgraded == true {
            words.append("Replaced by another product: it gives no access, whatever its expiresDate says.")
        } else if let expires = transaction.expiresDate, transaction.revocationDate == nil {
            words.append(expires > now ? "It runs until \(expires)." : "It ended on \(expires).")
        }
        if let revoked = transaction.revocationDate { words.append(revocation(transaction, revoked)) }
        if let offer = transaction.offerType { words.append(Self.offer(offer, transaction.offerDiscountType)) }
        if transaction.inAppOwnershipType == .familyShared { words.append("Received by Family Sharing; somebody else paid.") }
        if transaction.billingPlanType == .monthly {
            words.append("A month of a twelve-month commitment: access until expiresDate, whatever the end of the commitment.")
        }
        return words
    }

    private static func revocation(_ transaction: TransactionPayload, _ date: Timestamp) -> String {
        if transaction.revocationType == .familyRevoke { return "Family Sharing ended on \(date)." }
        guard let share = transaction.revocationPercentage, share < 100_000 else { return "Refunded on \(date)." }
        return "Refunded in part on \(date): \(share / 1000) per cent."
    }

    private static func offer(_ type: OfferType, _ discount: OfferDiscountType?) -> String {
        let kind =
            switch type {
            case .introductory: "an introductory offer"
            case .promotional: "a promotional offer"
            case .offerCode: "an offer code"
            case .winBack: "a win-back offer"
            default: "an offer of type \(type.rawValue)"
            }
        return "With \(kind)" + (discount == .freeTrial ? ", free." : ".")
    }

    static func words(_ renewal: RenewalInfoPayload) -> [String] {
        var words: [String] = []
        switch renewal.autoRenewStatus {
        case .on: words.append("Renews" + (renewal.autoRenewProductId.map { " into \($0)" } ?? "") + ".")
        case .off: words.append("Does not renew.")
        default: words.append("autoRenewStatus \(renewal.autoRenewStatus.rawValue) is newer than this program.")
        }
        if let next = renewal.autoRenewProductId, let product = renewal.productId, next != product {
            words.append("A change from \(product) to \(next) takes effect at the renewal.")
        }
        if renewal.isInBillingRetryPeriod == true { words.append("A payment failed; Apple keeps trying.") }
        if let grace = renewal.gracePeriodExpiresDate { words.append("Billing grace period: access until \(grace).") }
        if let intent = renewal.expirationIntent { words.append(Self.intent(intent)) }
        return words
    }

    private static func intent(_ intent: ExpirationIntent) -> String {
        switch intent.rawValue {
        case 1: "Ended because the customer cancelled."
        case 2: "Ended because a payment failed."
        case 3: "Ended because the customer did not agree to a new price or offer."
        case 4: "Ended because the product was not for sale."
        default: "Ended for another reason (expirationIntent \(intent.rawValue))."
        }
    }

    static func words(_ download: AppTransactionPayload) -> [String] {
        ["The app" + (download.applicationVersion.map { ", version \($0)" } ?? "") + ", as this Apple Account obtained it."]
    }

    static func words(_ request: RealtimeRequestPayload) -> [String] {
        [
            "Apple asks what to show to a subscriber of \(request.productId) who is about to cancel, in \(request.userLocale)."
        ]
    }

    static func words(_ receipt: AppReceiptPayload) -> [String] {
        let subscriptions = receipt.inApp.filter { $0.expiresDate != nil }
        var words = [
            "App receipt with \(receipt.inApp.count) purchases, \(subscriptions.count) of them periods of subscriptions."
        ]
        if let last = subscriptions.compactMap(\.expiresDate).max() {
            words.append(
                "The latest period in it ends on \(last); later renewals are not in a receipt until the device refreshes it.")
        }
        return words
    }

    static func words(_ outcome: VerifyReceiptOutcome) -> [String] {
        switch outcome.meaning {
        case .answer(let answer):
            [
                "Not signed: what the answer itself says is proved only for the party that asked Apple.",
                "It says that the receipt is genuine, and lists \(answer.purchases.count) purchases.",
            ]
        case .expired: ["Not signed. It says that the subscription of a genuine receipt has expired (iOS 6 style)."]
        case .wrongEnvironment(let host): ["The receipt belongs to the other environment: ask \(host.url)."]
        case .wrongSecret: ["The password is not the app's shared secret."]
        case .retry: retry(outcome.status)
        case .refused: ["Apple refuses this receipt permanently; that shortens no customer's access."]
        case .notAnAnswer: ["Not an answer of Apple's. It says nothing about the customer."]
        }
    }

    /// For 21002 Apple says that the receipt was malformed or missing, or that the service had a temporary issue, but not which.
    private static func retry(_ status: VerifyReceiptStatus?) -> [String] {
        guard status == .malformedOrTemporary else {
            return ["A temporary fault at Apple: ask again. It says nothing about the customer."]
        }
        return [
            "The receipt-data that was sent was malformed or missing, or the service had a temporary issue: Apple does not say "
                + "which. It says nothing about the customer.",
            "Inspect what was sent: it must be standard base64, padded, in one line. If it is, ask again later; "
                + "if it is not, asking again is useless.",
        ]
    }

    static func words(transactionId id: String) -> [String] {
        [
            "Digits, like a transactionId, an originalTransactionId or a webOrderLineItemId. They name no "
                + "app, customer or environment.",
            "Ask Apple what it is, with your app's key for the API: GET "
                + "\(ServerAPIHost.production.baseURL)/inApps/v1/transactions/\(id), or \(ServerAPIHost.sandbox.baseURL) for "
                + "Sandbox; then inspect the answer.",
            "tenure import stores such ids as questions to Apple: they give no access before Apple has answered.",
        ]
    }

    /// The removed wrapping that other programs would not accept.
    static func words(_ wrappings: [TextWrapping]) -> [String] {
        if wrappings.contains(.brokenLines) {
            return ["It has several lines; servers accept a JWS in one line, without white space."]
        }
        guard wrappings.contains(where: { $0 == .urlAlphabet || $0 == .missingPadding }) else { return [] }
        return [
            "It is in URL-safe or unpadded base64. Servers, including /verifyReceipt, accept a receipt in the standard alphabet "
                + "with padding: Apple answers 21002 to others."
        ]
    }

    /// What an input that cannot be inspected is, and what to do with it.
    package static func words(_ form: UnusableForm) -> String {
        switch form {
        case .empty: "there is nothing in it"
        case .severalNumbers: "several numbers, as transaction ids are: they prove nothing; tenure import takes a list of them"
        case .privateKey: "a private key. Keep it secret; inspect takes it with --key, to verify what it signed"
        case .publicKey: "a public key; inspect takes it with --key, to verify what its private key signed"
        case .certificate:
            "a certificate. It proves nothing by itself; inspect takes it with --root, --xcode-certificate or --intermediate"
        case .incompleteJWS: "it begins like a JWS but does not have three parts separated by full stops: usually cut short"
        case .otherJWS: "a JWS whose header cannot be read, or names neither certificates (x5c) nor a key (kid)"
        case .brokenJSON: "it begins like JSON but is not valid, or has a name twice: usually cut short"
        case .otherJSON: "JSON without a member of any of Apple's bodies"
        case .brokenBase64: "it begins like a receipt in base64 but is not base64: usually cut short or changed in transit"
        case .otherBase64: "base64 of something that is not a receipt"
        case .other: "not something from Apple, or cut short"
        }
    }

    static func words(_ hint: NotificationV1Hint) -> [String] {
        guard let meaning = hint.meaning else { return ["A type of notification that is newer than this program."] }
        let candidates = meaning.candidates.map { NotificationMeaning.words($0.notificationType, $0.subtype) }
        return ["A notification of version 1 is a hint and proves nothing."]
            + (candidates.count == 1 ? candidates : candidates.map { "Perhaps: " + $0 })
    }
}
