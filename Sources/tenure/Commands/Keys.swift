import ArgumentParser
import Crypto

struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the keys of an app: what to give to whom, and what to write into the configuration.",
        discussion: "The server key is shown once and kept nowhere; the configuration holds only its SHA-256.")

    func run() {
        let serverKey = "sk_" + Self.secret()
        let publicKey = "appl_" + Self.secret(bytes: 16)
        let digest = Hexadecimal.encode(SHA256.hash(data: Array(serverKey.utf8)))
        Console.print(
            """
            For your backend, as a secret (shown only now):
              server key            \(serverKey)
              customerTokenSecret   \(Self.secret())
            For the app itself:
              public key            \(publicKey)
            For Tenure's configuration file:
              "publicKey": "\(publicKey)",
              "serverKeySHA256": "\(digest)",
              and the customerTokenSecret above, best as an environment variable (tenure serve --help).
            """)
    }

    private static func secret(bytes count: Int = 32) -> String {
        Hexadecimal.encode(SymmetricKey(size: .init(bitCount: count * 8)).withUnsafeBytes { Array($0) })
    }
}
