import ArgumentParser
import Backend
import Foundation
import Ledger
import Logging
import Primitives
import StrictJSON

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Import an app's existing data: notifications, transactions, receipts, or only transaction ids.",
        discussion: """
            A CSV file has a header with some of these columns; a JSON Lines file has them as members:
              signedPayload           a notification V2
              signedTransactionInfo   a transaction, with signedRenewalInfo beside it if there is one
              receipt                 an app receipt in base64
              transactionId           only its name: Apple will be asked about it
              environment             of a transactionId; Production unless it says Sandbox
              customer                whose it was; claimed for them, as a restore unless --claim-as says otherwise
            Any other file has one JWS, receipt or transaction id on each line.

            Every signature is verified. Importing twice is safe, and an interrupted import continues where it stopped, by the
            file FILE.tenure-import. Lines that are not accepted are written to FILE.refused.jsonl, with numbers and reasons.

            What Apple must be asked about is asked by `tenure serve`, by itself; --wait watches it.

            Exit status: 0 all lines were accepted; 1 some were refused or, with --wait, given up; 66 the file cannot be read.
            """)

    @Argument(help: "The file to import.", completion: .file())
    var file: String

    @OptionGroup var choice: AppChoice

    @Option(name: .long, help: "csv, jsonl or lines; otherwise by the file's name.")
    var format: String?

    @Option(name: .long, help: "The kind of the customers' claims: restore, purchase or queue.")
    var claimAs = "restore"

    @Flag(name: .long, help: "Start at the beginning of the file, even if an import of it was interrupted.")
    var fromBeginning = false

    @Flag(
        name: .long,
        help: "Wait until Apple was asked about all that imports named, show how far it is, and list what was given up.")
    var wait = false

    func validate() throws {
        guard format.map({ ImportFormat(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("--format must be csv, jsonl or lines")
        }
        guard Claim.Kind(saidByClient: claimAs) != nil else {
            throw ValidationError("--claim-as must be restore, purchase or queue")
        }
    }

    func run() async throws {
        let (configuration, chosen) = try choice.read()
        let id = chosen.id
        guard FileManager.default.isReadableFile(atPath: file) else {
            Console.complain("unreadable: \(file)")
            throw ExitCode(66)
        }
        var logger = Logger(label: "tenure")
        logger.logLevel = .error
        let database = try await OpenDatabase(writing: configuration.database, logger: logger)
        var run = try ImportRun(
            path: file, format: format.flatMap { ImportFormat(rawValue: $0) } ?? ImportFormat(path: file),
            kind: Claim.Kind(saidByClient: claimAs) ?? .restore,
            target: .init(name: "\(id) \(configuration.database.name)", fromBeginning: fromBeginning))
        let backend = try configuration.backend(on: database.store, clock: configuration.clock())
        let counts: [String: Int]
        do {
            counts = try await run.carryOut(as: .init(backend: backend, app: id)) { try await backend.take($0, app: id) }
        } catch BackendError.store(let failure) {
            throw CommandError(
                "The database failed: \(failure.words). What was imported is kept; run the same command to go on from there.")
        }
        print(counts)
        let givenUp = wait ? try await ImportWatch(backend: backend, app: id).carryOut() : 0
        try await database.close()
        if (counts["refused"] ?? 0) + givenUp > 0 { throw ExitCode(1) }
    }

    private func print(_ counts: [String: Int]) {
        for name in (ImportOutcome.allCases.map(\.rawValue) + ["refused"]) where (counts[name] ?? 0) > 0 {
            Console.print("\(counts[name] ?? 0) \(Self.words[name] ?? name)")
        }
        if counts.values.reduce(0, +) == 0 { Console.print("0 lines: there is nothing in \(file).") }
        if (counts["refused"] ?? 0) > 0 {
            Console.print("The refused lines and why: \(ImportRun.refusedPath(for: file))")
        }
    }

    private static let words = [
        "new": "new", "known": "known already", "scheduled": "to be asked about at Apple",
        "claimRefused": "kept, but held by another customer than the file says", "refused": "refused",
    ]
}
