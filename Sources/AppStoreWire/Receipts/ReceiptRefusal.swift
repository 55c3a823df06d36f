/// Why a receipt was not accepted.
///
/// Two refusals are equal when their codes are; the rest is for display. Nothing of the receipt's content is in it except numbers
/// or names of attributes and environments, and of certificates their place, common name and SHA-256, so it may be logged.
///
/// Source: FACT-3, FACT-4; Apple, "Validating receipts on the device"; RFC 5652.
public struct ReceiptRefusal: Error, Hashable, CustomStringConvertible {
    /// The reasons, roughly in the order in which they are checked; where several apply, one is given, always the same. Raw
    /// values are stable.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The receipt is longer than ``ReceiptLimits`` allow.
        case tooLong
        /// More elements than ``ReceiptLimits/maximumElements``.
        case tooManyElements
        /// The text is not base64.
        case notBase64
        /// The bytes are not one DER value.
        case notDER
        /// More bytes follow the DER value.
        case trailingBytes
        /// The text is not a property list in NeXT's style of names and texts, each name once.
        case notPropertyList
        /// The signature of a transaction receipt does not have Apple's layout: version, signature, length, certificate.
        case signatureMalformed
        /// The content of a receipt without the PKCS#7 around it that would prove it.
        case notSigned
        /// A DER value, but not a PKCS#7 of signed data with its content inside.
        case notSignedData
        /// Not exactly one signer.
        case signerCountNotOne
        /// The signature is not RSA with SHA-1 or SHA-256.
        case algorithmNotAllowed
        /// The signature has signed or unsigned attributes; Apple writes none.
        case signerAttributesNotAllowed
        /// More certificates than ``ReceiptLimits/maximumCertificates``.
        case tooManyCertificates
        /// A certificate is longer than ``ReceiptLimits/maximumCertificateBytes``.
        case certificateTooLong
        /// The signer's certificate, or its issuer's, is not in the receipt.
        case chainMissing
        /// The chain does not end in a trusted root, or the only certificate is not a configured one of Xcode's: usually a
        /// receipt of StoreKit Testing.
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
        /// The intermediate does not say that it may issue certificates: a chain shifted by one.
        case intermediateNotCA
        /// The leaf's key may not be used for signatures.
        case leafUsageNotSignature
        /// The leaf's key is not RSA of 2048 bits or more.
        case leafKeyNotRSA
        /// There is no instant at which all certificates are valid.
        case chainNeverValid
        /// A certificate was not issued by the next one, or the chain breaks another rule of RFC 5280.
        case chainInvalid
        /// The signature is not by the leaf's key over the content.
        case signatureInvalid
        /// The content is not a set of attributes.
        case contentMalformed
        /// An attribute that may occur once occurs twice.
        case attributeDuplicated
        /// A required attribute is missing.
        case attributeMissing
        /// An attribute has a type other than Apple documents, or an impossible value.
        case attributeInvalid
        /// The receipt's creation date is outside the validity of the certificates.
        case creationDateOutsideChain
        /// The receipt's creation date is later than now, by more than the tolerance.
        case creationDateInFuture
        /// The receipt is of another app.
        case wrongBundleId
        /// The receipt is of an environment that is not accepted here, or that its signer may not sign for.
        case wrongEnvironment
        /// The receipt is of an app with another Apple id.
        case wrongAppAppleId
    }

    /// The reason.
    public let code: Code
    /// What it was about, for display: the number of an attribute, the environment; for a chain, which certificate, counted from
    /// the leaf, and, where the root is not trusted, which roots are.
    public let detail: String

    init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }

    /// Whether the very same bytes may be accepted later without a change of configuration: true only where the refusal depends
    /// on our clock.
    public var isRetryable: Bool {
        switch code {
        case .creationDateInFuture: true
        case .tooLong, .tooManyElements, .notBase64, .notDER, .trailingBytes, .notPropertyList, .signatureMalformed,
            .notSigned, .notSignedData, .signerCountNotOne, .algorithmNotAllowed, .signerAttributesNotAllowed,
            .tooManyCertificates, .certificateTooLong, .chainMissing, .rootNotTrusted, .certificateMalformed,
            .leafDistrusted, .leafMarkerMissing, .intermediateMarkerMissing, .leafIsCA, .intermediateNotCA,
            .leafUsageNotSignature, .leafKeyNotRSA, .chainNeverValid, .chainInvalid, .signatureInvalid, .contentMalformed,
            .attributeDuplicated, .attributeMissing, .attributeInvalid, .creationDateOutsideChain, .wrongBundleId,
            .wrongEnvironment, .wrongAppAppleId:
            false
        }
    }

    /// Code and detail in one line.
    public var description: String { "receipt: \(code.rawValue)" + (detail.isEmpty ? "" : " (\(detail))") }

    /// Equal codes are equal refusals.
    public static func == (left: ReceiptRefusal, right: ReceiptRefusal) -> Bool { left.code == right.code }

    /// By the code alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension ReceiptRefusal {
    init(_ refusal: ChainRefusal) {
        let code: Code =
            switch refusal.fault {
            case .chainLengthNotThree: .chainMissing
            case .rootNotTrusted: .rootNotTrusted
            case .certificateMalformed: .certificateMalformed
            case .leafDistrusted: .leafDistrusted
            case .leafMarkerMissing: .leafMarkerMissing
            case .intermediateMarkerMissing: .intermediateMarkerMissing
            case .leafIsCA: .leafIsCA
            case .intermediateNotCA: .intermediateNotCA
            case .leafUsageNotSignature: .leafUsageNotSignature
            case .leafKeyNotP256, .leafKeyNotRSA: .leafKeyNotRSA
            case .chainNeverValid: .chainNeverValid
            case .chainInvalid: .chainInvalid
            }
        self.init(code, refusal.detail)
    }
}
