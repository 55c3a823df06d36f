/// Pending work, or work held by a worker, read with the database's own shell.
struct WorkContents: Sendable {
    /// Work that is not over.
    struct Row: Sendable, Hashable {
        /// An `originalTransactionId`.
        let subject: String
        /// Nil while nobody holds it.
        let worker: String?
        /// When it may be taken: when it is due or, while a worker holds it, when the worker's lease ends; in milliseconds since
        /// 1970.
        let availableAt: Int64
    }

    /// Not over, in any order.
    let open: [Row]
    /// How many were abandoned.
    let failed: Int

    init(of shell: DatabaseShell) async throws {
        let rows = try await shell.lines(
            "SELECT subject, coalesce(worker, ''), availableAt FROM work WHERE kind = 'tell' AND availableAt IS NOT NULL"
        )
        open = try rows.map { line in
            let columns = line.split(separator: "|", omittingEmptySubsequences: false)
            guard columns.count == 3, let availableAt = Int64(columns[2]) else { throw ChaosError("no row of work: \(line)") }
            return Row(
                subject: String(columns[0]), worker: columns[1].isEmpty ? nil : String(columns[1]), availableAt: availableAt)
        }
        failed =
            try await shell.lines("SELECT count(*) FROM work WHERE kind = 'tell' AND failedAt IS NOT NULL").first
            .flatMap { Int($0) } ?? -1
    }

    var held: [Row] { open.filter { $0.worker != nil } }
}
