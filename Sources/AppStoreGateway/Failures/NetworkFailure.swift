/// Why no whole answer arrived. Raw values are stable codes.
///
/// Source: reliability case F16.
package enum NetworkFailure: Sendable, Hashable {
    /// The host's name has no address, or the resolver did not answer.
    case nameNotResolved
    /// Nobody listens there.
    case connectionRefused
    /// No way to the host's network.
    case unreachable
    /// No connection within ``GatewayConfiguration/connectTimeout``, TLS included, or no free one.
    case connectTimeout
    /// TLS was not agreed on; nothing was sent.
    case tls(TLSFailure)
    /// The connection was reset: by the host, or by something between.
    case connectionReset
    /// The connection ended before the whole answer: a closed one had been reused, or the answer was truncated.
    case closedEarly
    /// No byte of the answer for ``GatewayConfiguration/readTimeout``.
    case readTimeout
    /// No whole answer within ``GatewayConfiguration/deadline``, however steadily it arrived.
    case deadlineExceeded
    /// What was answered is not HTTP.
    case notHTTP
    /// The configured address is not `https:`, and not `http:` to a host of ``GatewayConfiguration/plainHTTPHosts`` either:
    /// nothing was sent.
    case addressRefused
    /// Something else, as the client library calls it; the text is for display and has nothing of the request in it.
    case other(String)

    /// A stable code, such as `connectionRefused` or `tls.wrongName`.
    package var code: String {
        switch self {
        case .nameNotResolved: "nameNotResolved"
        case .connectionRefused: "connectionRefused"
        case .unreachable: "unreachable"
        case .connectTimeout: "connectTimeout"
        case .tls(let failure): "tls." + failure.rawValue
        case .connectionReset: "connectionReset"
        case .closedEarly: "closedEarly"
        case .readTimeout: "readTimeout"
        case .deadlineExceeded: "deadlineExceeded"
        case .notHTTP: "notHTTP"
        case .addressRefused: "addressRefused"
        case .other: "other"
        }
    }

    /// Whether the request certainly never left: there was no connection to send it on.
    var isBeforeRequest: Bool {
        switch self {
        case .nameNotResolved, .connectionRefused, .unreachable, .connectTimeout, .tls, .addressRefused: true
        case .connectionReset, .closedEarly, .readTimeout, .deadlineExceeded, .notHTTP, .other: false
        }
    }
}

/// Why TLS was not agreed on.
package enum TLSFailure: String, Sendable, Hashable, CaseIterable {
    /// The certificate is not one for the host's name.
    case wrongName
    /// A certificate that the host presented has expired, or this machine's clock is wrong; whether it would be trusted otherwise
    /// is not known.
    case certificateExpired
    /// A certificate that the host presented is not valid yet, or this machine's clock is wrong.
    case certificateNotYetValid
    /// The host presented a certificate whose dates are right, and it was not accepted: self-signed, or issued by nobody who is
    /// trusted here, as by a proxy that reads along.
    case certificateUntrusted
    /// No certificate was presented: the other side speaks no TLS, or none that is accepted here.
    case handshake
}
