internal import AppStoreModel
internal import Crypto
internal import Primitives
internal import SimulatorPKI
internal import StrictJSON

/// What an app's server signed so that a customer may have an offer.
package enum OfferProof: Sendable, Hashable {
    /// The signature of the first form: seven texts with U+2063 between them.
    case signature(OfferSignature)
    /// A compact JWS, for a promotional offer or for a second introductory one.
    case jws(String)
}

/// A promotional offer's signature, with what the device sends with it.
///
/// Source: Apple, "Generating a signature for promotional offers".
package struct OfferSignature: Sendable, Hashable {
    package var keyIdentifier: String
    /// A UUID.
    package var nonce: String
    /// Milliseconds since 1970.
    package var timestamp: Int64
    /// DER in base64.
    package var signature: String
    /// The user name that the device bought with, where it is not an `appAccountToken`.
    package var applicationUsername: String?

    package init(
        keyIdentifier: String, nonce: String, timestamp: Int64, signature: String, applicationUsername: String? = nil
    ) {
        self.keyIdentifier = keyIdentifier
        self.nonce = nonce
        self.timestamp = timestamp
        self.signature = signature
        self.applicationUsername = applicationUsername
    }
}

/// Checks what servers sign for offers, and accepts each nonce once.
///
/// Source: Apple, "Generating a signature for promotional offers" (24 hours, one use); "Generating JWS to sign App Store
/// requests".
struct UsedNonces: Sendable, Hashable, Codable {
    private var nonces: [String: Timestamp] = [:]

    /// How long a signature is valid.
    static let lifetime = Milliseconds.hours(24)
    /// How far a server's clock may be ahead of ours.
    static let clockSkew = Milliseconds.minutes(5)
    private static let maximumNonces = 100_000

    /// Accepts a new nonce; false for one that was used.
    mutating func take(nonce: String, signedAt: Timestamp, now: Timestamp) -> Bool {
        guard isFresh(signedAt, now) else { return false }
        if nonces.count >= Self.maximumNonces { nonces = nonces.filter { now.since($0.value) <= Self.lifetime } }
        return nonces.count < Self.maximumNonces && nonces.updateValue(signedAt, forKey: nonce.lowercased()) == nil
    }

    private func isFresh(_ signedAt: Timestamp, _ now: Timestamp) -> Bool {
        let age = now.since(signedAt)
        return age <= Self.lifetime && age.count >= -Self.clockSkew.count
    }
}

extension AppStoreSimulator {
    /// Checks that the app's server signed this offer for this purchase and this customer, recently, and that the signature was
    /// not used before.
    ///
    /// - Throws: `StoreRefusal.offerSignatureInvalid`.
    func check(_ proof: OfferProof, for order: PurchaseOrder) throws {
        let isRight =
            switch proof {
            case .signature(let signature): isRight(signature, for: order)
            case .jws(let jws): isRight(jws, for: order)
            }
        guard isRight else { throw StoreRefusal.offerSignatureInvalid }
    }

    private func isRight(_ proof: OfferSignature, for order: PurchaseOrder) -> Bool {
        guard case .promotional(let offer) = order.offer, CompactUUID(proof.nonce) != nil,
            let key = keyring.key(proof.keyIdentifier, of: store[order.app].bundleId),
            let der = StrictBase64.decodePadded(Array(proof.signature.utf8)[...])
        else { return false }
        let customer = order.appAccountToken?.description ?? proof.applicationUsername?.lowercased() ?? ""
        let signed = [
            store[order.app].bundleId, proof.keyIdentifier, order.product.rawValue, offer, customer, proof.nonce.lowercased(),
            String(proof.timestamp),
        ].joined(separator: "\u{2063}")
        guard OfferSignatureCheck.isValid(der: der, over: Array(signed.utf8), by: key) else { return false }
        return offers.take(
            nonce: proof.nonce, signedAt: Timestamp(millisecondsSince1970: proof.timestamp), now: store.now)
    }

    private func isRight(_ jws: String, for order: PurchaseOrder) -> Bool {
        guard let token = SignedToken(jws), token.algorithm == "ES256", let keyId = token.keyId,
            let key = keyring.key(keyId, of: store[order.app].bundleId), token.isSigned(by: key)
        else { return false }
        let claims = token.claims
        guard claims["bid"]?.string == store[order.app].bundleId,
            claims["iss"]?.string == keyring.issuer(of: store[order.app].bundleId),
            claims["productId"]?.string == order.product.rawValue, let issuedAt = claims["iat"]?.int64,
            let nonce = claims["nonce"]?.string, CompactUUID(nonce) != nil
        else { return false }
        switch order.offer {
        case .promotional(let offer):
            guard claims["aud"]?.string == "promotional-offer", claims["offerIdentifier"]?.string == offer else { return false }
            if let id = claims["transactionId"]?.string, !belongs(id, to: order) { return false }
        case .introductory:
            guard claims["aud"]?.string == "introductory-offer-eligibility", claims["allowIntroductoryOffer"]?.bool == true,
                let id = claims["transactionId"]?.string, belongs(id, to: order)
            else { return false }
        case .automatic, .none, .winBack, .code: return false
        }
        return offers.take(
            nonce: nonce, signedAt: Timestamp(millisecondsSince1970: issuedAt &* 1000), now: store.now)
    }

    /// Whether the id of a transaction or of the app transaction is the buyer's.
    private func belongs(_ id: String, to order: PurchaseOrder) -> Bool {
        do {
            let account = try store.account(order.account)
            if let installation = account.installations[order.app], String(installation.appTransactionId) == id { return true }
            guard let number = TransactionNumber(id) else { return false }
            let transaction = try store.transaction(number)
            return transaction.account == account.number && transaction.app == order.app
        } catch {
            return false
        }
    }
}

enum OfferSignatureCheck {
    static func isValid(der: [UInt8], over bytes: [UInt8], by key: InAppPurchaseKey) -> Bool {
        do {
            let signature = try P256.Signing.ECDSASignature(derRepresentation: der)
            return key.publicKey.isValidSignature(signature, for: bytes)
        } catch {
            return false
        }
    }
}

/// A JWS that an app's server made, read but not yet verified.
struct SignedToken: Sendable {
    let algorithm: String?
    let keyId: String?
    let type: String?
    let claims: JSONObject
    private let signed: [UInt8]
    private let signature: [UInt8]

    private static let longest = 16 * 1024

    /// Nil for what is not a compact JWS.
    init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = StrictBase64.decodeURL(parts[0]), let payload = StrictBase64.decodeURL(parts[1]),
            let signature = StrictBase64.decodeURL(parts[2])
        else { return nil }
        do throws(JSONError) {
            guard let header = try JSONDocument(header).root.object, let claims = try JSONDocument(payload).root.object else {
                return nil
            }
            algorithm = header["alg"]?.string
            keyId = header["kid"]?.string
            type = header["typ"]?.string
            self.claims = claims
        } catch {
            return nil
        }
        signed = Array(bytes[..<(parts[0].count + 1 + parts[1].count)])
        self.signature = signature
    }

    func isSigned(by key: InAppPurchaseKey) -> Bool {
        do {
            return key.publicKey.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: signature), for: signed)
        } catch {
            return false
        }
    }
}
