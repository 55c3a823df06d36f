internal import StrictJSON

/// A reply of `/verifyReceipt`, in exactly one class.
///
/// Only ``Meaning/answer(_:)`` and ``Meaning/expired(_:)`` say anything about purchases. No other class ever reduces anyone's
/// access: not a refusal, not a deleted account, least of all a broken answer (FACT-7).
///
/// ```swift
/// let outcome = VerifyReceiptOutcome(httpStatus: 200, body: body, from: .production)
/// if let host = outcome.hostToAsk(havingAsked: [.production]) { … }   // a Sandbox receipt
/// ```
/// The answer came from Apple only if the connection was Apple's: the caller is responsible for TLS and the host's name.
///
/// Source: Apple, App Store Receipts, `status`, `is-retryable`; FACT-7; T15 and F18 of the threat model.
public struct VerifyReceiptOutcome: Sendable, Hashable {
    /// The classes.
    public enum Meaning: Sendable, Hashable {
        /// Status 0: the receipt is genuine. Its subscriptions may have expired.
        case answer(VerifyReceiptAnswer)
        /// Status 21006: a receipt of the iOS 6 style is genuine and its subscription expired.
        case expired(VerifyReceiptAnswer)
        /// Status 21007 or 21008: the receipt belongs to this host.
        case wrongEnvironment(VerifyReceiptHost)
        /// Status 21004: the password is not the shared secret. Another one may work: the app's, the account's, or none.
        case wrongSecret
        /// Asking again may help. A temporary fault at Apple: 21005, 21009, 21100 to 21199 and unknown statuses unless
        /// `is-retryable` is 0; HTTP 429 and 5xx. Or 21002, which says that `receipt-data` is malformed or missing *or* that the
        /// service has a temporary issue, and not which: where the receipt itself cannot be read, asking again is useless.
        case retry
        /// Asking again with the same receipt is useless: 21000, 21001, 21003, 21010; 21100 to 21199 and unknown statuses whose
        /// `is-retryable` is 0.
        case refused
        /// Not what Apple answers: HTML, empty, truncated, other JSON, status 0 without a receipt, another HTTP status.
        case notAnAnswer(LegacyRefusal)
    }

    /// The class.
    public let meaning: Meaning
    /// Who answered.
    public let host: VerifyReceiptHost
    /// The HTTP status; 200 even for errors.
    public let httpStatus: Int
    /// `status` as it was written; nil where there is none to read.
    public let status: VerifyReceiptStatus?
    /// The body as received: evidence, including the fields that this library does not know (FACT-6).
    public let body: [UInt8]

    /// Reads a reply; never fails, never traps.
    ///
    /// - Parameters:
    ///   - httpStatus: the HTTP status.
    ///   - body: the body, whole.
    ///   - host: the host that was asked; an answer for the other environment is not accepted as one.
    ///   - limits: a longer body is not an answer.
    public init(httpStatus: Int, body: [UInt8], from host: VerifyReceiptHost, limits: LegacyLimits = .verifyReceipt) {
        self.host = host
        self.httpStatus = httpStatus
        self.body = body
        guard httpStatus == 200 else {
            let isPassing = httpStatus == 429 || (500...599).contains(httpStatus)
            meaning = isPassing ? .retry : .notAnAnswer(LegacyRefusal(.httpStatusNotOK, "\(httpStatus)"))
            status = nil
            return
        }
        var stated: VerifyReceiptStatus?
        do throws(LegacyRefusal) {
            let root = try LegacyReader(body: body, limits: limits)
            let status = try Self.status(root)
            stated = status
            meaning = try Self.meaning(of: status, root, from: host)
        } catch {
            meaning = .notAnAnswer(error)
        }
        status = stated
    }

    /// Whether asking the same host the same thing later may give another answer.
    public var isRetryable: Bool {
        switch meaning {
        case .retry, .notAnAnswer: true
        case .answer, .expired, .wrongEnvironment, .wrongSecret, .refused: false
        }
    }

    /// The host to ask next about the same receipt; nil where there is none, or it was asked already: alternating 21007 and 21008
    /// lead nowhere (F18).
    public func hostToAsk(havingAsked asked: Set<VerifyReceiptHost>) -> VerifyReceiptHost? {
        guard case .wrongEnvironment(let other) = meaning, !asked.contains(other) else { return nil }
        return other
    }

    /// The one value that Apple never writes as a string, which exposes an answer from elsewhere.
    private static func status(_ root: LegacyReader) throws(LegacyRefusal) -> VerifyReceiptStatus {
        guard let status = root.value("status")?.int64 else { throw LegacyRefusal(.statusInvalid, "status") }
        return VerifyReceiptStatus(rawValue: status)
    }

    private static func meaning(
        of status: VerifyReceiptStatus, _ root: LegacyReader, from host: VerifyReceiptHost
    ) throws(LegacyRefusal) -> Meaning {
        switch status {
        case .valid: return .answer(try VerifyReceiptAnswer(root, from: host))
        case .expired: return .expired(try VerifyReceiptAnswer(root, from: host))
        case .belongsToSandbox: return .wrongEnvironment(try other(.sandbox, than: host))
        case .belongsToProduction: return .wrongEnvironment(try other(.production, than: host))
        case .sharedSecretMismatch: return .wrongSecret
        case .malformedOrTemporary, .unavailable, .dataAccessError: return .retry
        case .notPost, .noLongerSent, .notAuthenticated, .accountNotFound: return .refused
        default: return isFinal(root) ? .refused : .retry
        }
    }

    private static func other(
        _ host: VerifyReceiptHost, than asked: VerifyReceiptHost
    ) throws(LegacyRefusal) -> VerifyReceiptHost {
        guard host != asked else { throw LegacyRefusal(.environmentContradicted, "status") }
        return host
    }

    /// Whether Apple says that retrying is useless, in either spelling of the key and in no other way: an unreadable value is
    /// ignored, and where both keys are present, one that says "retry" prevails.
    private static func isFinal(_ root: LegacyReader) -> Bool {
        let said = ["is-retryable", "is_retryable"].compactMap { root.value($0).flatMap(LegacyReader.flag) }
        return said.contains(false) && !said.contains(true)
    }
}
