import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import StrictJSON

/// Sends messages and queries, as a backend with the server key does; nothing is retried automatically.
struct ChaosClient: Sendable {
    /// The result of sending once.
    enum Answer: Sendable {
        case answered(status: Int, body: [UInt8], retryAfter: String?)
        /// Nobody listened: it was certainly not done.
        case notSent
        /// The connection ended or went silent: it may have been done.
        case unknown(String)
    }

    /// How long an answer may take; a slower server counts as hanging.
    static let timeout = Duration.seconds(10)
    /// The longest answer that is read, in bytes.
    private static let longestAnswer = 1 << 22

    private let client: HTTPClient

    private init() {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .seconds(5)
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Runs with a client, which is shut down at the end.
    static func with<Value>(_ body: (ChaosClient) async throws -> Value) async throws -> Value {
        let client = ChaosClient()
        do {
            let value = try await body(client)
            try await client.client.shutdown()
            return value
        } catch {
            try await client.client.shutdown()
            throw error
        }
    }

    /// - Parameter mark: an additional header field.
    func send(_ message: Message, to address: String, mark: (name: String, value: String)? = nil) async -> Answer {
        var request = HTTPClientRequest(url: address + message.path)
        if let mark { request.headers.add(name: mark.name, value: mark.value) }
        request.method = .RAW(value: message.method.rawValue)
        if !message.body.isEmpty { request.body = .bytes(message.body) }
        return await answer(to: request)
    }

    func get(_ path: String, from address: String, timeout: Duration = timeout) async -> Answer {
        await answer(to: HTTPClientRequest(url: address + path), timeout: timeout)
    }

    /// The JSON at a path.
    ///
    /// - Throws: `ChaosError` unless it is answered with 200.
    func json(_ path: String, from address: String) async throws -> JSONObject {
        let answer = await get(path, from: address)
        guard case .answered(200, let body, _) = answer, let object = try JSONDocument(body).root.object else {
            throw ChaosError("GET \(path): \(answer.words)")
        }
        return object
    }

    private func answer(to request: HTTPClientRequest, timeout: Duration = timeout) async -> Answer {
        var request = request
        request.headers.add(name: "Authorization", value: "Bearer \(TenureServer.serverKey)")
        do {
            let nanoseconds = timeout.components.seconds * 1_000_000_000 + timeout.components.attoseconds / 1_000_000_000
            let response = try await client.execute(request, timeout: .nanoseconds(nanoseconds))
            let body = try await response.body.collect(upTo: Self.longestAnswer)
            return .answered(
                status: Int(response.status.code), body: Array(body.readableBytesView),
                retryAfter: response.headers.first(name: "Retry-After"))
        } catch let error as IOError where error.errnoCode == ECONNREFUSED {
            return .notSent
        } catch let error as HTTPClientError where error == .connectTimeout {
            return .notSent
        } catch {
            return .unknown("\(error)")
        }
    }
}

extension ChaosClient.Answer {
    /// As text, for reports.
    var words: String {
        switch self {
        case .answered(let status, let body, _): "\(status) \(String(decoding: body.prefix(300), as: UTF8.self))"
        case .notSent: "nothing listened"
        case .unknown(let reason): "no answer: \(reason)"
        }
    }

    /// The result that the server states: `outcome`, or a problem's `code`; empty where it states none.
    var outcome: String {
        guard case .answered(_, let body, _) = self, !body.isEmpty else { return "" }
        do {
            let object = try JSONDocument(body).root.object
            return object?["outcome"]?.string ?? object?["code"]?.string ?? ""
        } catch {
            return "not JSON"
        }
    }
}
