import AppStoreWire

/// What `inspect` itself says against something, beside the codes of the verifiers. Raw values are stable.
enum InspectionCode: String, CaseIterable {
    /// Nothing that Apple makes, in no form that is known.
    case notRecognised
    /// It cannot be read at all.
    case unreadable
    /// It is understood and nobody signed it; what is signed inside holds.
    case notSigned
    /// It is understood, and nothing in it is signed.
    case nothingSigned
    /// A transaction receipt whose signature holds, by a certificate that nobody vouches for.
    case issuerNotProved
    /// An environment was expected of a receipt that signs none.
    case environmentNotSigned
    /// Where a receipt should stand there is something else.
    case noReceipt
    /// A JWS of one's own, without the key to hold it against.
    case keyMissing
}

/// What to do about a refusal, where that is more than to believe it.
enum Advice {
    /// The codes that have one.
    static let all: [(code: String, words: String)] = [
        (
            JWSRefusal.Code.rootNotTrusted.rawValue,
            "If a local App Store signed it, give that store's root with --root; if a copy of Xcode did, its certificate with "
                + "--xcode-certificate. Otherwise nobody whom you trust vouches for it: take it for forged."
        ),
        (
            JWSRefusal.Code.chainLengthNotThree.rawValue,
            "Apple sends three certificates. One alone is Xcode's: give it with --xcode-certificate."
        ),
        (
            ReceiptRefusal.Code.notDER.rawValue,
            "It was changed or cut on its way; or a copy of Xcode made it: give its certificate with --xcode-certificate."
        ),
        (
            InspectionCode.issuerNotProved.rawValue,
            "Give the issuer's certificate with --intermediate to prove whose signature it is."
        ),
        (InspectionCode.keyMissing.rawValue, "Give --key with the public or private key of its kid."),
        (JWSRefusal.Code.signedDateInFuture.rawValue, "Compare the clock of this machine."),
        (ReceiptRefusal.Code.creationDateInFuture.rawValue, "Compare the clock of this machine."),
    ]

    /// nil where the refusal says all.
    static func words(code: String) -> String? { all.first { $0.code == code }?.words }
}
