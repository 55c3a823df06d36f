import APIContract
import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import StrictJSON

struct CallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Call any operation of a running server's API.",
        discussion: """
            Parameters and members of the body are given by name:

              tenure call grantEntitlement customer=bob id=support-1 entitlement=plus until=1798761600000 actor=mia

            A list is given with commas, or as JSON. `tenure call --list` lists all operations, and
            `tenure call OPERATION --help-operation` says what one takes. The server key is read from the environment variable \
            TENURE_SERVER_KEY or from a file, so that it stands in no history of commands.
            Exit status: 0 where the server did it, 1 where it refused, 2 where the call could not be made.
            """)

    @Argument(help: "The operation, such as readEntitlements.")
    var operation: String?

    @Argument(help: ArgumentHelp("Parameters and members of the body.", valueName: "name=value"))
    var values: [String] = []

    @Option(help: "The server's address; else TENURE_SERVER, else http://127.0.0.1:8080.")
    var server: String?

    @Option(help: "The app; else TENURE_APP. The same as app=…")
    var app: String?

    @Option(help: ArgumentHelp("A file with the server key alone.", valueName: "path"))
    var keyFile: String?

    @Option(help: ArgumentHelp("The whole body: JSON, @FILE, or - for standard input.", valueName: "json"))
    var body: String?

    @Flag(help: "Print the answer as the server sent it.")
    var json = false

    @Flag(help: "List all operations.")
    var list = false

    @Flag(help: "Print the rows of docs/operations/http-api.md.")
    var table = false

    @Flag(help: "Print the API's OpenAPI document, without a server.")
    var document = false

    @Flag(name: .customLong("help-operation"), help: "Print what the operation takes and answers.")
    var helpOperation = false

    func run() async throws {
        if table { return Console.print(APITable.markdown) }
        if document { return Console.print(String(decoding: DocumentBody().json, as: UTF8.self)) }
        guard let name = operation, !list else { return Console.print(OperationWords.list) }
        guard let endpoint = NativeAPI.all.first(where: { $0.operationId == name }) else {
            throw CommandError("\(name) is not an operation. `tenure call --list` lists them.")
        }
        if helpOperation { return Console.print(OperationWords.help(of: endpoint)) }
        let call = try OperationCall(endpoint, values: try given(), body: try body.map(Self.content))
        let answer = try await send(call)
        try show(answer)
    }

    private func given() throws -> [GivenValue] {
        var given = try values.map { try GivenValue($0) }
        let variables = ProcessInfo.processInfo.environment
        if let app = app ?? variables["TENURE_APP"], !given.contains(where: { $0.name == "app" }) {
            given.append(GivenValue(name: "app", value: app))
        }
        return given
    }

    private static func content(_ text: String) throws -> [UInt8] {
        if text == "-" { return Array(FileHandle.standardInput.readDataToEndOfFile()) }
        guard text.hasPrefix("@") else { return Array(text.utf8) }
        let path = String(text.dropFirst())
        guard let data = FileManager.default.contents(atPath: path) else { throw CommandError("--body: \(path) cannot be read.") }
        return Array(data)
    }

    // MARK: The server

    private struct Answer {
        let status: UInt
        let isProblem: Bool
        let bytes: [UInt8]
    }

    private func send(_ call: OperationCall) async throws -> Answer {
        let variables = ProcessInfo.processInfo.environment
        let address = server ?? variables["TENURE_SERVER"] ?? "http://127.0.0.1:8080"
        var request = HTTPClientRequest(url: address + call.path)
        request.method = HTTPMethod(rawValue: call.method)
        if let key = try key(variables) { request.headers.add(name: "Authorization", value: "Bearer \(key)") }
        if let body = call.body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        do {
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            let body = try await response.body.collect(upTo: 64 << 20)
            let isProblem = response.headers.first(name: "content-type")?.hasPrefix(Problem.mediaType) == true
            return Answer(status: response.status.code, isProblem: isProblem, bytes: Array(body.readableBytesView))
        } catch {
            Console.complain("There is no answer at \(address): \(error)")
            throw ExitCode(2)
        }
    }

    private func key(_ variables: [String: String]) throws -> String? {
        guard let keyFile else { return variables["TENURE_SERVER_KEY"] }
        guard let data = FileManager.default.contents(atPath: keyFile) else {
            throw CommandError("--key-file: \(keyFile) cannot be read.")
        }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func show(_ answer: Answer) throws {
        if json || !answer.isProblem { showContent(answer) }
        guard answer.status >= 400 else { return }
        if answer.isProblem, !json {
            let fields = try JSONDocument(answer.bytes, limits: JSONLimits()).root.object
            let rule = fields?["rule"]?.string.map { " (\($0))" } ?? ""
            Console.complain("\(answer.status) \(fields?["code"]?.string ?? ""): \(fields?["detail"]?.string ?? "")\(rule)")
        }
        throw ExitCode(1)
    }

    private func showContent(_ answer: Answer) {
        guard !answer.bytes.isEmpty else { return Console.print("done") }
        guard !json, let document = parsed(answer.bytes) else {
            return Console.print(String(decoding: answer.bytes, as: UTF8.self))
        }
        Console.print(AnswerTable.text(of: document.root))
    }

    /// Nil for what is no JSON, which is printed as it is.
    private func parsed(_ bytes: [UInt8]) -> JSONDocument? {
        do { return try JSONDocument(bytes, limits: JSONLimits()) } catch { return nil }
    }
}
