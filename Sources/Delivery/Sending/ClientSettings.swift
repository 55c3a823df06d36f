internal import AsyncHTTPClient
internal import NIOCore
internal import NIOSSL
internal import Primitives

/// Makes clients that can connect to one address only.
struct ClientSettings: Sendable {
    private let configuration: DeliveryConfiguration
    private let tls: TLSConfiguration

    /// - Throws: ``DeliveryConfigurationError``.
    init(_ configuration: DeliveryConfiguration) throws(DeliveryConfigurationError) {
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
        self.tls = tls
        self.configuration = configuration
    }

    /// A client for one endpoint, which must be shut down.
    ///
    /// - Parameter address: where the endpoint's host is, whatever any resolver says; SNI, certificate and `Host` are the name's.
    func client(for url: EndpointURL, at address: IPAddress) -> HTTPClient {
        var settings = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .milliseconds(configuration.connectTimeout.count)),
            connectionPool: .init(
                idleTimeout: .milliseconds(configuration.idleTimeout.count),
                concurrentHTTP1ConnectionsPerHostSoftLimit: max(1, configuration.connectionsPerEndpoint)),
            // A body is never unpacked: its limit counts the bytes that arrive.
            proxy: nil, decompression: .disabled)
        // One request after another on each connection: the limits of an answer are the connection's.
        settings.httpVersion = .http1Only
        // The next attempt is the caller's to plan.
        settings.connectionPool.retryConnectionEstablishment = false
        // The key is the host as the client reads it; ``EndpointURL`` admits only hosts that have one reading.
        if case .name(let name) = url.host { settings.dnsOverride = [name: "\(address)"] }
        settings.http1_1ConnectionDebugInitializer = { channel in ConnectionChecks.prepare(channel, for: address) }
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
    }
}
