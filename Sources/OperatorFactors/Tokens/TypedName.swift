internal import Crypto
internal import Primitives

/// What somebody typed as a name. It may be a password in the wrong field, so what is kept of it to count failures is a digest.
package enum TypedName {
    /// The first 32 digits of its SHA-256.
    package static func digest(_ text: String) -> String { Hexadecimal.encode(SHA256.hash(data: Array(text.utf8)).prefix(16)) }
}
