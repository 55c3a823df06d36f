import AppStoreWire

/// The reasons that `inspect` itself gives, in addition to the codes of the verifiers. Raw values are stable.
package enum InspectionCode: String, CaseIterable {
    /// It is not an artifact of Apple's in any known form.
    case notRecognised
    /// It cannot be read at all.
    case unreadable
    /// It was read and is not signed; the signed parts inside are valid.
    case notSigned
    /// It was read, and nothing in it is signed.
    case nothingSigned
    /// A transaction receipt with a valid signature, by a certificate that is not trusted.
    case issuerNotProved
    /// The caller expects an environment, but the receipt does not sign one.
    case environmentNotSigned
    /// There is something else in the place of a receipt.
    case noReceipt
    /// A JWS of our own, without the key to verify it with.
    case keyMissing
}

/// What to do about a refusal, where there is something to do.
package enum Advice {
    /// The codes that have one.
    package static let all: [(code: String, words: String)] = [
        (
            JWSRefusal.Code.rootNotTrusted.rawValue,
            "If a local App Store signed it, give that store's root with --root; if a copy of Xcode did, its certificate with "
                + "--xcode-certificate. Otherwise no signer that you trust signed it: treat it as forged."
        ),
        (
            JWSRefusal.Code.chainLengthNotThree.rawValue,
            "Apple sends three certificates. One alone is Xcode's: give it with --xcode-certificate."
        ),
        (
            ReceiptRefusal.Code.notDER.rawValue,
            "It was changed or cut in transit; or a copy of Xcode made it: give its certificate with --xcode-certificate."
        ),
        (
            InspectionCode.issuerNotProved.rawValue,
            "Give the issuer's certificate with --intermediate to prove whose signature it is."
        ),
        (InspectionCode.keyMissing.rawValue, "Give the public or private key of its kid with --key."),
        (JWSRefusal.Code.signedDateInFuture.rawValue, "Compare the clock of this machine."),
        (ReceiptRefusal.Code.creationDateInFuture.rawValue, "Compare the clock of this machine."),
    ]

    /// nil where the refusal says everything.
    package static func words(code: String) -> String? { all.first { $0.code == code }?.words }
}
