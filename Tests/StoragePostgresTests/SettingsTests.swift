import AppStoreWire
import Backend
import Ledger
import Primitives
import Storage
import StoragePostgres
import Testing

extension PostgresTests {
    /// Two servers with different configuration files on one PostgreSQL database (OWN-17).
    @Suite struct Settings {
        private struct StandingClock: TimeSource {
            func now() -> Timestamp { Timestamp(millisecondsSince1970: 1_780_272_000_000) }
        }

        private static func server(_ store: any Store, _ policy: AppPolicy, gives names: [String]) -> Backend {
            let entry = EntitlementMap.Entry(
                productId: ProductID("plus"), validFrom: Timestamp(millisecondsSince1970: 0),
                entitlements: names.map { EntitlementID($0) })
            let settings = AppSettings(
                id: AppID("app"), expected: .init(bundleId: "b", appAppleId: 1, environments: [.production]),
                content: SettingsContent(policy: policy, products: [entry]))
            return Backend(
                store: store, verifier: AppStoreVerifier(roots: .apple), apps: [settings], clock: StandingClock())
        }

        @Test func `OWN-17 two servers with different files both answer by the versions in their PostgreSQL`()
            async throws
        {
            try await withMigratedStore { store in
                let first = Self.server(store, AppPolicy(), gives: ["plus"])
                let second = Self.server(store, AppPolicy(onRestore: .transfer), gives: ["plus", "extra"])
                #expect(try await first.adoptSettings().values.contains { $0 == .applied(number: 1, validFrom: first.now()) })
                try await Self.expect(["plus"], of: first)
                #expect(try await second.adoptSettings().values.contains { $0 == .applied(number: 2, validFrom: first.now()) })
                for server in [first, second] { try await Self.expect(["extra", "plus"], of: server) }
                let third = Self.server(store, AppPolicy(), gives: ["plus"])
                #expect(try await third.adoptSettings().values.contains { $0 == .superseded(number: 1, newest: 2) })
                try await Self.expect(["extra", "plus"], of: third)
                await #expect(throws: BackendError.self) { try await third.checkHealth() }
                try await first.checkHealth()
            }
        }

        private static func expect(_ names: [String], of server: Backend) async throws {
            let answer = try await server.entitlements(
                of: CustomerID("nobody"), app: AppID("app"), environment: .production, at: nil)
            #expect(answer.entitlements.compactMap(\.entitlement?.rawValue) == names)
        }

        @Test func `OWN-17 servers that start together with one file create one version of it`() async throws {
            try await withMigratedStore { store in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<6 {
                        group.addTask {
                            _ = try await Self.server(store, AppPolicy(), gives: ["plus"]).adoptSettings()
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try await store.settings(of: AppID("app")).map(\.number) == [1])
            }
        }
    }
}
