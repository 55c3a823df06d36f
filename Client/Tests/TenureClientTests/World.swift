import Foundation

@testable import TenureClient

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// A server that keeps what it is sent, exactly once, and answers as the real one does in the parts that a device sees.
///
/// What it knows of the protocol was written from docs/openapi.json; the same client is played against a real server elsewhere.
actor PretendServer: ServerTransport {
    /// A transaction as it was kept: the first upload of it counts.
    struct Fact: Sendable, Hashable {
        let customer: String
        let kind: String
    }

    private var signedDates: [String: Int64] = [:]

    private(set) var facts: [String: Fact] = [:]
    /// How often each was sent.
    private(set) var sent: [String: Int] = [:]
    private(set) var finishedTooEarly: [String] = []
    private(set) var secrets: [String: String] = [:]
    private(set) var merged: [String: String] = [:]
    /// Requests whose credentials were not of the customer of the path.
    private(set) var impostors: [String] = []
    private(set) var asked: [String] = []
    private let clock: TestClock
    /// What is answered in place of everything.
    private var disturbance: (@Sendable (ServerRequest) throws -> ServerResponse?)?
    private var refusals: [String: ServerResponse] = [:]
    private var refunded: Set<String> = []
    private var signer: P256.Signing.PrivateKey?
    private(set) var signed: [String] = []
    var grants: [String: Int64] = [:]

    init(_ clock: TestClock, signer: P256.Signing.PrivateKey? = nil) { (self.clock, self.signer) = (clock, signer) }

    func disturb(_ disturbance: (@Sendable (ServerRequest) throws -> ServerResponse?)?) { self.disturbance = disturbance }
    func refuse(_ transactionId: String, with response: ServerResponse?) { refusals[transactionId] = response }
    func give(_ customer: String, until end: Int64) { grants[customer] = end }
    func sign(by key: P256.Signing.PrivateKey) { signer = key }
    func refund(_ transactionId: String) { refunded.insert(transactionId) }
    /// By customer, each text once.
    private(set) var appTransactions: [String: [String]] = [:]
    /// Of each customer: how it came, and the receipt.
    private(set) var receipts: [String: [String]] = [:]

    private var gate: Gate?
    /// No answer to what comes by the store's queue until the gate is opened.
    func close(_ gate: Gate) { self.gate = gate }

    /// For which token each offer was signed.
    private(set) var offersSignedFor: [String] = []

    func has(_ transactionId: String) -> Bool { facts[transactionId] != nil }

    nonisolated let (returns, network) = AsyncStream.makeStream(of: Void.self)
    nonisolated func reconnections() -> AsyncStream<Void> { returns }

    func send(_ request: ServerRequest) async throws -> ServerResponse {
        if let answer = try disturbance?(request) { return answer }
        let parts = request.url.path.split(separator: "/").map(String.init)
        // api v1 apps {app} customers {customer} {operation…}
        let (customer, operation) = (parts[5], parts.dropFirst(6).joined(separator: "/"))
        asked.append("\(request.method) \(customer) \(operation)")
        if operation != "device", !isFrom(customer, request) {
            impostors.append("\(customer) \(operation)")
            return Self.problem(401, "customerTokenRefused")
        }
        let body = try request.body.map { try JSONSerialization.jsonObject(with: $0) as? [String: Any] ?? [:] } ?? [:]
        switch operation {
        case "device":
            secrets[customer] = body["secret"] as? String
            return ServerResponse(status: 204)
        case "identify":
            guard let former = body["anonymous"] as? String, secrets[former] == body["deviceSecret"] as? String else {
                return Self.problem(403, "deviceRefused")
            }
            merged[former] = customer
            return ServerResponse(status: 204)
        case "appAccountToken": return try Self.json(["appAccountToken": Self.token(of: customer).uuidString])
        case "transactions": return try await upload(body, of: customer)
        case "appTransactions":
            guard let text = body["signedAppTransaction"] as? String else { return Self.problem(400, "invalidBody") }
            if let refusal = refusals[text] { return refusal }
            if appTransactions[customer]?.contains(text) != true { appTransactions[customer, default: []].append(text) }
            return try Self.json(["originalPurchaseDate": 0, "environment": "Production", "shownAt": clock.truth])
        case "receipts":
            guard let receipt = body["receipt"] as? String, let kind = body["kind"] as? String, body["intents"] as? Bool == true
            else {
                return Self.problem(400, "invalidBody")
            }
            receipts[customer, default: []].append("\(kind) \(receipt)")
            return try Self.json(["results": [[String: Any]]()])
        case "intents": return intent(of: customer)
        case "offers/promotional":
            guard body["form"] as? String == "v1", let token = body["appAccountToken"] as? String, token == token.lowercased()
            else { return Self.problem(400, "invalidBody") }
            offersSignedFor.append(token)
            return try Self.json([
                "issued": ["keyId": "KEY", "nonce": "3f2b8a4e-1c5d-4e6f-8a9b-0c1d2e3f4a5b", "issuedAt": clock.truth],
                "signature": Data("signed".utf8).base64EncodedString(),
            ])
        case "entitlements": return try Self.json(entitlements(of: customer))
        case "entitlements/signed": return signedAnswer(of: customer, request)
        default: return Self.problem(404, "unknownPath")
        }
    }

    private func isFrom(_ customer: String, _ request: ServerRequest) -> Bool {
        if let secret = secrets[customer] { return request.headers["Tenure-Device-Secret"] == secret }
        return request.headers["Tenure-Customer-Token"] == "token-of-\(customer)"
    }

    private func upload(_ body: [String: Any], of customer: String) async throws -> ServerResponse {
        guard let text = (body["signedTransactionInfo"] as? String).flatMap(TransactionText.init(signed:)),
            let kind = body["kind"] as? String, body["intents"] as? Bool == true
        else { return Self.problem(400, "invalidBody") }
        sent[text.transactionId, default: 0] += 1
        if kind == "queue" { await gate?.pass() }
        if let refusal = refusals[text.transactionId] { return refusal }
        signedDates[text.transactionId] = text.signedDate == 0 ? clock.truth : text.signedDate
        if facts[text.transactionId] == nil { facts[text.transactionId] = Fact(customer: customer, kind: kind) }
        return try Self.json([
            "outcome": "bound", "originalTransactionId": text.transactionId, "environment": "Production",
            "isOwner": owner(of: text.transactionId) == person(customer),
        ])
    }

    private func intent(of customer: String) -> ServerResponse {
        let answer: [String: Any] = [
            "answer": "yes", "words": "", "productId": "plus", "at": 0, "appAccountToken": Self.token(of: customer).uuidString,
        ]
        do {
            return try Self.json(answer)
        } catch {
            return ServerResponse(status: 500)
        }
    }

    static func token(of customer: String) -> UUID {
        var bytes = Array(SHA256.hash(data: Data(customer.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { NSUUID(uuidBytes: $0.bindMemory(to: UInt8.self).baseAddress!) as UUID }
    }

    private func person(_ customer: String) -> String { merged[customer] ?? customer }
    private func owner(of transactionId: String) -> String? { facts[transactionId].map { person($0.customer) } }

    /// Every transaction is a month from when it was signed.
    private func entitlements(of customer: String) -> [String: Any] {
        let now = clock.truth
        let ends = facts.keys.filter { owner(of: $0) == person(customer) && !refunded.contains($0) }
            .compactMap { signedDates[$0] }.map { $0 + 30 * Length.day }
        let end = (ends + [grants[customer]].compactMap { $0 }).max()
        let isActive = end.map { $0 > now } ?? false
        let start: Any = end.map { $0 - 30 * Length.day } ?? NSNull()
        let window: [String: Any] = ["isActive": isActive, "start": start, "end": end ?? NSNull(), "nextChangeDate": NSNull()]
        let plus = window.merging(["id": "plus", "isProvisional": false, "renews": true]) { $1 }
        return window.merging(["customer": customer, "environment": "Production", "at": now, "entitlements": [plus]]) { $1 }
    }

    private func signedAnswer(of customer: String, _ request: ServerRequest) -> ServerResponse {
        guard let signer else { return Self.problem(404, "signingNotConfigured") }
        let query = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        var claims = entitlements(of: customer)
        let now = clock.truth
        let offline: Any = ((claims["end"] as? Int64).map { min($0 + Length.day, now + 3 * Length.day) }) ?? NSNull()
        claims["offlineUntil"] = offline
        var plus = (claims["entitlements"] as? [[String: Any]])?.first ?? [:]
        plus["offlineUntil"] = offline
        claims["entitlements"] = [plus]
        claims.merge(
            [
                "iss": "tenure", "aud": "notes", "sub": customer, "iat": now / 1000, "exp": (now + 3 * Length.day) / 1000,
                "nonce": query.first { $0.name == "nonce" }?.value ?? "",
            ]
        ) { $1 }
        do {
            let compact = try JWS.sign(try JSONSerialization.data(withJSONObject: claims), by: signer)
            signed.append(compact)
            return ServerResponse(status: 200, headers: ["Content-Type": "application/jose"], body: Data(compact.utf8))
        } catch {
            return ServerResponse(status: 500)
        }
    }

    static func problem(_ status: Int, _ code: String, _ headers: [String: String] = [:]) -> ServerResponse {
        ServerResponse(
            status: status, headers: headers,
            body: Data(#"{"type":"about:blank","title":"x","status":\#(status),"code":"\#(code)"}"#.utf8))
    }

    private static func json(_ object: [String: Any]) throws -> ServerResponse {
        ServerResponse(
            status: 200, headers: ["Content-Type": "application/json"], body: try JSONSerialization.data(withJSONObject: object))
    }
}

/// Holds who comes until it is opened.
actor Gate {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isOpen = false

    func pass() async {
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    func open() {
        isOpen = true
        for one in waiting { one.resume() }
        waiting = []
    }
}

/// Signed texts as tests need them.
enum JWS {
    static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    static func sign(
        _ payload: Data, by key: P256.Signing.PrivateKey, header: String? = nil
    ) throws -> String {
        let header = header ?? #"{"alg":"ES256","kid":"\#(kid(key.publicKey))","typ":"JWT"}"#
        let signed = "\(base64URL(Data(header.utf8))).\(base64URL(payload))"
        return "\(signed).\(base64URL(try key.signature(for: Data(signed.utf8)).rawRepresentation))"
    }

    static func kid(_ key: P256.Signing.PublicKey) -> String { base64URL(Data(SHA256.hash(data: key.rawRepresentation))) }

    static func set(_ keys: [P256.Signing.PublicKey]) -> Data {
        let all = keys.map { key in
            let (x, y) = (base64URL(key.rawRepresentation.prefix(32)), base64URL(key.rawRepresentation.suffix(32)))
            return #"{"kty":"EC","crv":"P-256","alg":"ES256","use":"sig","kid":"\#(kid(key))","x":"\#(x)","y":"\#(y)"}"#
        }
        return Data("{\"keys\":[\(all.joined(separator: ","))]}".utf8)
    }
}

/// A clock that a test sets.
final class TestClock: DeviceClock, @unchecked Sendable {
    private let lock = NSLock()
    private var device = Device(offset: 0)

    var truth: Int64 { lock.withLock { device.truth } }
    func read() -> ClockReading { lock.withLock { device.reading } }
    func change(_ body: (inout Device) -> Void) { lock.withLock { body(&device) } }
    func pass(_ milliseconds: Int64) { change { $0.truth += milliseconds } }
}

/// The App Store of one Apple Account, which outlasts the app's process.
actor TestStore: DeviceStore {
    private let clock: TestClock
    private var unfinishedOnes: [String: StoreTransaction] = [:]
    private(set) var finished: [String] = []
    private(set) var tokens: [String: UUID] = [:]
    /// Every transaction that there is.
    private(set) var made: [String] = []
    private var next: Int
    private var stream: AsyncStream<StoreTransaction>.Continuation?
    /// Asked before each transaction is finished.
    private let mayFinish: @Sendable (String) async -> Bool
    private(set) var finishedTooEarly: [String] = []
    private var answer: StorePurchase?

    init(_ clock: TestClock, from first: Int = 1000, mayFinish: @escaping @Sendable (String) async -> Bool = { _ in true }) {
        (self.clock, next, self.mayFinish) = (clock, first, mayFinish)
    }

    func answer(_ answer: StorePurchase?) { self.answer = answer }
    /// With which offer each purchase was made.
    private(set) var offers: [SignedOffer?] = []

    nonisolated func deliveries() -> AsyncStream<StoreTransaction> {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreTransaction.self)
        Task { await self.listen(continuation) }
        return stream
    }

    private func listen(_ continuation: AsyncStream<StoreTransaction>.Continuation) { stream = continuation }

    nonisolated let (promotions, promoter) = AsyncStream.makeStream(of: String.self)
    nonisolated let (theHints, hinter) = AsyncStream.makeStream(of: Void.self)
    nonisolated func promoted() -> AsyncStream<String> { promotions }
    nonisolated func hints() -> AsyncStream<Void> { theHints }

    private var sold: Set<String> = ["plus"]
    func sell(_ ids: Set<String>) { sold = ids }

    func products(_ ids: [String]) throws -> [StoreProduct] {
        ids.reversed().filter(sold.contains).map { StoreProduct(id: $0, displayName: $0, displayPrice: "€9.99") }
    }

    func unfinished() -> [StoreTransaction] { unfinishedOnes.sorted { $0.key < $1.key }.map(\.value) }
    func latest() -> [StoreTransaction] { all }
    func signedAppTransaction() -> String? { signedApp }
    func receipt() -> Data? { theReceipt }
    func synchronize() { synchronized += 1 }

    func refreshReceipt() -> Data? {
        refreshed += 1
        theReceipt = receiptAtApple
        return theReceipt
    }

    private var all: [StoreTransaction] = []
    private var signedApp: String?
    private var theReceipt: Data?
    private var receiptAtApple: Data?
    private(set) var refreshed = 0
    private var synchronized = 0
    var askedForPassword: Int { refreshed + synchronized }

    func hasApp(signed: String?, receipt: Data? = nil, atApple: Data? = nil) {
        (signedApp, theReceipt, receiptAtApple) = (signed, receipt, atApple)
    }

    func purchase(_ productId: String, appAccountToken: UUID?, offer: SignedOffer?) throws -> StorePurchase {
        guard sold.contains(productId) else { throw TenureProblem.noProducts([productId]) }
        offers.append(offer)
        if let answer { return answer }
        return .bought(make(productId, appAccountToken))
    }

    /// A transaction that comes by the queue: a renewal, or another device.
    func renew(_ productId: String, appAccountToken: UUID? = nil) -> StoreTransaction {
        let transaction = make(productId, appAccountToken)
        stream?.yield(transaction)
        return transaction
    }

    private func make(_ productId: String, _ token: UUID?) -> StoreTransaction {
        next += 1
        let id = "\(next)"
        let date = clock.truth
        let bears = token.map { #","appAccountToken":"\#($0.uuidString.lowercased())""# } ?? ""
        let payload =
            #"{"transactionId":"\#(id)","signedDate":\#(date),"productId":"\#(productId)","environment":"Production"\#(bears)}"#
        let transaction = StoreTransaction(
            signedTransactionInfo: "e30.\(JWS.base64URL(Data(payload.utf8))).c2ln")
        unfinishedOnes[id] = transaction
        tokens[id] = token
        made.append(id)
        all.append(transaction)
        return transaction
    }

    func finish(_ transaction: StoreTransaction) async {
        guard let text = TransactionText(signed: transaction.signedTransactionInfo) else { return }
        if await !mayFinish(text.transactionId) { finishedTooEarly.append(text.transactionId) }
        unfinishedOnes[text.transactionId] = nil
        finished.append(text.transactionId)
    }
}

/// How much is played: a part of it, unless `TENURE_CLIENT_FULL` is set, as `make client-full` does.
enum Size {
    static let isFull = ProcessInfo.processInfo.environment["TENURE_CLIENT_FULL"] == "1"

    /// A line that `scripts/client-full` reads.
    static func figure(_ id: String, _ words: String) { print("\nfigure \(id): \(words)\n", terminator: "") }
}

/// One device, with a folder that outlasts the app's process.
struct DeviceWorld {
    let clock = TestClock()
    let server: PretendServer
    let store: TestStore
    let folder: URL
    let signer: P256.Signing.PrivateKey?
    var keys = AnswerKeys.none
    var signedOnly = false

    init(first: Int = 1000, signs: Bool = false) throws {
        signer = signs ? P256.Signing.PrivateKey() : nil
        let server = PretendServer(clock, signer: signer)
        self.server = server
        store = TestStore(clock, from: first) { await server.has($0) }
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tenure-client-\(UUID().uuidString)")
        if let signer { keys = try AnswerKeys(jwks: JWS.set([signer.publicKey])) }
    }

    /// A process of the app.
    func launch(
        _ files: any FileOperations = SystemFiles(), through transport: (any ServerTransport)? = nil
    ) throws -> Tenure {
        var configuration = try Tenure.Configuration(
            server: URL(string: "https://tenure.example.com")!, app: "notes", publicKey: "pk", store: store, folder: folder,
            customerToken: { "token-of-\($0)" })
        configuration.transport = transport ?? server
        configuration.clock = clock
        configuration.answerKeys = keys
        configuration.signedOnly = signedOnly
        configuration.files = files
        configuration.keep = FileKeep(try Folder(folder.appendingPathComponent("state"), files))
        // Nothing happens in the background but what a test calls for.
        configuration.sleep = { _ in try await Task.sleep(nanoseconds: 3_600_000_000_000) }
        return try Tenure(configuration)
    }

    /// A key of a server's.
    static func key() -> P256.Signing.PrivateKey { P256.Signing.PrivateKey() }

    func remove() throws { try FileManager.default.removeItem(at: folder) }
}
