import Primitives

/// Tenure's own API: every endpoint that it has.
package enum NativeAPI {
    // MARK: Apple

    /// Apple's notifications; the address to enter in App Store Connect. 200 only when it is durable, for duplicates too.
    package static let receiveNotification = Endpoint<AppPath, AnyQuery, RawBody, NotificationAnswerBody>(
        "receiveNotification", .post, "/api/v1/apps/\(.app)/apple/notifications", callers: .apple,
        about: .init(.apple, "Take a notification of Apple's; 200 once it is durable, also for duplicates."),
        problems: [.refusedEvidence])

    // MARK: Purchases

    /// A customer shows a signed transaction.
    package static let uploadTransaction = Endpoint<CustomerPath, NoQuery, UploadBody, UploadAnswerBody>(
        "uploadTransaction", .post, "/api/v1/apps/\(.app)/customers/\(.customer)/transactions", callers: .customer(.uploadsWrite),
        about: .init(.purchases, "Show a signed transaction; 202 while it waits, 409 if the subscription serves another."),
        problems: [.refusedEvidence, .claimRefused, .unknownSubscription])

    /// A customer shows a receipt of the old kind.
    package static let uploadReceipt = Endpoint<CustomerPath, NoQuery, ReceiptUploadBody, ReceiptAnswerBody>(
        "uploadReceipt", .post, "/api/v1/apps/\(.app)/customers/\(.customer)/receipts", callers: .customer(.uploadsWrite),
        about: .init(.purchases, "Show a receipt of the old kind; one result for each subscription in it."),
        problems: [.refusedEvidence], traits: [.oneAtATime])

    /// A customer asks before buying (OWN-18).
    package static let askPurchase = Endpoint<CustomerPath, EnvironmentQuery, IntentBody, ForecastBody>(
        "askPurchase", .post, "/api/v1/apps/\(.app)/customers/\(.customer)/intents", callers: .customer(.uploadsWrite),
        about: .init(.purchases, "Ask before buying: what the purchase would come to, and the token to make it with (OWN-18)."),
        problems: [.refusedEvidence])

    /// The token for a customer's purchases, whatever they buy (OWN-18).
    package static let issueAppAccountToken = Endpoint<CustomerPath, NoQuery, NoBody, AppAccountTokenBody>(
        "issueAppAccountToken", .put, "/api/v1/apps/\(.app)/customers/\(.customer)/appAccountToken",
        callers: .customer(.uploadsWrite),
        about: .init(
            .purchases,
            "The customer's one appAccountToken, minted the first time: to be kept by a device for its purchases (OWN-18)."),
        problems: [.overloaded])

    /// The app's backend says which customer an `appAccountToken` stands for (OWN-2).
    package static let registerAppAccountToken = Endpoint<AppAccountTokenPath, RegistrationQuery, NoBody, NoContent>(
        "registerAppAccountToken", .put, "/api/v1/apps/\(.app)/customers/\(.customer)/appAccountTokens/\(.token)",
        callers: .appBackend(.customersWrite),
        about: .init(.purchases, "Register an appAccountToken for a customer, before it is passed to StoreKit (OWN-2)."),
        problems: [.tokenTaken, .tokenTooLate, .overloaded])

    /// The app's backend delivered a consumable (PER-9).
    package static let confirmDelivery = Endpoint<CustomerTransactionPath, EnvironmentQuery, NoBody, DeliveryBody>(
        "confirmDelivery", .put, "/api/v1/apps/\(.app)/customers/\(.customer)/deliveries/\(.transactionId)",
        callers: .appBackend(.customersWrite),
        about: .init(.purchases, "Say that you deliver a consumable, before you do: once, whoever owned it when (PER-9)."),
        problems: [.unknownPurchase, .deliveredBefore, .overloaded])

    /// What the app's backend knows of a purchase, for the day Apple asks (ABUSE-2).
    package static let noteConsumption = Endpoint<CustomerTransactionPath, EnvironmentQuery, ConsumptionNoteBody, NotedBody>(
        "noteConsumption", .put, "/api/v1/apps/\(.app)/customers/\(.customer)/consumption/\(.transactionId)",
        callers: .appBackend(.customersWrite),
        about: .init(.purchases, "Say what is known of a purchase, for the day Apple asks about its refund (ABUSE-2)."),
        problems: [.unknownPurchase])

    // MARK: Access

    /// What a customer may use (ENT-1).
    package static let readEntitlements = Endpoint<CustomerPath, InstantQuery, NoBody, EntitlementsBody>(
        "readEntitlements", .get, "/api/v1/apps/\(.app)/customers/\(.customer)/entitlements",
        callers: .customer(.entitlementsRead),
        about: .init(.access, "What a customer may use: one Bool and two timestamps, with the details (ENT-1)."),
        problems: [.environmentNotTaken, .environmentNotOpen])

    /// The same, signed (ENT-10).
    package static let readSignedEntitlements = Endpoint<CustomerPath, SigningQuery, NoBody, SignedAnswer>(
        "readSignedEntitlements", .get, "/api/v1/apps/\(.app)/customers/\(.customer)/entitlements/signed",
        callers: .customer(.entitlementsRead),
        about: .init(.access, "The same now, signed (a JWS, ES256), to be believed without a network (ENT-10)."),
        problems: [.environmentNotOpen, .signingNotConfigured])

    /// With what signed answers are checked.
    package static let readAnswerKeys = Endpoint<NoPath, NoQuery, NoBody, AnswerKeysBody>(
        "readAnswerKeys", .get, "/.well-known/jwks.json", callers: .anyone,
        about: .init(.access, "The public keys of signed answers, as a JWK set (ENT-10)."))

    /// What many customers may use, at one instant.
    package static let readManyEntitlements = Endpoint<AppPath, EnvironmentQuery, BulkQuestionBody, BulkEntitlementsBody>(
        "readManyEntitlements", .post, "/api/v1/apps/\(.app)/entitlements:read", callers: .appBackend(.entitlementsRead),
        about: .init(.access, "What up to 200 customers may use at one instant."), problems: [.environmentNotOpen])

    /// Whether a customer may use an item of content (ENT-8).
    package static let readContent = Endpoint<ContentPath, ContentQuery, NoBody, ContentUseBody>(
        "readContent", .get, "/api/v1/apps/\(.app)/customers/\(.customer)/content/\(.kind)/\(.content)",
        callers: .customer(.entitlementsRead),
        about: .init(.access, "Whether a customer may use an item of content, and by what right or why not (ENT-8)."),
        problems: [.unknownContentKind])

    /// A customer opens an item of content (ENT-8).
    package static let unlockContent = Endpoint<ContentPath, ContentQuery, NoBody, ContentUnlockBody>(
        "unlockContent", .put, "/api/v1/apps/\(.app)/customers/\(.customer)/content/\(.kind)/\(.content)",
        callers: .appBackend(.customersWrite),
        about: .init(.access, "Unlock an item of content, as far as the kind's ration goes (ENT-8)."),
        problems: [.unknownContentKind, .overloaded])

    /// A customer's licences to updates (LIC-1).
    package static let readLicences = Endpoint<CustomerPath, InstantQuery, NoBody, LicencesBody>(
        "readLicences", .get, "/api/v1/apps/\(.app)/customers/\(.customer)/licences", callers: .customer(.entitlementsRead),
        about: .init(.access, "Licences to updates, and which released features they cover, and why (LIC-1)."))

    /// A customer shows how they came by the app (LIC-3).
    package static let showAppTransaction = Endpoint<CustomerPath, NoQuery, AppTransactionBody, AppPurchaseBody>(
        "showAppTransaction", .post, "/api/v1/apps/\(.app)/customers/\(.customer)/appTransactions",
        callers: .customer(.uploadsWrite),
        about: .init(.access, "Show a signed app transaction, which may be a licence to updates (LIC-3)."),
        problems: [.refusedEvidence])

    // MARK: Walls

    /// What to show to a customer now (WALL-1).
    package static let askWall = Endpoint<CustomerPath, EnvironmentQuery, WallQuestionBody, WallBody>(
        "askWall", .post, "/api/v1/apps/\(.app)/customers/\(.customer)/wall", callers: .customer(.entitlementsRead),
        about: .init(.access, "What to show to a customer: cohort, offering, products, introductory offers, changes (WALL-1)."),
        problems: [.refusedEvidence])

    /// The app's backend says something of a customer (WALL-1).
    package static let changeAttributes = Endpoint<CustomerPath, EnvironmentQuery, AttributesBody, AttributesBody>(
        "changeAttributes", .patch, "/api/v1/apps/\(.app)/customers/\(.customer)/attributes",
        callers: .appBackend(.customersWrite),
        about: .init(
            .customers, "Say something of a customer by names, for the conditions of cohorts; the others stay (WALL-1)."),
        problems: [.tooManyAttributes, .overloaded])

    // MARK: Offers

    /// Which offers a customer may have now (WALL-5).
    package static let askOffers = Endpoint<CustomerPath, EnvironmentQuery, OfferQuestionBody, OffersBody>(
        "askOffers", .post, "/api/v1/apps/\(.app)/customers/\(.customer)/offers/eligibility",
        callers: .customer(.entitlementsRead),
        about: .init(.offers, "Which offers a customer may have now, and why not the others (WALL-5)."),
        problems: [.refusedEvidence, .environmentNotOpen])

    /// A promotional offer is signed (WALL-5).
    package static let signPromotionalOffer = Endpoint<CustomerPath, EnvironmentQuery, PromotionalOrderBody, SignedOfferBody>(
        "signPromotionalOffer", .post, "/api/v1/apps/\(.app)/customers/\(.customer)/offers/promotional",
        callers: .customer(.offersSign),
        about: .init(.offers, "Sign a promotional offer for a customer who may have it; asking again gives the same (WALL-5)."),
        problems: ofSigning + [.unknownOffer], traits: [.keyed])

    /// Whether a customer may have an introductory offer is signed (WALL-6).
    package static let signIntroductoryOffer = Endpoint<CustomerPath, EnvironmentQuery, IntroductoryOrderBody, SignedOfferBody>(
        "signIntroductoryOffer", .post, "/api/v1/apps/\(.app)/customers/\(.customer)/offers/introductory",
        callers: .customer(.offersSign),
        about: .init(
            .offers, "Sign whether a customer may have an introductory offer, in place of the App Store's word (WALL-6)."),
        problems: ofSigning + [.unknownPlan], traits: [.keyed])

    private static let ofSigning: [ProblemKind] = [
        .refusedEvidence, .environmentNotOpen, .offersNotSigned, .offerRefused, .tooManySignatures,
    ]

    /// What was signed for a customer, and what became of it (WALL-5).
    package static let readOffers = Endpoint<CustomerPath, EnvironmentQuery, NoBody, OfferHistoryBody>(
        "readOffers", .get, "/api/v1/apps/\(.app)/customers/\(.customer)/offers", callers: .appBackend(.customersRead),
        about: .init(.offers, "What was signed for a customer, and the offers that their purchases redeemed (WALL-5)."))

    /// What was signed for anybody (WALL-5).
    package static let listIssuedOffers = Endpoint<AppPath, PageQuery, NoBody, PageBody<IssuedOfferItem>>(
        "listIssuedOffers", .get, "/api/v1/apps/\(.app)/offers", callers: .appBackend(.subscriptionsRead),
        about: .init(.offers, "What was signed for anybody, and what redeemed it (WALL-5)."))

    // MARK: Customers

    /// A customer whole.
    package static let readCustomer = Endpoint<CustomerPath, InstantQuery, NoBody, CustomerBody>(
        "readCustomer", .get, "/api/v1/apps/\(.app)/customers/\(.customer)", callers: .appBackend(.customersRead),
        about: .init(.customers, "A customer whole: access, subscriptions, consumables, votes, content, licences, audit rows."),
        problems: [.environmentNotOpen])

    /// What changed a customer's access, and when.
    package static let readTimeline = Endpoint<CustomerPath, EnvironmentQuery, NoBody, TimelineBody>(
        "readTimeline", .get, "/api/v1/apps/\(.app)/customers/\(.customer)/timeline", callers: .appBackend(.customersRead),
        about: .init(.customers, "What changed a customer's access, by which rule and through whom; the last first (AUDIT-1)."))

    /// An anonymous customer's device says its secret (OWN-10).
    package static let registerDevice = Endpoint<CustomerPath, NoQuery, DeviceBody, NoContent>(
        "registerDevice", .put, "/api/v1/apps/\(.app)/customers/\(.customer)/device", callers: .newDevice(.customersWrite),
        about: .init(.customers, "Register an anonymous customer at first use, by a secret that the device made (OWN-10)."),
        problems: [.customerTaken])

    /// An anonymous customer logs in (OWN-10).
    package static let identifyCustomer = Endpoint<CustomerPath, NoQuery, IdentifyBody, NoContent>(
        "identifyCustomer", .post, "/api/v1/apps/\(.app)/customers/\(.customer)/identify", callers: .customer(.customersWrite),
        about: .init(.customers, "Merge an anonymous customer into this one, who has logged in on its device (OWN-10)."),
        problems: [.deviceRefused, .mergedBefore])

    /// Everything that is kept of a customer.
    package static let exportCustomer = Endpoint<CustomerPath, NoQuery, NoBody, CustomerExportBody>(
        "exportCustomer", .get, "/api/v1/apps/\(.app)/customers/\(.customer)/export", callers: .appBackend(.customersRead),
        about: .init(.customers, "Everything that is kept of a customer, of every environment, in one document."),
        problems: [.unknownCustomer])

    /// The same as a page to read.
    package static let readCustomerPage = Endpoint<CustomerPath, NoQuery, NoBody, ReadablePage>(
        "readCustomerPage", .get, "/api/v1/apps/\(.app)/customers/\(.customer)/export/page", callers: .appBackend(.customersRead),
        about: .init(.customers, "The same as a page to read and to print, without any script."),
        problems: [.unknownCustomer])

    /// A customer is erased.
    package static let eraseCustomer = Endpoint<CustomerIdPath, NoQuery, ErasureOrderBody, ErasureBody>(
        "eraseCustomer", .put, "/api/v1/apps/\(.app)/customers/\(.customer)/erasures/\(.id)",
        callers: .appBackend(.customersWrite),
        about: .init(.customers, "Erase a person under all their ids and in every environment: a pseudonym stays."),
        problems: [.unknownCustomer])

    // MARK: Votes

    /// An operator grants an entitlement (ENT-9).
    package static let grantEntitlement = Endpoint<CustomerIdPath, EnvironmentQuery, GrantBody, CustomerVoteBody>(
        "grantEntitlement", .put, "/api/v1/apps/\(.app)/customers/\(.customer)/grants/\(.id)", callers: .appBackend(.votesWrite),
        about: .init(.votes, "Grant an entitlement in a window (ENT-9)."), problems: [.unknownEntitlement, .idTaken])

    /// An operator holds an entitlement, or all of them (ENT-9).
    package static let holdEntitlement = Endpoint<CustomerIdPath, EnvironmentQuery, HoldBody, CustomerVoteBody>(
        "holdEntitlement", .put, "/api/v1/apps/\(.app)/customers/\(.customer)/holds/\(.id)", callers: .appBackend(.votesWrite),
        about: .init(.votes, "Hold an entitlement, or all of them, in a window (ENT-9)."),
        problems: [.unknownEntitlement, .idTaken])

    /// Time was paid elsewhere (ENT-3).
    package static let creditTime = Endpoint<CustomerIdPath, EnvironmentQuery, CreditBody, CustomerVoteBody>(
        "creditTime", .put, "/api/v1/apps/\(.app)/customers/\(.customer)/credits/\(.id)", callers: .appBackend(.votesWrite),
        about: .init(.votes, "Add time that was paid elsewhere to a balance (ENT-3)."), problems: [.unknownEntitlement, .idTaken])

    /// Two customers are one person, or one has another id (OWN-10).
    package static let joinCustomer = Endpoint<CustomerIdPath, EnvironmentQuery, JoinBody, CustomerVoteBody>(
        "joinCustomer", .put, "/api/v1/apps/\(.app)/customers/\(.customer)/joins/\(.id)", callers: .appBackend(.votesWrite),
        about: .init(.votes, "Another customer is this one, or has this id from now on, until it is withdrawn (OWN-10)."),
        problems: [.notJoined, .idTaken])

    /// A consumable may be delivered to a customer though another one has it (PER-9).
    package static let allowRedelivery = Endpoint<CustomerIdPath, EnvironmentQuery, RedeliveryBody, CustomerVoteBody>(
        "allowRedelivery", .put, "/api/v1/apps/\(.app)/customers/\(.customer)/redeliveries/\(.id)",
        callers: .appBackend(.votesWrite), about: .init(.votes, "Allow a consumable that another customer has already (PER-9)."),
        problems: [.unknownPurchase, .idTaken])

    /// An earlier vote counts no longer.
    package static let withdrawVote = Endpoint<CustomerIdPath, EnvironmentQuery, WithdrawalBody, CustomerVoteBody>(
        "withdrawVote", .put, "/api/v1/apps/\(.app)/customers/\(.customer)/withdrawals/\(.id)", callers: .appBackend(.votesWrite),
        about: .init(.votes, "Withdraw an earlier vote of the customer from now on."), problems: [.unknownVote, .idTaken])

    /// A subscription is another customer's from now on (OWN-9).
    package static let transferSubscription = Endpoint<SubscriptionIdPath, EnvironmentQuery, TransferBody, OwnershipVoteBody>(
        "transferSubscription", .put, "/api/v1/apps/\(.app)/subscriptions/\(.originalTransactionId)/transfers/\(.id)",
        callers: .appBackend(.votesWrite), about: .init(.votes, "Transfer a subscription to a customer from now on."),
        problems: [.unknownSubscription, .idTaken])

    /// A claim that waits succeeds or is refused (OWN-9, OWN-11).
    package static let decideClaim = Endpoint<SubscriptionIdPath, EnvironmentQuery, ClaimDecisionBody, OwnershipVoteBody>(
        "decideClaim", .put, "/api/v1/apps/\(.app)/subscriptions/\(.originalTransactionId)/decisions/\(.id)",
        callers: .appBackend(.votesWrite), about: .init(.votes, "Decide a claim that waits (OWN-9, OWN-11)."),
        problems: [.unknownSubscription, .unknownClaim, .idTaken])

    /// An owner consents to another customer's claim (OWN-9).
    package static let consentClaim = Endpoint<CustomerIdPath, EnvironmentQuery, ConsentBody, OwnershipVoteBody>(
        "consentClaim", .put, "/api/v1/apps/\(.app)/customers/\(.customer)/consents/\(.id)", callers: .customer(.customersWrite),
        about: .init(.votes, "The owner of a subscription consents to another customer's claim that waits (OWN-9)."),
        problems: [.unknownSubscription, .unknownClaim, .idTaken, .notTheOwner])

    /// A subscription is to be a customer's as soon as anything signed is known of it (OWN-18).
    package static let reserveSubscription = Endpoint<
        SubscriptionIdPath, EnvironmentQuery, ReservationBody, ReservationAnswerBody
    >(
        "reserveSubscription", .put, "/api/v1/apps/\(.app)/subscriptions/\(.originalTransactionId)/reservations/\(.id)",
        callers: .appBackend(.votesWrite),
        about: .init(.votes, "Reserve a subscription for a customer before anything signed is known of it (OWN-18)."),
        problems: [.idTaken])

    /// The subscription of a transaction is to be a customer's (OWN-18).
    package static let reserveTransaction = Endpoint<TransactionIdPath, EnvironmentQuery, ReservationBody, ReservationAnswerBody>(
        "reserveTransaction", .put, "/api/v1/apps/\(.app)/transactions/\(.transactionId)/reservations/\(.id)",
        callers: .appBackend(.votesWrite),
        about: .init(.votes, "Reserve the subscription that a transaction is of, known or not yet (OWN-18)."),
        problems: [.idTaken])

    // MARK: Subscriptions

    /// A subscription with its periods, owners and audit rows, and an explanation in words.
    package static let readSubscription = Endpoint<SubscriptionPath, InstantQuery, NoBody, SubscriptionBody>(
        "readSubscription", .get, "/api/v1/apps/\(.app)/subscriptions/\(.originalTransactionId)",
        callers: .appBackend(.subscriptionsRead),
        about: .init(.subscriptions, "A subscription whole: periods, owners, claims, votes, audit rows, and why, in words."),
        problems: [.environmentNotTaken, .unknownSubscription])

    /// What a subscription rests on, and the proof of it.
    package static let listFacts = Endpoint<SubscriptionPath, EnvironmentQuery, NoBody, FactsBody>(
        "listFacts", .get, "/api/v1/apps/\(.app)/subscriptions/\(.originalTransactionId)/facts",
        callers: .appBackend(.subscriptionsRead),
        about: .init(.subscriptions, "What Apple said of a subscription, with the bytes that prove it (FACT-6)."),
        problems: [.unknownSubscription])

    /// The claims that wait for a decision.
    package static let listWaitingClaims = Endpoint<AppPath, PageQuery, NoBody, PageBody<WaitingClaimItem>>(
        "listWaitingClaims", .get, "/api/v1/apps/\(.app)/claims", callers: .appBackend(.subscriptionsRead),
        about: .init(.subscriptions, "The claims that wait for a decision, over all subscriptions (OWN-9)."))

    /// What Apple refunded, over all customers (PER-11).
    package static let listRefunds = Endpoint<AppPath, PageQuery, NoBody, PageBody<RefundItem>>(
        "listRefunds", .get, "/api/v1/apps/\(.app)/refunds", callers: .appBackend(.subscriptionsRead),
        about: .init(.subscriptions, "What Apple refunded to anybody, and what to take back of it (PER-9, PER-11)."))

    /// The owners who are proposed (OWN-14).
    package static let listProposals = Endpoint<AppPath, PageQuery, NoBody, PageBody<OwnerProposalItem>>(
        "listProposals", .get, "/api/v1/apps/\(.app)/proposals", callers: .appBackend(.subscriptionsRead),
        about: .init(.subscriptions, "Who probably owns a subscription that nobody claimed, by its Apple Account (OWN-14)."))

    /// What was reserved and is not known yet (OWN-18).
    package static let listReservations = Endpoint<AppPath, PageQuery, NoBody, PageBody<PendingReservationItem>>(
        "listReservations", .get, "/api/v1/apps/\(.app)/reservations", callers: .appBackend(.subscriptionsRead),
        about: .init(.subscriptions, "What was reserved for whom, and of which nothing signed is known yet (OWN-18)."))

    /// Finds what somebody names.
    package static let searchNames = Endpoint<AppPath, SearchQuery, NoBody, SearchBody>(
        "searchNames", .get, "/api/v1/apps/\(.app)/search", callers: .appBackend(.subscriptionsRead),
        about: .init(
            .subscriptions, "Find a customer, a subscription, a transaction, a period, a claim or a token, in every environment.")
    )

    // MARK: Signals

    /// Signals of abuse (ABUSE-1).
    package static let listSignals = Endpoint<AppPath, SignalsQuery, NoBody, PageBody<SignalBody>>(
        "listSignals", .get, "/api/v1/apps/\(.app)/signals", callers: .appBackend(.customersRead),
        about: .init(.signals, "Signs of abuse with what shows them, the newest first (ABUSE-1)."),
        problems: [.environmentNotTaken])

    /// One of them.
    package static let readSignal = Endpoint<SignalPath, EnvironmentQuery, NoBody, SignalBody>(
        "readSignal", .get, "/api/v1/apps/\(.app)/signals/\(.signal)", callers: .appBackend(.customersRead),
        about: .init(.signals, "One signal."), problems: [.environmentNotTaken, .unknownSignal])

    /// Somebody has looked at one.
    package static let acknowledgeSignal = Endpoint<SignalPath, EnvironmentQuery, AcknowledgementBody, SignalBody>(
        "acknowledgeSignal", .put, "/api/v1/apps/\(.app)/signals/\(.signal)/acknowledgement", callers: .appBackend(.votesWrite),
        about: .init(.signals, "Say that you have looked at a signal: it is raised again only when it grows (ABUSE-1)."),
        problems: [.environmentNotTaken, .unknownSignal, .signalChanged])

    // MARK: Events

    /// Everything that was told, in the order of its commits (TELL-3).
    package static let listEvents = Endpoint<AppPath, EventsQuery, NoBody, EventsBody>(
        "listEvents", .get, "/api/v1/apps/\(.app)/events", callers: .appBackend(.eventsRead),
        about: .init(.events, "What happened, in the order in which it was committed: read on, and nothing is missed (TELL-3)."),
        problems: [.environmentNotTaken, .eventsForgotten])

    /// The events of one subscription.
    package static let listSubscriptionEvents = Endpoint<SubscriptionPath, PageQuery, NoBody, EventsBody>(
        "listSubscriptionEvents", .get, "/api/v1/apps/\(.app)/subscriptions/\(.originalTransactionId)/events",
        callers: .appBackend(.eventsRead),
        about: .init(.events, "What happened to a subscription, numbered 1, 2, 3, … without gaps."),
        problems: [.environmentNotTaken, .unknownSubscription])

    /// The events of one customer that are about no single subscription.
    package static let listCustomerEvents = Endpoint<CustomerPath, PageQuery, NoBody, EventsBody>(
        "listCustomerEvents", .get, "/api/v1/apps/\(.app)/customers/\(.customer)/events", callers: .appBackend(.eventsRead),
        about: .init(.events, "What happened to a customer and to no single subscription, numbered 1, 2, 3, … without gaps."),
        problems: [.environmentNotTaken])

    // MARK: Webhooks

    /// Where events are sent.
    package static let listWebhookEndpoints = Endpoint<AppPath, NoQuery, NoBody, WebhookEndpointsBody>(
        "listWebhookEndpoints", .get, "/api/v1/apps/\(.app)/webhookEndpoints", callers: .appBackend(.webhooksRead),
        about: .init(.webhooks, "Where an app's events are sent, and how far each receiver was told."))

    /// An endpoint is made or changed.
    package static let saveWebhookEndpoint = Endpoint<WebhookPath, NoQuery, EndpointOrderBody, WebhookEndpointBody>(
        "saveWebhookEndpoint", .put, "/api/v1/apps/\(.app)/webhookEndpoints/\(.endpoint)", callers: .appBackend(.webhooksWrite),
        about: .init(.webhooks, "Make an endpoint, or change it; a new one's secrets are in the answer, and only there."),
        problems: [.addressRefused, .secretKeyMissing, .tooManyEndpoints])

    /// How an endpoint stands.
    package static let readWebhookEndpoint = Endpoint<WebhookPath, NoQuery, NoBody, WebhookEndpointBody>(
        "readWebhookEndpoint", .get, "/api/v1/apps/\(.app)/webhookEndpoints/\(.endpoint)", callers: .appBackend(.webhooksRead),
        about: .init(.webhooks, "How an endpoint stands: what waits, what failed, and when it is tried next."),
        problems: [.unknownEndpoint])

    /// An endpoint is not wanted any more.
    package static let deleteWebhookEndpoint = Endpoint<WebhookPath, NoQuery, NoBody, NoContent>(
        "deleteWebhookEndpoint", .delete, "/api/v1/apps/\(.app)/webhookEndpoints/\(.endpoint)",
        callers: .appBackend(.webhooksWrite),
        about: .init(.webhooks, "Forget an endpoint, its place, its attempts and what is parked."), problems: [.unknownEndpoint])

    /// Nothing is sent for a while.
    package static let pauseWebhookEndpoint = Endpoint<WebhookPath, NoQuery, NoBody, WebhookEndpointBody>(
        "pauseWebhookEndpoint", .post, "/api/v1/apps/\(.app)/webhookEndpoints/\(.endpoint)/pause",
        callers: .appBackend(.webhooksWrite),
        about: .init(.webhooks, "Send nothing until it is resumed; what is told meanwhile waits."), problems: [.unknownEndpoint])

    /// Sending goes on.
    package static let resumeWebhookEndpoint = Endpoint<WebhookPath, NoQuery, NoBody, WebhookEndpointBody>(
        "resumeWebhookEndpoint", .post, "/api/v1/apps/\(.app)/webhookEndpoints/\(.endpoint)/resume",
        callers: .appBackend(.webhooksWrite),
        about: .init(.webhooks, "Go on where it was, whether it was paused, failing or disabled (TELL-3)."),
        problems: [.unknownEndpoint])

    /// Its secrets are changed over.
    package static let rotateWebhookSecret = Endpoint<WebhookPath, NoQuery, RotationBody, WebhookEndpointBody>(
        "rotateWebhookSecret", .post, "/api/v1/apps/\(.app)/webhookEndpoints/\(.endpoint)/rotateSecret",
        callers: .appBackend(.webhooksWrite),
        about: .init(.webhooks, "Make a new secret; the old one signs beside it for a day, or as long as is said."),
        problems: [.unknownEndpoint, .secretKeyMissing], traits: [.keyed])

    /// It is tried.
    package static let testWebhookEndpoint = Endpoint<WebhookPath, NoQuery, NoBody, WebhookAttemptBody>(
        "testWebhookEndpoint", .post, "/api/v1/apps/\(.app)/webhookEndpoints/\(.endpoint)/test",
        callers: .appBackend(.webhooksWrite),
        about: .init(.webhooks, "Send a webhook.test now, whatever its state, and answer what came of it."),
        problems: [.unknownEndpoint])

    /// What was sent.
    package static let listWebhookAttempts = Endpoint<WebhookPath, AttemptsQuery, NoBody, PageBody<WebhookAttemptBody>>(
        "listWebhookAttempts", .get, "/api/v1/apps/\(.app)/webhookEndpoints/\(.endpoint)/attempts",
        callers: .appBackend(.webhooksRead),
        about: .init(.webhooks, "What was sent to it and what came of it, the last attempt first."),
        problems: [.unknownEndpoint])

    /// What a receiver refused.
    package static let listParkedEvents = Endpoint<WebhookPath, ListQuery, NoBody, PageBody<ParkedEventItem>>(
        "listParkedEvents", .get, "/api/v1/apps/\(.app)/webhookEndpoints/\(.endpoint)/parked",
        callers: .appBackend(.webhooksRead),
        about: .init(.webhooks, "What its receiver refused again and again, while the rest went on (TELL-2)."),
        problems: [.unknownEndpoint])

    /// Something is sent once more.
    package static let resendEvents = Endpoint<WebhookPath, NoQuery, ResendBody, WebhookEndpointBody>(
        "resendEvents", .post, "/api/v1/apps/\(.app)/webhookEndpoints/\(.endpoint)/resend", callers: .appBackend(.webhooksWrite),
        about: .init(.webhooks, "Send events once more under the same ids: single ones, a stretch of time, or what is parked."),
        problems: [.unknownEndpoint, .unknownEvent, .tooManyResends], traits: [.keyed])

    // MARK: Copies

    /// Subscriptions by their last change.
    package static let listChangedSubscriptions = Endpoint<
        AppPath, PageQuery, NoBody, ChangesBody<ListedSubscriptionItem>
    >(
        "listChangedSubscriptions", .get, "/api/v1/apps/\(.app)/subscriptions", callers: .appBackend(.exportRead),
        about: .init(.copies, "Subscriptions by their last change, from a place on; misses none, and may say one again."))

    /// Customers by their last change.
    package static let listChangedCustomers = Endpoint<AppPath, PageQuery, NoBody, ChangesBody<ListedCustomerItem>>(
        "listChangedCustomers", .get, "/api/v1/apps/\(.app)/customers", callers: .appBackend(.exportRead),
        about: .init(.copies, "Customers by their last change, from a place on; misses none, and may say one again."))

    /// All subscriptions.
    package static let exportSubscriptions = Endpoint<AppPath, ExportQuery, NoBody, ExportBody<ListedSubscriptionItem>>(
        "exportSubscriptions", .get, "/api/v1/apps/\(.app)/export/subscriptions", callers: .appBackend(.exportRead),
        about: .init(.copies, "All subscriptions as lines of JSON, each as listChangedSubscriptions has it."))

    /// All customers.
    package static let exportCustomers = Endpoint<AppPath, ExportQuery, NoBody, ExportBody<ListedCustomerItem>>(
        "exportCustomers", .get, "/api/v1/apps/\(.app)/export/customers", callers: .appBackend(.exportRead),
        about: .init(.copies, "All customers as lines of JSON, each as listChangedCustomers has it."))

    /// All purchases.
    package static let exportPeriods = Endpoint<AppPath, ExportQuery, NoBody, ExportBody<ExportedPeriodItem>>(
        "exportPeriods", .get, "/api/v1/apps/\(.app)/export/periods", callers: .appBackend(.exportRead),
        about: .init(.copies, "All periods and purchases as lines of JSON, those of one subscription together."))

    /// Everything that was told.
    package static let exportEvents = Endpoint<AppPath, ExportQuery, NoBody, ExportBody<EventItem>>(
        "exportEvents", .get, "/api/v1/apps/\(.app)/export/events", callers: .appBackend(.exportRead),
        about: .init(.copies, "All events that are kept as lines of JSON, each as listEvents has it."),
        problems: [.eventsForgotten])

    // MARK: Operations

    /// What Apple sent that this version does not understand (FACT-5).
    package static let listWarnings = Endpoint<AppPath, EnvironmentQuery, NoBody, WarningsBody>(
        "listWarnings", .get, "/api/v1/apps/\(.app)/warnings", callers: .appBackend(.subscriptionsRead),
        about: .init(.operations, "What Apple sent that this version does not understand: kept, each listed once (FACT-5)."),
        problems: [.environmentNotTaken])

    /// What Apple signed and could not be applied (RECON-4).
    package static let listParkedNotifications = Endpoint<AppPath, EnvironmentQuery, NoBody, ParkedNotificationsBody>(
        "listParkedNotifications", .get, "/api/v1/apps/\(.app)/apple/parked", callers: .appBackend(.subscriptionsRead),
        about: .init(.operations, "Notifications that Apple signed and that could not be applied yet (RECON-4)."),
        problems: [.environmentNotTaken])

    /// How asking Apple stands.
    package static let readApple = Endpoint<AppPath, EnvironmentQuery, NoBody, AppleBody>(
        "readApple", .get, "/api/v1/apps/\(.app)/apple", callers: .appBackend(.subscriptionsRead),
        about: .init(.operations, "How asking Apple stands: up to when nothing is missing, what is due, and the last error."),
        problems: [.environmentNotTaken])

    /// Look through what Apple told.
    package static let sweepNotifications = Endpoint<AppPath, EnvironmentQuery, SweepRequestBody, AppleBody>(
        "sweepNotifications", .post, "/api/v1/apps/\(.app)/apple/sweeps", callers: .appBackend(.subscriptionsRefresh),
        about: .init(.operations, "Look through everything that Apple told in a stretch, and keep what is missing (RECON-2)."),
        problems: [.environmentNotTaken, .appleNotAsked, .invalidStretch])

    /// Ask Apple about a subscription now.
    package static let refreshSubscription = Endpoint<SubscriptionPath, EnvironmentQuery, NoBody, RefreshBody>(
        "refreshSubscription", .post, "/api/v1/apps/\(.app)/subscriptions/\(.originalTransactionId)/refresh",
        callers: .appBackend(.subscriptionsRefresh),
        about: .init(.apple, "Ask Apple about a subscription now, and keep what it answers; at most once in 10 seconds."),
        problems: ofAsking + [.unknownSubscription, .refreshedJustNow])

    /// What Apple refunded to whoever bought a subscription.
    package static let fetchRefunds = Endpoint<SubscriptionPath, EnvironmentQuery, NoBody, ToldPurchasesBody>(
        "fetchRefunds", .post, "/api/v1/apps/\(.app)/subscriptions/\(.originalTransactionId)/refunds",
        callers: .appBackend(.subscriptionsRefresh),
        about: .init(.apple, "Ask Apple what it refunded to whoever bought a subscription, over all purchases in the app."),
        problems: ofAsking + [.unknownSubscription])

    /// The purchases of an order number.
    package static let lookUpOrder = Endpoint<OrderPath, NoQuery, NoBody, ToldPurchasesBody>(
        "lookUpOrder", .post, "/api/v1/apps/\(.app)/orders/\(.orderId)", callers: .appBackend(.subscriptionsRefresh),
        about: .init(.apple, "Ask Apple which purchases an order number is of: it stands on a customer's receipt."),
        problems: ofAsking + [.unknownOrder])

    /// A subscription's present period is lengthened at Apple.
    package static let extendSubscription = Endpoint<SubscriptionIdPath, EnvironmentQuery, ExtensionBody, AppleRequestBody>(
        "extendSubscription", .put, "/api/v1/apps/\(.app)/subscriptions/\(.originalTransactionId)/extensions/\(.id)",
        callers: .appBackend(.subscriptionsExtend),
        about: .init(.apple, "Lengthen a subscription's present period at Apple, without a charge; twice in 365 days."),
        problems: ofAsking + [.unknownSubscription, .idTaken])

    /// The same for all active subscriptions of a product.
    package static let extendProduct = Endpoint<ProductIdPath, EnvironmentQuery, ProductExtensionBody, AppleRequestBody>(
        "extendProduct", .put, "/api/v1/apps/\(.app)/products/\(.productId)/extensions/\(.id)",
        callers: .appBackend(.subscriptionsExtend),
        about: .init(.apple, "Lengthen the present period of every active subscription of a product, as after an outage."),
        problems: ofAsking + [.idTaken])

    /// How far that is.
    package static let readProductExtension = Endpoint<
        ProductIdPath, EnvironmentQuery, NoBody, ProductExtensionProgressBody
    >(
        "readProductExtension", .get, "/api/v1/apps/\(.app)/products/\(.productId)/extensions/\(.id)",
        callers: .appBackend(.subscriptionsRead),
        about: .init(.apple, "How far an extension of all subscriptions of a product is, as Apple says."),
        problems: ofAsking)

    /// A subscription bears another token, and belongs to whom it names.
    package static let setAppAccountToken = Endpoint<
        SubscriptionIdPath, EnvironmentQuery, TokenAtAppleBody, AppleRequestBody
    >(
        "setAppAccountToken", .put, "/api/v1/apps/\(.app)/subscriptions/\(.originalTransactionId)/tokens/\(.id)",
        callers: .appBackend(.subscriptionsExtend),
        about: .init(
            .apple,
            """
            Set the appAccountToken that a subscription bears at Apple. From Apple's first copy with it the subscription \
            belongs to the customer for whom the token is registered (OWN-4).
            """),
        problems: ofAsking + [.unknownSubscription, .idTaken])

    /// Apple is asked to post a test notification.
    package static let requestTestNotification = Endpoint<AppPath, EnvironmentQuery, NoBody, TestNotificationBody>(
        "requestTestNotification", .post, "/api/v1/apps/\(.app)/apple/testNotifications",
        callers: .appBackend(.subscriptionsRefresh),
        about: .init(.apple, "Ask Apple to post a test notification to the URL that App Store Connect has."),
        problems: ofAsking)

    /// What became of it.
    package static let readTestNotification = Endpoint<TestNotificationPath, EnvironmentQuery, NoBody, TestNotificationBody>(
        "readTestNotification", .get, "/api/v1/apps/\(.app)/apple/testNotifications/\(.testNotificationToken)",
        callers: .appBackend(.subscriptionsRead), about: .init(.apple, "What became of a test notification, at Apple and here."),
        problems: ofAsking + [.refusedEvidence])

    /// What Apple was told or asked to do.
    package static let listAppleRequests = Endpoint<AppPath, SubjectQuery, NoBody, AppleRequestsBody>(
        "listAppleRequests", .get, "/api/v1/apps/\(.app)/apple/requests", callers: .appBackend(.subscriptionsRead),
        about: .init(.apple, "What Apple was told or asked to do, with what was sent and what came of it (ABUSE-2)."),
        problems: [.environmentNotTaken])

    /// What everything can be refused with that asks Apple at once.
    private static let ofAsking: [ProblemKind] = [.environmentNotTaken, .appleNotAsked, .appleRefused, .appleUnavailable]

    /// What the app chose, and when.
    package static let listSettings = Endpoint<AppPath, NoQuery, NoBody, SettingsBody>(
        "listSettings", .get, "/api/v1/apps/\(.app)/settings", callers: .appBackend(.policyRead),
        about: .init(.operations, "The versions of policy and products: from when, by whom, and what they say (OWN-17)."))

    /// What the server's file says is a version now (OWN-17).
    package static let applySettings = Endpoint<AppPath, NoQuery, ApplicationBody, ApplicationAnswerBody>(
        "applySettings", .post, "/api/v1/apps/\(.app)/settings", callers: .appBackend(.policyWrite),
        about: .init(.operations, "Apply what the server's file says as a new version, also from a past instant on (OWN-17)."),
        problems: [.settingsRefused])

    /// What a version would change (OWN-16).
    package static let startTrial = Endpoint<AppIdPath, NoQuery, TrialBody, JobBody>(
        "startTrial", .put, "/api/v1/apps/\(.app)/trials/\(.id)", callers: .appBackend(.policyRead),
        about: .init(.operations, "Try a version of policy and products on everything that is kept, as a job (OWN-16)."),
        problems: [.idTaken])

    /// The books are proved (AUDIT-2).
    package static let startVerification = Endpoint<AppIdPath, NoQuery, VerificationBody, JobBody>(
        "startVerification", .put, "/api/v1/apps/\(.app)/verifications/\(.id)", callers: .appBackend(.policyRead),
        about: .init(.operations, "Prove everything that is kept of the app, as a job (AUDIT-2)."),
        problems: [.idTaken])

    /// The jobs of an app.
    package static let listJobs = Endpoint<AppPath, NoQuery, NoBody, JobsBody>(
        "listJobs", .get, "/api/v1/apps/\(.app)/jobs", callers: .appBackend(.policyRead),
        about: .init(.operations, "The jobs of an app, the last one first."))

    /// How far a job is.
    package static let readJob = Endpoint<AppIdPath, NoQuery, NoBody, JobBody>(
        "readJob", .get, "/api/v1/apps/\(.app)/jobs/\(.id)", callers: .appBackend(.policyRead),
        about: .init(.operations, "How far a job is, and what it came to."), problems: [.unknownJob])

    /// A job is not wanted any more.
    package static let cancelJob = Endpoint<AppIdPath, NoQuery, NoBody, JobBody>(
        "cancelJob", .post, "/api/v1/apps/\(.app)/jobs/\(.id)/cancel", callers: .appBackend(.policyWrite),
        about: .init(.operations, "End a job that runs; one that has ended stays as it is."),
        problems: [.unknownJob, .jobNotCancelable])

    /// What a job found.
    package static let listJobResults = Endpoint<AppIdPath, ListQuery, NoBody, PageBody<JobResultItem>>(
        "listJobResults", .get, "/api/v1/apps/\(.app)/jobs/\(.id)/results", callers: .appBackend(.policyRead),
        about: .init(.operations, "What a job found, as far as it is: differences, findings, or lines that were refused."),
        problems: [.unknownJob])

    // MARK: Keys

    /// A key is made (docs/operations/keys.md).
    package static let makeKey = Endpoint<AppPath, NoQuery, KeyOrderBody, MadeKeyBody>(
        "makeKey", .post, "/api/v1/apps/\(.app)/keys", callers: .appBackend(.admin),
        about: .init(.operations, "Make a key; the key itself is in the answer, and only there."),
        problems: [.keyNameTaken, .tooManyKeys], traits: [.keyed])

    /// The keys of an app.
    package static let listKeys = Endpoint<AppPath, NoQuery, NoBody, KeysBody>(
        "listKeys", .get, "/api/v1/apps/\(.app)/keys", callers: .appBackend(.admin),
        about: .init(.operations, "The keys of an app that the database has: what each may do, until when, and its last use."))

    /// A key holds no longer, or until an instant.
    package static let endKey = Endpoint<NamedKeyPath, NoQuery, KeyEndBody, KeyBody>(
        "endKey", .post, "/api/v1/apps/\(.app)/keys/\(.key)/end", callers: .appBackend(.admin),
        about: .init(.operations, "End a key, at once or at an instant; every server refuses it within 5 seconds."),
        problems: [.unknownKey])

    /// The document of this API.
    package static let readDocument = Endpoint<NoPath, NoQuery, NoBody, DocumentBody>(
        "readDocument", .get, "/api/v1/openapi.json", callers: .anyone,
        about: .init(.operations, "The OpenAPI 3.1 document of this API."))

    /// The same as a page for people.
    package static let readDocumentPage = Endpoint<NoPath, NoQuery, NoBody, DocumentPage>(
        "readDocumentPage", .get, "/api/v1/docs", callers: .anyone,
        about: .init(.operations, "The same as a page for people."))

    /// Whether the process lives.
    package static let checkLive = Endpoint<NoPath, AnyQuery, NoBody, LiveBody>(
        "checkLive", .get, "/health/live", callers: .anyone, about: .init(.operations, "200 while the process lives."))

    /// Whether it can answer questions.
    package static let checkReady = Endpoint<NoPath, AnyQuery, NoBody, ReadyBody>(
        "checkReady", .get, "/health/ready", callers: .anyone,
        about: .init(.operations, "200 while questions can be answered, or 503."), problems: [.store, .settingsSuperseded])

    /// All of them, in the order of docs/operations/http-api.md.
    package static let all: [EndpointDescription] = [
        receiveNotification.description, uploadTransaction.description, uploadReceipt.description, askPurchase.description,
        issueAppAccountToken.description, registerAppAccountToken.description, confirmDelivery.description,
        noteConsumption.description,
        readEntitlements.description, readSignedEntitlements.description, readAnswerKeys.description,
        readManyEntitlements.description, readContent.description, unlockContent.description,
        readLicences.description, showAppTransaction.description, askWall.description, changeAttributes.description,
        askOffers.description, signPromotionalOffer.description, signIntroductoryOffer.description, readOffers.description,
        listIssuedOffers.description,
        readCustomer.description, readTimeline.description,
        registerDevice.description,
        identifyCustomer.description, exportCustomer.description, readCustomerPage.description,
        eraseCustomer.description,
        grantEntitlement.description, holdEntitlement.description, creditTime.description,
        joinCustomer.description, allowRedelivery.description, withdrawVote.description, transferSubscription.description,
        decideClaim.description,
        consentClaim.description,
        reserveSubscription.description, reserveTransaction.description, readSubscription.description, listFacts.description,
        listWaitingClaims.description, listRefunds.description, listProposals.description, listReservations.description,
        searchNames.description,
        listSignals.description, readSignal.description, acknowledgeSignal.description,
        listEvents.description, listSubscriptionEvents.description, listCustomerEvents.description,
        listWebhookEndpoints.description, saveWebhookEndpoint.description, readWebhookEndpoint.description,
        deleteWebhookEndpoint.description, pauseWebhookEndpoint.description, resumeWebhookEndpoint.description,
        rotateWebhookSecret.description, testWebhookEndpoint.description, listWebhookAttempts.description,
        listParkedEvents.description, resendEvents.description,
        listChangedSubscriptions.description, listChangedCustomers.description, exportSubscriptions.description,
        exportCustomers.description, exportPeriods.description, exportEvents.description,
        listWarnings.description, listParkedNotifications.description, readApple.description, sweepNotifications.description,
        refreshSubscription.description,
        fetchRefunds.description, lookUpOrder.description, extendSubscription.description, extendProduct.description,
        readProductExtension.description, setAppAccountToken.description, requestTestNotification.description,
        readTestNotification.description, listAppleRequests.description, listSettings.description, applySettings.description,
        startTrial.description, startVerification.description,
        listJobs.description, readJob.description, cancelJob.description, listJobResults.description,
        makeKey.description, listKeys.description, endKey.description, readDocument.description,
        readDocumentPage.description, checkLive.description, checkReady.description,
    ]
}
