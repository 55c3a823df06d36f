import Crypto
import Primitives
import Server
import StrictJSON

extension CustomerTokenKeys {
    /// `apps[].customerTokenKeys`: `keys`, a JWK set's list of public keys on the curve P-256; `issuer` and `audience`, which a
    /// token must have; `claim`, which names the customer; `longestValiditySeconds`.
    ///
    /// - Returns: nil where the app has none.
    init?(in app: JSONFields) throws {
        let names: Set<String> = ["keys", "issuer", "audience", "claim", "longestValiditySeconds"]
        guard let chosen = try app.fields("customerTokenKeys", knowing: names) else { return nil }
        let listed = try chosen.list("keys") ?? []
        guard (1...Self.mostKeys).contains(listed.count) else {
            throw CommandError("\(chosen.place("keys")) must list 1 to \(Self.mostKeys) keys of a JWK set.")
        }
        var keys: [String: P256.Signing.PublicKey] = [:]
        for key in listed {
            let kid = try key.requiredText("kid")
            guard keys.updateValue(try Self.key(key), forKey: kid) == nil else {
                throw CommandError("\(key.place("kid")) is \(kid), as of a key before it; each key needs its own.")
            }
        }
        self.init(keys: keys, issuer: try chosen.requiredText("issuer"), audience: try chosen.requiredText("audience"))
        claim = try chosen.text("claim") ?? claim
        let longest = CustomerToken.longestValidity.count / 1000
        if let seconds = try chosen.integer("longestValiditySeconds", in: 60...longest) { longestValidity = .seconds(seconds) }
    }

    /// More would be no provider's.
    private static let mostKeys = 16

    /// A key as its provider publishes it: members that say nothing of the key itself are passed over.
    private static func key(_ key: JSONFields) throws -> P256.Signing.PublicKey {
        guard key.value("d") == nil else {
            throw CommandError("\(key.place("d")) is the private half of the key, which belongs to whoever signs. Remove it.")
        }
        let algorithm = try key.text("alg") ?? "ES256"
        guard try key.requiredText("kty") == "EC", try key.requiredText("crv") == "P-256", algorithm == "ES256",
            try key.text("use") ?? "sig" == "sig"
        else {
            throw CommandError("\(key.place("kty")): only keys for ES256 are taken: kty EC, crv P-256, use sig.")
        }
        let coordinates = try ["x", "y"].map { name in
            guard let bytes = StrictBase64.decodeURL(Array(try key.requiredText(name).utf8)[...]), bytes.count == 32 else {
                throw CommandError("\(key.place(name)) must be 32 bytes in base64url.")
            }
            return bytes
        }
        do {
            return try P256.Signing.PublicKey(rawRepresentation: coordinates[0] + coordinates[1])
        } catch {
            throw CommandError("\(key.place("x")) and y are no point of the curve P-256.")
        }
    }
}
