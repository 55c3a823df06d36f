internal import Primitives
internal import StrictJSON

/// The type that a successful answer of the App Store Server API is decoded to.
///
/// Apple documents every field as one that may be missing. Here a field is optional unless the answer is meaningless without it:
/// an answer without its transactions or without `hasMore` does not mean that there are none, and is refused.
public protocol ServerAPIResponse: Decodable, Sendable, Hashable {
    /// What an empty body means; nil where there must be one.
    static var ofEmptyBody: Self? { get }
}

extension ServerAPIResponse {
    /// There must be a body.
    public static var ofEmptyBody: Self? { nil }
}

/// The answer of an endpoint that only reports success.
public struct NoResponseBody: ServerAPIResponse {
    /// The only value.
    public init() {}

    /// Reads any object.
    public init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: NoKey.self) }

    /// Apple sends an empty body.
    public static var ofEmptyBody: NoResponseBody? { NoResponseBody() }

    private enum NoKey: CodingKey {}
}

/// The answer of an endpoint whose fields Apple's pages do not list: an object, to be read from ``ServerAPIAnswer/rawBody``.
public struct UnlistedResponseBody: ServerAPIResponse {
    /// Reads any object.
    public init(from decoder: any Decoder) throws { _ = try NoResponseBody(from: decoder) }
}

/// One call of the App Store Server API, ready to be sent: everything but the host, the token and the network.
///
/// ```swift
/// let call = try ServerAPICall.getTransactionInfo(transactionId: "2000000900000001")
/// // GET {host}{call.target}, Authorization: Bearer {token}, Accept: {call.accept}
/// let answer = call.answer(to: ServerAPIReply(status: 200, headers: headers, body: body), at: now)
/// ```
/// The calls are static functions named after Apple's endpoints; each checks what Apple documents before anything is sent and
/// throws ``ServerAPIRequestError``.
///
/// Source: Apple, App Store Server API.
public struct ServerAPICall<Response: ServerAPIResponse>: Sendable, Hashable {
    /// What is called.
    public let endpoint: ServerAPIEndpoint
    /// The path with its segments percent-encoded; begins with a slash.
    public let path: String
    /// Names and values of the query, not encoded, always in the same order.
    public let queryItems: [ServerAPIQueryItem]
    /// The body; nil: none.
    public let body: [UInt8]?
    /// The media type of ``body``; nil where there is none.
    public let contentType: String?

    /// The media type that may be answered.
    public var accept: String { "application/json" }

    /// The HTTP method: `GET` and so on.
    public var method: ServerAPIEndpoint.Method { endpoint.method }

    /// Path and query, percent-encoded: what follows the host.
    public var target: String {
        guard !queryItems.isEmpty else { return path }
        let pairs = queryItems.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }
        return path + "?" + pairs.joined(separator: "&")
    }

    /// The complete URL at a host.
    public func url(at host: ServerAPIHost) -> String { host.baseURL + target }
}

/// One name of a query and its value, not encoded.
public struct ServerAPIQueryItem: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The value.
    public let value: String

    /// Any name and value.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

extension ServerAPICall {
    init(
        _ endpoint: ServerAPIEndpoint, _ segments: [String] = [], query: [ServerAPIQueryItem] = []
    ) throws(ServerAPIRequestError) {
        self.endpoint = endpoint
        path = try endpoint.path(segments)
        queryItems = query
        body = nil
        contentType = nil
    }

    init(
        _ endpoint: ServerAPIEndpoint, _ segments: [String] = [], query: [ServerAPIQueryItem] = [],
        body: some LimitedBody & Encodable
    ) throws(ServerAPIRequestError) {
        self.endpoint = endpoint
        path = try endpoint.path(segments)
        queryItems = query
        self.body = try body.checkedJSON()
        contentType = "application/json"
    }

    init(
        _ endpoint: ServerAPIEndpoint, _ segments: [String], query: [ServerAPIQueryItem], png: [UInt8]
    ) throws(ServerAPIRequestError) {
        self.endpoint = endpoint
        path = try endpoint.path(segments)
        queryItems = query
        body = png
        contentType = "image/png"
    }
}

extension LimitedBody where Self: Encodable {
    /// The body as JSON, after its limits were checked.
    func checkedJSON() throws(ServerAPIRequestError) -> [UInt8] {
        try check(FieldLimits())
        do throws(JSONCodingError) {
            return try StrictJSONEncoder().encode(self)
        } catch {
            throw ServerAPIRequestError(.notEncodable, error.path)
        }
    }
}

extension [ServerAPIQueryItem] {
    /// One item, or none where there is no value.
    static func optional(_ name: String, _ value: String?) -> Self {
        value.map { [ServerAPIQueryItem(name: name, value: $0)] } ?? []
    }
}
