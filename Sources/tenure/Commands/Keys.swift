import ArgumentParser
import Crypto
import Primitives

struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the keys of an app: where each one goes, and what to write into the configuration.",
        discussion: "The server key is shown once and not stored; the configuration holds only its SHA-256.")

    func run() {
        let keys = AppKeys()
        Console.print(
            """
            For your backend, as a secret (shown only now):
              server key            \(keys.serverKey)
              customerTokenSecret   \(keys.customerTokenSecret)
            For the app itself:
              public key            \(keys.publicKey)
            For Tenure's configuration file:
              "publicKey": "\(keys.publicKey)",
              "serverKeySHA256": "\(keys.serverKeySHA256)",
              and the customerTokenSecret above, best as an environment variable (tenure serve --help).
            """)
    }
}

/// New keys of one app, from the system's generator.
struct AppKeys {
    /// The backend's own key, which may act for any customer; the configuration holds only its digest.
    let serverKey = "sk_" + secret()
    /// Is built into the app.
    let publicKey = "appl_" + secret(bytes: 16)
    /// What the backend signs customer tokens with.
    let customerTokenSecret = secret()
    /// With which the secrets of webhooks are encrypted: 32 bytes in hexadecimal digits.
    let webhookSecretKey = secret()

    /// The SHA-256 of ``serverKey``, in hexadecimal digits.
    var serverKeySHA256: String { Hexadecimal.encode(SHA256.hash(data: Array(serverKey.utf8))) }

    private static func secret(bytes count: Int = 32) -> String {
        Hexadecimal.encode(SymmetricKey(size: .init(bitCount: count * 8)).withUnsafeBytes { Array($0) })
    }
}
