/// The reasons that `inspect` itself gives, in addition to the codes of the verifiers. Raw values are stable.
package enum InspectionCode: String, Sendable, Hashable, CaseIterable {
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
