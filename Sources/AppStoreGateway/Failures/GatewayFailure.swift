package import AppStoreWire
package import Primitives

/// Why a call has no usable answer.
///
/// It never is a statement about anyone's rights (FACT-7). Nothing of the request, the key or the answer's text is in the
/// description, so it may be logged.
package enum GatewayFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// An answer came, and it is an error of Apple's or cannot be read; too long a body is among these.
    case refused(ServerAPIFailure)
    /// The answer of `/verifyReceipt` is longer than ``/AppStoreWire/LegacyLimits/verifyReceipt`` allows; the rest was not read.
    case receiptAnswerTooLarge(status: Int)
    /// No whole answer came.
    case network(NetworkFailure)
    /// The app has no In-App Purchase key; nothing was sent.
    case noKey
    /// The key cannot sign a token for the app; nothing was sent.
    case notSigned(TokenError)
    /// The host failed too often and is left alone: nothing was sent.
    ///
    /// - Parameter until: when the next call may try the host.
    case breakerOpen(until: Timestamp)
    /// The caller was cancelled, or the gateway was shut down. The request may have been sent.
    case cancelled

    /// Whose trouble it is. ``cancelled`` passes, like the host's.
    package var scope: FailureScope {
        switch self {
        case .refused(let failure): Self.scope(of: failure)
        case .network(.addressRefused), .noKey, .notSigned, .receiptAnswerTooLarge: .app
        case .network, .breakerOpen, .cancelled: .host
        }
    }

    /// The earliest instant for another attempt, where it is known; nil: the caller's own delays apply.
    package var retryAt: Timestamp? {
        switch self {
        case .refused(let failure): failure.retryAt
        case .breakerOpen(let until): until
        case .receiptAnswerTooLarge, .network, .noKey, .notSigned, .cancelled: nil
        }
    }

    /// Whether the request may have reached Apple and been carried out although this is a failure: true wherever the opposite is
    /// not certain. A call that changes something is repeated only with the same `requestIdentifier`, or if this is false.
    package var mayHaveBeenCarriedOut: Bool {
        switch self {
        case .refused(let failure):
            switch failure.reason {
            case .apple, .unauthenticated: failure.status >= 500
            case .notJSON, .unexpectedShape, .tooLarge: true
            }
        case .network(let failure): !failure.isBeforeRequest
        case .receiptAnswerTooLarge, .cancelled: true
        case .noKey, .notSigned, .breakerOpen: false
        }
    }

    /// A stable code for metrics and stored failures: `apple.4040010`, `unauthenticated`, `network.connectionRefused`,
    /// `breakerOpen`. An error of Apple's that is not listed keeps its number, so there is no fixed list.
    package var code: String {
        switch self {
        case .refused(let failure):
            switch failure.reason {
            case .apple(let code, _): "apple.\(code.rawValue)"
            case .unauthenticated: "unauthenticated"
            case .notJSON: "notJSON"
            case .unexpectedShape: "unexpectedShape"
            case .tooLarge: "tooLarge"
            }
        case .receiptAnswerTooLarge: "tooLarge"
        case .network(let failure): "network." + failure.code
        case .noKey: "noKey"
        case .notSigned: "notSigned"
        case .breakerOpen: "breakerOpen"
        case .cancelled: "cancelled"
        }
    }

    /// One line, without anything secret or personal.
    package var description: String {
        switch self {
        case .refused(let failure): failure.description
        case .receiptAnswerTooLarge(let status): "verifyReceipt: \(status), too large"
        case .network(.other(let text)): "no answer: \(text)"
        case .network(let failure): "no answer: \(failure.code)"
        case .noKey: "the app has no In-App Purchase key"
        case .notSigned(let error): "no token was signed: \(error.code.rawValue)"
        case .breakerOpen(let until): "not asked: the host failed too often, next attempt at \(until.millisecondsSince1970)"
        case .cancelled: "cancelled"
        }
    }

    /// A number counts only with the status that it begins with: an answer that contradicts itself is never final.
    private static func scope(of failure: ServerAPIFailure) -> FailureScope {
        var isError = false
        if case .apple(let code, _) = failure.reason, code.rawValue / 10_000 == failure.status {
            if let scope = code.scope { return scope }
            isError = true
        }
        // A 503 is the host's trouble even if a page in HTML came with it.
        return switch failure.status {
        case 429: .budget
        case 408, 500...599: .host
        case 401: .app
        default: isError ? .request : .app
        }
    }
}
