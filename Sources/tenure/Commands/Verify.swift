import ArgumentParser
import Backend
import Foundation
import Ledger
import Logging
import Primitives
import Server
import Storage
import StrictJSON

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prove the books: the chain of audit rows, the signatures of all facts, and what follows from them.",
        discussion: """
            Reads everything and changes nothing; may run beside a server. It finds audit rows that were changed, removed or cut
            off at the end, facts that their bytes no longer prove or whose signer is now distrusted, and, with --rebuild,
            histories, owners and entitlements that differ from what the facts fold to.

            Exit status: 0 all is correct; 1 something is not, one line of standard output for each; 66 the books cannot be
            read.
            """)

    @Option(name: .long, help: "The configuration file, JSON.")
    var config: String

    @Flag(name: .long, help: "Fold every subscription again and compare.")
    var rebuild = false

    @Flag(name: .long, help: "Do not verify signatures again, which takes most of the time.")
    var withoutEvidence = false

    @Flag(name: .long, help: "Write one JSON object, for programs.")
    var json = false

    func run() async throws {
        let configuration = try TenureConfiguration(path: config, environment: ProcessInfo.processInfo.environment)
        var logger = Logger(label: "tenure")
        logger.logLevel = .error
        let report: ProofReport
        do {
            report = try await prove(configuration, logger: logger)
        } catch {
            // Not 1, which means that they were read and something in them is wrong.
            Console.complain("The books cannot be read: \(error)")
            throw ExitCode(66)
        }
        if json { Console.print(Self.json(of: report)) } else { print(report) }
        if !report.findings.isEmpty { throw ExitCode(1) }
    }

    /// Two for each core, since every other one waits for the database; no more than its pool has connections for.
    private static let lanes = min(8, 2 * ProcessInfo.processInfo.activeProcessorCount)

    private func prove(_ configuration: TenureConfiguration, logger: Logger) async throws -> ProofReport {
        let database = try await OpenDatabase(existing: configuration.database, logger: logger)
        var bar = ProgressBar()
        let report = try await configuration.backend(on: database.store, clock: configuration.clock()).prove(
            ProofDepth(evidence: !withoutEvidence, rebuild: rebuild), lanes: Self.lanes
        ) { report in
            bar.show("\(report.subscriptions) subscriptions, \(report.facts) facts, \(report.findings.count) findings")
        }
        bar.clear()
        try await database.close()
        return report
    }

    private func print(_ report: ProofReport) {
        for finding in report.findings {
            let subject = finding.subscription.map { "\($0.app) \($0.environment.rawValue) \($0.originalTransactionId): " } ?? ""
            Console.print("\(finding.kind.rawValue) \(subject)\(finding.words)")
        }
        if report.writtenByAnotherFold > 0 {
            Console.print(
                """
                Written by another version of Tenure's rules: \(report.writtenByAnotherFold) subscriptions, of which \
                \(report.differingByTodaysFold) fold to another result by this one. That is not damage.
                """)
        }
        Console.print(
            """
            \(report.subscriptions) subscriptions, \(report.facts) facts, \(report.auditRows) audit rows, \(report.seals) seals: \
            \(report.findings.isEmpty ? "all correct" : "\(report.findings.count) findings").
            """)
    }

    private static func json(of report: ProofReport) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("subscriptions", Int64(report.subscriptions))
            writer.member("facts", Int64(report.facts))
            writer.member("auditRows", Int64(report.auditRows))
            writer.member("seals", Int64(report.seals))
            writer.member("writtenByAnotherFold", Int64(report.writtenByAnotherFold))
            writer.member("differingByTodaysFold", Int64(report.differingByTodaysFold))
            writer.member("findings") { writer in
                writer.array { writer in
                    for finding in report.findings {
                        writer.object { writer in
                            writer.member("kind", finding.kind.rawValue)
                            writer.optionalMember("app", finding.subscription?.app.rawValue)
                            writer.optionalMember("environment", finding.subscription?.environment.rawValue)
                            writer.optionalMember("originalTransactionId", finding.subscription?.originalTransactionId.rawValue)
                            writer.member("words", finding.words)
                        }
                    }
                }
            }
        }
        return writer.text
    }
}
