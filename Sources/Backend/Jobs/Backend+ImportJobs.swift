package import Ledger
import Primitives
import Storage

/// Imports as jobs: a process of its own does them, and whoever looks at jobs sees how far it is and can end it.
extension Backend {
    /// How many refused lines of one import are kept; the file beside the imported one has all.
    package static let mostRefusedLines: Int64 = 10_000

    /// The name of the lines that were not accepted among all outcomes.
    package static let refusedLines = "refused"

    /// A new id for an import.
    ///
    /// - Parameter fingerprint: of the file; letters and digits.
    package func importId(of fingerprint: some StringProtocol) -> String {
        "\(StoredJob.importPrefix)\(clock.now().millisecondsSince1970)-\(fingerprint.prefix(12))"
    }

    /// Keeps that an import has begun, or goes on.
    ///
    /// - Parameter size: of the file, in bytes.
    package func beginImport(_ id: String, size: Int64, app: AppID) async throws {
        let (name, now) = (JobName(try settings(of: app).id, id), clock.now())
        try await translatingStorageErrors {
            try await store.write { transaction in
                if var known = try transaction.lockJob(name) {
                    // Somebody had ended it, and goes on with it now.
                    guard known.state != .running else { return }
                    known.goOn()
                    return try transaction.save(known)
                }
                try transaction.begin(
                    StoredJob(
                        name, kind: JobKind.import.rawValue, request: "{}", progress: try ImportStanding(size: size).json,
                        startedAt: now))
            }
        }
    }

    /// How far an import is.
    package struct ImportStep: Sendable {
        /// How many lines there were so far, by what became of them.
        let lines: [String: Int64]
        /// How much of the file they are, in bytes.
        let offset: Int64
        /// Those since the last time that were not accepted.
        let refused: [RefusedLine]

        package init(lines: [String: Int64], offset: Int64, refused: [RefusedLine]) {
            (self.lines, self.offset, self.refused) = (lines, offset, refused)
        }
    }

    /// Keeps how far an import is.
    ///
    /// - Returns: false where somebody has ended it.
    package func noteImport(_ id: String, _ step: ImportStep, app: AppID) async throws -> Bool {
        let name = JobName(try settings(of: app).id, id)
        return try await translatingStorageErrors {
            try await store.write { transaction in
                guard var job = try transaction.lockJob(name) else { return false }
                var standing = try ImportStanding(json: job.progress)
                (standing.lines, standing.offset) = (step.lines, step.offset)
                job.progress = try standing.json
                // A killed import takes its last lines again; those that are kept stay as they are.
                let before = (step.lines[Self.refusedLines] ?? 0) - Int64(step.refused.count)
                let new = step.refused.dropFirst(Int(clamping: max(0, job.rows - before)))
                let kept = new.prefix(Int(clamping: max(0, Self.mostRefusedLines - job.rows)))
                let first = job.rows + 1
                try transaction.keep(
                    try kept.enumerated().map { place, line in
                        JobRow(name, number: first + Int64(place), content: try StateCoding.encode(line))
                    })
                job.rows += Int64(kept.count)
                try transaction.save(job)
                // What was taken is kept, also where somebody has ended it meanwhile.
                return job.state == .running
            }
        }
    }

    /// Keeps that an import is at its end.
    ///
    /// - Parameter reason: why it failed; nil: it is done.
    package func endImport(_ id: String, because reason: String? = nil, app: AppID) async throws {
        let (name, now) = (JobName(try settings(of: app).id, id), clock.now())
        try await translatingStorageErrors {
            try await store.write { try $0.end(name, reason == nil ? .done : .failed, because: reason, at: now) }
        }
    }
}
