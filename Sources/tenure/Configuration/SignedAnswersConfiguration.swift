import Crypto
import Foundation
import Ledger
import Primitives
import Server
import StrictJSON

extension AnswerSigner {
    /// `signedAnswers` of the configuration file: `keys`, files of PEM with a private key on the curve P-256 each, of which the
    /// first signs and all are published; `offlineGraceHours` and `longestOfflineHours` (ENT-10).
    ///
    /// - Returns: nil where the file has none.
    init?(in file: JSONFields) throws {
        let names: Set<String> = ["keys", "offlineGraceHours", "longestOfflineHours"]
        guard let chosen = try file.fields("signedAnswers", knowing: names) else { return nil }
        var terms = OfflineTerms()
        if let hours = try chosen.integer("offlineGraceHours", in: 0...168) { terms.offlineGrace = .hours(hours) }
        if let hours = try chosen.integer("longestOfflineHours", in: 1...720) { terms.longest = .hours(hours) }
        let paths = try chosen.texts("keys") ?? []
        guard !paths.isEmpty else { throw CommandError("\(chosen.place("keys")) is missing or empty: nothing could be signed.") }
        let keys = try paths.map { path in
            guard let data = FileManager.default.contents(atPath: path) else {
                throw CommandError("\(chosen.place("keys")): \(path) cannot be read.")
            }
            if try FileAccess.isReadableByOthers(path) {
                Console.complain("warning: \(path) is a private key that other users can read: chmod 600 \(path)")
            }
            do {
                return try P256.Signing.PrivateKey(pemRepresentation: String(decoding: data, as: UTF8.self))
            } catch {
                throw CommandError(
                    """
                    \(chosen.place("keys")): \(path) is not a private key on the curve P-256 in PEM. Make one with \
                    `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out \(path)`.
                    """)
            }
        }
        self.init(keys: keys, terms: terms)
    }
}
