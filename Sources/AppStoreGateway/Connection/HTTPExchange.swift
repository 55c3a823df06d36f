internal import AppStoreWire
internal import AsyncHTTPClient
internal import Backend
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Primitives

/// An HTTP answer, read no further than was asked for.
struct HTTPAnswer: Sendable {
    let status: Int
    let headers: [ServerAPIReply.Header]
    /// Longer than the limit if the whole body is; how much longer means nothing.
    let body: [UInt8]
    let date: AppleDate?
}

/// One request, one answer: the limits of time and size, and what went wrong as a value.
struct HTTPExchange: Sendable {
    private let client: HTTPClient
    private let inquiry: CertificateInquiry
    private let configuration: GatewayConfiguration
    private let now: @Sendable () -> Timestamp

    /// - Throws: ``GatewayConfigurationError``.
    init(_ configuration: GatewayConfiguration, now: @escaping @Sendable () -> Timestamp) throws(GatewayConfigurationError) {
        let tls = try Self.tls(configuration)
        var settings = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .init(configuration.connectTimeout), read: .init(configuration.readTimeout)),
            connectionPool: .init(
                idleTimeout: .init(configuration.idleTimeout),
                concurrentHTTP1ConnectionsPerHostSoftLimit: max(1, configuration.connectionsPerHost)),
            // A body is never unpacked: its limit counts the bytes that arrive.
            proxy: nil, decompression: .disabled)
        settings.httpVersion = .http1Only
        // The breaker decides when a host that cannot be reached is tried again. Without this, each call would take the whole
        // connect time-out to learn that nobody listens.
        settings.connectionPool.retryConnectionEstablishment = false
        inquiry = try CertificateInquiry(tls, configuration)
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
        self.configuration = configuration
        self.now = now
    }

    /// Ends what is on its way and closes the connections.
    func shutdown() async throws { try await client.shutdown() }

    private static func tls(_ configuration: GatewayConfiguration) throws(GatewayConfigurationError) -> TLSConfiguration {
        var roots: [NIOSSLCertificate] = []
        for (place, bytes) in configuration.additionalRoots.enumerated() {
            do {
                if bytes.starts(with: Array("-----BEGIN".utf8)) {
                    roots += try NIOSSLCertificate.fromPEMBytes(bytes)
                } else {
                    roots.append(try NIOSSLCertificate(bytes: bytes, format: .der))
                }
            } catch {
                throw .rootUnreadable(place)
            }
        }
        // The system's roots, and the certificate must be one for the host's name.
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.additionalTrustRoots = roots.isEmpty ? [] : [.certificates(roots)]
        return tls
    }

    /// Sends a request and reads its answer.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - address: where it goes.
    ///   - limit: of a longer body, not much more is read than this, and the connection is closed.
    func answer(
        to request: HTTPClientRequest, at address: GatewayAddress, limit: Int
    ) async -> Result<HTTPAnswer, GatewayFailure> {
        // The client's own deadline ends with the head of the answer; a body could drip on.
        await withTaskGroup(of: Result<HTTPAnswer, GatewayFailure>.self) { group in
            group.addTask { await attempt(request, at: address, limit: limit) }
            group.addTask { await deadline() }
            let first = await group.next() ?? .failure(.cancelled)
            group.cancelAll()
            return first
        }
    }

    private func deadline() async -> Result<HTTPAnswer, GatewayFailure> {
        do {
            try await Task.sleep(for: .milliseconds(configuration.deadline.count))
            return .failure(.network(.deadlineExceeded))
        } catch {
            return .failure(.cancelled)
        }
    }

    private func attempt(
        _ request: HTTPClientRequest, at address: GatewayAddress, limit: Int
    ) async -> Result<HTTPAnswer, GatewayFailure> {
        do {
            let response = try await client.execute(request, timeout: .init(configuration.deadline))
            let heardAt = now()
            let date = HTTPDate.instant(response.headers.first(name: "date"))
            return .success(
                HTTPAnswer(
                    status: Int(response.status.code),
                    headers: response.headers.map { ServerAPIReply.Header(name: $0.name, value: $0.value) },
                    body: try await Self.bytes(of: response.body, limit: limit),
                    date: date.map { AppleDate(statedAt: $0, heardAt: heardAt) }))
        } catch {
            if Task.isCancelled { return .failure(.cancelled) }
            guard let failure = NetworkFailure(error) else { return .failure(.cancelled) }
            guard failure == .tls(.handshake) else { return .failure(.network(failure)) }
            return .failure(.network(.tls(await inquiry.failure(at: address, now: now()))))
        }
    }

    private static func bytes(of body: HTTPClientResponse.Body, limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await part in body {
            bytes.append(contentsOf: part.readableBytesView)
            if bytes.count > limit { break }
        }
        return bytes
    }
}

extension TimeAmount {
    init(_ duration: Milliseconds) { self = .milliseconds(duration.count) }
}
