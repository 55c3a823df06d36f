internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import ServiceLifecycle
internal import StrictJSON

/// Sends notifications while its service runs.
actor NotificationPoster: Service {
    private var client: HTTPClient?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// How long a receiver may take to answer.
    private static let timeout = TimeAmount.seconds(10)

    /// Holds the connections open until the service group stops.
    func run() async throws {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(5)
        // Fails at once where nobody listens; otherwise each attempt would take the five seconds.
        configuration.connectionPool.retryConnectionEstablishment = false
        try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            open(client)
            defer { self.client = nil }
            do {
                try await gracefulShutdown()
            } catch is CancellationError {
                return
            }
        }
    }

    /// Waits until the service runs; the server starts after that, so that no notification is lost at the start.
    func ready() async {
        guard client == nil else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func open(_ client: HTTPClient) {
        self.client = client
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// The body of a notification V2.
    static func body(signedPayload: String) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: signedPayload.utf8.count + 32)
        json.object { $0.member("signedPayload", signedPayload) }
        return json.bytes
    }

    /// One attempt; a failure is a result, not an error.
    func post(_ body: [UInt8], to url: String) async -> DeliveryResult {
        do {
            guard let response = try await ask(body, of: url) else { return .other }
            return (200...206).contains(response.status.code) ? .success : .unsuccessfulHTTPResponseCode
        } catch {
            return Self.result(of: error)
        }
    }

    /// The answer to a request, at most 64 KiB of it; where there is none to read, nil and the reason.
    func answer(
        to body: [UInt8], from url: String
    ) async -> (answer: (status: Int, body: [UInt8])?, result: DeliveryResult) {
        do {
            guard let response = try await ask(body, of: url) else { return (nil, .other) }
            let bytes = try await response.body.collect(upTo: 64 * 1024)
            return ((Int(response.status.code), Array(bytes.readableBytesView)), .success)
        } catch {
            return (nil, Self.result(of: error))
        }
    }

    private func ask(_ body: [UInt8], of url: String) async throws -> HTTPClientResponse? {
        guard let client else { return nil }
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: body))
        return try await client.execute(request, timeout: Self.timeout)
    }

    private static func result(of error: any Error) -> DeliveryResult {
        guard let error = error as? HTTPClientError else { return .noResponse }
        return switch error {
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded: .timedOut
        case .remoteConnectionClosed: .prematureClose
        default: .other
        }
    }
}
