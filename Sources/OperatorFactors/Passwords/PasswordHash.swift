internal import Crypto
internal import CryptoExtras
internal import Primitives

/// What is kept of a password: scrypt's result, with its salt and how much work it was.
///
/// A password is its UTF-8 bytes as they came: nothing is trimmed, cut or normalised, so that what somebody typed is what is
/// checked.
///
/// Source: RFC 7914; OWASP ASVS 4.0.3, 2.4.1 and 2.4.2.
package struct PasswordHash: Sendable, Hashable {
    /// How much work one password is.
    package struct Cost: Sendable, Hashable {
        /// The binary logarithm of N: 17 is 131,072.
        package let logN: Int
        package let blockSize: Int
        package let parallelism: Int

        package init(logN: Int, blockSize: Int = 8, parallelism: Int = 1) {
            (self.logN, self.blockSize, self.parallelism) = (logN, blockSize, parallelism)
        }

        /// 128 MiB, and half a second of one core.
        package static let standard = Cost(logN: 17)

        /// A kept hash asks for no more than this, whoever wrote it.
        fileprivate var isBounded: Bool {
            (1...18).contains(logN) && (1...16).contains(blockSize) && (1...4).contains(parallelism)
        }
    }

    /// How many random bytes a salt has.
    package static let saltBytes = 16
    private static let keyBytes = 32

    package let cost: Cost
    private let salt: [UInt8]
    private let key: [UInt8]

    /// Takes as long as the cost says.
    ///
    /// - Throws: where there is not enough memory for it.
    package init(of password: String, salt: [UInt8], cost: Cost) throws {
        (self.cost, self.salt) = (cost, salt)
        key = try Self.derive(password, salt, cost)
    }

    /// What no password matches, and takes as long to find out: for names that nobody has.
    package static func ofNobody(_ cost: Cost) -> PasswordHash {
        PasswordHash(
            cost: cost, salt: [UInt8](repeating: 0, count: saltBytes), key: [UInt8](repeating: 0, count: keyBytes))
    }

    private init(cost: Cost, salt: [UInt8], key: [UInt8]) { (self.cost, self.salt, self.key) = (cost, salt, key) }

    private static func derive(_ password: String, _ salt: [UInt8], _ cost: Cost) throws -> [UInt8] {
        let key = try KDF.Scrypt.deriveKey(
            from: Array(password.utf8), salt: salt, outputByteCount: keyBytes, rounds: 1 << cost.logN,
            blockSize: cost.blockSize, parallelism: cost.parallelism)
        return key.withUnsafeBytes { Array($0) }
    }

    /// Whether it is this password's. Takes as long as making it did.
    package func matches(_ password: String) throws -> Bool {
        ConstantTime.areEqual(key, try Self.derive(password, salt, cost))
    }

    // MARK: As text

    /// `$scrypt$ln=17,r=8,p=1$` with salt and result in base64.
    package var text: String {
        let parameters = "ln=\(cost.logN),r=\(cost.blockSize),p=\(cost.parallelism)"
        return "$scrypt$\(parameters)$\(StrictBase64.encodeURL(salt))$\(StrictBase64.encodeURL(key))"
    }

    /// Nil for a text of another form, or for more work than we ever ask for.
    package init?(text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1].elementsEqual("scrypt".utf8), let cost = Self.cost(parts[2]),
            let salt = StrictBase64.decodeURL(Array(parts[3])[...]), let key = StrictBase64.decodeURL(Array(parts[4])[...]),
            key.count == Self.keyBytes
        else { return nil }
        (self.cost, self.salt, self.key) = (cost, salt, key)
    }

    private static func cost(_ text: Substring.UTF8View) -> Cost? {
        let values = text.split(separator: UInt8(ascii: ",")).map { $0.split(separator: UInt8(ascii: "=")) }
        let names = ["ln", "r", "p"]
        guard values.count == names.count, values.allSatisfy({ $0.count == 2 }),
            zip(values, names).allSatisfy({ $0[0].elementsEqual($1.utf8) })
        else { return nil }
        let numbers = values.compactMap { Int(String(decoding: $0[1], as: UTF8.self)) }
        guard numbers.count == names.count else { return nil }
        let cost = Cost(logN: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
        return cost.isBounded ? cost : nil
    }
}
