internal import CryptoExtras
internal import Primitives
internal import X509

/// Whose certificate a transaction receipt from before iOS 7 carries.
struct TransactionReceiptSigner: Sendable {
    let key: _RSA.Signing.PublicKey
    let leafName: String
    let issuerName: String
    /// The certificate with the configured intermediate that issued it; nil where no intermediate of the named issuer is
    /// configured.
    let chain: VerifiedChain?
}

extension ChainVerifier {
    /// Reads the one certificate of a transaction receipt and looks for its issuer among the configured intermediates.
    ///
    /// The keys have 1024 bits and the signatures SHA-1: weak today, but nothing better exists from those years.
    func transactionReceiptSigner(_ der: [UInt8]) throws(ChainRefusal) -> TransactionReceiptSigner {
        let leaf = try legacyLeaf(der)
        return TransactionReceiptSigner(
            key: leaf.key, leafName: Signer.commonName(leaf.subject), issuerName: Signer.commonName(leaf.issuer),
            chain: try chain(of: leaf, der: der))
    }

    private func legacyLeaf(_ der: [UInt8]) throws(ChainRefusal) -> LegacyLeaf {
        do {
            return try LegacyLeaf(derEncoded: der)
        } catch {
            throw ChainRefusal(.certificateMalformed, ChainWords.place(0, of: 1))
        }
    }

    /// The chain to a configured intermediate. The authority issues certificates for other purposes too; the leaf's name
    /// distinguishes them.
    private func chain(of leaf: LegacyLeaf, der: [UInt8]) throws(ChainRefusal) -> VerifiedChain? {
        let issuers = try issuers(of: leaf)
        if issuers.isEmpty { return nil }
        let place = ChainWords.named(ChainWords.place(0, of: 1), leaf.subject)
        guard Signer.commonName(leaf.subject) == "PurchaseReceiptCertificate" else {
            throw ChainRefusal(.leafMarkerMissing, "\(place) is not called PurchaseReceiptCertificate")
        }
        let issuerWords = ChainWords.named("the configured intermediate", leaf.issuer)
        guard let (issuerDER, issuer) = issuers.first(where: { leaf.isSigned(by: $0.1) }) else {
            throw ChainRefusal(.chainInvalid, "\(place) was not signed by the key of \(issuerWords)")
        }
        guard try Self.isCA(issuer, issuerWords) else { throw ChainRefusal(.intermediateNotCA, issuerWords) }
        let signer = Signer(
            authority: .configured, leafName: Signer.commonName(leaf.subject),
            leafSerial: Hexadecimal.encode(leaf.serialNumber), leafFingerprint: TrustRoots.fingerprint(of: der),
            intermediateFingerprint: nil, rootName: Signer.commonName(issuer.subject),
            rootFingerprint: TrustRoots.fingerprint(of: issuerDER))
        try checkTrusted(signer)
        let issuerValidity = try Self.validity(of: [issuer])
        guard leaf.validity.overlaps(issuerValidity) else {
            let dates = [leaf.validity, issuerValidity].map { "\($0.lowerBound) to \($0.upperBound)" }
            throw ChainRefusal(.chainNeverValid, "\(place) is valid \(dates[0]), \(issuerWords) \(dates[1])")
        }
        return VerifiedChain(leafKey: .rsa(leaf.key), validity: leaf.validity.clamped(to: issuerValidity), signer: signer)
    }

    /// The configured intermediates with the issuer's name in the leaf: an old and a renewed one may have the same name.
    private func issuers(of leaf: LegacyLeaf) throws(ChainRefusal) -> [([UInt8], Certificate)] {
        var issuers: [([UInt8], Certificate)] = []
        for der in roots.transactionReceiptIssuers {
            let issuer = try Self.parse(der, "a configured intermediate")
            if issuer.subject == leaf.issuer { issuers.append((der, issuer)) }
        }
        return issuers
    }
}
