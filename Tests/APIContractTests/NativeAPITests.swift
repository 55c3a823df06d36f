import APIContract
import Foundation
import Primitives
import StrictJSON
import Testing

/// The contract does what its description says, and the page of the API says the same.
@Suite struct `The contract of the native API` {
    @Test func `operations have unique names, and no two answer the same request`() {
        let all = NativeAPI.all
        #expect(Set(all.map(\.operationId)).count == all.count)
        #expect(Set(all.map { "\($0.method) \($0.path)" }).count == all.count)
        for operation in all {
            #expect(
                operation.operationId.wholeMatch(of: #/[a-z]+[A-Z][A-Za-z]+/#) != nil, "\(operation.operationId): verb and noun")
        }
    }

    @Test func `every endpoint that the contract declares is in its list`() throws {
        let source = try text("Sources/APIContract/NativeAPI.swift")
        let declared = source.matches(of: #/static let (\w+) = Endpoint</#).map { String($0.output.1) }
        #expect(declared == NativeAPI.all.map(\.operationId), "the property is named as the operation, in the same order")
    }

    @Test func `a path has every parameter in its place, percent-encoded, and reads as it was written`() throws {
        let path = AppAccountTokenPath(app: "a/b", customer: "mörder ?#%2F", token: "x")
        let text = NativeAPI.registerAppAccountToken.path(path, RegistrationQuery(minted: true))
        #expect(
            text
                == "/api/v1/apps/a%2Fb/customers/m%C3%B6rder%20%3F%23%252F/appAccountTokens/x?minted=true")
        let template = NativeAPI.registerAppAccountToken.template
        let there = text.prefix { $0 != "?" }.split(separator: "/")
        let names = template.text.split(separator: "/")
        let read = try AppAccountTokenPath { parameter throws(ParameterError) in
            guard let place = names.firstIndex(of: "{\(parameter.name)}"), let value = PercentEncoding.decode(there[place]) else {
                throw ParameterError(parameter.name, "is missing")
            }
            return value
        }
        #expect(read == path)
        #expect(template.names == ["app", "customer", "token"])
    }

    @Test func `a query says only what differs from silence, and reads as it was written`() throws {
        let queries: [InstantQuery] = [
            InstantQuery(), InstantQuery(environment: .sandbox, at: nil),
            InstantQuery(environment: .sandbox, at: Timestamp(millisecondsSince1970: 1_767_225_600_000)),
        ]
        let path = CustomerPath(app: "a", customer: "c")
        let paths = queries.map { NativeAPI.readEntitlements.path(path, $0) }
        #expect(
            paths == [
                "/api/v1/apps/a/customers/c/entitlements", "/api/v1/apps/a/customers/c/entitlements?environment=Sandbox",
                "/api/v1/apps/a/customers/c/entitlements?environment=Sandbox&at=1767225600000",
            ])
        for query in queries {
            let items = Dictionary(uniqueKeysWithValues: query.items.map { ($0.name, $0.value) })
            #expect(try InstantQuery { items[$0].map { $0[...] } } == query)
        }
    }

    @Test func `an endpoint that needs a key lists every problem of keys`() {
        for operation in NativeAPI.all {
            let needsKey = operation.callers != .anyone && operation.callers != .apple
            #expect(operation.problems.contains(.keyWrong) == needsKey)
            #expect(operation.problems.contains(.tooManyRequests) == needsKey)
            #expect(operation.problems.contains(.serverKeyNeeded) == (operation.callers == .appBackend))
            #expect(operation.problems.contains(.anotherCustomer) == (operation.callers == .customer))
            #expect(!operation.summary.isEmpty && operation.summary.hasSuffix("."), "\(operation.operationId)")
            for name in operation.parameters + (operation.query ?? []) {
                #expect(ParameterSchema.named(name) != nil, "\(name) is described")
            }
            #expect(operation.problems.contains(.bodyTooLarge) == operation.takesBody)
        }
    }

    @Test func `the table of the page of the API is made from the contract`() throws {
        let page = try text("docs/operations/http-api.md")
        let rows = NativeAPI.all.map { "| `\($0.method.rawValue) \($0.path)` | \($0.who) | \($0.summary) |" }
        let table = (["| call | who | what |", "| --- | --- | --- |"] + rows).joined(separator: "\n")
        #expect(page.contains("\n\(table)\n"), "the page must have this table:\n\(table)")
        #expect(page.matches(of: #/(?m)^\| `[A-Z]+ \//#).count == rows.count, "and no other row")
    }

    @Test(arguments: [
        (#"{"kind":"purchase"}"#, "signedTransactionInfo", "is missing"),
        (#"{"kind":7,"signedTransactionInfo":"x"}"#, "kind", "must be a text and is an integer"),
        (#"{"kind":"purchase","signedTransactionInfo":"x","intents":"yes"}"#, "intents", "must be true or false and is a text"),
        (
            #"{"kind":"purchase","signedTransactionInfo":"x","intent":true}"#, "intent",
            "is not a known member; known: intents, kind, productId, signedRenewalInfo, signedTransactionInfo"
        ),
        ("[]", nil, "must be an object and is an array"),
    ])
    func `T51 for an unreadable body the error names the member, and what was expected`(
        _ body: String, _ member: String?, _ reason: String
    ) {
        #expect(throws: InvalidBody(member: member, reason: reason)) { try UploadBody(json: Array(body.utf8)) }
    }

    @Test func `an upload reads as it was written`() throws {
        let uploads = [
            UploadBody(kind: "queue", signedTransactionInfo: "a.b.c"),
            UploadBody(
                kind: "purchase", signedTransactionInfo: "a.b.c", productId: "é\"", signedRenewalInfo: "d.e.f", intents: true),
        ]
        for upload in uploads { #expect(try UploadBody(json: upload.json) == upload) }
        for intents in [false, true] {
            let receipt = ReceiptUploadBody(kind: "restore", receipt: "MIIT", intents: intents)
            #expect(try ReceiptUploadBody(json: receipt.json) == receipt)
        }
    }

    @Test func `an answer with newer members is read, and for a wrong list element the error names its place`() throws {
        let newer =
            #"{"results":[{"originalTransactionId":"1","environment":"Sandbox","outcome":"bound","isOwner":true,"new":1}]}"#
        let read = try ReceiptAnswerBody(json: Array(newer.utf8))
        #expect(read.results.map(\.outcome) == ["bound"])
        let wrong = newer.replacingOccurrences(of: "true", with: "1")
        #expect(throws: InvalidBody(member: "results[0].isOwner", reason: "must be true or false and is an integer")) {
            try ReceiptAnswerBody(json: Array(wrong.utf8))
        }
    }

    private func text(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }
}
