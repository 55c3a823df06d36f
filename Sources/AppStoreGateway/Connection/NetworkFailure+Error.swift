internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension NetworkFailure {
    /// What an error of the client library means; nil: the call was cancelled, or the client was shut down.
    ///
    /// ``TLSFailure/handshake`` stands for every reason but a wrong name: the TLS library does not say which.
    init?(_ error: any Error) {
        switch error {
        case let error as HTTPClientError:
            guard let failure = Self.ofClient(error) else { return nil }
            self = failure
        case is CancellationError: return nil
        case let error as NIOConnectionError: self = Self.ofConnecting(error)
        case let error as IOError: self = Self.ofSystem(error)
        case let error as ChannelError: self = Self.ofChannel(error)
        case let error as NIOSSLExtraError: self = .tls(Self.isAboutName(error) ? .wrongName : .handshake)
        case let error as NIOSSLError: self = error == .uncleanShutdown ? .closedEarly : .tls(.handshake)
        // A body with a declared length, or in chunks, that ends before its end.
        case HTTPParserError.invalidEOFState: self = .closedEarly
        case is HTTPParserError: self = .notHTTP
        case is SocketAddressError.UnknownHost: self = .nameNotResolved
        default: self = .other(String(describing: type(of: error)))
        }
    }

    private static func ofClient(_ error: HTTPClientError) -> NetworkFailure? {
        switch error {
        case .cancelled, .alreadyShutdown: nil
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout: .connectTimeout
        case .readTimeout, .writeTimeout: .readTimeout
        case .deadlineExceeded: .deadlineExceeded
        case .remoteConnectionClosed, .uncleanShutdown: .closedEarly
        case .invalidURL, .emptyHost, .emptyScheme: .addressRefused
        default: .other(error.shortDescription)
        }
    }

    private static func ofConnecting(_ error: NIOConnectionError) -> NetworkFailure {
        // Of several addresses, the first that was tried is the one that the system prefers.
        guard let first = error.connectionErrors.first?.error else { return .nameNotResolved }
        switch first {
        case let first as IOError: return ofSystem(first)
        case let first as ChannelError: return ofChannel(first)
        default: return .unreachable
        }
    }

    private static func ofSystem(_ error: IOError) -> NetworkFailure {
        switch error.errnoCode {
        case ECONNREFUSED: .connectionRefused
        case ECONNRESET, EPIPE: .connectionReset
        case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL: .unreachable
        case ETIMEDOUT: .connectTimeout
        default: .other("errno \(error.errnoCode)")
        }
    }

    private static func ofChannel(_ error: ChannelError) -> NetworkFailure {
        switch error {
        case .connectTimeout: .connectTimeout
        case .eof, .inputClosed, .outputClosed, .ioOnClosedChannel, .alreadyClosed: .closedEarly
        default: .other("channel")
        }
    }

    private static func isAboutName(_ error: NIOSSLExtraError) -> Bool {
        error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch
    }
}
