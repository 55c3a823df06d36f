import AppStoreWire
import Primitives
import Testing

@testable import AppStoreGateway

@Suite struct `Whose trouble a failure is` {
    /// Apple's codes that are not about the request as it was put, as in Apple's list and in gateway trap 1.
    private static let scopes: [FailureScope: Set<Int64>] = [
        .transaction: [4000006, 4000008, 4040005, 4040010],
        .app: [4000002, 4040003],
        .host: [4040002, 4040004, 4040006, 5000000, 5000001],
        .budget: [4290000],
    ]

    @Test func `every listed code of Apple's has one scope, and everything that is not named is the request's`() {
        #expect(ServerAPIErrorCode.all.count == 87)
        var counted: [FailureScope: Set<Int64>] = [:]
        for code in ServerAPIErrorCode.all {
            guard let scope = code.scope else {
                Issue.record("\(code.rawValue) has no scope")
                continue
            }
            counted[scope, default: []].insert(code.rawValue)
        }
        #expect(counted[.request]?.count == 87 - 12)
        counted[.request] = nil
        #expect(counted == Self.scopes)
    }

    @Test func `no code that Apple says to retry may be final, and every final one stays so`() {
        for code in ServerAPIErrorCode.all where code.scope == .transaction { #expect(!code.isRetryable, "\(code.rawValue)") }
        for code in ServerAPIErrorCode.all where code.isRetryable {
            #expect([.host, .budget].contains(code.scope), "\(code.rawValue)")
        }
    }

    /// Everything but these is stored as retryable: no other answer may ever end the questions about a transaction.
    @Test(arguments: [
        (200, #"{"#, FailureScope.app), (200, #"[]"#, .app), (200, "", .app), (302, "", .app), (400, "", .app),
        (401, "", .app), (401, #"{"errorCode":4010000,"errorMessage":"x"}"#, .app),
        (403, "<html>", .app), (404, "", .app),
        (404, #"{"errorCode":4040010,"errorMessage":"x"}"#, .transaction),
        (404, #"{"errorCode":4049999,"errorMessage":"x"}"#, .request), (408, "", .host),
        (400, #"{"errorCode":4000017,"errorMessage":"x"}"#, .request), (429, "", .budget), (429, "<html>", .budget),
        (429, #"{"errorCode":4299999,"errorMessage":"x"}"#, .budget), (500, "", .host), (503, "<html>", .host),
        (599, #"{"errorCode":5999999,"errorMessage":"x"}"#, .host),
        // An answer that contradicts itself is never final.
        (500, #"{"errorCode":4040010,"errorMessage":"x"}"#, .host),
        (200, #"{"errorCode":4040010,"errorMessage":"x"}"#, .app),
        (401, #"{"errorCode":4000006,"errorMessage":"x"}"#, .app),
    ])
    func `an answer that cannot be used has the scope of its code, or of its status`(
        status: Int, body: String, scope: FailureScope
    ) throws {
        let reply = ServerAPIReply(status: status, body: Array(body.utf8))
        guard case .failure(let failure) = try GatewayWorld.call().answer(to: reply, at: GatewayWorld.start) else {
            Issue.record("an answer")
            return
        }
        #expect(GatewayFailure.refused(failure).scope == scope)
    }

    @Test(arguments: [
        (GatewayFailure.noKey, FailureScope.app, false, "noKey"),
        (.breakerOpen(until: GatewayWorld.start), .host, false, "breakerOpen"),
        (.cancelled, .host, true, "cancelled"), (.receiptAnswerTooLarge(status: 200), .app, true, "tooLarge"),
        (.network(.connectionRefused), .host, false, "network.connectionRefused"),
        (.network(.tls(.wrongName)), .host, false, "network.tls.wrongName"),
        (.network(.addressRefused), .app, false, "network.addressRefused"),
        (.network(.closedEarly), .host, true, "network.closedEarly"),
        (.network(.deadlineExceeded), .host, true, "network.deadlineExceeded"),
    ])
    func `what never became an answer is not final, and says whether it may have been carried out`(
        failure: GatewayFailure, scope: FailureScope, mayHaveBeenCarriedOut: Bool, code: String
    ) {
        #expect(failure.scope == scope)
        #expect(failure.mayHaveBeenCarriedOut == mayHaveBeenCarriedOut)
        #expect(failure.code == code)
        #expect(!failure.description.contains("\n"))
    }

    @Test(arguments: [
        (200, #"{"status":21000}"#, FailureScope.app), (200, #"{"status":21002}"#, .host),
        (200, #"{"status":21003}"#, .transaction),
        (200, #"{"status":21004}"#, .app), (200, #"{"status":21005}"#, .host), (200, #"{"status":21010}"#, .request),
        (200, #"{"status":21199,"is-retryable":false}"#, .transaction), (200, #"{"status":21199,"is-retryable":true}"#, .host),
        (200, "<html>", .app), (404, "", .app), (429, "", .budget), (503, "", .host),
    ])
    func `an outcome of verifyReceipt that is no answer has a scope`(status: Int, body: String, scope: FailureScope) {
        let outcome = VerifyReceiptOutcome(httpStatus: status, body: Array(body.utf8), from: .production)
        #expect(outcome.scope == scope)
        #expect(outcome.failureCode != nil)
    }

    @Test func `a receipt of the other environment is nobody's trouble`() {
        let outcome = VerifyReceiptOutcome(httpStatus: 200, body: Array(#"{"status":21007}"#.utf8), from: .production)
        #expect(outcome.scope == nil && outcome.failureCode == nil)
    }
}
