import APIContract
import ArgumentParser
import Foundation
import Primitives

// What support types daily, as words of their own. Each is one operation of the API; `tenure call` has all of them.

/// Which of the app's ledgers is meant.
struct EnvironmentChoice: ParsableArguments {
    @Option(help: "Production or Sandbox.")
    var environment = "Production"

    var value: GivenValue { GivenValue(name: "environment", value: environment) }
}

/// Of which ledger, and for which instant something is asked.
struct InstantChoice: ParsableArguments {
    @Option(help: "The instant asked about, such as 2026-01-31T00:00:00Z; now unless said.")
    var at: String?

    @OptionGroup var ledger: EnvironmentChoice

    var values: [GivenValue] {
        get throws { try [ledger.value] + (at.map { [try .instant("at", $0, option: "--at")] } ?? []) }
    }
}

struct CustomerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customer",
        abstract: "Show a customer whole: access, subscriptions, purchases, votes, licences, audit rows.")

    @Argument(help: "The customer, as your backend names them.")
    var customer: String

    @OptionGroup var asked: InstantChoice
    @OptionGroup var server: ServerChoice

    func run() async throws {
        let values = [GivenValue(name: "customer", value: customer)] + (try asked.values)
        try await server.call(NativeAPI.readCustomer.description, values)
    }
}

struct SubscriptionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscription", abstract: "Show a subscription whole: periods, owners, claims, votes, audit rows, and why.")

    @Argument(help: "Apple's originalTransactionId.")
    var originalTransactionId: String

    @OptionGroup var asked: InstantChoice
    @OptionGroup var server: ServerChoice

    func run() async throws {
        let values = [GivenValue(name: "originalTransactionId", value: originalTransactionId)] + (try asked.values)
        try await server.call(NativeAPI.readSubscription.description, values)
    }
}

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Say in words whose a subscription is, until when, and why (OWN-15).")

    @Argument(help: "Apple's originalTransactionId.")
    var originalTransactionId: String

    @OptionGroup var asked: InstantChoice
    @OptionGroup var server: ServerChoice

    func run() async throws {
        let values = [GivenValue(name: "originalTransactionId", value: originalTransactionId)] + (try asked.values)
        let answer = try await server.answer(of: NativeAPI.readSubscription.description, values)
        guard !server.json else { return try server.show(answer) }
        try server.checkDone(answer)
        for line in try SubscriptionBody(json: answer.bytes).explain { Console.print(line) }
    }
}

struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find a customer, a subscription, a transaction or a token, in every environment.")

    @Argument(help: "What somebody named.")
    var text: String

    @OptionGroup var server: ServerChoice

    func run() async throws {
        try await server.call(NativeAPI.searchNames.description, [GivenValue(name: "q", value: text)])
    }
}

struct GrantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant", abstract: "Grant an entitlement to a customer (ENT-9).",
        discussion: """
            Prints the grant with its id. `tenure withdraw CUSTOMER ID` takes it back. Give an --id of your own, such as the \
            number of a ticket, and the same command can be repeated without granting twice.
            """)

    @Argument(help: "The customer, as your backend names them.")
    var customer: String

    @Argument(help: "The entitlement, as the configuration names it.")
    var entitlement: String

    @Option(help: "For how many days from now.")
    var days: Int?

    @Option(help: "Until when, such as 2026-01-31T00:00:00Z.")
    var until: String?

    @Option(help: "Why, for the audit and for whoever asks later.")
    var reason: String

    @OptionGroup var voter: VoterChoice
    @OptionGroup var ledger: EnvironmentChoice
    @OptionGroup var server: ServerChoice

    func validate() throws {
        guard (days == nil) != (until == nil) else { throw ValidationError("Say how long: --days or --until, one of the two.") }
        guard days.map({ (1...36_500).contains($0) }) ?? true else { throw ValidationError("--days must be 1 to 36500.") }
    }

    func run() async throws {
        var values = [
            GivenValue(name: "customer", value: customer), GivenValue(name: "entitlement", value: entitlement),
            GivenValue(name: "reason", value: reason), ledger.value,
        ]
        values += voter.values
        if let until { values.append(try .instant("until", until, option: "--until")) }
        if let days {
            // From the server's clock, which is not this machine's.
            let end = try await server.now().adding(.days(Int64(days)))
            values.append(GivenValue(name: "until", value: "\(end.millisecondsSince1970)"))
        }
        try await server.call(NativeAPI.grantEntitlement.description, values)
    }
}

struct JoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Say that a customer is another one, or has another id from now on (OWN-10).",
        discussion: """
            Whatever is FROM's counts as INTO's, the past included, whichever of the two ids an app or a backend uses. \
            `tenure withdraw INTO ID` makes them two again.
            """)

    @Argument(help: "The customer who is the other one, or the former id.")
    var from: String

    @Argument(help: "The customer whose everything is from now on, or the new id.")
    var into: String

    @Option(help: "Why, for the audit and for whoever asks later.")
    var reason: String

    @OptionGroup var voter: VoterChoice
    @OptionGroup var ledger: EnvironmentChoice
    @OptionGroup var server: ServerChoice

    func run() async throws {
        try await server.call(
            NativeAPI.joinCustomer.description,
            [
                GivenValue(name: "customer", value: into), GivenValue(name: "from", value: from),
                GivenValue(name: "reason", value: reason), ledger.value,
            ] + voter.values)
    }
}

struct WithdrawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw", abstract: "Withdraw an earlier grant, hold, credit or join of a customer from now on.")

    @Argument(help: "The customer, as your backend names them.")
    var customer: String

    @Argument(help: "The id of the grant, hold, credit or join.")
    var vote: String

    @Option(help: "Why, for the audit and for whoever asks later.")
    var reason: String

    @OptionGroup var voter: VoterChoice
    @OptionGroup var ledger: EnvironmentChoice
    @OptionGroup var server: ServerChoice

    func run() async throws {
        try await server.call(
            NativeAPI.withdrawVote.description,
            [
                GivenValue(name: "customer", value: customer), GivenValue(name: "vote", value: vote),
                GivenValue(name: "reason", value: reason), ledger.value,
            ] + voter.values)
    }
}

/// Who decides, and under what id.
struct VoterChoice: ParsableArguments {
    @Option(help: "Who decides, for the audit; your login name unless said.")
    var actor: String?

    @Option(help: "Under what id it is kept: the same under the same id is kept once. One is made unless said.")
    var id: String?

    var values: [GivenValue] {
        [
            GivenValue(name: "actor", value: actor ?? NSUserName()),
            GivenValue(name: "id", value: id ?? "cli-\(UUID().uuidString.lowercased())"),
        ]
    }
}

extension GivenValue {
    /// An instant as it is typed, as the API reads it.
    static func instant(_ name: String, _ text: String, option: String) throws -> GivenValue {
        GivenValue(name: name, value: "\(try InstantArgument.read(text, option: option).millisecondsSince1970)")
    }
}

extension ServerChoice {
    /// The server's clock.
    fileprivate func now() async throws -> Timestamp {
        let answer = try await answer(of: NativeAPI.checkReady.description, [])
        try checkDone(answer)
        return try ReadyBody(json: answer.bytes).at
    }
}
