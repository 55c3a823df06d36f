package import Primitives

/// How Apple's hosts are reached. The defaults are for production.
package struct GatewayConfiguration: Sendable, Hashable {
    /// How long establishing a connection may take, TLS included.
    package var connectTimeout = Milliseconds.seconds(10)
    /// How long an answer may pause.
    package var readTimeout = Milliseconds.seconds(15)
    /// How long a call may take in all, however steadily its answer arrives.
    package var deadline = Milliseconds.seconds(30)
    /// How many connections to one host are used at the same time. Further calls wait for one, at most ``connectTimeout``; what
    /// waited in vain counts as the host's failure, so no more calls than this should be on their way at a time.
    ///
    /// 25 calls a second of a second each need 25 of them.
    package var connectionsPerHost = 32
    /// How long an unused connection is kept: shorter than servers usually do, because a call on one that is being closed fails.
    package var idleTimeout = Milliseconds.seconds(30)
    /// Certificates that are trusted beside the system's roots: each one certificate in DER, or text with any number in PEM.
    package var additionalRoots: [[UInt8]] = []
    /// The hosts that may be called by `http:`, which proves nothing and hides nothing: the local App Store.
    package var plainHTTPHosts: Set<String> = ["127.0.0.1", "::1", "localhost"]

    /// The defaults.
    package init() {}
}

/// What keeps a gateway from being made.
package enum GatewayConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The element of ``GatewayConfiguration/additionalRoots`` at this place is not a certificate.
    case rootUnreadable(Int)
    /// The TLS library refused the configuration, or has no roots of the system's.
    case tlsUnavailable

    /// One line.
    package var description: String {
        switch self {
        case .rootUnreadable(let place): "additional root \(place + 1) is not a certificate in DER or PEM"
        case .tlsUnavailable: "TLS cannot be used with these roots"
        }
    }
}
