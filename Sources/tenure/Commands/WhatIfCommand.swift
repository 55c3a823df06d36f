import ArgumentParser
import Backend
import Foundation
import Primitives

struct WhatIfCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "what-if",
        abstract: "Try a policy and products before applying them: whose access would differ, and when.",
        discussion: """
            Folds every subscription of the app under the stored versions and again with the file's content among them, and
            compares what customers may use if products would give something else. Changes nothing; may run beside a server.

            It ends with a confirmation code, which `tenure policy apply --from` requires.
            """)

    @OptionGroup var choice: AppChoice

    @Option(name: .long, help: "From when it would hold: milliseconds since 1970 or 2026-01-31T00:00:00Z; now unless given.")
    var from: String?

    @Option(name: .long, help: "Where to write the list, one row for each stretch of time that differs.", completion: .file())
    var csv: String?

    func run() async throws {
        let (configuration, chosen) = try choice.read()
        let instant = try from.map { try InstantArgument.read($0, option: "--from") }
        var list = try WhatIfList(path: csv)
        var bar = ProgressBar()
        let summary = try await configuration.withBackend { backend, _ in
            try await backend.whatIf(chosen.content, app: chosen.id, from: instant, row: { try list.append($0) }) { summary in
                bar.show(
                    "\(summary.subscriptions) subscriptions, \(summary.customers) customers, \(summary.rows) differences")
            }
        }
        bar.clear()
        try list.flush()
        Console.print("Compared with version \(summary.newest), from \(instant.map { "\($0)" } ?? "now"):")
        for line in Self.findings(summary) { Console.print(line) }
        Console.print("Confirmation code: \(summary.code)")
    }

    private static func findings(_ summary: WhatIfSummary) -> [String] {
        guard summary.policyDiffers || summary.productsDiffer else {
            return ["Nothing would differ: policy and products are the same already."]
        }
        return [
            summary.policyDiffers
                ? "\(summary.subscriptionsThatDiffer) of \(summary.subscriptions) subscriptions would serve others, or at other "
                    + "times"
                : "The policy is the same already: every subscription serves the same customers as now.",
            summary.productsDiffer
                ? "\(summary.customersWhoseEntitlementsDiffer) of \(summary.customers) customers could use other entitlements"
                : "Products give the same already: entitlements follow the subscriptions.",
            "\(summary.rows) differences, \(summary.losses) of them losses",
        ]
    }
}
