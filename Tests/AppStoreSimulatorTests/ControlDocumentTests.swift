import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import StrictJSON
import Testing

@testable import AppStoreModel
@testable import AppStoreSimulator

/// The OpenAPI document as a test reads it: operations with their references resolved.
struct ReadDocument {
    let root: JSONObject

    init() throws { root = try #require(try JSONDocument(Array(ControlDocument.bytes)).root.object) }

    struct Operation {
        let method: HTTPRequest.Method
        let path: String
        let object: JSONObject
        /// The parameters of the operation and of its path.
        let parameters: [JSONObject]

        var name: String { "\(method.rawValue) \(path)" }

        /// The path with `1` for each parameter: a valid name and id of something that may exist.
        var address: String { path.replacing(#/\{\w+\}/#, with: "1") }
    }

    func operations() throws -> [Operation] {
        try #require(root["paths"]?.object).flatMap { path in
            let item = try #require(path.value.object)
            let shared = try parameters(of: item)
            return try item.filter { $0.name != "parameters" }.map { operation in
                let object = try #require(operation.value.object)
                return Operation(
                    method: try #require(HTTPRequest.Method(rawValue: operation.name.uppercased())), path: path.name,
                    object: object, parameters: shared + (try parameters(of: object)))
            }
        }
    }

    private func parameters(of object: JSONObject) throws -> [JSONObject] {
        try object["parameters"]?.array?.map { try resolved(try #require($0.object)) } ?? []
    }

    /// Replaces a `$ref` by what it names; members beside it are ignored here.
    func resolved(_ object: JSONObject) throws -> JSONObject {
        guard let reference = object["$ref"]?.string else { return object }
        var found = root
        for part in reference.split(separator: "/").dropFirst() {
            found = try #require(found[String(part)]?.object, "\(reference) names nothing")
        }
        return found
    }

    func schema(_ name: String) throws -> JSONObject {
        try #require(root["components"]?.object?["schemas"]?.object?[name]?.object)
    }

    func bodySchema(of operation: Operation) throws -> JSONObject {
        let content = operation.object["requestBody"]?.object?["content"]?.object?["application/json"]?.object
        return try resolved(try #require(content?["schema"]?.object, "\(operation.name) has no body"))
    }

    /// The codes of problems that an operation says it may answer with, and their statuses.
    func codes(of operation: Operation) throws -> [(code: String, status: Int)] {
        try #require(operation.object["responses"]?.object).flatMap { response in
            let status = try #require(Int(response.name))
            let content = try resolved(try #require(response.value.object))["content"]?.object
            guard let schema = content?["application/problem+json"]?.object?["schema"]?.object else { return [(String, Int)]() }
            let codes = try #require(schema["properties"]?.object?["code"]?.object?["enum"]?.array)
            return try codes.map { (try #require($0.string), status) }
        }
    }
}

@Suite struct ControlDocumentTests {
    private func withClient(_ test: @Sendable (ControlClient) async throws -> Void) async throws {
        let simulator = try AppStoreSimulator(configuration: try World.configuration())
        let application = simulator.buildApplication(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await application.test(.router) { try await test(ControlClient(client: $0)) }
    }

    @Test func `the routes and the document are the same, with the same names of parameters`() throws {
        let router = Router(context: BasicRequestContext.self)
        ControlRoutes(simulator: try AppStoreSimulator(configuration: try World.configuration())).add(to: router.group())
        let routes = Set(router.routes.map { "\($0.method.rawValue) \($0.path)" })
        let documented = Set(try ReadDocument().operations().map(\.name))
        #expect(routes.subtracting(documented).sorted() == [], "routes that are not in the document")
        #expect(documented.subtracting(routes).sorted() == [], "operations that nothing answers")
        #expect(routes.count > 50)
    }

    @Test func `parameters of the path are in the document, each in its place`() throws {
        for operation in try ReadDocument().operations() {
            let named = Set(operation.path.matches(of: #/\{(\w+)\}/#).map { String($0.output.1) })
            let inPath = operation.parameters.filter { $0["in"]?.string == "path" }
            #expect(Set(inPath.compactMap { $0["name"]?.string }) == named, "\(operation.name)")
            #expect(inPath.allSatisfy { $0["required"]?.bool == true })
        }
    }

    @Test func `every operation has a unique id, a described tag, and a summary`() throws {
        let document = try ReadDocument()
        let operations = try document.operations()
        let tags = Set(try #require(document.root["tags"]?.array).compactMap { $0.object?["name"]?.string })
        #expect(Set(operations.compactMap { $0.object["operationId"]?.string }).count == operations.count)
        for operation in operations {
            #expect(operation.object["summary"]?.string?.isEmpty == false, "\(operation.name)")
            #expect(operation.object["tags"]?.array?.allSatisfy { $0.string.map(tags.contains) ?? false } == true)
        }
    }

    /// The members that a refusal of an unknown one lists.
    private func known(_ client: ControlClient, _ path: String, _ body: String) async throws -> Set<String> {
        let (status, json) = try await client.call(.post, path, body)
        #expect(status == 400, "\(path)")
        #expect(json["code"]?.string == "unknownMember", "\(path)")
        let detail = try #require(json["detail"]?.string)
        if detail == "No member is known here." { return [] }
        let list = try #require(detail.wholeMatch(of: #/Known here: (.+)\./#)).output.1
        return Set(list.split(separator: ", ").map(String.init))
    }

    @Test func `the members of each body are those that its call accepts`() async throws {
        let document = try ReadDocument()
        try await withClient { client in
            for operation in try document.operations() where operation.method == .post {
                let schema = try document.bodySchema(of: operation)
                let documented = Set(schema["properties"]?.object?.map(\.name) ?? [])
                let known = try await known(client, operation.address, #"{"no such member":1}"#)
                #expect(known == documented, "\(operation.name)")
                #expect(schema["additionalProperties"]?.bool == false, "\(operation.name)")
            }
            let order = #"{"productId":"plus.monthly","offer":"promotional","offerIdentifier":"stay","signature":{"no":1}}"#
            let nested = [
                ("OfferSignature", try await known(client, "/accounts/1/purchases", order)),
                ("Fault", try await known(client, "/faults", #"{"faults":[{"no":1}]}"#)),
            ]
            for (name, members) in nested {
                let properties = try #require(try document.schema(name)["properties"]?.object)
                #expect(members == Set(properties.map(\.name)))
            }
        }
    }

    @Test func `a body without the members that the document requires is refused, and no other`() async throws {
        let document = try ReadDocument()
        try await withClient { client in
            for operation in try document.operations() where operation.method == .post {
                let schema = try document.bodySchema(of: operation)
                let isNeeded = schema["required"] != nil || schema["minProperties"] != nil
                #expect(operation.object["requestBody"]?.object?["required"]?.bool == isNeeded, "\(operation.name)")
                let code = try await client.call(.post, operation.address, "{}").json["code"]?.string
                #expect(["invalidMember", "invalidBody"].contains(code) == isNeeded, "\(operation.name): \(code ?? "")")
            }
        }
    }

    @Test func `every parameter of a query is read`() async throws {
        let wrong = ["app": "no.such.app", "limit": "0", "from": "-1", "device": "nobody", "environment": "Xcode"]
        let document = try ReadDocument()
        try await withClient { client in
            _ = try await client.post("/accounts", #"{"id":"1"}"#)
            _ = try await client.post("/devices", #"{"id":"1","account":"1"}"#)
            for operation in try document.operations() {
                for parameter in operation.parameters where parameter["in"]?.string == "query" {
                    let name = try #require(parameter["name"]?.string)
                    #expect(try await client.call(operation.method, operation.address).status == 200, "\(operation.name)")
                    let value = try #require(wrong[name], "a wrong value of \(name) must be chosen")
                    let status = try await client.call(operation.method, "\(operation.address)?\(name)=\(value)").status
                    #expect((400...404).contains(status), "\(operation.name) does not read \(name)")
                }
            }
        }
    }

    // MARK: Problems

    /// Codes that any address may answer with, or none after the start: no operation lists them.
    private static let elsewhere: Set<String> = [
        "badRequest", "foreignOrigin", "foreignHost", "notFound", "methodNotAllowed", "internal", "appExists",
    ]

    private var problems: [ControlProblem] {
        RequestMistake.allCases.map { ControlProblem($0) } + StoreRefusal.allCases.map { ControlProblem($0) }
            + SimulatorRefusal.allCases.map { ControlProblem($0) }
    }

    @Test func `the document has every code that a problem can have, with its status, and no other`() throws {
        let document = try ReadDocument()
        let schema = try document.schema("ProblemCode")
        let table = try #require(schema["description"]?.string)
        let rows = Set(table.matches(of: #/(?m)^\| (\d{3}) \| `(\w+)` \|/#).map { "\($0.output.1) \($0.output.2)" })
        #expect(rows == Set(problems.map { "\($0.status.code) \($0.code)" }))
        #expect(Set(try #require(schema["enum"]?.array).compactMap(\.string)) == Set(problems.map(\.code)))
    }

    @Test func `operations list codes under their statuses, and every code belongs to an operation`() throws {
        let document = try ReadDocument()
        let statuses = Dictionary(uniqueKeysWithValues: problems.map { ($0.code, $0.status.code) })
        var named: Set<String> = []
        for operation in try document.operations() {
            for (code, status) in try document.codes(of: operation) {
                #expect(statuses[code] == status, "\(operation.name): \(code)")
                named.insert(code)
            }
        }
        #expect(Set(statuses.keys).subtracting(named) == Self.elsewhere)
    }

    @Test func `the document is served unchanged`() async throws {
        try await withClient { client in
            let response = try await client.client.execute(uri: "/control/v1/openapi.json", method: .get)
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "application/json")
            #expect(Array(response.body.readableBytesView) == Array(ControlDocument.bytes))
        }
    }
}
