import AppStoreWire
import Primitives
import Testing

@testable import AppStoreGateway

@Suite struct `Asking verifyReceipt` {
    private static let request: VerifyReceiptRequest? = {
        do { return try VerifyReceiptRequest(receipt: [1, 2, 3], password: "a secret of the app") } catch { return nil }
    }()

    private static func ask(
        _ world: GatewayWorld, _ server: ScriptedServer
    ) async throws -> Result<VerifyReceiptOutcome, GatewayFailure> {
        let address = VerifyReceiptAddress(host: .production, url: server.url + "/verifyReceipt")
        return await world.gateway.outcome(of: try #require(request), from: address)
    }

    @Test func `Apple's hosts of receipts are asked, unless the configuration names others`() throws {
        typealias Account = AskedAppStore.Account
        let own = Account(key: nil)
        #expect(own.receipts[.production]?.url == "https://buy.itunes.apple.com/verifyReceipt")
        #expect(own.receipts[.sandbox]?.url == "https://sandbox.itunes.apple.com/verifyReceipt")
        let local = ServerAPIHost(baseURL: "http://127.0.0.1:8082", environment: .production)
        let others = Account(key: nil, hosts: [.production: local, .sandbox: .legacySandbox])
        #expect(
            others.receipts[.production] == VerifyReceiptAddress(host: .production, url: "http://127.0.0.1:8082/verifyReceipt"))
        // The names of the other service have no /verifyReceipt.
        #expect(others.receipts[.sandbox]?.url == "https://sandbox.itunes.apple.com/verifyReceipt")
    }

    @Test(
        arguments: [
            (200, #"{"status":21004}"#, VerifyReceiptOutcome.Meaning.wrongSecret, "receipt.21004"),
            (200, #"{"status":21007}"#, .wrongEnvironment(.sandbox), nil), (200, #"{"status":21005}"#, .retry, "receipt.21005"),
            (200, #"{"status":21010}"#, .refused, "receipt.21010"), (503, "", .retry, "receipt.http"),
        ] as [(Int, String, VerifyReceiptOutcome.Meaning, String?)])
    func `what Apple says about a receipt is the outcome`(
        status: Int, body: String, meaning: VerifyReceiptOutcome.Meaning, code: String?
    ) async throws {
        try await ScriptedServer.run({ _, _ in .write(ScriptedServer.answer(status, body)) }) { server in
            try await GatewayWorld.run(.waiting()) { world in
                let outcome = try await Self.ask(world, server).get()
                #expect(outcome.meaning == meaning && outcome.host == .production)
                #expect(world.calls.map(\.failureCode) == [code] && world.calls.map(\.endpoint) == ["verifyReceipt"])
                #expect(world.calls.map(\.status) == [status])
            }
            let request = try #require(server.record.requests.first)
            #expect(request.hasPrefix("POST /verifyReceipt HTTP/1.1\r\n") && request.contains("a secret of the app"))
            #expect(!request.lowercased().contains("authorization"))
        }
    }

    @Test func `a page that is no answer is an outcome, and changes nothing`() async throws {
        try await ScriptedServer.run({ _, _ in .write(ScriptedServer.answer(200, "<html>")) }) { server in
            try await GatewayWorld.run(.waiting()) { world in
                let outcome = try await Self.ask(world, server).get()
                guard case .notAnAnswer = outcome.meaning else { throw GatewayWorld.UnexpectedSuccess() }
                #expect(outcome.scope == .app && outcome.isRetryable)
            }
        }
    }

    @Test func `a longer answer than any receipt's is not read to its end`() async throws {
        let reaction = ScriptedServer.Reaction.flood("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
        try await ScriptedServer.run({ _, _ in reaction }) { server in
            try await GatewayWorld.run(.waiting()) { world in
                let result = try await Self.ask(world, server)
                #expect(result == .failure(.receiptAnswerTooLarge(status: 200)))
            }
            #expect(server.record.flooded < 128 << 20)
        }
    }

    @Test func `no failure and no observation holds the password or the receipt`() async throws {
        try await ScriptedServer.run({ _, _ in .close }) { server in
            try await GatewayWorld.run(.waiting()) { world in
                guard case .failure(let failure) = try await Self.ask(world, server) else {
                    throw GatewayWorld.UnexpectedSuccess()
                }
                #expect(failure == .network(.closedEarly))
                let text = "\(failure) \(world.calls)"
                #expect(!text.contains("secret") && !text.contains("AQID"))
            }
        }
    }

    @Test func `Apple's own addresses are the two of its documentation`() {
        #expect(VerifyReceiptAddress(.production).url == "https://buy.itunes.apple.com/verifyReceipt")
        #expect(VerifyReceiptAddress(.sandbox).url == "https://sandbox.itunes.apple.com/verifyReceipt")
    }
}
