import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import StrictJSON

struct SimulateDo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "do",
        abstract: "Use a running local App Store: buy, renew, refund, move the clock.",
        discussion: """
            Prints the answer, JSON; exit status 1 if it was refused. Members that are not arguments of a verb are given as
            name=value, with a value that is JSON or else a text: tenure simulate do buy anna plus.monthly appAccountToken=…
            The members are those of the OpenAPI document, which the simulator shows at /control/v1/openapi.json.

            \(SimulatorVerb.all.map { "  \($0.usage)\n      \($0.help)" }.joined(separator: "\n"))
            """)

    @OptionGroup var store: ControlAddress

    @Argument(help: "What to do.")
    var verb: String

    @Argument(help: "Its arguments, and members as name=value.")
    var words: [String] = []

    func run() async throws {
        guard let verb = SimulatorVerb.all.first(where: { $0.name == verb }) else {
            throw CommandError("There is no verb \(verb); known: \(SimulatorVerb.all.map(\.name).joined(separator: ", ")).")
        }
        let (path, body) = try verb.call(
            words.filter { !SimulatorVerb.isMember($0) },
            members: words.filter(SimulatorVerb.isMember).map(Self.member))
        let url = try store.base()
        let response: HTTPClientResponse
        do {
            response = try await verb.send(body, to: url + path)
        } catch {
            throw CommandError("No local App Store answers at \(url): \(error)")
        }
        let bytes = try await response.body.collect(upTo: 1 << 30)
        Console.print(String(buffer: bytes))
        guard (200...299).contains(response.status.code) else { throw ExitCode(1) }
    }

    /// `name=value`; a value that is not JSON is a text.
    static func member(_ word: String) -> (name: String, json: String) {
        let name = String(word.prefix { $0 != "=" })
        let value = String(word.dropFirst(name.count + 1))
        do throws(JSONError) {
            _ = try JSONDocument(Array(value.utf8))
            return (name, value)
        } catch {
            var json = JSONWriter()
            json.string(value)
            return (name, json.text)
        }
    }
}
