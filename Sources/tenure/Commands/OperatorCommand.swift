import ArgumentParser
import Backend
import Foundation
import Ledger
import OperatorFactors
import Primitives

/// The people who use the console.
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator", abstract: "Make, list and end those who use the console (docs/operations/console.md).",
        subcommands: [
            AddOperator.self, ListOperators.self, OperatorRoles.self, LinkOperator.self, EndOperator.self,
            OperatorSessions.self, EndOperatorSessions.self,
        ])
}

struct AddOperator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Make an operator, and print the link with which they choose a password.",
        discussion: """
            The link is printed once, alone on the first line; it is good once and for 15 minutes. A role holds in every app, \
            unless --app names some. Roles: \(RoleChoice.words).
            """)

    @Argument(help: "Their name: 1 to 64 of a-z, 0-9 and . _ + @ -. No other person ever has it.")
    var name: String

    @OptionGroup var roles: RoleChoice
    @OptionGroup var desk: OperatorDeskChoice

    func run() async throws {
        let grants = try roles.grants()
        try await desk.run { desk, console in
            console.printLink(try await desk.make(name, grants: grants, by: .commandLine))
        }
    }
}

struct LinkOperator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Print another link for an operator who has lost password and second factor.",
        discussion: "What they have holds until the link is used to its end. It is good once and for 15 minutes.")

    @Argument(help: "Their name.")
    var name: String

    @OptionGroup var desk: OperatorDeskChoice

    func run() async throws {
        try await desk.run { desk, console in
            console.printLink(try await desk.makeLink(for: name, by: .commandLine))
        }
    }
}

struct OperatorRoles: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roles", abstract: "Change what an operator may do.",
        discussion: "The given role replaces every one they have. Roles: \(RoleChoice.words).")

    @Argument(help: "Their name.")
    var name: String

    @OptionGroup var roles: RoleChoice
    @OptionGroup var desk: OperatorDeskChoice

    func run() async throws {
        let grants = try roles.grants()
        try await desk.run { desk, _ in
            Console.print(OperatorLine.text(of: try await desk.setGrants(grants, of: name, by: .commandLine)))
        }
    }
}

struct ListOperators: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the operators: their roles, and whether they are set up.")

    @OptionGroup var desk: OperatorDeskChoice

    func run() async throws {
        try await desk.run { desk, _ in
            let operators = try await desk.operators()
            for known in operators { Console.print(OperatorLine.text(of: known)) }
            if operators.isEmpty { Console.print("There are none. `tenure operator add NAME --role admin` makes the first.") }
        }
    }
}

struct EndOperator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End an operator for good, with their sessions and links.")

    @Argument(help: "Their name.")
    var name: String

    @OptionGroup var desk: OperatorDeskChoice

    func run() async throws {
        try await desk.run { desk, _ in
            Console.print(OperatorLine.text(of: try await desk.end(name, by: .commandLine)))
        }
    }
}

struct OperatorSessions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "List an operator's sessions of the last 30 days.")

    @Argument(help: "Their name.")
    var name: String

    @OptionGroup var desk: OperatorDeskChoice

    func run() async throws {
        try await desk.run { desk, _ in
            let sessions = try await desk.sessions(of: name)
            for session in sessions { Console.print(OperatorLine.text(of: session)) }
            if sessions.isEmpty { Console.print("There are none.") }
        }
    }
}

struct EndOperatorSessions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end-sessions", abstract: "End an operator's sessions; they can log in again.")

    @Argument(help: "Their name.")
    var name: String

    @Option(name: .long, help: "Only this one, by its id in `tenure operator sessions`.")
    var session: String?

    @OptionGroup var desk: OperatorDeskChoice

    func run() async throws {
        try await desk.run { desk, _ in
            guard let session else {
                return Console.print("Sessions ended: \(try await desk.endSessions(of: name, by: .commandLine))")
            }
            let wasThere = try await desk.endSession(session, of: name, by: .commandLine)
            guard wasThere else { throw CommandError("\(name) has no live session \(session).") }
            Console.print("Ended.")
        }
    }
}
