public import Primitives

/// Why a call has no answer that can be used, and whether to make it again.
///
/// Nothing here is a statement about a customer's rights: a failure of Apple's or of the network must never take access away.
///
/// Source: Apple, App Store Server API, Error codes; reliability cases F15 to F17.
public struct ServerAPIFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The classes; each answer that is no success is in exactly one.
    public enum Reason: Sendable, Hashable {
        /// Apple refused, and says why by a number that may be one that is not listed; the text is for people.
        case apple(ServerAPIErrorCode, message: String?)
        /// Status 401. Apple says no more than that, for every one of these: the key is one for the App Store Connect API and
        /// not for In-App Purchase, or was revoked; the issuer or the bundle id is not the key's; the token ends more than 60
        /// minutes after it was issued, or has ended, or this machine's clock is wrong; the host is Production and the app was
        /// never released there.
        case unauthenticated
        /// The body is empty where there must be one, is not strict JSON, or says by its media type that it is not JSON:
        /// the page of a proxy, an answer that was cut off.
        case notJSON
        /// JSON, but neither what the call answers nor an error of Apple's; the field that was missing or of another type, or
        /// nothing where it is the whole.
        case unexpectedShape(field: String)
        /// More bytes than ``ServerAPIReply/maximumBodyBytes``; none was read.
        case tooLarge
    }

    /// The class.
    public let reason: Reason
    /// The status of HTTP.
    public let status: Int
    /// The endpoint that was called.
    public let endpoint: ServerAPIEndpoint
    /// The earliest instant to make the same call again, where Apple named one: between now and 24 hours from now.
    ///
    /// nil: not to be made again, or Apple named no instant; then the caller's own delays apply.
    public let retryAt: Timestamp?

    /// Whether the same call may succeed later.
    ///
    /// - An error with a code of Apple's: what Apple says of the code; where the code is not listed, the status decides as below.
    /// - No code: the statuses 408, 429 and 500 to 599 are passing; 404 and every other one is not.
    /// - A success whose body was replaced or cut off on the way: only of a call that merely reads, because the other may have
    ///   been carried out.
    /// - 401, another shape, and too many bytes: not before somebody has changed something.
    public var isRetryable: Bool { Self.isRetryable(reason, status: status, endpoint: endpoint) }

    init(_ reason: Reason, to reply: ServerAPIReply, of endpoint: ServerAPIEndpoint, at now: Timestamp) {
        self.reason = reason
        self.endpoint = endpoint
        status = reply.status
        retryAt =
            Self.isRetryable(reason, status: reply.status, endpoint: endpoint)
            ? RetryAfter.instant(reply.header("Retry-After"), at: now) : nil
    }

    /// Endpoint, status and class in one line. Apple's text is not in it: it may name what was asked for.
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
