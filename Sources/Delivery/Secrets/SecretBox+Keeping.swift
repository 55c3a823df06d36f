package import Backend

/// Secrets of operators are kept with the key that webhooks' secrets are kept with.
extension SecretBox: SecretKeeper {
    package func keep(_ secret: [UInt8], of owner: String) throws(SecretRefusal) -> String {
        do {
            return try seal(secret, of: owner, kind: Self.kept)
        } catch {
            throw .noKey
        }
    }

    package func reveal(_ kept: String, of owner: String) -> [UInt8]? {
        do {
            return try open(kept, of: owner, kind: Self.kept)
        } catch {
            return nil
        }
    }

    /// No signature of a webhook is called so.
    private static let kept = "kept"
}
