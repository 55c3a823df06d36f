import AppStoreWire
import Backend
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NativeFace
import Primitives
import Server
import SimulatorPKI
import StorageSQLite
import StrictJSON
import Testing

@Suite struct `Old receipts over HTTP` {
    /// A receipt from before iOS 7 that says it is of Production, signed by nobody who is known.
    private static func receipt() throws -> String {
        let june = PretendAppStore.june
        let authority = try TransactionReceiptAuthority(validity: june.adding(.days(-400))...june.adding(.days(400)))
        let purchaseInfo = """
            {
            	"original-transaction-id" = "1001";
            	"transaction-id" = "1001";
            	"product-id" = "plus.monthly";
            	"purchase-date-ms" = "\(june.millisecondsSince1970)";
            	"bid" = "com.example.app";
            }
            """
        return StrictBase64.encodePadded(Array(try authority.sign(purchaseInfo: purchaseInfo, environment: nil).utf8))
    }

    private static func backend(_ world: World, asks: Bool) throws -> Backend {
        let entry = EntitlementMap.Entry(
            productId: ProductID("plus.monthly"), validFrom: Timestamp(millisecondsSince1970: 0),
            entitlements: [EntitlementID("plus")])
        var app = AppSettings(
            id: World.app, expected: ExpectedApp(bundleId: "com.example.app", appAppleId: 42, environments: [.production]),
            policy: AppPolicy(), entitlements: EntitlementMap(entries: [entry]))
        if asks { (app.apple, app.sharedSecrets) = (AppleAccess(), ["5ha2ed"]) }
        return Backend(
            store: try SQLiteStore(path: world.path + ".asking"), verifier: world.apple.verifier, apps: [app], clock: world.clock)
    }

    private static func upload(_ receipt: String, asks: Bool) async throws -> Answer? {
        var answer: Answer?
        try await withWorld { world in
            let backend = try backend(world, asks: asks)
            let dependencies = ServerDependencies(backend: backend, credentials: world.dependencies.credentials)
            let router = ServerRouter(
                dependencies, faces: [NativeFace(backend, webhooks: .closed(backend))], configuration: ServerConfiguration())
            answer = try await Application(router: router).test(.router) { client in
                let body = #"{"kind":"restore","receipt":"\#(receipt)"}"#
                return try await client.send(.post, "/api/v1/apps/app/customers/alice/receipts", body: Array(body.utf8))
            }
        }
        return answer
    }

    @Test func `RECON-6 a receipt that only Apple can judge is answered 202, with a text and what the customer has`()
        async throws
    {
        let answer = try #require(try await Self.upload(try Self.receipt(), asks: true))
        #expect(answer.status == .accepted)
        #expect(answer.member("results") == "[]")
        #expect(answer.member("waiting")?.isEmpty == false)
        let meanwhile = try #require(answer.member("meanwhile"))
        let fields = try #require(try JSONDocument(Array(meanwhile.utf8)).root.object)
        #expect(fields["customer"]?.string == "alice" && fields["isActive"]?.bool == false)
        #expect(fields["environment"]?.string == "Production")
    }

    @Test func `RECON-6 where Apple is not asked it is refused, and the setting is named`() async throws {
        let answer = try #require(try await Self.upload(try Self.receipt(), asks: false))
        #expect(answer.status == .badRequest && answer.isProblem)
        #expect(answer.code == "appleNotConfigured" && answer.member("setting") == "apps[].sharedSecrets")
    }
}
