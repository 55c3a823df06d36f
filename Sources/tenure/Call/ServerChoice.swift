import APIContract
import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import StrictJSON

/// Which server is called, with what key, and how its answers are printed: the options of all commands that ask a running server.
struct ServerChoice: ParsableArguments {
    @Option(help: "The server's address; else TENURE_SERVER, else http://127.0.0.1:8080.")
    var server: String?

    @Option(help: "The app; else TENURE_APP.")
    var app: String?

    @Option(help: ArgumentHelp("A file with the server key alone; else TENURE_SERVER_KEY.", valueName: "path"))
    var keyFile: String?

    @Flag(help: "Print the answer as the server sent it.")
    var json = false

    /// What a server answered.
    struct Answer {
        let status: UInt
        let isProblem: Bool
        /// Whether it was printed as it came.
        var isShown = false
        let bytes: [UInt8]
    }

    /// Calls an operation and prints what it answers.
    ///
    /// - Parameters:
    ///   - body: the whole body; nil: it is made of the values.
    ///   - idempotencyKey: for an operation that takes one.
    /// - Throws: `ExitCode` 1 where the server refused, 2 where there is no answer.
    func call(
        _ endpoint: EndpointDescription, _ values: [GivenValue], body: [UInt8]? = nil, idempotencyKey: String? = nil
    ) async throws {
        try show(try await answer(of: endpoint, values, body: body, idempotencyKey: idempotencyKey))
    }

    /// The end of an export: its last line, which says whether it is whole, is shorter.
    private static let longestLastLine = 4096

    /// Prints lines as they come, without keeping them.
    ///
    /// - Returns: the end of them.
    /// - Throws: `ExitCode` 2 where they do not end with the line that says that they are whole.
    private func printLines(_ body: HTTPClientResponse.Body) async throws -> [UInt8] {
        var end: [UInt8] = []
        for try await part in body {
            try FileHandle.standardOutput.write(contentsOf: Data(part.readableBytesView))
            end = Array((end + part.readableBytesView).suffix(Self.longestLastLine))
        }
        let last = end.split(separator: UInt8(ascii: "\n")).last.map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard last.contains("\"isComplete\":true") else {
            throw CommandError("The export broke off; go on with after=… of its last line that begins with {\"export\":.")
        }
        return end
    }

    /// Calls an operation.
    func answer(
        of endpoint: EndpointDescription, _ values: [GivenValue], body: [UInt8]? = nil, idempotencyKey: String? = nil
    ) async throws -> Answer {
        var given = values
        let variables = ProcessInfo.processInfo.environment
        if let app = app ?? variables["TENURE_APP"], !given.contains(where: { $0.name == "app" }) {
            given.append(GivenValue(name: "app", value: app))
        }
        var call = try OperationCall(endpoint, values: given, body: body)
        if let idempotencyKey {
            guard endpoint.isKeyed else {
                throw CommandError("\(endpoint.operationId) takes no idempotency key: it may be sent again as it is.")
            }
            call.idempotencyKey = idempotencyKey
        }
        // Lines come for as long as there are some.
        let limit: TimeAmount = if case .lines = endpoint.answer { .hours(24) } else { .seconds(60) }
        return try await send(call, variables, within: limit)
    }

    private func send(_ call: OperationCall, _ variables: [String: String], within limit: TimeAmount) async throws -> Answer {
        let address = server ?? variables["TENURE_SERVER"] ?? "http://127.0.0.1:8080"
        var request = HTTPClientRequest(url: address + call.path)
        request.method = HTTPMethod(rawValue: call.method)
        if let key = try key(variables) { request.headers.add(name: "Authorization", value: "Bearer \(key)") }
        if let key = call.idempotencyKey { request.headers.add(name: IdempotencyKey.header, value: key) }
        if let body = call.body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        do {
            let response = try await HTTPClient.shared.execute(request, timeout: limit)
            if response.headers.first(name: "content-type") == "application/x-ndjson" {
                return Answer(
                    status: response.status.code, isProblem: false, isShown: true, bytes: try await printLines(response.body))
            }
            let body = try await response.body.collect(upTo: 64 << 20)
            let isProblem = response.headers.first(name: "content-type")?.hasPrefix(Problem.mediaType) == true
            return Answer(status: response.status.code, isProblem: isProblem, bytes: Array(body.readableBytesView))
        } catch let error as CommandError {
            throw error
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

    // MARK: Printing

    /// Prints an answer.
    ///
    /// - Throws: `ExitCode` 1 where it is a refusal, after its words.
    func show(_ answer: Answer) throws {
        if json || !answer.isProblem { showContent(answer) }
        try checkDone(answer)
    }

    /// - Throws: `ExitCode` 1 where the answer is a refusal, after its words.
    func checkDone(_ answer: Answer) throws {
        guard answer.status >= 400 else { return }
        if answer.isProblem, !json {
            let fields = try JSONDocument(answer.bytes, limits: JSONLimits()).root.object
            let rule = fields?["rule"]?.string.map { " (\($0))" } ?? ""
            Console.complain("\(answer.status) \(fields?["code"]?.string ?? ""): \(fields?["detail"]?.string ?? "")\(rule)")
        }
        throw ExitCode(1)
    }

    private func showContent(_ answer: Answer) {
        guard !answer.isShown else { return }
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
