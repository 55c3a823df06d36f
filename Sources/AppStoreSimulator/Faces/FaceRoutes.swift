internal import AppStoreModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Primitives
internal import ServiceLifecycle
internal import StrictJSON

/// The App Store's own faces over HTTP, for one environment: the services of `api.storekit.apple.com` and `buy.itunes.apple.com`,
/// or of their sandboxes.
struct FaceRoutes: Sendable {
    let simulator: AppStoreSimulator
    let environment: Primitives.Environment

    /// Apple's own limit is not known.
    private static let longestBody = 1024 * 1024

    func add(to router: Router<BasicRequestContext>) {
        router.on("/verifyReceipt", method: .post, use: verifyReceipt)
        // Status 21000: not a POST. The HTTP status is 200 all the same.
        router.on("/verifyReceipt", method: .get) { _, _ in
            FaceAnswer(json: AppStoreSimulator.status(21000)).response
        }
        for method in [HTTPRequest.Method.get, .post, .put, .delete] {
            router.on("/inApps/**", method: method, use: serverAPI)
        }
    }

    // MARK: App Store Server API

    @Sendable private func serverAPI(_ request: Request, _: BasicRequestContext) async throws -> Response {
        var call = AskedCall(face: .serverAPI, environment: environment, path: request.uri.path)
        call.endpoint = APIRoute(request.method.rawValue, Self.parts(of: request))?.endpoint
        call.bundleId = APIToken.claimedBundleId(authorization: request.headers[.authorization])
        let (fault, arrival) = await simulator.arrive(call)
        var answer = try await self.answer(request, under: fault, since: arrival)
        answer.retryAfter = await simulator.leave(call, status: answer.status, retryAt: answer.retryAt)
        return answer.response
    }

    private static func parts(of request: Request) -> [String] {
        request.uri.path.split(separator: "/").map { PercentEncoding.read($0) }
    }

    private func answer(
        _ request: Request, under fault: Fault.Kind?, since arrival: Timestamp
    ) async throws -> FaceAnswer {
        let (faulty, body) = try await before(fault, since: arrival, request, upTo: Self.longestBody)
        if let faulty { return faulty }
        if case .status(let code) = fault { return FaceAnswer(refusing: code) }
        let bundleId = await simulator.bundleId(authorizedBy: request.headers[.authorization])
        // Apple's answer has no body.
        guard let bundleId else { return FaceAnswer(status: 401) }
        var call = APICall(
            app: try await simulator.app(bundleId), environment: environment, method: request.method.rawValue,
            path: Self.parts(of: request), query: PercentEncoding.queryPairs(request.uri.query), body: body)
        call.isStale = fault == .stale
        let answer = FaceAnswer(await simulator.answer(call))
        return fault == .truncated ? answer.firstHalf : answer
    }

    // MARK: verifyReceipt

    @Sendable private func verifyReceipt(_ request: Request, _: BasicRequestContext) async throws -> Response {
        let call = AskedCall(face: .verifyReceipt, environment: environment, path: request.uri.path)
        let (fault, arrival) = await simulator.arrive(call)
        let (faulty, body) = try await before(fault, since: arrival, request, upTo: ReceiptRequest.longest)
        if var faulty {
            faulty.retryAfter = await simulator.leave(call, status: faulty.status, retryAt: faulty.retryAt)
            return faulty.response
        }
        if case .status(let code) = fault { return FaceAnswer(status: code).response }
        if case .receiptStatus(let status) = fault {
            // For internal errors Apple says whether they are temporary; here the last code is not.
            let isRetryable = (21100...21199).contains(status) ? status != 21199 : nil
            return FaceAnswer(json: AppStoreSimulator.status(status, isRetryable: isRetryable)).response
        }
        let json = try await simulator.verifyReceipt(body, at: environment, isStale: fault == .stale)
        let answer = FaceAnswer(json: json)
        return (fault == .truncated ? answer.firstHalf : answer).response
    }

    // MARK: Bad days

    private static let page = """
        <html><head><title>503 Service Unavailable</title></head><body><h1>Service Unavailable</h1></body></html>
        """

    /// No caller waits longer for an answer that never comes.
    private static let longestHang = Duration.seconds(3600)

    /// The faulty answer in place of the right one; nil where the right one follows, and then the request's body.
    private func before(
        _ fault: Fault.Kind?, since arrival: Timestamp, _ request: Request, upTo limit: Int
    ) async throws -> (answer: FaceAnswer?, body: [UInt8]) {
        switch fault {
        case .html: return (FaceAnswer(status: 200, type: "text/html;charset=UTF-8", body: Array(Self.page.utf8)), [])
        case .rateLimited(let wait):
            var answer = APIAnswer(APIError.rateLimited)
            answer.retryAt = await simulator.limitNow.adding(wait)
            return (FaceAnswer(answer), [])
        case .slow(let time):
            return (nil, try await body(of: request, upTo: limit) { try await Task.sleep(for: .milliseconds(time.count)) })
        case .slowOnClock(let time):
            let clock = simulator.clock
            return (nil, try await body(of: request, upTo: limit) { try await clock.reach(arrival.adding(time)) })
        case .timeout(let time):
            _ = try await body(of: request, upTo: limit) { try await Task.sleep(for: .milliseconds(time.count)) }
            return (FaceAnswer(status: 504), [])
        case .hang:
            _ = try await body(of: request, upTo: limit) { try await Task.sleep(for: Self.longestHang) }
            return (FaceAnswer(status: 504), [])
        case .status, .truncated, .receiptStatus, .stale, nil:
            var request = request
            return (nil, Array(try await request.collectBody(upTo: limit).readableBytesView))
        }
    }

    /// The request's body, after a wait that ends early, with an error, where the caller closes the connection or the store
    /// ends: callers that gave up must not hold the store's connections, nor its end.
    private func body(
        of request: Request, upTo limit: Int, after wait: @escaping @Sendable () async throws -> Void
    ) async throws -> [UInt8] {
        try await request.body.consumeWithCancellationOnInboundClose { body in
            let bytes = Array(try await body.collect(upTo: limit).readableBytesView)
            try await cancelWhenGracefulShutdown { try await wait() }
            return bytes
        }
    }
}

/// What a face answers, before a fault may still change it.
private struct FaceAnswer {
    let status: Int
    var type: String?
    var body: [UInt8] = []
    /// When to retry, and what `Retry-After` says.
    var retryAt: Timestamp?
    var retryAfter: String?

    init(status: Int, type: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.type = type
        self.body = body
    }

    /// A status, with the body that the App Store Server API has for an error of its own.
    init(refusing status: Int) {
        self.init(status: status)
        guard status == 500 else { return }
        self.init(APIAnswer(APIError.general))
    }

    init(json: [UInt8]) { self.init(status: 200, type: "application/json", body: json) }

    init(_ answer: APIAnswer) {
        // Exactly this type: Apple's Python library reads no error whose content type says anything more.
        self.init(status: answer.status, type: answer.json == nil ? nil : "application/json", body: answer.json ?? [])
        retryAt = answer.retryAt
    }

    var firstHalf: FaceAnswer {
        var half = self
        half.body = Array(body.prefix(body.count / 2))
        return half
    }

    var response: Response {
        var headers: HTTPFields = [:]
        if let type { headers[.contentType] = type }
        if let retryAfter { headers[.retryAfter] = retryAfter }
        return Response(
            status: .init(code: status), headers: headers,
            body: body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}

extension PercentEncoding {
    /// The most pairs of a query that are read.
    private static let mostPairs = 200

    /// Decodes a part of an address; what is not encoded correctly stays as it is.
    static func read(_ part: some StringProtocol) -> String { decode(Substring(part)) ?? String(part) }

    /// The names and values of a query, in which `+` is a space.
    static func queryPairs(_ query: String?) -> [(name: String, value: String)] {
        (query ?? "").split(separator: "&").prefix(mostPairs).map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? parts[1].replacing("+", with: " ") : ""
            return (read(parts[0]), read(value))
        }
    }
}
