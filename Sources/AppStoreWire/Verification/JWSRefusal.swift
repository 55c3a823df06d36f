/// Why a signed payload was not accepted.
///
/// Two refusals are equal when their codes are; the rest is for display. Nothing of the payload's content is in it except names
/// of fields and environments, and of certificates their place, common name and SHA-256, so it may be logged.
///
/// Source: FACT-3, FACT-4; threats T01 to T09 and T30 of the threat model.
public struct JWSRefusal: Error, Hashable, CustomStringConvertible {
    /// The reasons in order of precedence: where several apply, the first is given. Raw values are stable.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The body around the JWS is too long, not strict JSON, or has no string `signedPayload`.
        case bodyUnreadable
        /// The compact JWS is longer than ``JWSLimits/maximumJWSBytes``.
        case jwsTooLong
        /// Not exactly three parts with two full stops between them.
        case notThreeParts
        /// The header is longer than ``JWSLimits/maximumHeaderBytes``.
        case headerTooLong
        /// The header is not canonical base64url.
        case headerNotBase64URL
        /// The header is not a strict JSON object.
        case headerNotJSON
        /// `alg` is missing or anything but the string `ES256` (RFC 8725, section 3.1).
        case algorithmNotES256
        /// The header has a parameter other than `alg`, `x5c`, `kid` and `typ`.
        case headerParameterNotAllowed
        /// `x5c` is missing or not an array of strings.
        case chainMissing
        /// `x5c` does not hold exactly three certificates, or one where a certificate of Xcode's is configured; none of them was
        /// examined.
        case chainLengthNotThree
        /// A certificate is longer than ``JWSLimits/maximumCertificateBytes``.
        case certificateTooLong
        /// A certificate is not canonical base64.
        case certificateNotBase64
        /// The third certificate is not a trusted root, or the only one not a configured certificate of Xcode's.
        case rootNotTrusted
        /// A certificate cannot be parsed.
        case certificateMalformed
        /// The leaf's serial number is configured as no longer trusted.
        case leafDistrusted
        /// The leaf lacks Apple's mark for receipt signing, 1.2.840.113635.100.6.11.1.
        case leafMarkerMissing
        /// The intermediate lacks Apple's mark, 1.2.840.113635.100.6.2.1.
        case intermediateMarkerMissing
        /// The leaf says that it may issue certificates.
        case leafIsCA
        /// The intermediate does not say that it may issue certificates.
        case intermediateNotCA
        /// The leaf's key may not be used for signatures.
        case leafUsageNotSignature
        /// The leaf's key is not on P-256.
        case leafKeyNotP256
        /// There is no instant at which all three certificates are valid.
        case chainNeverValid
        /// A certificate was not issued by the next one, or the chain breaks another rule of RFC 5280.
        case chainInvalid
        /// The signature is not canonical base64url.
        case signatureNotBase64URL
        /// The signature is not of 64 bytes.
        case signatureLengthWrong
        /// The signature is not by the leaf's key over these bytes.
        case signatureInvalid
        /// The payload is not canonical base64url.
        case payloadNotBase64URL
        /// The payload is not a strict JSON object.
        case payloadNotJSON
        /// The payload is not of the requested kind (T05).
        case wrongKind
        /// A required field is missing.
        case fieldMissing
        /// A field has a type other than Apple documents, or an impossible value.
        case fieldInvalid
        /// The payload's signing date is outside the validity of the certificates.
        case signedDateOutsideChain
        /// The payload's signing date is later than now, by more than the tolerance.
        case signedDateInFuture
        /// The payload is about another app.
        case wrongBundleId
        /// The payload is of an environment that is not accepted here, or that its signer may not sign for: Xcode's certificate
        /// is valid for `Xcode` only, Apple's for `Production` and `Sandbox` only. An unknown spelling is refused as soon as it
        /// is read.
        case wrongEnvironment
        /// The payload is about an app with another Apple id.
        case wrongAppAppleId
        /// A renewal info names another subscription or app download than the transaction that it should belong to.
        case renewalInfoNotOfTransaction
    }

    /// Which of the JWS in a message was refused.
    public enum Part: String, Sendable, Hashable {
        /// The notification itself.
        case notification
        /// A transaction, alone or in a notification.
        case transaction
        /// A renewal info, alone or in a notification.
        case renewalInfo
        /// An app transaction, alone or in a notification.
        case appTransaction
        /// A real-time request of the App Store, about what to show to a customer who is about to leave.
        case realtimeRequest
    }

    /// The reason.
    public let code: Code
    /// What it was about, for display: the name of a field, the parser's reason; for a chain, which certificate, counted from the
    /// leaf, and, where the root is not trusted, which roots are.
    public let detail: String
    /// Which JWS was refused.
    public let part: Part

    init(_ code: Code, _ detail: String = "", in part: Part) {
        self.code = code
        self.detail = detail
        self.part = part
    }

    /// Whether the very same bytes may be accepted later without a change of configuration.
    ///
    /// True only where the refusal depends on our clock; all others are final.
    public var isRetryable: Bool {
        switch code {
        case .signedDateInFuture: true
        case .bodyUnreadable, .jwsTooLong, .notThreeParts, .headerTooLong, .headerNotBase64URL, .headerNotJSON,
            .algorithmNotES256,
            .headerParameterNotAllowed, .chainMissing, .chainLengthNotThree, .certificateTooLong, .certificateNotBase64,
            .rootNotTrusted, .certificateMalformed, .leafDistrusted, .leafMarkerMissing, .intermediateMarkerMissing, .leafIsCA,
            .intermediateNotCA, .leafUsageNotSignature, .leafKeyNotP256, .chainNeverValid, .chainInvalid, .signatureNotBase64URL,
            .signatureLengthWrong, .signatureInvalid, .payloadNotBase64URL, .payloadNotJSON, .wrongKind, .fieldMissing,
            .fieldInvalid,
            .signedDateOutsideChain, .wrongBundleId, .wrongEnvironment, .wrongAppAppleId, .renewalInfoNotOfTransaction:
            false
        }
    }

    /// Whether the signatures hold, and a field of what is signed cannot be read: a newer version may understand it, or nobody
    /// ever will. Whom it is about is then not verified.
    public var isOfSignedContent: Bool {
        switch code {
        case .fieldMissing, .fieldInvalid, .renewalInfoNotOfTransaction: true
        default: false
        }
    }

    /// Part, code and detail in one line.
    public var description: String { "\(part.rawValue): \(code.rawValue)" + (detail.isEmpty ? "" : " (\(detail))") }

    /// Equal codes are equal refusals.
    public static func == (left: JWSRefusal, right: JWSRefusal) -> Bool { left.code == right.code }

    /// By the code alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension JWSRefusal.Code {
    init(_ fault: ChainFault) {
        self =
            switch fault {
            case .chainLengthNotThree: .chainLengthNotThree
            case .rootNotTrusted: .rootNotTrusted
            case .certificateMalformed: .certificateMalformed
            case .leafDistrusted: .leafDistrusted
            case .leafMarkerMissing: .leafMarkerMissing
            case .intermediateMarkerMissing: .intermediateMarkerMissing
            case .leafIsCA: .leafIsCA
            case .intermediateNotCA: .intermediateNotCA
            case .leafUsageNotSignature: .leafUsageNotSignature
            case .leafKeyNotP256, .leafKeyNotRSA: .leafKeyNotP256
            case .chainNeverValid: .chainNeverValid
            case .chainInvalid: .chainInvalid
            }
    }
}
