internal import Crypto
internal import CryptoExtras
public import Primitives

/// A transaction receipt from before iOS 7 with a valid signature, and how much that proves.
///
/// Such a receipt carries its signer's certificate and no chain. The signature alone proves that the receipt was not changed
/// after it was signed; that the certificate is Apple's is proved only where the intermediate that issued it is configured
/// (``TrustRoots/adding(transactionReceiptIssuer:)``).
///
/// Source: FACT-3; Apple, "In-App Purchase Programming Guide" (2012).
public enum TransactionReceipt: Sendable, Hashable {
    /// The certificate was issued by a configured intermediate, and was valid when the purchase was made.
    case proved(Verified<TransactionReceiptPayload>)
    /// Nothing proves whose certificate it is. For display only; never act on it.
    case signatureOnly(UnprovedTransactionReceipt)

    /// Its content, proved or not.
    public var payload: TransactionReceiptPayload {
        switch self {
        case .proved(let verified): verified.payload
        case .signatureOnly(let unproved): unproved.payload
        }
    }
}

/// A transaction receipt with a valid signature by a certificate that is not trusted. Anybody can make one.
public struct UnprovedTransactionReceipt: Sendable, Hashable {
    /// Its content.
    public let payload: TransactionReceiptPayload
    /// The property list exactly as it came.
    public let evidence: [UInt8]
    /// The common name in the certificate.
    public let leafName: String
    /// The common name of the issuer that the certificate names.
    public let issuerName: String
    /// The SHA-256 of the certificate's DER.
    public let leafFingerprint: [UInt8]
}

/// The parsed property list around a transaction; nothing in it has been verified yet.
struct SignedTransactionReceipt {
    /// The signed bytes: the version and the decoded `purchase-info`.
    let signedBytes: [UInt8]
    let purchaseInfo: [UInt8]
    let environment: String?
    let version: UInt8
    let signature: ArraySlice<UInt8>
    let certificate: [UInt8]

    init(_ bytes: [UInt8], limits: ReceiptLimits) throws(ReceiptRefusal) {
        guard bytes.count <= limits.maximumTransactionReceiptBytes else { throw ReceiptRefusal(.tooLong, "\(bytes.count) bytes") }
        guard let list = PropertyListText(bytes[...]) else { throw ReceiptRefusal(.notPropertyList) }
        let field = try Self.decoded("signature", in: list)
        purchaseInfo = try Self.decoded("purchase-info", in: list)
        environment = list["environment"]
        guard let version = field.first, let length = Self.signatureLength(version: version), field.count >= 1 + length + 4 else {
            throw ReceiptRefusal(.signatureMalformed)
        }
        self.version = version
        signature = field[1..<1 + length]
        let certificateLength = field[1 + length..<5 + length].reduce(0) { $0 << 8 | Int($1) }
        certificate = Array(field[(5 + length)...])
        guard certificate.count == certificateLength, certificateLength <= limits.maximumCertificateBytes else {
            throw ReceiptRefusal(.signatureMalformed)
        }
        signedBytes = [version] + purchaseInfo
    }

    /// Version 2 has a signature of 128 bytes; version 3, with 256, was observed and is not documented.
    private static func signatureLength(version: UInt8) -> Int? {
        switch version {
        case 2: 128
        case 3: 256
        default: nil
        }
    }

    private static func decoded(_ name: String, in list: PropertyListText) throws(ReceiptRefusal) -> [UInt8] {
        guard let text = list[name] else { throw ReceiptRefusal(.attributeMissing, name) }
        guard case .success(let bytes) = ReceiptEncoding.bytes(base64: text.utf8) else {
            throw ReceiptRefusal(.attributeInvalid, name)
        }
        return bytes
    }
}

extension AppStoreVerifier {
    /// Verifies a transaction receipt from before iOS 7.
    ///
    /// - Parameters:
    ///   - propertyList: the receipt out of its base64; ``ReceiptEncoding`` reads that.
    ///   - app: the app that it must be about. Its environments are compared with one that is not signed
    ///     (``TransactionReceiptPayload/unsignedEnvironment``).
    ///   - now: our clock.
    /// - Returns: the receipt and how much of it is proved, or the first reason to refuse it.
    public func transactionReceipt(
        _ propertyList: [UInt8], for app: ExpectedApp, at now: Timestamp
    ) -> Result<TransactionReceipt, ReceiptRefusal> {
        do throws(ReceiptRefusal) {
            return .success(try receipts.verifyTransaction(propertyList, for: app, at: now))
        } catch {
            return .failure(error)
        }
    }
}

extension ReceiptVerifier {
    func verifyTransaction(
        _ bytes: [UInt8], for app: ExpectedApp, at now: Timestamp
    ) throws(ReceiptRefusal) -> TransactionReceipt {
        let receipt = try SignedTransactionReceipt(bytes, limits: limits)
        let signer = try signer(of: receipt)
        try checkSignature(of: receipt, by: signer.key)
        let payload = try TransactionReceiptPayload(purchaseInfo: receipt.purchaseInfo, environment: receipt.environment)
        guard payload.purchaseDate <= now.adding(futureTolerance) else {
            throw ReceiptRefusal(
                .creationDateInFuture, payload.purchaseDate.tooLate(at: now, tolerance: futureTolerance))
        }
        guard app.hasBundleId(payload.bundleId) else {
            throw ReceiptRefusal(.wrongBundleId, app.mismatch(bundleId: payload.bundleId))
        }
        guard app.environments.contains(payload.unsignedEnvironment) else {
            throw ReceiptRefusal(.wrongEnvironment, app.mismatch(environment: payload.unsignedEnvironment))
        }
        // Only Apple signed such receipts in those years: neither Xcode nor a local test made them.
        guard Signer.Authority.apple.speaks(for: payload.unsignedEnvironment) else {
            throw ReceiptRefusal(.wrongEnvironment, payload.unsignedEnvironment.rawValue)
        }
        if payload.unsignedEnvironment == .production, let item = payload.appItemId.flatMap({ Int64($0) }), item != 0,
            let expected = app.appAppleId, item != expected
        {
            throw ReceiptRefusal(.wrongAppAppleId, app.mismatch(appAppleId: item))
        }
        guard let chain = signer.chain else {
            return .signatureOnly(
                UnprovedTransactionReceipt(
                    payload: payload, evidence: bytes, leafName: signer.leafName, issuerName: signer.issuerName,
                    leafFingerprint: TrustRoots.fingerprint(of: receipt.certificate)))
        }
        guard chain.validity.contains(payload.purchaseDate) else {
            throw ReceiptRefusal(.creationDateOutsideChain, "\(payload.purchaseDate)")
        }
        return .proved(
            Verified(
                payload: payload, evidence: bytes, signedDate: payload.purchaseDate, environment: payload.unsignedEnvironment,
                proof: .signature(chain.signer)))
    }

    private func signer(of receipt: SignedTransactionReceipt) throws(ReceiptRefusal) -> TransactionReceiptSigner {
        do throws(ChainRefusal) {
            return try chainVerifier.transactionReceiptSigner(receipt.certificate)
        } catch {
            throw ReceiptRefusal(error)
        }
    }

    /// Version 2 is signed over SHA-1. Which hash version 3 uses is not documented; a second preimage of either is infeasible.
    private func checkSignature(of receipt: SignedTransactionReceipt, by key: _RSA.Signing.PublicKey) throws(ReceiptRefusal) {
        let signature = _RSA.Signing.RSASignature(rawRepresentation: receipt.signature)
        if key.isValidSignature(
            signature, for: Insecure.SHA1.hash(data: receipt.signedBytes), padding: .insecurePKCS1v1_5)
        {
            return
        }
        let hash = SHA256.hash(data: receipt.signedBytes)
        guard receipt.version == 3, key.isValidSignature(signature, for: hash, padding: .insecurePKCS1v1_5) else {
            throw ReceiptRefusal(.signatureInvalid)
        }
    }
}
