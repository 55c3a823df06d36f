import Ledger
package import OperatorFactors
package import Primitives
import Storage
import Synchronization

/// Lets operators in, and keeps who they are (docs/decisions/0059).
package struct OperatorDesk: Sendable {
    /// For so long a link is good.
    package static let linkLife = Milliseconds.minutes(15)
    package static let mostOperators = 1000
    /// For so long what was searched is kept.
    package static let keptSearches = Milliseconds.days(90)

    let store: any Store
    let secrets: any SecretKeeper
    /// The machine's: codes are made by telephones, and a simulated year must not end a session.
    let clock: any TimeSource
    let apps: Set<AppID>
    let bench: PasswordBench
    let cost: PasswordHash.Cost
    let chance: Chance

    /// - Parameters:
    ///   - backend: whose store keeps them, and whose apps they may have roles in.
    ///   - secrets: keep the secrets of second factors.
    ///   - clock: the machine's, never a simulated one.
    ///   - generator: of salts, secrets, tokens and codes; a cryptographic one.
    ///   - cost: how much work a new password is; the standard one, but in tests.
    package init(
        _ backend: Backend, secrets: any SecretKeeper, clock: any TimeSource,
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        cost: PasswordHash.Cost = .standard
    ) {
        (store, apps) = (backend.store, Set(backend.apps.keys))
        (self.secrets, self.clock, self.cost) = (secrets, clock, cost)
        bench = PasswordBench()
        chance = Chance(generator)
    }

    /// Draws random bytes.
    final class Chance: Sendable {
        private let generator: Mutex<any RandomNumberGenerator & Sendable>

        init(_ generator: any RandomNumberGenerator & Sendable) { self.generator = Mutex(generator) }

        func bytes(_ count: Int) -> [UInt8] {
            generator.withLock { generator in (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) } }
        }

        func token() -> SecretToken { SecretToken(random: bytes(SecretToken.byteCount)) }
    }

    // MARK: Together

    /// Of whom a secret is, for whatever keeps it.
    static func owner(_ name: String) -> String { "operator/\(name)" }

    /// Throws unless a password may be chosen.
    ///
    /// Source: OWASP ASVS 4.0.3, 2.1.1, 2.1.2, 2.1.3, 2.1.7.
    static func check(_ password: String, of name: String) throws {
        let length = password.unicodeScalars.count
        guard length >= shortestPassword else { throw OperatorRefusal.passwordTooShort(least: shortestPassword) }
        guard length <= longestPassword else { throw OperatorRefusal.passwordTooLong(most: longestPassword) }
        guard !WeakPassword.isWeak(password, context: [name]) else { throw OperatorRefusal.passwordTooCommon }
    }

    package static let shortestPassword = 12
    package static let longestPassword = 128

    /// Hashes a new password, one at a time.
    func hash(_ password: String) async throws -> String {
        let (salt, cost) = (chance.bytes(PasswordHash.saltBytes), cost)
        return try await onBench { try PasswordHash(of: password, salt: salt, cost: cost).text }
    }

    /// Whether a kept hash is a password's. Takes as long where there is none.
    func matches(_ password: String, _ kept: String?) async throws -> Bool {
        let hash = kept.flatMap(PasswordHash.init(text:)) ?? .ofNobody(cost)
        // What is longer can be nobody's, and hashing it is no work for us.
        let isPossible = password.unicodeScalars.count <= Self.longestPassword
        let typed = isPossible ? password : ""
        return try await onBench { try hash.matches(typed) } && isPossible
    }

    private func onBench<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        do {
            return try await bench.run(body)
        } catch is PasswordBench.Full {
            throw OperatorRefusal.overloaded
        }
    }

    /// Runs a transaction; what the store reports is thrown in the words of use cases.
    func write<Value: Sendable>(_ body: @escaping @Sendable (any OperatorTransaction) throws -> Value) async throws -> Value {
        try await translatingStorageErrors { try await store.write { try body($0) } }
    }
}
