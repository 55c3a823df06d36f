internal import Crypto
public import Primitives
internal import StrictJSON

/// Signs what a device needs to buy with an offer of the developer's: the signature is the developer's consent.
///
/// Whether a customer may have an offer is not checked here. The caller supplies the time and the nonce; each nonce may be used
/// once.
///
/// Source: Apple, In-App Purchase, Generating a promotional offer signature on the server, Generating JWS to sign App Store
/// requests.
public struct OfferSigner: Sendable {
    /// An In-App Purchase key.
    public let key: SigningKey
    /// The app.
    public let bundleId: String

    /// Signs for one app with one key.
    ///
    /// - Throws: ``OfferSigningError`` where the bundle id is empty, or has a character that cannot be signed.
    public init(key: SigningKey, bundleId: String) throws(OfferSigningError) {
        try Self.check("bundleId", bundleId)
        self.key = key
        self.bundleId = bundleId
    }

    // MARK: Version 1

    /// A promotional offer for the original StoreKit and for StoreKit 2's
    /// `.promotionalOffer(offerID:keyID:nonce:signature:timestamp:)`.
    ///
    /// - Parameters:
    ///   - productId: The subscription.
    ///   - offerIdentifier: The offer of that subscription.
    ///   - appAccountToken: The token, or the `applicationUsername`, that the purchase will carry; it is signed in lower case.
    ///     nil: the purchase will carry none.
    ///   - nonce: A UUID that was never used; it is signed in lower case.
    ///   - timestamp: Now, to the millisecond.
    /// - Throws: ``OfferSigningError``. No text may have U+2063: with it one signature would be valid for two offers. Control
    ///   characters, NUL among them, are refused too: no identifier contains them, and not every reader preserves them.
    public func promotionalOfferV1(
        productId: String, offerIdentifier: String, appAccountToken: String? = nil, nonce: String, timestamp: Timestamp
    ) throws(OfferSigningError) -> PromotionalOfferSignatureV1 {
        try Self.check("productId", productId)
        try Self.check("offerIdentifier", offerIdentifier)
        let token = appAccountToken?.lowercased()
        if let token, !token.isEmpty { try Self.check("appAccountToken", token) }
        var offer = PromotionalOfferSignatureV1(
            encodedSignature: "", productId: productId, nonce: try Self.canonical(nonce: nonce), timestamp: timestamp,
            keyId: key.keyId, offerIdentifier: offerIdentifier, appAccountToken: token)
        try Self.check(timestamp)
        do throws(SigningFailure) {
            let signature = try key.signature(for: Array(Self.text(of: offer, bundleId: bundleId).utf8))
            offer.encodedSignature = StrictBase64.encodePadded(Array(signature.derRepresentation))
        } catch {
            throw OfferSigningError(.signingFailed)
        }
        return offer
    }

    /// The signed text: seven texts with U+2063 between them; an empty one keeps its separators.
    static func text(of offer: PromotionalOfferSignatureV1, bundleId: String) -> String {
        [
            bundleId, offer.keyId, offer.productId, offer.offerIdentifier, offer.appAccountToken ?? "", offer.nonce,
            String(offer.timestamp.millisecondsSince1970),
        ].joined(separator: "\u{2063}")
    }

    // MARK: Version 2

    /// A promotional offer as a compact JWS.
    ///
    /// - Parameters:
    ///   - productId: The subscription.
    ///   - offerIdentifier: The offer of that subscription.
    ///   - transactionId: Any transaction of the customer's, or the `appTransactionId`, to which the offer is then bound.
    ///     nil: any holder of the signature may use it once.
    ///   - nonce: A UUID that was never used.
    ///   - issuedAt: Now; cut off to its second.
    /// - Throws: ``OfferSigningError``.
    public func promotionalOffer(
        productId: String, offerIdentifier: String, transactionId: String? = nil, nonce: String, issuedAt: Timestamp
    ) throws(OfferSigningError) -> String {
        try Self.check("productId", productId)
        try Self.check("offerIdentifier", offerIdentifier)
        if let transactionId { try Self.check("transactionId", transactionId) }
        return try jws("promotional-offer", nonce: nonce, issuedAt: issuedAt) {
            $0.member("productId", productId)
            $0.member("offerIdentifier", offerIdentifier)
            $0.optionalMember("transactionId", transactionId)
        }
    }

    /// Whether a customer may have an introductory offer, overriding the App Store's own decision, as a compact JWS.
    ///
    /// - Parameters:
    ///   - productId: The subscription.
    ///   - allowIntroductoryOffer: Whether.
    ///   - transactionId: Any transaction of the customer's, or the `appTransactionId`; Apple requires one.
    ///   - nonce: A UUID that was never used.
    ///   - issuedAt: Now; cut off to its second.
    /// - Throws: ``OfferSigningError``.
    public func introductoryOfferEligibility(
        productId: String, allowIntroductoryOffer: Bool, transactionId: String, nonce: String, issuedAt: Timestamp
    ) throws(OfferSigningError) -> String {
        try Self.check("productId", productId)
        try Self.check("transactionId", transactionId)
        return try jws("introductory-offer-eligibility", nonce: nonce, issuedAt: issuedAt) {
            $0.member("productId", productId)
            $0.member("allowIntroductoryOffer", allowIntroductoryOffer)
            $0.member("transactionId", transactionId)
        }
    }

    /// An Advanced Commerce request that the app passes to StoreKit, as a compact JWS.
    ///
    /// - Parameters:
    ///   - request: What is to be bought or changed; Apple's documented limits of its fields are checked.
    ///   - nonce: A UUID that was never used.
    ///   - issuedAt: Now; cut off to its second.
    /// - Throws: ``OfferSigningError``.
    public func advancedCommerce(
        _ request: AdvancedCommerceInAppRequest, nonce: String, issuedAt: Timestamp
    ) throws(OfferSigningError) -> String {
        let json: [UInt8]
        do throws(ServerAPIRequestError) {
            json = try request.checkedJSON()
        } catch {
            throw OfferSigningError(.requestInvalid, error.field, request: error)
        }
        return try jws("advanced-commerce-api", nonce: nonce, issuedAt: issuedAt) {
            $0.member("request", StrictBase64.encodePadded(json))
        }
    }

    /// Claims in Apple's order, without an expiry: Apple uses `iat`.
    private func jws(
        _ audience: String, nonce: String, issuedAt: Timestamp, claims: (inout JSONWriter) -> Void
    ) throws(OfferSigningError) -> String {
        let nonce = try Self.canonical(nonce: nonce)
        try Self.check(issuedAt)
        let jws = JWSSigning.compactJWS(key) {
            $0.member("iss", key.issuerId)
            $0.member("iat", issuedAt.millisecondsSince1970 / 1000)
            $0.member("aud", audience)
            $0.member("bid", bundleId)
            $0.member("nonce", nonce)
            claims(&$0)
        }
        guard let jws else { throw OfferSigningError(.signingFailed) }
        return jws
    }

    private static func canonical(nonce: String) throws(OfferSigningError) -> String {
        guard let nonce = AppAccountToken(rawValue: nonce).canonicalUUID else { throw OfferSigningError(.nonceNotUUID, "nonce") }
        return nonce
    }

    private static func check(_ timestamp: Timestamp) throws(OfferSigningError) {
        guard Timestamp(validating: timestamp.millisecondsSince1970) != nil else {
            throw OfferSigningError(.timestampOutOfRange, "timestamp")
        }
    }

    private static func check(_ field: String, _ text: String) throws(OfferSigningError) {
        guard !text.isEmpty else { throw OfferSigningError(.empty, field) }
        let isForbidden = { (scalar: Unicode.Scalar) in
            scalar == "\u{2063}" || scalar.properties.generalCategory == .control
        }
        guard !text.unicodeScalars.contains(where: isForbidden) else {
            throw OfferSigningError(.characterNotAllowed, field)
        }
    }
}
