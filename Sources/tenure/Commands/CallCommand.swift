import APIContract
import ArgumentParser
import Foundation

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

    @OptionGroup var server: ServerChoice

    @Option(help: ArgumentHelp("The whole body: JSON, @FILE, or - for standard input.", valueName: "json"))
    var body: String?

    @Option(help: ArgumentHelp("Has the operation done once, however often it is called with this key.", valueName: "key"))
    var idempotencyKey: String?

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
        try await server.call(
            endpoint, try values.map { try GivenValue($0) }, body: try body.map(Self.content), idempotencyKey: idempotencyKey)
    }

    private static func content(_ text: String) throws -> [UInt8] {
        if text == "-" { return Array(FileHandle.standardInput.readDataToEndOfFile()) }
        guard text.hasPrefix("@") else { return Array(text.utf8) }
        let path = String(text.dropFirst())
        guard let data = FileManager.default.contents(atPath: path) else { throw CommandError("--body: \(path) cannot be read.") }
        return Array(data)
    }
}
