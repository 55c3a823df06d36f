import APIContract
package import Backend
import Ledger
import Primitives
package import Server

/// Tenure's own API (docs/operations/http-api.md). Each handler decodes, makes one call to `Backend`, and encodes.
package struct NativeFace: Face {
    let backend: Backend
    /// Nil where this server signs no answers.
    let signer: AnswerSigner?
    /// Nil where this server asks Apple nothing.
    let desk: AppleDesk?
    /// What sends to endpoints.
    let webhooks: DeliveryDesk

    package init(
        _ backend: Backend, webhooks: DeliveryDesk, signer: AnswerSigner? = nil, desk: AppleDesk? = nil
    ) {
        self.backend = backend
        self.signer = signer
        self.desk = desk
        self.webhooks = webhooks
    }

    package func add(to router: inout EndpointRouter) {
        router.on(NativeAPI.receiveNotification, longest: { try longestNotification(of: AppID($0.app)) }, receiveNotification)
        router.on(NativeAPI.uploadTransaction, uploadTransaction)
        router.on(NativeAPI.uploadReceipt, uploadReceipt)
        addPurchases(to: &router)
        router.on(NativeAPI.readEntitlements, readEntitlements)
        router.on(NativeAPI.readSignedEntitlements, readSignedEntitlements)
        router.on(NativeAPI.readAnswerKeys) { _ in signer?.published ?? AnswerKeysBody(keys: []) }
        router.on(NativeAPI.readManyEntitlements, readManyEntitlements)
        addContent(to: &router)
        addWalls(to: &router)
        addOffers(to: &router)
        addCustomers(to: &router)
        addPrivacy(to: &router)
        addVotes(to: &router)
        addSubscriptions(to: &router)
        addSignals(to: &router)
        addEvents(to: &router)
        addWebhooks(to: &router)
        addCopies(to: &router)
        router.on(NativeAPI.listWarnings, listWarnings)
        addApple(to: &router)
        addJobs(to: &router)
        addKeys(to: &router)
        router.on(NativeAPI.readDocument) { _ in DocumentBody() }
        router.on(NativeAPI.readDocumentPage) { _ in DocumentPage() }
        router.on(NativeAPI.checkLive) { _ in LiveBody() }
        router.on(NativeAPI.checkReady, checkReady)
    }

    // MARK: What comes in

    typealias OfApp<Query: QueryParameters, Body: RequestContent> = Call<AppPath, Query, Body>
    typealias OfCustomer<Query: QueryParameters, Body: RequestContent> = Call<CustomerPath, Query, Body>

    /// Apple sends no credentials: the signature is the proof (B.1). The answer follows the commit, for duplicates too.
    private func receiveNotification(_ call: OfApp<AnyQuery, RawBody>) async throws -> NotificationAnswerBody {
        let posted = PostedNotification(
            call.body.bytes, contentType: call.contentType ?? "application/json", isForwarded: call.isForwarded)
        return NotificationAnswerBody(outcome: try await backend.receiveNotification(posted, app: call.app).rawValue)
    }

    /// An app that takes notifications V1 has longer ones; nil: as long as the server is configured to read.
    private func longestNotification(of app: AppID) throws -> Int? {
        try backend.settings(of: app).sharedSecrets.isEmpty ? nil : ServerConfiguration.longestNotificationV1
    }

    private func uploadTransaction(_ call: OfCustomer<NoQuery, UploadBody>) async throws -> UploadAnswerBody {
        let body = call.body
        let upload = Backend.Upload(
            customer: call.customer, kind: try kind(body.kind), productId: body.productId.map { ProductID($0) },
            signedTransactionInfo: body.signedTransactionInfo, signedRenewalInfo: body.signedRenewalInfo,
            keepsIntents: body.intents)
        return UploadAnswerBody(try await backend.claim(upload, app: call.app).accepted(), of: call.customer)
    }

    private func uploadReceipt(_ call: OfCustomer<NoQuery, ReceiptUploadBody>) async throws -> ReceiptAnswerBody {
        let result = try await backend.claim(
            receipt: call.body.receipt, by: call.customer, try kind(call.body.kind), keepsIntents: call.body.intents,
            app: call.app)
        return ReceiptAnswerBody(result, of: call.customer)
    }

    private func kind(_ spelling: String) throws -> Claim.Kind {
        guard let kind = Claim.Kind(saidByClient: spelling) else {
            throw InvalidBody(member: "kind", reason: "is not purchase, queue or restore")
        }
        return kind
    }

    // MARK: What is asked

    private func readEntitlements(_ call: OfCustomer<InstantQuery, NoBody>) async throws -> EntitlementsBody {
        let environment = call.query.environment
        let answer = try await backend.entitlements(
            of: call.customer, app: call.app, environment: environment, at: call.query.at)
        return EntitlementsBody(answer, of: call.customer, environment: environment)
    }

    private func readSignedEntitlements(_ call: OfCustomer<SigningQuery, NoBody>) async throws -> SignedAnswer {
        guard let signer else { throw NoAnswerKey() }
        let environment = call.query.environment
        let answer = try await backend.entitlements(of: call.customer, app: call.app, environment: environment, at: nil)
        var claims = SignedEntitlements(
            answer, of: call.customer, app: call.app, environment: environment, under: signer.terms)
        claims.nonce = call.query.nonce
        return try signer.sign(claims)
    }

    private func readManyEntitlements(
        _ call: OfApp<EnvironmentQuery, BulkQuestionBody>
    ) async throws -> BulkEntitlementsBody {
        guard call.body.customers.count <= BulkQuestionBody.most else {
            throw InvalidBody(member: "customers", reason: "names more than \(BulkQuestionBody.most)")
        }
        let customers = call.body.customers.map { CustomerID($0) }
        let answers = try await backend.entitlements(
            of: customers, app: call.app, environment: call.query.environment, at: call.body.at)
        return BulkEntitlementsBody(
            customers: zip(customers, answers).map { customer, answer in
                EntitlementsBody(answer, of: customer, environment: call.query.environment)
            })
    }

    private func listWarnings(_ call: OfApp<EnvironmentQuery, NoBody>) async throws -> WarningsBody {
        WarningsBody(try await backend.warnings(app: call.app, environment: call.query.environment))
    }

    private func checkReady(_ call: Call<NoPath, AnyQuery, NoBody>) async throws -> ReadyBody {
        try await backend.checkHealth()
        return ReadyBody(
            at: call.now, asksApple: backend.asksApple,
            notifications: IntakeCounters.Outcome.allCases.map { .init(outcome: $0.rawValue, count: backend.counters[$0]) })
    }
}
