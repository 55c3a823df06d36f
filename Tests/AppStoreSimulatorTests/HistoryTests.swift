import AppStoreWire
import Hummingbird
import HummingbirdTesting
import Logging
import Primitives
import StrictJSON
import Testing

@testable import AppStoreModel
@testable import AppStoreSimulator

/// The two histories over HTTP: what a server gets that keeps the `revision` of its last page.
@Suite struct HistoryTests {
    private static let keyId = "2X9R4HXF34"

    /// A server that asks for a history.
    private struct Caller {
        let client: any TestClientProtocol
        let authorization: String

        func get<Body>(_ call: ServerAPICall<Body>) async throws -> JSONObject {
            let answer = try await client.execute(uri: call.target, method: .get, headers: [.authorization: authorization])
            #expect(answer.headers[.contentType] == "application/json")
            return try #require(try JSONDocument(Array(answer.body.readableBytesView)).root.object)
        }

        /// All pages from a revision on: each transaction's id with its date of refund, and the last revision.
        func readToEnd(
            from revision: String?, _ call: (String?) throws -> ServerAPICall<some ServerAPIResponse>
        ) async throws -> (ids: [String], revision: String) {
            var (ids, revision, hasMore) = ([String](), revision, true)
            while hasMore {
                let page = try await get(try call(revision))
                let signed = try #require(page["signedTransactions"]?.array)
                for text in signed { ids.append(try Self.shortly(try #require(text.string))) }
                revision = try #require(page["revision"]?.string)
                hasMore = try #require(page["hasMore"]?.bool as Bool?)
            }
            return (ids, try #require(revision))
        }

        /// A transaction's id, followed by `R` where it is refunded.
        private static func shortly(_ signed: String) throws -> String {
            let parts = signed.split(separator: ".")
            let payload = try #require(StrictBase64.decodeURL(Array(parts[1].utf8)[...]))
            let members = try #require(try JSONDocument(payload).root.object)
            return try #require(members["transactionId"]?.string) + (members["revocationDate"] == nil ? "" : "R")
        }
    }

    private func calling(
        _ simulator: AppStoreSimulator, _ key: InAppPurchaseKey, _ body: @escaping @Sendable (Caller) async throws -> Void
    ) async throws {
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let face = Application(
            router: simulator.buildFaceRouter(of: .production),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)), logger: quiet)
        let signing = try SigningKey(
            pem: try #require(key.pem), keyId: Self.keyId, issuerId: SimulatedApp.usualIssuerId)
        let token = try ServerAPIToken(key: signing, bundleId: World.bundleId, issuedAt: World.start, lifetime: .minutes(60))
        try await face.test(.router) { client in
            try await body(Caller(client: client, authorization: token.authorization))
        }
    }

    private func opened() throws -> (simulator: AppStoreSimulator, key: InAppPurchaseKey) {
        var configuration = try World.configuration()
        configuration.limitsRates = false
        let key = InAppPurchaseKey(id: Self.keyId)
        configuration.apps[0].keys = [key]
        return (try AppStoreSimulator(configuration: configuration), key)
    }

    @Test func `who keeps the revision gets what was modified since, and then nothing`() async throws {
        let (simulator, key) = try opened()
        let app = try await simulator.app(nil)
        _ = try await simulator.openAccount("anna")
        let id = try await simulator.buy(PurchaseOrder(app: app, account: "anna", product: "plus.monthly")).1.transaction
            .transactionId
        _ = try await simulator.advance(by: .days(730))
        try await calling(simulator, key) { caller in
            let history = { try ServerAPICall.getTransactionHistory(anyTransactionId: id.rawValue, revision: $0) }
            let refunds = { try ServerAPICall.getRefundHistory(anyTransactionId: id.rawValue, revision: $0) }
            var (all, refunded) = (
                try await caller.readToEnd(from: nil, history), try await caller.readToEnd(from: nil, refunds)
            )
            #expect(all.ids.count == 25)
            #expect(refunded.ids == [])
            let third = all.ids[2]
            for isRefunded in [true, false, true] {
                let number = try #require(TransactionNumber(third))
                _ = isRefunded ? try await simulator.refund(number) : try await simulator.reverseRefund(number)
                all = try await caller.readToEnd(from: all.revision, history)
                refunded = try await caller.readToEnd(from: refunded.revision, refunds)
                #expect(all.ids == [third + (isRefunded ? "R" : "")])
                #expect(refunded.ids == (isRefunded ? [third + "R"] : []))
                for _ in 0..<2 {
                    all = try await caller.readToEnd(from: all.revision, history)
                    #expect(all.ids == [])
                }
            }
            try await simulator.finish(id)
            _ = try await simulator.setBehaviour(transactionLag: .hours(1)) { _ in }
            _ = try await simulator.buy(PurchaseOrder(app: app, account: "anna", product: "lifetime"))
            all = try await caller.readToEnd(from: all.revision, history)
            #expect(all.ids == [id.rawValue])
        }
    }

    @Test func `what is hidden comes when its time has come, and a copy of the past loses nothing`() async throws {
        let (simulator, key) = try opened()
        let app = try await simulator.app(nil)
        _ = try await simulator.openAccount("anna")
        let id = try await simulator.buy(PurchaseOrder(app: app, account: "anna", product: "lifetime")).1.transaction
            .transactionId
        try await calling(simulator, key) { caller in
            let history = { try ServerAPICall.getTransactionHistory(anyTransactionId: id.rawValue, revision: $0) }
            var all = try await caller.readToEnd(from: nil, history)
            _ = try await simulator.setBehaviour(transactionLag: .minutes(10)) { _ in }
            _ = try await simulator.refund(id)
            all = try await caller.readToEnd(from: all.revision, history)
            #expect(all.ids == [])
            _ = try await simulator.advance(by: .minutes(10))
            all = try await caller.readToEnd(from: all.revision, history)
            #expect(all.ids == [id.rawValue + "R"])
            _ = try await simulator.setBehaviour(transactionLag: Milliseconds(0)) { _ in }
            await simulator.setFaults([Fault(face: .serverAPI, kind: .stale)], seed: 1)
            _ = try await simulator.reverseRefund(id)
            all = try await caller.readToEnd(from: all.revision, history)
            #expect(all.ids == [])
            await simulator.setFaults([], seed: 1)
            all = try await caller.readToEnd(from: all.revision, history)
            #expect(all.ids == [id.rawValue])
        }
    }

    @Test func `a revision of another request, of a later time or of nobody is refused`() async throws {
        let (simulator, key) = try opened()
        let app = try await simulator.app(nil)
        for name in ["anna", "ben"] { _ = try await simulator.openAccount(name) }
        let id = try await simulator.buy(PurchaseOrder(app: app, account: "anna", product: "lifetime")).1.transaction
            .transactionId.rawValue
        let ben = try await simulator.buy(PurchaseOrder(app: app, account: "ben", product: "lifetime")).1.transaction
            .transactionId.rawValue
        let saved = try await simulator.save()
        try await calling(simulator, key) { caller in
            let given = try await caller.readToEnd(from: nil) { try .getTransactionHistory(anyTransactionId: id, revision: $0) }
                .revision
            var queries = [TransactionHistoryQuery()]
            queries.append(TransactionHistoryQuery(sort: .descending))
            queries.append(TransactionHistoryQuery(productIds: ["lifetime"]))
            queries.append(TransactionHistoryQuery(revoked: false))
            queries.append(TransactionHistoryQuery(startDate: World.start))
            for (place, query) in queries.enumerated() {
                let call = try ServerAPICall.getTransactionHistory(anyTransactionId: id, matching: query, revision: given)
                #expect(try await caller.get(call)["errorCode"]?.int64 == (place == 0 ? nil : 4_000_005))
            }
            let same = TransactionHistoryQuery(sort: .ascending)
            #expect(
                try await caller.get(.getTransactionHistory(anyTransactionId: id, matching: same, revision: given))["errorCode"]
                    == nil)
            let texts = [given + "A", "x", "é", "MXwx", String(repeating: "A", count: 2000), "MjB8MQ", "MXwwfHg"]
            for text in texts {
                #expect(
                    try await caller.get(.getTransactionHistory(anyTransactionId: id, revision: text))["errorCode"]?.int64
                        == 4_000_005, "\(text)")
            }
            #expect(
                try await caller.get(.getTransactionHistory(anyTransactionId: ben, revision: given))["errorCode"]?.int64
                    == 4_000_005)
            #expect(
                try await caller.get(.getRefundHistory(anyTransactionId: id, revision: given))["errorCode"]?.int64 == 4_000_005)
            // The store goes back to before the change: this revision is none of its own any more.
            _ = try await simulator.refund(try #require(TransactionNumber(id)))
            let later = try await caller.readToEnd(from: given) { try .getTransactionHistory(anyTransactionId: id, revision: $0) }
            #expect(later.ids == [id + "R"])
            try await simulator.restore(saved)
            for (revision, code) in [(later.revision, 4_000_005 as Int64?), (given, nil)] {
                #expect(
                    try await caller.get(.getTransactionHistory(anyTransactionId: id, revision: revision))["errorCode"]?.int64
                        == code)
            }
        }
    }
}
