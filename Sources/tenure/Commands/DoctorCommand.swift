import ArgumentParser
import Foundation

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check a configuration and a running server: what is wrong, and what to do about it.",
        discussion: """
            One line for each check: ok, warning or problem. Also what App Review and TestFlight need, since their purchases are
            Sandbox purchases (FACT-4). Exit status 1 if something is a problem.
            It changes nothing but the database's schema, which is brought up to date as `tenure serve` does.
            """)

    @Option(name: .long, help: "The configuration file, JSON.")
    var config: String

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
        return try await check.diagnoses() + (ofServer?.diagnoses() ?? [])
    }
}
