import APIContract
import Foundation
import StrictJSON
import Testing

/// What breaks clients is found, and what does not is let through (A10).
@Suite struct `A comparison of documents` {
    private static let present = String(decoding: DocumentBody().json, as: UTF8.self)

    private func breaks(_ change: (String) -> String) throws -> [String] {
        let changed = change(Self.present)
        #expect(changed != Self.present, "the change changes nothing")
        return try DocumentComparison(from: try parsed(Self.present), to: try parsed(changed)).breaks
    }

    private func parsed(_ text: String) throws -> JSONValue {
        try JSONDocument(Array(text.utf8), limits: JSONLimits()).root
    }

    /// The document made of other endpoints, where changing its text would be awkward.
    private func replacing(_ old: String, _ new: String) -> (String) -> String {
        { $0.replacingOccurrences(of: old, with: new) }
    }

    @Test func `a document breaks nothing of itself`() throws {
        let document = try parsed(Self.present)
        #expect(try DocumentComparison(from: document, to: document).breaks == [])
    }

    @Test func `the document is the one that was committed; a release is compared with the one before`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let committed = try String(contentsOf: root.appendingPathComponent("docs/openapi.json"), encoding: .utf8)
        #expect(committed == Self.present + "\n", "tenure call --document > docs/openapi.json")
    }

    @Test func `A10 what is taken away is found`() throws {
        #expect(
            try breaks(replacing("\"/api/v1/apps/{app}/warnings\"", "\"/api/v1/apps/{app}/alarms\"")) == [
                "GET /api/v1/apps/{app}/warnings is gone"
            ])
        #expect(
            try breaks(replacing("\"operationId\":\"listWarnings\"", "\"operationId\":\"readWarnings\"")) == [
                "GET /api/v1/apps/{app}/warnings has another operationId"
            ])
        #expect(try breaks(replacing("\"firstSeenAt\":{", "\"seenAt\":{")) == ["Warning.firstSeenAt is gone"])
        #expect(
            try breaks(replacing("\"required\":[\"kind\",\"value\",\"firstSeenAt\"]", "\"required\":[\"kind\",\"value\"]")) == [
                "Warning.firstSeenAt may be left out"
            ])
    }

    @Test func `A10 what a request must have more, or may have less, is found`() throws {
        #expect(
            try breaks(
                replacing(
                    "\"required\":[\"customer\"],\"properties\":{\"customer\":{\"description\":\"Whose it is from",
                    "\"required\":[\"customer\",\"reason\"],\"properties\":{\"customer\":{\"description\":\"Whose it is from"))
                == ["Transfer.reason is required"])
        #expect(
            try breaks(replacing("\"maximum\":3155760000000},\"at\"", "\"maximum\":1000},\"at\"")) == [
                "Credit.milliseconds has another maximum"
            ])
    }

    @Test func `A10 what an answer may have more is found where it is another type`() throws {
        let change = replacing(
            "\"isOwner\":{\"description\":\"Whether it serves the customer now.\",\"type\":\"boolean\"}",
            "\"isOwner\":{\"description\":\"Whether it serves the customer now.\",\"type\":[\"boolean\",\"null\"]}")
        #expect(
            try breaks(change) == [
                "ReceiptResult.isOwner was boolean and is boolean or null",
                "UploadAnswer.isOwner was boolean and is boolean or null",
            ])
    }

    @Test func `A10 what is added breaks nobody`() throws {
        let more = replacing("\"firstSeenAt\":{", "\"seenAgainAt\":{\"type\":\"integer\"},\"firstSeenAt\":{")
        #expect(try breaks(more) == [])
        let operation = replacing(
            "\"paths\":{", "\"paths\":{\"/api/v2\":{\"get\":{\"operationId\":\"readNew\",\"responses\":{}}},")
        #expect(try breaks(operation) == [])
        let wider = replacing("\"maximum\":3155760000000},\"at\"", "\"maximum\":9155760000000},\"at\"")
        #expect(try breaks(wider) == [])
        let word = replacing("\"x-values\":[\"approve\",\"deny\"]", "\"x-values\":[\"approve\",\"deny\",\"postpone\"]")
        #expect(try breaks(word) == [])
    }
}
