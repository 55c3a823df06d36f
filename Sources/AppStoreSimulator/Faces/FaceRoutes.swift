internal import AppStoreModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Primitives
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
        let fault = await simulator.strike(.serverAPI, path: request.uri.path, environment)
        if let answer = try await before(fault) { return answer.response }
        if case .status(let code) = fault { return FaceAnswer(refusing: code).response }
        let bundleId = await simulator.bundleId(authorizedBy: request.headers[.authorization])
        // Apple's answer has no body.
        guard let bundleId else { return Response(status: .unauthorized) }
        var request = request
        let body = try await request.collectBody(upTo: Self.longestBody)
        var call = APICall(
            app: try await simulator.app(bundleId), environment: environment, method: request.method.rawValue,
            path: request.uri.path.split(separator: "/").map { PercentEncoding.read($0) },
            query: PercentEncoding.queryPairs(request.uri.query), body: Array(body.readableBytesView))
        call.isStale = fault == .stale
        let answer = FaceAnswer(await simulator.answer(call))
        return (fault == .truncated ? answer.firstHalf : answer).response
    }

    // MARK: verifyReceipt

    @Sendable private func verifyReceipt(_ request: Request, _: BasicRequestContext) async throws -> Response {
        let fault = await simulator.strike(.verifyReceipt, path: request.uri.path, environment)
        if let answer = try await before(fault) { return answer.response }
        if case .status(let code) = fault { return FaceAnswer(status: code).response }
        if case .receiptStatus(let status) = fault {
            // For internal errors Apple says whether they are temporary; here the last code is not.
            let isRetryable = (21100...21199).contains(status) ? status != 21199 : nil
            return FaceAnswer(json: AppStoreSimulator.status(status, isRetryable: isRetryable)).response
        }
        var request = request
        let body = try await request.collectBody(upTo: ReceiptRequest.longest)
        let json = try await simulator.verifyReceipt(Array(body.readableBytesView), at: environment, isStale: fault == .stale)
        let answer = FaceAnswer(json: json)
        return (fault == .truncated ? answer.firstHalf : answer).response
    }

    // MARK: Bad days

    private static let page = """
        <html><head><title>503 Service Unavailable</title></head><body><h1>Service Unavailable</h1></body></html>
        """

    /// The faulty answer in place of the right one; nil where the right one follows.
    private func before(_ fault: Fault.Kind?) async throws -> FaceAnswer? {
        switch fault {
        case .html: return FaceAnswer(status: 200, type: "text/html;charset=UTF-8", body: Array(Self.page.utf8))
        case .rateLimited(let wait):
            var answer = APIAnswer(APIError.rateLimited)
            answer.retryAt = simulator.configuration.outsideTime().adding(wait)
            return FaceAnswer(answer)
        case .slow(let time):
            try await Task.sleep(for: .milliseconds(time.count))
            return nil
        case .timeout(let time):
            try await Task.sleep(for: .milliseconds(time.count))
            return FaceAnswer(status: 504)
        case .status, .truncated, .receiptStatus, .stale, nil: return nil
        }
    }
}

/// What a face answers, before a fault may still change it.
private struct FaceAnswer {
    let status: Int
    var type: String?
    var body: [UInt8] = []
    var retryAt: Timestamp?

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
        if let retryAt { headers[.retryAfter] = "\(retryAt.millisecondsSince1970)" }
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
