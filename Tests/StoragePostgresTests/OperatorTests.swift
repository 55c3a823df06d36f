import AppStoreWire
import Backend
import Ledger
import OperatorFactors
import Primitives
import Storage
import StoragePostgres
import Testing

extension PostgresTests {
    /// Operators on two servers that share a database.
    @Suite struct Operators {
        private static let now = Timestamp(millisecondsSince1970: 1_800_000_000_000)
        private static let password = "garment-plinth-owlet-96"

        private struct Clock: TimeSource {
            let instant: Timestamp
            func now() -> Timestamp { instant }
        }

        /// Keeps secrets as they are: who has which key is not what is tested here.
        private struct OpenKeeper: SecretKeeper {
            func keep(_ secret: [UInt8], of owner: String) throws(SecretRefusal) -> String { Hexadecimal.encode(secret) }
            func reveal(_ kept: String, of owner: String) -> [UInt8]? { Hexadecimal.decode(kept) }
        }

        private static func desk(_ store: PostgresStore, at instant: Timestamp) -> OperatorDesk {
            let settings = AppSettings(
                id: AppID("app"), expected: .init(bundleId: "b", appAppleId: 1, environments: [.production]),
                content: SettingsContent(policy: AppPolicy(), products: []))
            let clock = Clock(instant: instant)
            let backend = Backend(store: store, verifier: AppStoreVerifier(roots: .apple), apps: [settings], clock: clock)
            return OperatorDesk(backend, secrets: OpenKeeper(), clock: clock, cost: .init(logN: 2))
        }

        private static func code(_ secret: String, at instant: Timestamp) throws -> String {
            let bytes = try #require(Base32.decode(secret))
            return TimeBasedCodes(secret: bytes).code(ofStep: TimeBasedCodes.step(at: instant))
        }

        @Test func `of four logins with one code on two servers one is let in, and each stands in the one chain`() async throws {
            try await withMigratedStore { store in
                let home = OperatorClient(address: "192.0.2.1", userAgent: "Browser")
                let first = Self.desk(store, at: Self.now)
                let link = try await first.make("mia", grants: [OperatorGrant(app: nil, role: .admin)], by: .commandLine)
                let enrolment = try await first.redeem(link, password: Self.password, from: home)
                let code = try Self.code(enrolment.secretText, at: Self.now)
                _ = try await first.confirm(enrolment.token, code: code, from: home)
                let later = Self.now.adding(.minutes(1))
                let servers = [Self.desk(store, at: later), Self.desk(store, at: later)]
                let form = LoginForm(
                    name: "mia", password: Self.password, code: try Self.code(enrolment.secretText, at: later))
                let letIn = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<4 {
                        group.addTask {
                            do {
                                _ = try await servers[number % 2].logIn(form, from: home)
                                return true
                            } catch OperatorRefusal.loginRefused {
                                return false
                            }
                        }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(letIn == 1)
                let acts = try await first.audit(limit: 10).notes.map(\.act)
                #expect(acts.suffix(3) == ["setFactors", "usedLink", "madeOperator"])
                #expect(acts.prefix(4).sorted() == ["loggedIn", "loginFailed", "loginFailed", "loginFailed"])
                var head = AuditHead()
                for row in try await store.operatorNoteRows(after: 0, limit: 100) {
                    head = head.followed(byOperators: row.text)
                    #expect(row.head == head)
                }
            }
        }
    }
}
