import APIContract
import Foundation
import StrictJSON
import Testing

/// The document that is made of the contract.
@Suite struct `The OpenAPI document` {
    private static func document() throws -> JSONFields {
        try JSONFields(try JSONDocument(DocumentBody().json, limits: JSONLimits()).root)
    }

    @Test func `it has every operation with its method, and no other`() throws {
        let paths = try #require(try Self.document().fields("paths"))
        var found: [String] = []
        for path in paths.object {
            let item = try #require(try paths.fields(path.name))
            for operation in item.object {
                let id = try #require(try item.fields(operation.name)).requiredText("operationId")
                found.append("\(operation.name.uppercased()) \(path.name) \(id)")
            }
        }
        #expect(Set(found) == Set(NativeAPI.all.map { "\($0.method.rawValue) \($0.path) \($0.operationId)" }))
        #expect(found.count == NativeAPI.all.count)
    }

    @Test func `one name stands for one object`() {
        var known: [String: ObjectSchema] = [:]
        func take(_ schema: ObjectSchema) {
            #expect(known[schema.name] == nil || known[schema.name] == schema, "\(schema.name)")
            known[schema.name] = schema
            #expect(Set(schema.members.map(\.name)).count == schema.members.count, "\(schema.name) has a member twice")
            for member in schema.members { take(member.value) }
        }
        func take(_ value: ValueSchema) {
            switch value {
            case .object(let schema): take(schema)
            case .list(let element), .map(let element): take(element)
            case .text, .word, .integer, .instant, .bool: break
            }
        }
        for endpoint in NativeAPI.all {
            for schema in endpoint.request.schemas + endpoint.answer.schemas { take(schema) }
        }
        #expect(known.count > 20)
    }

    @Test func `nothing stands beside a reference, and no boolean is a constant`() throws {
        let text = String(decoding: DocumentBody().json, as: UTF8.self)
        #expect(text.matches(of: #/"\$ref":"[^"]*"[^}]/#).isEmpty)
        #expect(!text.contains("\"const\""))
        #expect(!text.contains("\"if\""))
    }

    @Test func `the page names every operation with a line of curl, and runs no script`() {
        let page = String(decoding: DocumentPage().json, as: UTF8.self)
        for endpoint in NativeAPI.all {
            #expect(page.contains("id=\"\(endpoint.operationId)\""))
            #expect(page.contains("curl -X \(endpoint.method.rawValue)"))
        }
        // Addresses stand in examples only: nothing is loaded from anywhere.
        #expect(!page.contains("<script") && !page.contains("src=") && page.firstMatch(of: #/(href|url)[=(]["']?http/#) == nil)
    }

    /// Each request body reads the example that the document shows, refuses a member more, and misses each required one.
    @Test func `T51 requests read the document's examples and nothing else`() throws {
        try Self.check(UploadBody.self)
        try Self.check(ReceiptUploadBody.self)
        try Self.check(IntentBody.self)
        try Self.check(ConsumptionNoteBody.self)
        try Self.check(BulkQuestionBody.self)
        try Self.check(AppTransactionBody.self)
        try Self.check(DeviceBody.self)
        try Self.check(IdentifyBody.self)
        try Self.check(JoinBody.self)
        try Self.check(GrantBody.self)
        try Self.check(HoldBody.self)
        try Self.check(CreditBody.self)
        try Self.check(WithdrawalBody.self)
        try Self.check(TransferBody.self)
        try Self.check(ClaimDecisionBody.self)
        try Self.check(ConsentBody.self)
        try Self.check(ReservationBody.self)
    }

    /// Each answer reads the example that the document shows, and writes the same members.
    @Test func `answers read and write the document's examples`() throws {
        try Self.check(NotificationAnswerBody.self)
        try Self.check(UploadAnswerBody.self)
        try Self.check(ReceiptAnswerBody.self)
        try Self.check(ForecastBody.self)
        try Self.check(DeliveryBody.self)
        try Self.check(NotedBody.self)
        try Self.check(EntitlementsBody.self)
        try Self.check(BulkEntitlementsBody.self)
        try Self.check(ContentUseBody.self)
        try Self.check(ContentUnlockBody.self)
        try Self.check(LicencesBody.self)
        try Self.check(AppPurchaseBody.self)
        try Self.check(CustomerBody.self)
        try Self.check(CustomerVoteBody.self)
        try Self.check(OwnershipVoteBody.self)
        try Self.check(ReservationAnswerBody.self)
        try Self.check(SubscriptionBody.self)
        try Self.check(WarningsBody.self)
        try Self.check(SearchBody.self)
        try Self.check(LiveBody.self)
        try Self.check(ReadyBody.self)
    }

    private static func check<Body: JSONBody>(_: Body.Type) throws {
        let example = OpenAPIDocument.example(of: Body.schema)
        let body = try Body(json: example)
        // A body writes what it read: the example, member for member, but for what the type adds by itself.
        let written = try JSONDocument(body.json, limits: JSONLimits()).root.object
        let shown = try JSONDocument(example, limits: JSONLimits()).root.object
        #expect(written.map { Set($0.map(\.name)) } == shown.map { Set($0.map(\.name)) }, "\(Body.schema.name)")
        #expect(written.map { Set($0.map(\.name)) } == Body.schema.names, "\(Body.schema.name)")
        guard Body.self is any RequestContent.Type else { return }
        let text = String(decoding: example, as: UTF8.self)
        #expect(throws: InvalidBody.self) { try Body(json: Array("{\"other\":1,\(text.dropFirst())".utf8)) }
        for member in Body.schema.members where member.presence == .required {
            let left = Body.schema.members.filter { $0.name != member.name }
            let poorer = OpenAPIDocument.example(of: ObjectSchema("Poorer", "", left))
            #expect(throws: InvalidBody(member: member.name, reason: "is missing")) { try Body(json: poorer) }
        }
    }
}
