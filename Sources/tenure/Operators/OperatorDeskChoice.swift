import ArgumentParser
import Backend
import Foundation
import Ledger
import OperatorFactors
import Primitives

/// The role that an operator is given, and where.
struct RoleChoice: ParsableArguments {
    @Option(name: .long, help: "The role.")
    var role: String

    @Option(name: .long, help: "Only in this app; repeatable.")
    var app: [String] = []

    static let words = OperatorRole.allCases.map(\.rawValue).joined(separator: ", ")

    func grants() throws -> [OperatorGrant] {
        guard let known = OperatorRole(rawValue: role) else { throw CommandError("--role must be one of \(Self.words).") }
        return app.isEmpty
            ? [OperatorGrant(app: nil, role: known)] : app.map { OperatorGrant(app: AppID($0), role: known) }
    }
}

/// The options of a command that is about operators.
struct OperatorDeskChoice: ParsableArguments {
    @Option(name: .long, help: "The configuration file, JSON.")
    var config: String

    /// Runs the body with what lets operators in, on the existing database. A refusal is shown in its own words.
    func run(_ body: (OperatorDesk, ConsoleConfiguration) async throws -> Void) async throws {
        let configuration = try TenureConfiguration(path: config, environment: ProcessInfo.processInfo.environment)
        try await configuration.withBackend { backend, _ in
            let desk = OperatorDesk(backend, secrets: configuration.webhooks.secrets, clock: MachineClock())
            do {
                try await body(desk, configuration.console)
            } catch let refusal as OperatorRefusal {
                throw CommandError(refusal.description)
            }
        }
    }
}

extension ConsoleConfiguration {
    /// The link that a token is in; the token alone where the console's address is not configured.
    func link(_ token: SecretToken) -> String { address.map { "\($0)/login/link/\(token.text)" } ?? token.text }

    /// The link alone on a line, and how long it is good.
    func printLink(_ token: SecretToken) {
        Console.print(link(token))
        Console.print("It is good once, until 15 minutes from now.")
    }
}

/// An operator, or a session, as a line.
enum OperatorLine {
    static func text(of known: OperatorReport) -> String {
        let roles = known.grants.map { grant in grant.app.map { "\(grant.role.rawValue)@\($0)" } ?? grant.role.rawValue }
        let state =
            known.endedAt.map { "ended \($0) by \(known.endedBy ?? "")" }
            ?? (known.isReady ? "\(known.recoveryCodesLeft) recovery codes left" : "waits for the link to be used")
        return [known.name, roles.joined(separator: " "), state, "made \(known.madeAt) by \(known.madeBy)"].joined(
            separator: "  ")
    }

    static func text(of session: OperatorSessionReport) -> String {
        let state = session.isLive ? "live" : "ended"
        return [
            session.id, state, "begun \(session.begunAt)", "seen \(session.seenAt)", session.address, session.userAgent,
        ].joined(separator: "  ")
    }
}
