import AppStoreGateway
import ArgumentParser
import Backend
import Foundation
import Logging

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check a configuration and a running server: what is wrong, and what to do about it.",
        discussion: """
            One line for each check: ok, warning or problem. Also what App Review and TestFlight need, since their purchases are
            Sandbox purchases (FACT-4). Exit status 1 if something is a problem.
            Where an app has an In-App Purchase key, Apple is asked one question with it in each environment; not with --offline.
            It changes nothing but the database's schema, which is brought up to date as `tenure serve` does.
            """)

    @Option(name: .long, help: "The configuration file, JSON.")
    var config: String

    @Flag(name: .long, help: "Do not ask Apple whether it takes the keys.")
    var offline = false

    @Option(name: .long, help: "The address of the running server, as Apple reaches it, without a path.")
    var url: String?

    func run() async throws {
        let found = try await diagnoses()
        for diagnosis in found { Console.print(diagnosis.line) }
        let counts = Diagnosis.Grade.allCases.map { grade in "\(found.count { $0.grade == grade }) \(grade.rawValue)" }
        Console.print(counts.joined(separator: ", "))
        guard !found.contains(where: { $0.grade == .problem }) else { throw ExitCode(1) }
    }

    private func diagnoses() async throws -> [Diagnosis] {
        let (configuration, bytes): (TenureConfiguration, [UInt8])
        do {
            bytes = try TenureConfiguration.bytes(config)
            configuration = try TenureConfiguration(json: bytes, environment: ProcessInfo.processInfo.environment)
        } catch let error as CommandError {
            return [
                .problem(
                    "configuration", error.description, "change \(config); docs/operations/configuration.md has every member.")
            ]
        }
        let check = ConfigurationCheck(configuration: configuration, path: config, bytes: bytes)
        let ofServer = try url.map { try ServerCheck(url: $0, configuration: configuration) }
        let ofApple = offline ? [] : try await appleDiagnoses(configuration)
        return try await check.diagnoses() + ofApple + (ofServer?.diagnoses() ?? [])
    }

    /// Whether Apple takes the keys.
    private func appleDiagnoses(_ configuration: TenureConfiguration) async throws -> [Diagnosis] {
        let clock: any TimeSource
        do {
            clock = try configuration.clock()
        } catch {
            // The check of the configuration says so.
            return []
        }
        let logger = Logger(label: "tenure.doctor") { _ in SwiftLogNoOpLogHandler() }
        guard let gateway = try configuration.gateway(clock: clock, logger: logger) else { return [] }
        return try await gateway.closing {
            var found: [Diagnosis] = []
            for app in configuration.apps {
                guard let account = app.apple?.account, let key = account.key else { continue }
                let isSimulated = configuration.clockFile != nil
                found += await AppleCheck(
                    app: app.settings, account: account, key: key, gateway: gateway, clockIsSimulated: isSimulated
                ).diagnoses()
            }
            return found
        }
    }
}
