import AppStoreWire
import Crypto
import Primitives
import SimulatorPKI
import Testing

/// The examples of the documentation, word for word: `TidyTests` checks that each of them is here, where they compile and run.
@Suite struct `Examples of the documentation` {
    let now = World.now
    let app = ReceiptWorld.app

    func receiveNotification(_ signedPayload: String) async {
        let verifier = AppStoreVerifier(roots: .apple)
        let app = ExpectedApp(bundleId: "com.example.app", appAppleId: 1_234_567_890, environments: [.production])

        switch await verifier.notification(signedPayload, for: app, at: now) {
        case .success(let verified):
            print(verified.notification.payload.notificationType, verified.transaction?.payload.expiresDate as Any)
        case .failure(let refusal):
            print(refusal.code, refusal.isRetryable)
        }
    }

    func readReceipt(_ receiptData: String, _ verifier: AppStoreVerifier) async throws {
        let der = try ReceiptEncoding.bytes(base64: receiptData.utf8).get()
        let receipt = try await verifier.appReceipt(der, for: app, at: now).get()
        for purchase in receipt.payload.inApp {
            print(purchase.productId, purchase.transactionId, purchase.expiresDate as Any)
        }
    }

    func readOldReceipt(_ propertyList: [UInt8], _ verifier: AppStoreVerifier) {
        switch verifier.transactionReceipt(propertyList, for: app, at: now) {
        case .success(.proved(let verified)):
            print(verified.payload.transactionId, verified.signer?.rootName as Any)
        case .success(.signatureOnly(let unproved)):
            print("nobody vouches for", unproved.leafName)
        case .failure(let refusal):
            print(refusal.code)
        }
    }

    func trustXcode(_ certificate: [UInt8]) -> AppStoreVerifier {
        let testing = AppStoreVerifier(roots: TrustRoots.apple.adding(xcodeCertificate: certificate))
        return testing
    }

    func readAnswer(_ body: [UInt8]) {
        let outcome = VerifyReceiptOutcome(httpStatus: 200, body: body, from: .production)
        switch outcome.meaning {
        case .answer(let answer), .expired(let answer):
            print(answer.bundleId, answer.purchases.count, answer.isComplete)
        case .wrongEnvironment(let host):
            print("ask", host.url)
        case .wrongSecret, .refused:
            print("useless to repeat")
        case .retry, .notAnAnswer:
            print("ask again later; nobody's time is shortened by this")
        }
    }

    func readHint(_ body: [UInt8], _ sharedSecret: String) throws {
        let hint = try NotificationV1Hint(body: body)
        if hint.hasPassword(equalTo: sharedSecret), let meaning = hint.meaning {
            print(meaning.certain?.notificationType as Any, meaning.candidates.count)
        }
    }

    func askApple(
        _ key: SigningKey, _ send: (String, String, String, [UInt8]?) async throws -> ServerAPIReply
    ) async throws {
        let call = try ServerAPICall.getAllSubscriptionStatuses(anyTransactionId: "2000000900000001")
        let token = try ServerAPIToken(key: key, bundleId: "com.example.app", issuedAt: now)
        let url = call.url(at: .production)
        let reply = try await send(call.method.rawValue, url, token.authorization, call.body)

        switch call.answer(to: reply, at: now) {
        case .success(let answer):
            print(answer.response.data.count, answer.rawBody.count)
        case .failure(let failure):
            print(failure.reason, failure.isRetryable, failure.retryAt as Any)
        }
    }

    func sign(_ p8: String, nonce: String, token: String) throws -> (String, PromotionalOfferSignatureV1) {
        let key = try SigningKey(pem: p8, keyId: "2X9R4HXF34", issuerId: "57246542-96fe-1a63-e053-0824d011072a")
        let signer = try OfferSigner(key: key, bundleId: "com.example.app")

        let offer = try signer.promotionalOffer(
            productId: "gold.monthly", offerIdentifier: "winter", transactionId: "2000000900000001", nonce: nonce, issuedAt: now)
        let old = try signer.promotionalOfferV1(
            productId: "gold.monthly", offerIdentifier: "winter", appAccountToken: token, nonce: nonce, timestamp: now)
        return (offer, old)
    }

    @Test func `the examples run`() async throws {
        await receiveNotification("no.jws.atAll")
        let world = try ReceiptWorld.sha256.get()
        let der = try world.signed { $0.purchase(ReceiptWorld.purchase()) }
        try await readReceipt(StrictBase64.encodePadded(der), world.verifier)
        readOldReceipt(Array("{}".utf8), world.verifier)
        #expect(trustXcode(world.authority.rootDER).roots.xcodeFingerprints.count == 1)
        readAnswer(Array(#"{"status":21199}"#.utf8))
        try readHint(Array(#"{"notification_type":"REFUND","environment":"PROD","password":"x"}"#.utf8), "x")
        let (jws, old) = try sign(Self.pem, nonce: "48ccfa42-7431-4f22-9908-7e88983e105a", token: "")
        let key = try SigningKey(pem: Self.pem, keyId: "2X9R4HXF34", issuerId: "57246542-96fe-1a63-e053-0824d011072a")
        #expect(key.publicKey.isValid(compactJWS: jws) && key.publicKey.isValid(old, bundleId: "com.example.app"))
        try await askApple(key) { method, url, authorization, body in
            #expect(method == "GET" && body == nil && authorization.hasPrefix("Bearer "))
            #expect(url == "https://api.storekit.apple.com/inApps/v1/subscriptions/2000000900000001")
            return ServerAPIReply(status: 401)
        }
    }

    private static let pem = P256.Signing.PrivateKey().pemRepresentation
}
