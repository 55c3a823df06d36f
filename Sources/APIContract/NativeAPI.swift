/// Tenure's own API: every endpoint that it has.
package enum NativeAPI {
    /// Apple's notifications; the address to enter in App Store Connect. 200 only when it is durable, for duplicates too.
    package static let receiveNotification = Endpoint<AppPath, AnyQuery, RawBody, NotificationAnswerBody>(
        "receiveNotification", .post, "/api/v1/apps/\(.app)/apple/notifications", callers: .apple,
        problems: [.refusedEvidence])

    /// A customer shows a signed transaction.
    package static let uploadTransaction = Endpoint<CustomerPath, NoQuery, UploadBody, UploadAnswerBody>(
        "uploadTransaction", .post, "/api/v1/apps/\(.app)/customers/\(.customer)/transactions", callers: .customer,
        problems: [.refusedEvidence, .claimRefused, .unknownSubscription])

    /// A customer shows a receipt of the old kind.
    package static let uploadReceipt = Endpoint<CustomerPath, NoQuery, ReceiptUploadBody, ReceiptAnswerBody>(
        "uploadReceipt", .post, "/api/v1/apps/\(.app)/customers/\(.customer)/receipts", callers: .customer,
        problems: [.refusedEvidence, .appleMustBeAsked], isOneAtATime: true)

    /// What a customer may use (ENT-1).
    package static let readEntitlements = Endpoint<CustomerPath, InstantQuery, NoBody, EntitlementsBody>(
        "readEntitlements", .get, "/api/v1/apps/\(.app)/customers/\(.customer)/entitlements", callers: .customer,
        problems: [.environmentNotTaken, .environmentNotOpen])

    /// The app's backend says which customer an `appAccountToken` stands for (OWN-2).
    package static let registerAppAccountToken = Endpoint<AppAccountTokenPath, RegistrationQuery, NoBody, NoContent>(
        "registerAppAccountToken", .put, "/api/v1/apps/\(.app)/customers/\(.customer)/appAccountTokens/\(.token)",
        callers: .appBackend, problems: [.tokenTaken, .tokenTooLate, .overloaded])

    /// A subscription with its periods, owners and audit rows, and an explanation in words.
    package static let readSubscription = Endpoint<SubscriptionPath, InstantQuery, NoBody, SubscriptionBody>(
        "readSubscription", .get, "/api/v1/apps/\(.app)/subscriptions/\(.originalTransactionId)", callers: .appBackend,
        problems: [.environmentNotTaken, .unknownSubscription])

    /// What Apple sent that this version does not understand (FACT-5).
    package static let listWarnings = Endpoint<AppPath, EnvironmentQuery, NoBody, WarningsBody>(
        "listWarnings", .get, "/api/v1/apps/\(.app)/warnings", callers: .appBackend, problems: [.environmentNotTaken])

    /// Whether the process lives.
    package static let checkLive = Endpoint<NoPath, AnyQuery, NoBody, LiveBody>(
        "checkLive", .get, "/health/live", callers: .anyone)

    /// Whether it can answer questions.
    package static let checkReady = Endpoint<NoPath, AnyQuery, NoBody, ReadyBody>(
        "checkReady", .get, "/health/ready", callers: .anyone, problems: [.store, .settingsSuperseded])

    /// All of them, in the order of docs/operations/http-api.md.
    package static let all: [EndpointDescription] = [
        receiveNotification.description, uploadTransaction.description, uploadReceipt.description,
        readEntitlements.description, registerAppAccountToken.description, readSubscription.description,
        listWarnings.description, checkLive.description, checkReady.description,
    ]
}
