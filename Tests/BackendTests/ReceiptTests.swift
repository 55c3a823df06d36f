import AppStoreWire
import Foundation
import Intake
import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

@Suite struct `Receipts and hints` {
    @Test func `PER-8 A customer who shows a receipt claims every subscription in it, and its bytes are kept once`() async throws
    {
        try await withWorld { world in
            let receipt = try world.apple.receipt(of: ["1001", "1002", "1003"])
            let text = Data(receipt).base64EncodedString(options: .lineLength76Characters)
            let results = try await world.backend.claim(receipt: text, by: World.alice, .restore, app: World.app).judged
            #expect(results.map(\.key.originalTransactionId.rawValue) == ["1001", "1002", "1003"])
            #expect(results.allSatisfy { $0.outcome == .bound && $0.owner == World.alice })
            #expect(try await world.isActive(World.alice))
            for id in ["1001", "1002", "1003"] {
                let facts = try await world.store.facts(of: World.key(id), limit: 9)
                #expect(facts.map(\.evidence) == [Evidence(form: .appReceipt, bytes: receipt)])
            }
            #expect(try world.rowCounts()["evidence"] == 1)
            // Shown by another customer, each is refused, and only that customer's claims are stored.
            let others = try await world.backend.claim(receipt: text, by: World.bob, .restore, app: World.app).judged
            #expect(others.allSatisfy { $0.outcome == .refused(.ownedByAnother, rule: .restore) && $0.owner == World.alice })
            #expect(try world.rowCounts()["fact"] == 3)
        }
    }

    @Test func `FACT-2 A JWS and a receipt of the same purchase are one period, in both orders`() async throws {
        for receiptFirst in [true, false] {
            try await withWorld { world in
                let text = Data(try world.apple.receipt(of: ["1001"])).base64EncodedString()
                let purchase = Purchase().with { $0.webOrderLineItemId = "1001" }
                if receiptFirst { _ = try await world.backend.claim(receipt: text, by: World.alice, .restore, app: World.app) }
                _ = try await world.receive(Notification("u1", about: purchase))
                if !receiptFirst { _ = try await world.backend.claim(receipt: text, by: World.alice, .restore, app: World.app) }
                let state = try await world.backend.subscription(World.key()).state
                #expect(state.periods.count == 1)
                #expect(state.owner(at: world.clock.now()) == World.alice)
            }
        }
    }

    @Test(arguments: [false, true])
    func `OWN-4 what surfaces in a receipt at X first is X's purchase, unless X's client keeps intents`(intents: Bool)
        async throws
    {
        try await withWorld { world in
            let text = Data(try world.apple.receipt(of: ["1001"])).base64EncodedString()
            _ = try await world.backend.claim(
                receipt: text, by: World.bob, .queue, keepsIntents: intents, app: World.app)
            #expect(try await world.isActive(World.bob), "somebody has it, until its buyer is shown")
            _ = try await world.backend.claim(receipt: text, by: World.alice, .queue, app: World.app)
            let owner = try await world.backend.subscription(World.key()).state.owner(at: world.clock.now())
            #expect(owner == (intents ? World.alice : World.bob))
        }
    }

    @Test func `A newer receipt with the same content about a period adds no fact`() async throws {
        try await withWorld { world in
            let text = Data(try world.apple.receipt(of: ["1001"])).base64EncodedString()
            _ = try await world.backend.claim(receipt: text, by: World.alice, .restore, app: World.app)
            let rows = try world.rowCounts()
            world.clock.set(world.clock.now().adding(.minutes(5)))
            _ = try await world.backend.claim(receipt: text, by: World.alice, .restore, app: World.app)
            #expect(try world.rowCounts() == rows)
        }
    }

    @Test(arguments: ["", "%%%", "MIIB", "e30="])
    func `Input that is not a receipt is refused with its reason and not stored`(_ text: String) async throws {
        try await withWorld { world in
            let rows = try world.rowCounts()
            await #expect(throws: BackendError.self) {
                try await world.backend.claim(receipt: text, by: World.alice, .restore, app: World.app)
            }
            #expect(try world.rowCounts() == rows)
            #expect(world.backend.counters[.refused] == 1)
        }
    }

    @Test func `FACT-4 A receipt of another app is refused`() async throws {
        try await withWorld { world in
            let text = Data(try world.apple.receipt(of: ["1001"], bundleId: "com.example.other")).base64EncodedString()
            do {
                _ = try await world.backend.claim(receipt: text, by: World.alice, .restore, app: World.app)
                Issue.record("it was taken")
            } catch BackendError.refusedEvidence(let refusal) {
                #expect(refusal.code == "wrongBundleId")
            }
        }
    }

    // MARK: Notifications V1

    private static func hint(
        _ id: String, bid: String = "com.example.app", password: String? = World.sharedSecret, receipt: String? = nil
    ) throws -> [UInt8] {
        var body: [String: Any] = [
            "notification_type": "DID_RENEW", "environment": "PROD", "bid": bid, "original_transaction_id": id,
        ]
        if let password { body["password"] = password }
        if let receipt {
            body["unified_receipt"] = ["environment": "Production", "status": 0, "latest_receipt": receipt] as [String: Any]
        }
        return Array(try JSONSerialization.data(withJSONObject: body))
    }

    @Test
    func `FACT-3 A notification V1 about a known subscription is a hint: Apple must be asked, once, and nothing else changes`()
        async throws
    {
        try await withWorld { world in
            _ = try await world.receive(Notification("u1", about: Purchase()))
            let before = try await world.store.contents(of: World.key())
            for _ in 0..<3 {
                let outcome = try await world.backend.receiveNotification(try Self.hint("1001"), app: World.app)
                #expect(outcome == .hinted)
            }
            let asked = try await world.store.work(after: 0, limit: 99).filter { $0.order.kind == .fetchHistory }
            #expect(asked.map(\.order.subject) == ["1001"])
            #expect(asked.first?.order.body == #"{"transactionId":"1001"}"#)
            #expect(try await world.store.contents(of: World.key()) == before)
        }
    }

    @Test func `T49 A notification V1 about an unknown subscription or another app stores nothing`() async throws {
        try await withWorld { world in
            _ = try await world.receive(Notification("u1", about: Purchase()))
            let rows = try world.rowCounts()
            for body in [try Self.hint("777"), try Self.hint("1001", bid: "com.example.other"), try Self.hint("'; DROP")] {
                await #expect(throws: BackendError.self) {
                    try await world.backend.receiveNotification(body, app: World.app)
                }
            }
            #expect(try world.rowCounts() == rows)
            #expect(world.backend.counters[.refused] == 3)
        }
    }

    @Test func `T49 A notification V1 without the shared secret has no effect, whatever it contains`() async throws {
        try await withWorld { world in
            _ = try await world.receive(Notification("u1", about: Purchase()))
            let rows = try world.rowCounts()
            let receipt = Data(try world.apple.receipt(of: ["1001"])).base64EncodedString()
            for password in [nil, "", "wrong"] as [String?] {
                let body = try Self.hint("1001", password: password, receipt: receipt)
                #expect(
                    try await refusal { _ = try await world.backend.receiveNotification(body, app: World.app) }
                        == "wrongSharedSecret")
            }
            let body = try Self.hint("1001", bid: "com.example.other", receipt: receipt)
            #expect(
                try await refusal { _ = try await world.backend.receiveNotification(body, app: World.other) }
                    == "sharedSecretNotConfigured")
            #expect(try world.rowCounts() == rows)
        }
    }

    @Test func `FACT-3 What the receipt in a notification V1 proves is kept`() async throws {
        try await withWorld { world in
            let receipt = Data(try world.apple.receipt(of: ["1001"])).base64EncodedString()
            let body = try Self.hint("1001", receipt: receipt)
            #expect(try await world.backend.receiveNotification(body, app: World.app) == .applied)
            #expect(try await world.backend.subscription(World.key()).state.periods.count == 1)
            let forged = try Self.hint("1002", receipt: Data("MIIB".utf8).base64EncodedString())
            await #expect(throws: BackendError.self) { try await world.backend.receiveNotification(forged, app: World.app) }
        }
    }

    @Test func `OWN-14 a receipt shows that its subscriptions are of one Apple Account, and leaves nothing the second time`()
        async throws
    {
        try await withWorld { world in
            _ = try await world.claim(World.alice)
            let receipt = Data(try world.apple.receipt(of: ["1001", "1002"])).base64EncodedString()
            let hint = try Self.hint("1001", receipt: receipt)
            #expect(try await world.backend.receiveNotification(hint, app: World.app) == .applied)
            func proposed() async throws -> [OwnerProposal] {
                try await world.backend.proposals(app: World.app, environment: .production, after: nil, limit: 10)
                    .proposals.map(\.proposal)
            }
            // Both began at one instant: neither is the newer one, and of what nobody owns the other's owner is proposed.
            let proposals = try await proposed()
            #expect(proposals.map(\.subscription.rawValue) == ["1002"] && proposals.map(\.customer) == [World.alice])
            guard case .receipt(let digest)? = proposals.first?.evidence.first else {
                Issue.record("no receipt shows it")
                return
            }
            #expect(digest.count == 64)
            let again = Data(try world.apple.receipt(of: ["1001", "1002"])).base64EncodedString()
            _ = try await world.backend.receiveNotification(try Self.hint("1001", receipt: again), app: World.app)
            let longer = Data(try world.apple.receipt(of: ["1001", "1002", "1003"])).base64EncodedString()
            #expect(try world.rowCounts()["accountSighting"] == 2)
            _ = try await world.backend.receiveNotification(try Self.hint("1001", receipt: longer), app: World.app)
            #expect(try world.rowCounts()["accountSighting"] == 4)
            #expect(try await proposed().map(\.subscription.rawValue) == ["1002", "1003"])
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    // MARK: What Apple answered

    @Test func `FACT-3 Facts that our server got from /verifyReceipt are kept with the answer as their evidence`() async throws {
        try await withWorld { world in
            let line: [String: Any] = [
                "product_id": "plus.monthly", "transaction_id": "1001", "original_transaction_id": "1001", "quantity": "1",
                "purchase_date_ms": "\(PretendAppStore.june.millisecondsSince1970)", "web_order_line_item_id": "91001",
                "expires_date_ms": "\(PretendAppStore.june.adding(.days(30)).millisecondsSince1970)",
            ]
            let body: [String: Any] = [
                "status": 0, "environment": "Production", "latest_receipt_info": [line],
                "receipt": [
                    "receipt_type": "Production", "bundle_id": "com.example.app", "adam_id": 42, "in_app": [] as [Any],
                    "request_date_ms": "\(PretendAppStore.june.adding(.hours(1)).millisecondsSince1970)",
                ] as [String: Any],
            ]
            let bytes = Array(try JSONSerialization.data(withJSONObject: body))
            let app = try world.backend.settings(of: World.app).expected
            let answer = try VerifyReceiptOutcome(httpStatus: 200, body: bytes, from: .production)
                .fetched(for: app, at: world.clock.now()).get()
            #expect(try await world.backend.receive(answer, app: World.app))
            #expect(try await world.backend.receive(answer, app: World.app) == false)
            let facts = try await world.store.facts(of: World.key(), limit: 9)
            #expect(facts.map(\.evidence) == [Evidence(form: .verifyReceiptAnswer, bytes: bytes)])
            let report = try await world.backend.prove(ProofDepth(rebuild: true))
            #expect(report.findings.isEmpty)
        }
    }
}
