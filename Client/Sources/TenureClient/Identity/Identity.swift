import Foundation

/// A customer that this device made, before somebody logged in (OWN-10).
struct AnonymousCustomer: Sendable, Hashable, Codable {
    /// 128 random bits.
    let id: String
    /// 192 random bits, said to the server once and kept here.
    let secret: String
    /// Whether the server knows the secret.
    var isRegistered = false

    init(by chance: any Chance) {
        id = "anonymous-" + Digest.hexadecimal(chance.bytes(16))
        secret = Digest.hexadecimal(chance.bytes(24))
    }
}

/// Who uses the device, and who did.
struct Identity: Sendable, Hashable, Codable {
    /// The customer now.
    private(set) var customer: String
    /// Who were customers here before anybody logged in, with their secrets: what they bought is uploaded as theirs, also later.
    private(set) var anonymous: [AnonymousCustomer]
    /// Which of them are to be merged into which customer, since that customer logged in.
    private(set) var merges: [Merge] = []
    /// The tokens for purchases of those who were customers here, once the server has said them, the newest last: who logs in
    /// again without a network has theirs (OWN-18).
    private var tokens: [PurchaseToken] = []

    struct PurchaseToken: Sendable, Hashable, Codable {
        let customer: String
        let token: UUID
    }

    /// More customers than a device has; the oldest is forgotten then, and asked for again.
    static let mostTokens = 20

    struct Merge: Sendable, Hashable, Codable {
        let anonymous: String
        let customer: String
    }

    /// More than a device has: the oldest is forgotten then.
    static let mostAnonymous = 20

    init(_ first: AnonymousCustomer) { (customer, anonymous) = (first.id, [first]) }

    /// Whether nobody has logged in.
    var isAnonymous: Bool { anonymous(customer) != nil }

    /// A customer's one token for purchases; nil until the server has said it.
    func appAccountToken(of customer: String) -> UUID? { tokens.first { $0.customer == customer }?.token }

    /// The server has said a customer's token. It is never used for another one.
    mutating func learn(_ token: UUID, of customer: String) {
        guard appAccountToken(of: customer) != token else { return }
        let others = tokens.filter { $0.customer != customer }
        tokens = others.suffix(Self.mostTokens - 1) + [PurchaseToken(customer: customer, token: token)]
    }

    func anonymous(_ id: String) -> AnonymousCustomer? { anonymous.first { $0.id == id } }

    /// A customer has logged in. Who was anonymous until now is them; who was somebody else is not.
    mutating func identify(_ name: String) {
        guard name != customer else { return }
        if isAnonymous { merges.append(Merge(anonymous: customer, customer: name)) }
        customer = name
    }

    /// Nobody is logged in any more: a new anonymous customer begins.
    mutating func signOut(_ next: AnonymousCustomer) {
        customer = next.id
        anonymous.append(next)
        let needed = Set(merges.map(\.anonymous))
        while anonymous.count > Self.mostAnonymous, let oldest = anonymous.firstIndex(where: { !needed.contains($0.id) }) {
            anonymous.remove(at: oldest)
        }
    }

    mutating func registered(_ id: String) {
        guard let index = anonymous.firstIndex(where: { $0.id == id }) else { return }
        anonymous[index].isRegistered = true
    }

    /// The server has merged them, or says that it never will.
    mutating func ended(_ merge: Merge) { merges.removeAll { $0 == merge } }
}

/// Where random bits come from.
public protocol Chance: Sendable {
    /// So many random bytes.
    func bytes(_ count: Int) -> [UInt8]
}

/// The system's generator.
public struct SystemChance: Chance {
    /// There is one generator for the whole system.
    public init() {}

    /// So many random bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
