import Backend
import Foundation
import Ledger
import Primitives
import StrictJSON

/// One import of one file, from where it was interrupted to its end.
struct ImportRun {
    private let path: String
    private let format: ImportFormat
    private let kind: Claim.Kind
    private var checkpoint: ImportCheckpoint
    /// One process at a time imports the file: two would go on in each other's place.
    private let lock: FileLock
    /// The job of an import of the file that was interrupted; nil where none was.
    private let begunBefore: String?
    private var bar = ProgressBar()
    /// How long it waits before it asks a database again that did not answer; after the last one it gives up. As long as another
    /// database server takes to replace one that fails.
    private static let pauses: [Duration] = [1, 2, 5, 10, 20, 30, 30, 30, 60, 60].map { .seconds($0) }
    private let sleep: @Sendable (Duration) async throws -> Void

    /// How many lines, and how many bytes, are imported at once, unless a single line is longer.
    private static let together = (lines: 256, bytes: 8 * 1024 * 1024)

    /// Imports items in their order.
    typealias Take = ([ImportItem]) async throws -> [Result<ImportOutcome, BackendError>]

    /// Where its job is kept, for whoever looks at jobs, and may end it.
    struct Job {
        let backend: Backend
        let app: AppID
    }

    /// Where the lines go.
    struct Target {
        /// Of the app and the database.
        let name: String
        /// Whether an import that was interrupted is not gone on with.
        let fromBeginning: Bool
    }

    static func refusedPath(for file: String) -> String { file + ".refused.jsonl" }

    /// - Parameters:
    ///   - target: names the app and the database that the lines go to.
    ///   - sleep: waits until a database may be back.
    init(
        path: String, format: ImportFormat, kind: Claim.Kind, target: Target,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) throws {
        self.sleep = sleep
        lock = try FileLock(of: path)
        self.path = path
        self.format = format
        self.kind = kind
        let name = "\(target.name) \(format.rawValue) \(kind.rawValue)"
        begunBefore = ImportCheckpoint.job(leftFor: path)
        checkpoint =
            try target.fromBeginning
            ? ImportCheckpoint(ofFile: path, target: name) : ImportCheckpoint.read(forFile: path, target: name)
        try cutReport()
    }

    /// Truncates the report of refused lines to its length at the checkpoint, so that a line that is imported again appears in it
    /// once.
    private mutating func cutReport() throws {
        let report = URL(fileURLWithPath: Self.refusedPath(for: path))
        guard checkpoint.offset > 0, FileManager.default.fileExists(atPath: report.path) else {
            checkpoint.reportedBytes = 0
            return try Data().write(to: report)
        }
        let file = try FileHandle(forWritingTo: report)
        // It is shorter than that if somebody emptied it; truncating must not make a file longer.
        checkpoint.reportedBytes = min(checkpoint.reportedBytes, try file.seekToEnd())
        try file.truncate(atOffset: checkpoint.reportedBytes)
        try file.close()
    }

    /// Imports all remaining lines; returns the count of each outcome, including those of earlier runs.
    ///
    /// - Throws: an error that prevents the import of all lines, such as a database that cannot be reached: the next run then
    /// continues here.
    mutating func carryOut(as job: Job, _ take: Take) async throws -> [String: Int] {
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64 ?? 0
        let id = checkpoint.job ?? job.backend.importId(of: checkpoint.digest)
        if let begunBefore, begunBefore != id {
            try await job.backend.endImport(begunBefore, because: "the import was begun anew", app: job.app)
        }
        checkpoint.job = id
        try checkpoint.write(forFile: path)
        try await patiently { try await job.backend.beginImport(id, size: Int64(clamping: size), app: job.app) }
        do {
            try await takeLines(of: size, job, id, take)
        } catch let error as CommandError {
            // What is wrong with the file stays wrong; after anything else the next run goes on.
            try await job.backend.endImport(id, because: error.description, app: job.app)
            throw error
        }
        try await job.backend.endImport(id, app: job.app)
        bar.clear()
        let counts = checkpoint.counts
        // The next import of the same file starts from the beginning, and finds everything known.
        let done = ImportCheckpoint.path(for: path)
        if FileManager.default.fileExists(atPath: done) { try FileManager.default.removeItem(atPath: done) }
        return counts
    }

    private mutating func takeLines(of size: UInt64, _ job: Job, _ id: String, _ take: Take) async throws {
        let header = try readHeader()
        var reader = try RecordReader(
            path: path, isQuoted: format == .csv, from: checkpoint.offset, line: checkpoint.line)
        if format == .csv, checkpoint.offset == 0 { _ = try reader.next() }
        while true {
            var (records, bytes) = ([RecordReader.Record](), 0)
            while records.count < Self.together.lines, bytes < Self.together.bytes, let record = try reader.next() {
                records.append(record)
                bytes += record.bytes.count
            }
            guard let last = records.last else { break }
            let lines = records.map { (number: $0.line, item: item(in: $0, header: header)) }
            let refused = try note(try await patiently { try await Self.take(lines, take) })
            checkpoint.offset = last.end
            checkpoint.line = last.line + last.bytes.count(where: { $0 == UInt8(ascii: "\n") }) + 1
            let step = Backend.ImportStep(
                lines: checkpoint.counts.mapValues { Int64($0) }, offset: Int64(clamping: checkpoint.offset), refused: refused)
            let goesOn = try await patiently { try await job.backend.noteImport(id, step, app: job.app) }
            try checkpoint.write(forFile: path)
            show(of: size)
            guard goesOn else {
                bar.clear()
                throw CommandError("The job \(id) was ended by somebody. Import the file again to go on.")
            }
        }
    }

    /// Does it again while the database does not answer. What was kept before is known by then, so nothing is kept twice.
    private mutating func patiently<Value>(_ body: () async throws -> Value) async throws -> Value {
        for pause in Self.pauses {
            do {
                return try await body()
            } catch BackendError.store(let failure) where failure.isRetryable {
                bar.show("the database does not answer (\(failure.words)); trying again in \(pause.components.seconds) s")
                try await sleep(pause)
            }
        }
        return try await body()
    }

    private func readHeader() throws -> [String] {
        guard format == .csv else { return [] }
        var reader = try RecordReader(path: path, isQuoted: true)
        guard let first = try reader.next() else { return [] }
        var bytes = first.bytes
        // Spreadsheets put a byte order mark before the first name.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        let names: [String]
        do {
            names = try CSVRecord.fields(of: bytes)
        } catch let refusal as LineRefusal {
            throw CommandError("The CSV file's header cannot be read: \(refusal.words).")
        }
        let unknown = names.filter { !ImportLine.names.contains($0) }
        guard unknown.isEmpty else {
            throw CommandError(
                "\(unknown.joined(separator: ", ")): no such column. Known: \(ImportLine.names.joined(separator: ", ")).")
        }
        guard Set(names).count == names.count else { throw CommandError("The CSV file names a column twice.") }
        return names
    }

    private func item(in record: RecordReader.Record, header: [String]) -> Result<ImportItem, LineRefusal> {
        do {
            let line =
                switch format {
                case .csv: try ImportLine(csv: record.bytes, header: header)
                case .jsonl: try ImportLine(json: record.bytes)
                case .lines: try ImportLine(line: record.bytes)
                }
            return .success(try line.item(claimingAs: kind))
        } catch let refusal as LineRefusal {
            return .failure(refusal)
        } catch {
            return .failure(LineRefusal(code: "unreadable", words: "\(error)"))
        }
    }

    /// The outcome of one line.
    private struct Taken {
        let line: Int
        let outcome: Result<ImportOutcome, LineRefusal>
    }

    private static func take(
        _ lines: [(number: Int, item: Result<ImportItem, LineRefusal>)], _ take: Take
    ) async throws -> [Taken] {
        var items: [ImportItem] = []
        for case .success(let item) in lines.map(\.item) { items.append(item) }
        var outcomes = try await take(items).makeIterator()
        return try lines.map { line in
            switch line.item {
            case .failure(let refusal): return Taken(line: line.number, outcome: .failure(refusal))
            case .success:
                switch outcomes.next() {
                case .success(let outcome): return Taken(line: line.number, outcome: .success(outcome))
                case .failure(let error): return Taken(line: line.number, outcome: .failure(try LineRefusal(error)))
                case nil: throw CommandError("Line \(line.number) has no outcome.")
                }
            }
        }
    }

    /// Counts the outcomes and reports the refused lines, which it returns.
    private mutating func note(_ taken: [Taken]) throws -> [Backend.RefusedLine] {
        var report: [UInt8] = []
        var refused: [Backend.RefusedLine] = []
        for taken in taken {
            switch taken.outcome {
            case .success(let outcome): checkpoint.counts[outcome.rawValue, default: 0] += 1
            case .failure(let refusal):
                checkpoint.counts[Backend.refusedLines, default: 0] += 1
                var writer = JSONWriter()
                writer.object { writer in
                    writer.member("line", Int64(taken.line))
                    writer.member("code", refusal.code)
                    writer.member("reason", refusal.words)
                }
                report += writer.bytes + [UInt8(ascii: "\n")]
                refused.append(.init(line: Int64(taken.line), code: refusal.code, reason: refusal.words))
            }
        }
        guard !report.isEmpty else { return refused }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: Self.refusedPath(for: path)))
        let end = try file.seekToEnd()
        try file.write(contentsOf: Data(report))
        checkpoint.reportedBytes = end + UInt64(report.count)
        try file.close()
        return refused
    }

    private mutating func show(of size: UInt64) {
        let taken = checkpoint.counts.values.reduce(0, +)
        let fraction = size > 0 ? Double(checkpoint.offset) / Double(size) : 1
        bar.show("\(taken) lines, \(checkpoint.counts["refused"] ?? 0) refused", fraction: fraction)
    }
}

extension LineRefusal {
    /// The refusal of one line.
    ///
    /// - Throws: the error itself where it concerns every line, such as a database that cannot be reached.
    fileprivate init(_ error: BackendError) throws {
        switch error {
        case .refusedEvidence(let refusal): self.init(code: refusal.code, words: refusal.words)
        case .environmentNotTaken(_, let taken):
            let names = taken.map(\.rawValue).sorted().joined(separator: ", ")
            self.init(code: "environmentNotTaken", words: "apps[].environments has \(names)")
        case .environmentNotOpen: self.init(code: "environmentNotOpen", words: "the app's sandboxAccess does not admit it")
        case .invalidIdentifier(let name, _): self.init(code: "invalidIdentifier", words: "\(name) has an invalid value")
        case .namesNobody(let name):
            self.init(code: "namesNobody", words: "\(name) is a constant, such as null or the nil UUID, that names nobody")
        case .tokenTaken: self.init(code: "tokenTaken", words: "the customer's id is the token of another customer")
        case .tokenTooLate: self.init(code: "tokenTooLate", words: "a purchase carried the token before it was registered")
        case .unknownSubscription: self.init(code: "unknownSubscription", words: "it names no subscription")
        case .store(let failure) where failure.isAboutOneRequest:
            self.init(code: "store.\(failure.code)", words: failure.words)
        case .unknownApp, .store, .overloaded, .settingsSuperseded, .appleNotAsked, .invalidStretch, .appleRefused,
            .appleUnavailable, .appleRequestInvalid, .unknownOrder, .refreshedJustNow, .tooManyReceipts,
            .eventsForgotten, .unknownSignal, .signalChanged:
            throw error
        }
    }
}
