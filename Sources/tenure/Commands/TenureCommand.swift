import ArgumentParser
import Glibc

@main
struct TenureCommand: AsyncParsableCommand {
    /// Of Tenure, as `--version` prints it and the console's pages say it.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "tenure",
        abstract: "Who owns each App Store subscription, until when, and why.",
        discussion: "Start with `tenure demo`; then `tenure init local`, and `tenure init real` for Apple's App Store.",
        version: version,
        subcommands: [
            Serve.self, Simulate.self, InitCommand.self, Demo.self, Inspect.self, Sign.self, Keys.self, OperatorCommand.self,
            Import.self, Verify.self,
            Backup.self, DoctorCommand.self, Migrate.self, Compact.self, Work.self, WhatIfCommand.self, PolicyCommand.self,
            CatalogueCommand.self, CustomerCommand.self, SubscriptionCommand.self, ExplainCommand.self, SearchCommand.self,
            AppleCommand.self, RefreshCommand.self, TestNotificationCommand.self,
            WebhooksCommand.self, GrantCommand.self, JoinCommand.self, WithdrawCommand.self, CallCommand.self,
        ])

    static func main() async {
        // All files that are written hold people's data or keys: databases, their logs, backups, lists, states (T47).
        umask(0o077)
        await main(nil)
    }
}

/// An error as the command line shows it: what is wrong, and what to do about it.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
