internal import AsyncHTTPClient
internal import Backend
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

extension ParcelFailure {
    /// What an error of the client library means, and a sentence that has nothing of the request in it.
    static func meaning(of error: any Error) -> (failure: ParcelFailure, words: String) {
        switch error {
        case is ConnectionChecks.WrongAddress:
            (.addressRefused, "the connection led to another address than the one that was checked")
        case is AnswerLimit.Exceeded: (.connectionLost, "the headers of the answer are too long")
        case let error as HTTPClientError: ofClient(error)
        case is CancellationError: (.connectionLost, "the attempt was cancelled")
        case is NIOConnectionError: (.connectionFailed, "no connection could be established")
        case let error as IOError: ofSystem(error)
        case ChannelError.connectTimeout: (.connectionFailed, "no connection was established in time")
        case let error as NIOSSLExtraError: ofName(error)
        case NIOSSLError.uncleanShutdown: (.connectionLost, "the connection ended before the answer did")
        case is NIOSSLError: (.tlsFailed, "TLS failed, or the certificate was not accepted")
        case is BoringSSLError: (.tlsFailed, "TLS failed, or the certificate was not accepted")
        case HTTPParserError.invalidEOFState: (.connectionLost, "the connection ended before the answer did")
        case is HTTPParserError: (.connectionLost, "the answer is not HTTP")
        default: (.connectionLost, "the connection ended before the answer did")
        }
    }

    private static func ofClient(_ error: HTTPClientError) -> (failure: ParcelFailure, words: String) {
        switch error {
        case .cancelled, .alreadyShutdown: (.connectionLost, "the attempt was cancelled")
        case .connectTimeout: (.connectionFailed, "no connection was established in time")
        case .getConnectionFromPoolTimeout: (.connectionFailed, "no connection became free in time")
        case .tlsHandshakeTimeout: (.tlsFailed, "TLS was not agreed on in time")
        case .readTimeout, .writeTimeout, .deadlineExceeded: (.timedOut, "no answer came in time")
        default: (.connectionLost, "the connection ended before the answer did (\(error.shortDescription))")
        }
    }

    private static func ofSystem(_ error: IOError) -> (failure: ParcelFailure, words: String) {
        switch error.errnoCode {
        case ECONNREFUSED: (.connectionFailed, "nobody listens there")
        case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL: (.connectionFailed, "the network does not lead there")
        case ETIMEDOUT: (.connectionFailed, "no connection was established in time")
        default: (.connectionLost, "the connection was reset")
        }
    }

    private static func ofName(_ error: NIOSSLExtraError) -> (failure: ParcelFailure, words: String) {
        let isAboutName = error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch
        return (.tlsFailed, isAboutName ? "the certificate is not one for the host's name" : "TLS failed")
    }
}
