import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import StrictJSON

/// One run of a scenario.
struct ScenarioRun {
    /// The local App Store's control API.
    let store: String
    /// The server; nil where the scenario has none.
    let server: ScenarioServer?
    private var kept: [String: [UInt8]] = [:]
    private(set) var checked = 0
    private(set) var failures: [String] = []

    init(store: String, server: ScenarioServer?) {
        self.store = store
        self.server = server
    }

    mutating func tell(_ scenario: Scenario) async throws {
        for line in scenario.lines { try await tell(line) }
    }

    private mutating func tell(_ line: Scenario.Line) async throws {
        let verbs = line.isServer ? SimulatorVerb.ofServer : SimulatorVerb.all
        guard let verb = verbs.first(where: { $0.name == line.verb }) else {
            throw CommandError("Line \(line.number): there is no verb \(line.verb).")
        }
        let words = try line.words.map { try filled($0, line) }
        let (path, body) = try verb.call(
            words.filter { !SimulatorVerb.isMember($0) }, members: words.filter(SimulatorVerb.isMember).map(SimulateDo.member))
        let (status, answer) = try await send(verb, path, body, isServer: line.isServer)
        let isRefused = !(200...299).contains(status)
        if let name = line.keptAs { kept[name] = answer }
        switch line.expectation {
        case .refused(let code):
            let got = AnswerPath.text(at: "code", in: answer)
            note(isRefused && got == code, line, "refused with \(code)", "\(status) \(got ?? "")")
        case .members(let members):
            for member in members {
                let wanted = try filled(member.value, line)
                let got = AnswerPath.text(at: member.path, in: answer)
                note(!isRefused && got == wanted, line, "\(member.path)=\(wanted)", got ?? "nothing")
            }
        case nil:
            guard !isRefused else {
                throw CommandError("Line \(line.number) was refused: \(String(decoding: answer, as: UTF8.self))")
            }
        }
    }

    private mutating func note(_ isRight: Bool, _ line: Scenario.Line, _ wanted: String, _ got: String) {
        checked += 1
        if !isRight { failures.append("line \(line.number): \(line.verb): expected \(wanted), got \(got)") }
    }

    /// Replaces each `{name.path}` in a word with that part of a kept answer. Other braces are those of JSON.
    private func filled(_ word: String, _ line: Scenario.Line) throws -> String {
        try word.replacing(#/{([A-Za-z0-9_-]+)\.([A-Za-z0-9_.-]+)}/#) { match in
            guard let answer = kept[String(match.1)], let text = AnswerPath.text(at: String(match.2), in: answer)
            else { throw CommandError("Line \(line.number): \(match.0) refers to nothing.") }
            return text
        }
    }

    private func send(
        _ verb: SimulatorVerb, _ path: String, _ body: [UInt8]?, isServer: Bool
    ) async throws -> (status: Int, body: [UInt8]) {
        guard !isServer || server != nil else {
            throw CommandError("The scenario needs a server: give --server and --server-key.")
        }
        let response = try await verb.send(
            body, to: (isServer ? server?.url ?? "" : store) + path, key: isServer ? server?.key : nil)
        let bytes = try await response.body.collect(upTo: 64 << 20)
        return (Int(response.status.code), Array(bytes.readableBytesView))
    }
}

/// The server that a scenario asks, for one of its apps.
struct ScenarioServer: Sendable {
    /// With the app in it: `http://host/api/v1/apps/notes`.
    let url: String
    let key: String
}

extension SimulatorVerb {
    /// What a scenario may request from `tenure serve`, as the app's backend.
    static let ofServer: [SimulatorVerb] = [
        SimulatorVerb(
            name: "upload", help: "upload a transaction for a customer", method: "POST",
            path: "/customers/{customer}/transactions",
            words: [Word(name: "customer"), Word(name: "signedTransactionInfo"), Word(name: "kind", isOptional: true)]),
        SimulatorVerb(
            name: "receipt", help: "upload a receipt for a customer", method: "POST", path: "/customers/{customer}/receipts",
            words: [Word(name: "customer"), Word(name: "receipt"), Word(name: "kind", isOptional: true)]),
        SimulatorVerb(
            name: "entitlements", help: "what a customer may use", method: "GET",
            path: "/customers/{customer}/entitlements", words: [Word(name: "customer")]),
        SimulatorVerb(
            name: "token", help: "register a token for a customer", method: "PUT",
            path: "/customers/{customer}/appAccountTokens/{token}", words: [Word(name: "customer"), Word(name: "token")]),
        SimulatorVerb(
            name: "subscription", help: "a subscription, explained", method: "GET", path: "/subscriptions/{id}",
            words: [Word(name: "id")]),
    ]
}
