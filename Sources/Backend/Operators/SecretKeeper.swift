/// Keeps secrets encrypted with a key of the configuration, so that whoever reads the database has none of them.
package protocol SecretKeeper: Sendable {
    /// Encrypts a secret.
    ///
    /// - Parameter owner: whose it is; it opens as this one's only.
    /// - Throws: ``SecretRefusal/noKey``.
    func keep(_ secret: [UInt8], of owner: String) throws(SecretRefusal) -> String

    /// What ``keep(_:of:)`` returned for the same owner, decrypted; nil where the configuration does not have its key.
    func reveal(_ kept: String, of owner: String) -> [UInt8]?
}
