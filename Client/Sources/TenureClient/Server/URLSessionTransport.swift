public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Network)
    import Network
#endif

extension Tenure.Configuration {
    /// The server is asked by `URLSession`.
    ///
    /// - Throws: where the folder cannot be made.
    public init(
        server: URL, app: String, publicKey: String, store: any DeviceStore, folder: URL,
        customerToken: @escaping @Sendable (_ customer: String) async throws -> String = { _ in throw NoTokens() }
    ) throws {
        try self.init(
            server: server, app: app, publicKey: publicKey, store: store, folder: folder, transport: URLSessionTransport(),
            customerToken: customerToken)
    }
}

/// Requests by `URLSession`: the one file of the core that knows networking.
public struct URLSessionTransport: ServerTransport {
    private let session: URLSession

    /// Longer answers are none of the server's.
    static let longestBody = 4 * 1024 * 1024

    /// A session of its own: 20 seconds for an answer to go on, 60 for all of it, no cache and no cookies.
    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 20
        configuration.timeoutIntervalForResource = 60
        // An answer about access is never an old one, and nothing of it is written to a disk of the system's.
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        session = URLSession(configuration: configuration)
    }

    /// One answer, complete, of 4 MiB at most.
    ///
    /// - Throws: `URLError`.
    public func send(_ request: ServerRequest) async throws -> ServerResponse {
        var asked = URLRequest(url: request.url)
        asked.httpMethod = request.method
        asked.httpBody = request.body
        for (name, value) in request.headers { asked.setValue(value, forHTTPHeaderField: name) }
        let (body, response) = try await answer(to: asked)
        guard let response = response as? HTTPURLResponse, body.count <= Self.longestBody else {
            throw URLError(.badServerResponse)
        }
        let headers = response.allHeaderFields.compactMap { name, value in
            (name as? String).flatMap { name in (value as? String).map { (name, $0) } }
        }
        return ServerResponse(
            status: response.statusCode, headers: Dictionary(headers) { first, _ in first }, body: body)
    }

    /// Each time that the system has a way to the network again after it had none; none where there is no Network framework.
    ///
    /// Source: Apple, `NWPathMonitor`.
    public func reconnections() -> AsyncStream<Void> {
        #if canImport(Network)
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let monitor = NWPathMonitor()
                let path = LastPath()
                monitor.pathUpdateHandler = { if path.isBack($0.status == .satisfied) { continuation.yield() } }
                continuation.onTermination = { _ in monitor.cancel() }
                monitor.start(queue: DispatchQueue(label: "tenure.network"))
            }
        #else
            AsyncStream { $0.finish() }
        #endif
    }

    /// Not ended where the task is cancelled that waits for it: the server may have what was sent, and its answer says so. (On
    /// Linux cancelling at the moment in which the answer comes would stop both threads for good: `URLSession.data(for:)` takes
    /// the lock of the task and that of the session, its cancellation the other way round.)
    private func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
        try await withCheckedThrowingContinuation { continuation in
            session.dataTask(with: request) { body, response, error in
                if let body, let response, error == nil {
                    continuation.resume(returning: (body, response))
                } else {
                    continuation.resume(throwing: error ?? URLError(.badServerResponse))
                }
            }.resume()
        }
    }
}
