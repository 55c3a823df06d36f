internal import Crypto
internal import CryptoExtras
public import Primitives

/// Verifies app receipts: form, chain, signature, content, date and app, in this order.
///
/// Source: Apple, "Validating receipts on the device"; RFC 5652; TN3138 (SHA-1 and SHA-256 intermediates).
struct ReceiptVerifier: Sendable {
    let chainVerifier: ChainVerifier
    let chains: ChainCache
    let limits: ReceiptLimits
    let futureTolerance: Milliseconds

    nonisolated(nonsending) func verify(
        _ der: [UInt8], for app: ExpectedApp, at now: Timestamp
    ) async throws(ReceiptRefusal) -> Verified<AppReceiptPayload> {
        let (receipt, read) = try SignedReceipt.read(
            der, limits: limits, mayBeXcode: !chainVerifier.roots.xcodeFingerprints.isEmpty)
        let chain = try await chain(receipt.path)
        // Apple's own receipts are DER: another encoding of one of them would be a second receipt.
        guard read == der || chain.signer.authority == .xcode else { throw ReceiptRefusal(.notDER) }
        try checkSignature(of: receipt, by: chain)
        let payload = try AppReceiptPayload(read, in: receipt.attributes(of: read, isXcode: chain.signer.authority == .xcode))
        try check(payload, chain: chain, now: now)
        try check(payload, app: app, signer: chain.signer)
        return Verified(
            payload: payload, evidence: der, signedDate: payload.receiptCreationDate, environment: payload.environment,
            proof: .signature(chain.signer))
    }

    private nonisolated(nonsending) func chain(_ path: [[UInt8]]) async throws(ReceiptRefusal) -> VerifiedChain {
        do throws(ChainRefusal) {
            return try await chains.chain(of: path, verifiedBy: chainVerifier)
        } catch {
            throw ReceiptRefusal(error)
        }
    }

    private func checkSignature(of receipt: SignedReceipt, by chain: VerifiedChain) throws(ReceiptRefusal) {
        guard case .rsa(let key) = chain.leafKey else { throw ReceiptRefusal(.leafKeyNotRSA) }
        let signature = _RSA.Signing.RSASignature(rawRepresentation: receipt.signature)
        let isValid =
            switch receipt.digestAlgorithm {
            case .sha1:
                key.isValidSignature(
                    signature, for: Insecure.SHA1.hash(data: receipt.content), padding: .insecurePKCS1v1_5)
            case .sha256:
                key.isValidSignature(signature, for: SHA256.hash(data: receipt.content), padding: .insecurePKCS1v1_5)
            }
        guard isValid else { throw ReceiptRefusal(.signatureInvalid) }
    }

    private func check(_ payload: AppReceiptPayload, chain: VerifiedChain, now: Timestamp) throws(ReceiptRefusal) {
        let date = payload.receiptCreationDate
        guard chain.validity.contains(date) else { throw ReceiptRefusal(.creationDateOutsideChain, "\(date)") }
        guard date <= now.adding(futureTolerance) else {
            throw ReceiptRefusal(.creationDateInFuture, date.tooLate(at: now, tolerance: futureTolerance))
        }
        chain.use.note(date)
    }

    private func check(_ payload: AppReceiptPayload, app: ExpectedApp, signer: Signer) throws(ReceiptRefusal) {
        guard app.hasBundleId(payload.bundleId) else {
            throw ReceiptRefusal(.wrongBundleId, app.mismatch(bundleId: payload.bundleId))
        }
        guard app.environments.contains(payload.environment) else {
            throw ReceiptRefusal(.wrongEnvironment, app.mismatch(environment: payload.environment))
        }
        guard signer.authority.speaks(for: payload.environment) else {
            throw ReceiptRefusal(.wrongEnvironment, payload.environment.rawValue)
        }
        if payload.environment == .production, let adamId = payload.adamId, adamId != 0, adamId != app.appAppleId {
            throw ReceiptRefusal(.wrongAppAppleId, app.mismatch(appAppleId: adamId))
        }
    }
}

extension AppStoreVerifier {
    /// Verifies an app receipt: the PKCS#7 in `appStoreReceiptURL`.
    ///
    /// The chain must be valid at the receipt's creation date, not today: Apple's own receipts outlive their certificates. An app
    /// receipt of Xcode's is accepted only where its certificate is configured (``TrustRoots/adding(xcodeCertificate:)``) and the
    /// app accepts the environment `Xcode`.
    ///
    /// - Parameters:
    ///   - der: the receipt's bytes; ``ReceiptEncoding`` reads them from base64.
    ///   - app: the app that it must be of.
    ///   - now: our clock.
    /// - Returns: the receipt, or a reason to refuse it.
    ///
    /// Source: Apple, "Validating receipts on the device"; FACT-3, FACT-4.
    public nonisolated(nonsending) func appReceipt(
        _ der: [UInt8], for app: ExpectedApp, at now: Timestamp
    ) async -> Result<Verified<AppReceiptPayload>, ReceiptRefusal> {
        do throws(ReceiptRefusal) {
            return .success(try await receipts.verify(der, for: app, at: now))
        } catch {
            return .failure(error)
        }
    }
}
