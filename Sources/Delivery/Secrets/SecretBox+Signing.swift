package import Backend
internal import Crypto
internal import Primitives

extension SecretBox {
    /// Makes a secret and seals it.
    ///
    /// - Parameter owner: what it is of; it opens as this one's only.
    /// - Throws: ``SecretRefusal/noKey``.
    package func makeSecret(_ kind: SealedSecret.Kind, of owner: String) throws(SecretRefusal) -> FreshSecret {
        let secret: SigningSecret =
            switch kind {
            case .v1: .shared()
            case .v1a: .ed25519()
            }
        do {
            return FreshSecret(text: secret.receiverText, sealed: try seal(secret, kind, of: owner))
        } catch {
            throw .noKey
        }
    }

    /// Seals a secret that exists already, such as one that is moved here with its endpoint.
    ///
    /// - Throws: as ``seal(_:of:kind:)``.
    package func seal(
        _ secret: SigningSecret, _ kind: SealedSecret.Kind, of owner: String
    ) throws(SecretBoxError) -> SealedSecret {
        SealedSecret(
            kind: kind, fingerprint: Hexadecimal.encode(SHA256.hash(data: Array(secret.receiverText.utf8)).prefix(4)),
            sealed: try seal(Array(secret.text.utf8), of: owner, kind: kind.rawValue))
    }

    /// Opens a secret that was sealed for this owner.
    ///
    /// - Throws: as ``open(_:of:kind:)``; ``SecretBoxError/notOpened`` also where what was sealed is not a secret.
    package func open(_ secret: SealedSecret, of owner: String) throws(SecretBoxError) -> SigningSecret {
        let bytes = try open(secret.sealed, of: owner, kind: secret.kind.rawValue)
        guard let opened = SigningSecret(String(decoding: bytes, as: UTF8.self)) else { throw .notOpened }
        return opened
    }
}
