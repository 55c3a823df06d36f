import APIContract
import Backend
import HTTPTypes
import Hummingbird
import Ledger
import Logging
import NIOCore
import Primitives
import StrictJSON

/// The native API. Each handler decodes, makes one call to `Backend`, and encodes.
struct Routes<Context: RemoteAddressRequestContext>: Sendable {
    let backend: Backend
    let doorkeeper: Doorkeeper
    let maximumBodyBytes: Int
    let bodies: BodyBudget
    private let receipts = Turns<Uploader>()

    init(backend: Backend, doorkeeper: Doorkeeper, maximumBodyBytes: Int, bodies: BodyBudget) {
        (self.backend, self.doorkeeper, self.maximumBodyBytes, self.bodies) = (backend, doorkeeper, maximumBodyBytes, bodies)
    }

    private struct Uploader: Sendable, Hashable {
        let app: AppID
        let customer: CustomerID
    }

    private typealias Handler = @Sendable (Request, Context) async throws -> Response

    private var routes: [(method: HTTPRequest.Method, template: String, handler: Handler)] {
        [
            (.post, Route.notifications, receiveNotification), (.post, Route.transactions, upload),
            (.post, Route.receipts, uploadReceipt), (.get, Route.entitlements, entitlements),
            (.put, Route.appAccountToken, registerToken), (.get, Route.subscription, subscription),
            (.get, Route.warnings, warnings), (.get, Route.ready, ready),
            (.get, Route.live, { _, _ in .json(Array(#"{"status":"live"}"#.utf8)) }),
        ]
    }

    /// Each address with its one method; a GET answers HEAD too, and everything else is told what would be answered (RFC 9110,
    /// section 15.5.6).
    func add(to router: Router<Context>) {
        for route in routes {
            let allowed: [HTTPRequest.Method] = route.method == .get ? [.get, .head] : [route.method]
            router.on(RouterPath(route.template), method: route.method, use: route.handler)
            for method in Self.methods where !allowed.contains(method) {
                router.on(RouterPath(route.template), method: method) { _, _ -> Response in
                    throw MethodNotAllowed(allowed: allowed)
                }
            }
        }
    }

    private static var methods: [HTTPRequest.Method] {
        [.get, .head, .post, .put, .delete, .patch, .options, .trace, .connect]
    }

    /// Apple sends no credentials: the signature is the proof (B.1). 200 only after the commit, for duplicates too.
    private func receiveNotification(_ request: Request, _ context: Context) async throws -> Response {
        let app = try context.app()
        let takesV1 = try !backend.settings(of: app).sharedSecrets.isEmpty
        let longest = takesV1 ? max(maximumBodyBytes, ServerConfiguration.longestNotificationV1) : maximumBodyBytes
        let outcome = try await bodies.reading(request, upTo: longest) { try await backend.receiveNotification($0, app: app) }
        return .json(Array(#"{"outcome":"\#(outcome.rawValue)"}"#.utf8))
    }

    private func upload(_ request: Request, _ context: Context) async throws -> Response {
        let (app, customer) = (try context.app(), try context.customer())
        try doorkeeper.admit(request, from: context.remoteAddress, app: app, customer: customer, at: backend.now())
        try request.allowQuery()
        return try await bodies.reading(request, upTo: maximumBodyBytes) { bytes in
            let body = try Self.read(bytes, UploadBody.init(json:))
            let upload = Backend.Upload(
                customer: customer, kind: try Self.kind(body.kind), productId: body.productId.map { ProductID($0) },
                signedTransactionInfo: body.signedTransactionInfo, signedRenewalInfo: body.signedRenewalInfo,
                keepsIntents: body.intents)
            let result = try await backend.claim(upload, app: app)
            return .answer(AnswerMapping.answer(to: result, of: customer))
        }
    }

    private func uploadReceipt(_ request: Request, _ context: Context) async throws -> Response {
        let (app, customer) = (try context.app(), try context.customer())
        try doorkeeper.admit(request, from: context.remoteAddress, app: app, customer: customer, at: backend.now())
        try request.allowQuery()
        return try await receipts.alone(Uploader(app: app, customer: customer)) {
            try await bodies.reading(request, upTo: ReceiptUploadBody.longest) { bytes in
                let body = try Self.read(bytes, ReceiptUploadBody.init(json:))
                let results = try await backend.claim(
                    receipt: body.receipt, by: customer, try Self.kind(body.kind), app: app)
                return .json(AnswerMapping.json(of: results, customer: customer))
            }
        }
    }

    private static func kind(_ spelling: String) throws -> Claim.Kind {
        guard let kind = Claim.Kind(saidByClient: spelling) else {
            throw RequestError.invalidBody("kind is not purchase, queue or restore.")
        }
        return kind
    }

    private static func read<Body>(
        _ bytes: [UInt8], _ read: ([UInt8]) throws(UploadBody.Invalid) -> Body
    ) throws -> Body {
        do throws(UploadBody.Invalid) {
            return try read(bytes)
        } catch {
            throw RequestError.invalidBody("\(error.member ?? "The body") \(error.reason).")
        }
    }

    private func entitlements(_ request: Request, _ context: Context) async throws -> Response {
        let (app, customer) = (try context.app(), try context.customer())
        try doorkeeper.admit(request, from: context.remoteAddress, app: app, customer: customer, at: backend.now())
        try request.allowQuery("environment", "at")
        let environment = try request.environment()
        let answer = try await backend.entitlements(of: customer, app: app, environment: environment, at: try request.instant())
        return .json(AnswerMapping.body(of: answer, customer: customer, environment: environment).json)
    }

    private func registerToken(_ request: Request, _ context: Context) async throws -> Response {
        let (app, customer) = (try context.app(), try context.customer())
        try doorkeeper.admitBackend(request, from: context.remoteAddress, app: app, at: backend.now())
        try request.allowQuery("minted")
        guard let token = AppAccountToken(try context.segment("token")) else {
            throw RequestError.invalidParameter("token", reason: "is not a UUID")
        }
        try await backend.register(token, for: customer, isMinted: try request.flag("minted"), app: app)
        return Response(status: .noContent)
    }

    private func subscription(_ request: Request, _ context: Context) async throws -> Response {
        let app = try context.app()
        try doorkeeper.admitBackend(request, from: context.remoteAddress, app: app, at: backend.now())
        try request.allowQuery("environment", "at")
        let key = SubscriptionKey(
            app: app, environment: try request.environment(),
            originalTransactionId: OriginalTransactionID(try context.segment("originalTransactionId")))
        let at = try request.instant() ?? backend.now()
        return .json(SubscriptionBody(report: try await backend.subscription(key), at: at).json)
    }

    private func warnings(_ request: Request, _ context: Context) async throws -> Response {
        let app = try context.app()
        try doorkeeper.admitBackend(request, from: context.remoteAddress, app: app, at: backend.now())
        try request.allowQuery("environment")
        let warnings = try await backend.warnings(app: app, environment: try request.environment())
        return .json(AnswerMapping.json(of: warnings))
    }

    private func ready(_ request: Request, _ context: Context) async throws -> Response {
        try await backend.checkHealth()
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("status", "ready")
            writer.member("now", backend.now().millisecondsSince1970)
            // RECON-* are `later`: who waits for a renewal that no notification told of must know that nobody asks for it.
            writer.member("apple") { $0.object { $0.member("asks", false) } }
            writer.member("notifications") { writer in
                writer.object { writer in
                    for outcome in IntakeCounters.Outcome.allCases { writer.member(outcome.rawValue, backend.counters[outcome]) }
                }
            }
        }
        return .json(writer.bytes)
    }
}

extension RouterPath {
    /// Our templates are written once, in `Route`.
    fileprivate init(_ template: String) { self.init(stringLiteral: template) }
}

extension Response {
    static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static func problem(_ problem: Problem) -> Response {
        var headers: HTTPFields = [.contentType: Problem.mediaType]
        if problem.status == 401 { headers[.wwwAuthenticate] = "Bearer" }
        if let seconds = problem.retryAfterSeconds { headers[.retryAfter] = "\(seconds)" }
        return Response(
            status: .init(code: problem.status), headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: problem.json)))
    }

    fileprivate static func answer(_ answer: UploadAnswer) -> Response {
        switch answer {
        case .refused(let problem): return .problem(problem)
        case .accepted(let outcome, let key, let isOwner, let rule, let status):
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("outcome", outcome)
                writer.member("originalTransactionId", key.originalTransactionId.rawValue)
                writer.member("environment", key.environment.rawValue)
                writer.member("isOwner", isOwner)
                writer.optionalMember("rule", rule)
            }
            return .json(writer.bytes, status: .init(code: status))
        }
    }
}
