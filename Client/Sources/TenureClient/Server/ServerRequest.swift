public import Foundation

/// A request to the server.
public struct ServerRequest: Sendable, Hashable {
    /// `GET`, `POST` or `PUT`.
    public var method: String
    /// The whole address, with its query.
    public var url: URL
    /// Header fields by name.
    public var headers: [String: String]
    /// JSON; nil where there is no body.
    public var body: Data?

    /// - Parameters:
    ///   - method: `GET`, `POST` or `PUT`.
    ///   - url: the whole address, with its query.
    ///   - headers: header fields by name.
    ///   - body: JSON; nil: none.
    public init(method: String, url: URL, headers: [String: String] = [:], body: Data? = nil) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }
}

/// What came back, from the server or from whatever stands between.
public struct ServerResponse: Sendable, Hashable {
    /// The HTTP status, such as 200.
    public var status: Int
    /// Names in small letters.
    public var headers: [String: String]
    /// The whole body; empty where there is none.
    public var body: Data

    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - headers: names in any letters; of several that differ in case alone, one counts.
    ///   - body: the whole body; empty where there is none.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        (self.status, self.body) = (status, body)
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    }

    /// The stable code of a problem of the server's; nil where the body is none.
    ///
    /// Source: RFC 9457; `Problem` in the server's OpenAPI document.
    var problemCode: String? { decoded(Problem.self)?.code }

    /// Whom a subscription serves that was refused, masked; nil where the problem does not say.
    var problemHint: String? { decoded(Problem.self)?.hint }

    /// Whether the body is the server's answer to an upload.
    var isUploadAnswer: Bool { decoded(UploadAnswer.self) != nil }

    /// In seconds, one hour at most; nil where the header is not there, or is a date.
    var retryAfter: Int64? { headers["retry-after"].flatMap { Int64($0) }.map { min(max($0, 0), 3600) } }

    /// Nil where the body is not that.
    func decoded<Value: Decodable>(_: Value.Type) -> Value? {
        do {
            return try JSONDecoder().decode(Value.self, from: body)
        } catch {
            return nil
        }
    }

    private struct Problem: Decodable {
        let code: String
        let hint: String?
    }
}

/// Source: `UploadAnswer` in the server's OpenAPI document.
struct UploadAnswer: Sendable, Hashable, Decodable {
    let outcome: String
    let originalTransactionId: String
    let environment: String
    let isOwner: Bool
}

/// Sends requests. One answer comes back, complete, or an error is thrown; nothing is tried again here, and nothing is cached.
public protocol ServerTransport: Sendable {
    /// Sends one request.
    ///
    /// - Returns: whatever came back, complete, with any status.
    /// - Throws: where nothing came back, or only a part; what is thrown is written to the problems and looked at by nobody.
    func send(_ request: ServerRequest) async throws -> ServerResponse

    /// The network came back: what waits is sent at once, and the server is asked. Nothing by itself where it is not known.
    func reconnections() -> AsyncStream<Void>
}

extension ServerTransport {
    /// None: what waits is sent when it is due.
    public func reconnections() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
}
