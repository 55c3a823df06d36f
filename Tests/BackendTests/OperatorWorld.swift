import Ledger
import LedgerOracle
import OperatorFactors
import Primitives
import Storage
import Synchronization
import Testing

@testable import Backend

/// Keeps secrets as whoever has no key sees them: for these tests it is enough that one owner's is not another's.
final class PretendKeeper: SecretKeeper {
    let hasKey = Mutex(true)

    func keep(_ secret: [UInt8], of owner: String) throws(SecretRefusal) -> String {
        guard hasKey.withLock({ $0 }) else { throw .noKey }
        return "\(owner)|\(Hexadecimal.encode(secret.map { ~$0 }))"
    }

    func reveal(_ kept: String, of owner: String) -> [UInt8]? {
        let parts = kept.split(separator: "|")
        guard hasKey.withLock({ $0 }), parts.count == 2, parts[0] == owner else { return nil }
        return Hexadecimal.decode(String(parts[1]))?.map { ~$0 }
    }
}

/// Operators over a real store, with a clock that stands still and passwords that take no time.
struct OperatorWorld: Sendable {
    static let password = "garment-plinth-owlet-96"
    static let home = OperatorClient(address: "192.0.2.1", userAgent: "Browser")

    let world: World
    let keeper = PretendKeeper()
    let clock = StandingClock(Timestamp(millisecondsSince1970: 1_800_000_000_000))
    let desk: OperatorDesk

    init(_ world: World) {
        self.world = world
        desk = OperatorDesk(
            world.backend, secrets: keeper, clock: clock, generator: Chance(seed: 7), cost: .init(logN: 2))
    }

    func pass(_ duration: Milliseconds) { clock.set(clock.now().adding(duration)) }

    /// The code that the operator's telephone shows now. Each use of one takes a step.
    func code(_ secret: String) throws -> String {
        pass(.seconds(TimeBasedCodes.stepSeconds))
        let bytes = try #require(Base32.decode(secret))
        return TimeBasedCodes(secret: bytes).code(ofStep: TimeBasedCodes.step(at: clock.now()))
    }

    /// An operator who has used the link to its end.
    struct Enrolled: Sendable {
        let name: String
        let secret: String
        let recoveryCodes: [String]
        let signedIn: SignedIn
    }

    func enrol(_ name: String = "mia", _ role: OperatorRole = .admin, from client: OperatorClient = home) async throws -> Enrolled
    {
        let link = try await desk.make(name, grants: [OperatorGrant(app: nil, role: role)], by: .commandLine)
        return try await enrol(link, from: client)
    }

    func enrol(
        _ link: SecretToken, password: String = password, from client: OperatorClient = home
    ) async throws -> Enrolled {
        let enrolment = try await desk.redeem(link, password: password, from: client)
        let welcome = try await desk.confirm(enrolment.token, code: try code(enrolment.secretText), from: client)
        return Enrolled(
            name: enrolment.name, secret: enrolment.secretText, recoveryCodes: welcome.recoveryCodes, signedIn: welcome.signedIn)
    }

    func logIn(
        _ name: String = "mia", password: String = password, code: String, from client: OperatorClient = home
    ) async throws -> SignedIn {
        try await desk.logIn(LoginForm(name: name, password: password, code: code), from: client)
    }

    /// How many seconds are asked for; nil where the attempt was looked at, and refused.
    func fail(_ name: String = "mia", from client: OperatorClient = home) async throws -> Int64? {
        do {
            _ = try await logIn(name, password: "another one entirely", code: "000000", from: client)
            Issue.record("let in")
            return nil
        } catch OperatorRefusal.tooSoon(let seconds) {
            return seconds
        } catch OperatorRefusal.loginRefused {
            return nil
        }
    }

    /// What the audit has, from the oldest on.
    func acts() async throws -> [String] {
        try await desk.notes(OperatorNoteSearch(), limit: 500).notes.reversed().map { "\($0.act.actor) \($0.act.what)" }
    }
}

func withOperators(_ body: (OperatorWorld) async throws -> Void) async throws {
    try await withWorld { try await body(OperatorWorld($0)) }
}

/// The refusal that the body throws; nil where it throws none.
func operatorRefusal<Value>(_ body: () async throws -> Value) async throws -> OperatorRefusal? {
    do {
        _ = try await body()
        return nil
    } catch let refusal as OperatorRefusal {
        return refusal
    }
}
