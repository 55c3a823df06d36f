public import Primitives

/// Why a call has no usable answer, and whether to make it again.
///
/// Nothing here is a statement about a customer's rights: a failure of Apple's or of the network must never take access away.
///
/// Source: Apple, App Store Server API, Error codes; reliability cases F15 to F17.
public struct ServerAPIFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The classes; each unsuccessful answer is in exactly one.
    public enum Reason: Sendable, Hashable {
        /// Apple refused, with a number for the reason, which may be unlisted; the text is for display.
        case apple(ServerAPIErrorCode, message: String?)
        /// Status 401. Apple gives no further detail for any of these causes: the key is for the App Store Connect API and not
        /// for In-App Purchase, or was revoked; the issuer or the bundle id is not the key's; the token expires more than 60
        /// minutes after it was issued, or has expired, or this machine's clock is wrong; the host is Production and the app was
        /// never released there.
        case unauthenticated
        /// The body is empty where there must be one, is not strict JSON, or says by its media type that it is not JSON:
        /// the page of a proxy, a truncated answer.
        case notJSON
        /// JSON, but neither the call's answer nor an error of Apple's; `field` was missing or of another type, and is empty
        /// where the whole is meant.
        case unexpectedShape(field: String)
        /// The body is longer than ``ServerAPIReply/maximumBodyBytes``; it was not read.
        case tooLarge
    }

    /// The class.
    public let reason: Reason
    /// The HTTP status.
    public let status: Int
    /// The endpoint that was called.
    public let endpoint: ServerAPIEndpoint
    /// The earliest instant to make the same call again, where Apple named one: between now and 24 hours from now.
    ///
    /// nil: the call must not be made again, or Apple named no instant; then the caller's own delays apply.
    public let retryAt: Timestamp?

    /// Whether the same call may succeed later.
    ///
    /// - An error with a code of Apple's: what Apple says about the code; where the code is not listed, the status decides as
    ///   below.
    /// - No code: the statuses 408, 429 and 500 to 599 are temporary; 404 and all others are not.
    /// - A success whose body was replaced or truncated on the way: only for a call that only reads, because any other may have
    ///   been carried out.
    /// - 401, another shape, and too many bytes: not until something has been changed.
    public var isRetryable: Bool { Self.isRetryable(reason, status: status, endpoint: endpoint) }

    init(_ reason: Reason, to reply: ServerAPIReply, of endpoint: ServerAPIEndpoint, at now: Timestamp) {
        self.reason = reason
        self.endpoint = endpoint
        status = reply.status
        retryAt =
            Self.isRetryable(reason, status: reply.status, endpoint: endpoint)
            ? RetryAfter.instant(reply.header("Retry-After"), at: now) : nil
    }

    /// Endpoint, status and class in one line. Apple's text is not in it: it may contain what was requested.
    public var description: String {
        let reason =
            switch reason {
            case .apple(let code, _): "Apple's error \(code.rawValue)"
            case .unauthenticated: "unauthenticated"
            case .notJSON: "not JSON"
            case .unexpectedShape(let field): field.isEmpty ? "unexpected shape" : "unexpected shape at \(field)"
            case .tooLarge: "too large"
            }
        return "\(endpoint.name): \(status), \(reason)"
    }

    private static func isRetryable(_ reason: Reason, status: Int, endpoint: ServerAPIEndpoint) -> Bool {
        switch reason {
        case .apple(let code, _): code.isListed ? code.isRetryable : isPassing(status)
        case .notJSON: (200...299).contains(status) ? endpoint.isReading : isPassing(status)
        case .unexpectedShape: isPassing(status)
        case .unauthenticated, .tooLarge: false
        }
    }

    private static func isPassing(_ status: Int) -> Bool { status == 408 || status == 429 || (500...599).contains(status) }
}
