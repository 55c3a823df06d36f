internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Primitives

/// Finds out why a host's certificate was not accepted.
///
/// The TLS library only reports that the verification failed. So the host is asked once more for its certificates, whose dates
/// then tell an expired one from one that nobody trusted here has issued. This second handshake always ends before it is
/// complete, whatever was presented: nothing is ever sent on its connection.
struct CertificateInquiry: Sendable {
    /// When one certificate is valid, in seconds since 1970.
    private struct Validity: Sendable {
        let notBefore: Int64
        let notAfter: Int64
    }

    /// How long it may take at most.
    private static let longest = Milliseconds.seconds(5)

    private let context: NIOSSLContext
    private let timeout: TimeAmount

    /// - Throws: ``GatewayConfigurationError/tlsUnavailable``.
    init(_ tls: TLSConfiguration, _ configuration: GatewayConfiguration) throws(GatewayConfigurationError) {
        do {
            context = try NIOSSLContext(configuration: tls)
        } catch {
            throw .tlsUnavailable
        }
        timeout = .init(min(configuration.connectTimeout, Self.longest))
    }

    /// Why the handshake with a host failed.
    func failure(at address: GatewayAddress, now: Timestamp) async -> TLSFailure {
        let presented: [Validity]
        do {
            presented = try await certificates(of: address)
        } catch {
            return .handshake
        }
        let second = now.truncatedToSecond.millisecondsSince1970 / 1000
        if presented.isEmpty { return .handshake }
        if presented.contains(where: { $0.notAfter < second }) { return .certificateExpired }
        if presented.contains(where: { $0.notBefore > second }) { return .certificateNotYetValid }
        return .certificateUntrusted
    }

    private func certificates(of address: GatewayAddress) async throws -> [Validity] {
        guard let bootstrap = ClientBootstrap(validatingGroup: MultiThreadedEventLoopGroup.singleton) else { return [] }
        let presented = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: [Validity].self)
        // A name that is an address must not be sent as one (RFC 6066, section 3).
        let name = Self.isNumeric(address) ? nil : address.host
        let connecting = bootstrap.connectTimeout(timeout).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let refuse: NIOSSLCustomVerificationCallback = { certificates, verification in
                    presented.succeed(
                        certificates.map { Validity(notBefore: Int64($0.notValidBefore), notAfter: Int64($0.notValidAfter)) })
                    verification.succeed(.failed)
                }
                let handler = try NIOSSLClientHandler(
                    context: context, serverHostname: name, customVerificationCallback: refuse)
                try channel.pipeline.syncOperations.addHandler(handler)
            }
        }
        let channel: any Channel
        do {
            channel = try await connecting.connect(host: address.host, port: address.port).get()
        } catch {
            presented.succeed([])
            throw error
        }
        let end = channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
        // Where no certificate came, the end of the connection is the answer; a second one is ignored.
        channel.closeFuture.whenComplete { _ in presented.succeed([]) }
        let found = try await presented.futureResult.get()
        end.cancel()
        channel.close(promise: nil)
        return found
    }

    private static func isNumeric(_ address: GatewayAddress) -> Bool {
        do {
            _ = try SocketAddress(ipAddress: address.host, port: address.port)
            return true
        } catch {
            return false
        }
    }
}
