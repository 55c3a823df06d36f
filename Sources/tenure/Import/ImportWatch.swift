import Backend
import Foundation
import Ledger
import Primitives
import Storage

/// Watches until Apple has been asked about everything that imports named; a running server asks.
struct ImportWatch {
    let backend: Backend
    let app: AppID
    /// Waits between two looks.
    var pause: @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(2)) }

    /// After so many looks without a change the operator is told what may be missing.
    private static let looksUntilHint = 30
    /// How many failures are printed one by one.
    private static let mostPrinted = 20

    /// - Returns: how much was given up.
    /// - Throws: `BackendError`, and `CancellationError` where it is stopped: the server goes on all the same.
    func carryOut() async throws -> Int {
        var bar = ProgressBar()
        var (most, last, unchanged) = (0, -1, 0)
        while true {
            let progress = try await backend.importProgress(of: app)
            if progress.isDone { break }
            most = max(most, progress.count)
            unchanged = progress.count == last ? unchanged + 1 : 0
            if unchanged == Self.looksUntilHint {
                bar.clear()
                Console.complain(
                    """
                    Nothing was answered for a minute. `tenure serve` asks, where apps[].apple is configured; `tenure apple` and \
                    `tenure doctor` say what hinders it.
                    """)
            }
            last = progress.count
            bar.show(Self.words(for: progress), fraction: 1 - Double(progress.count) / Double(most))
            try await pause()
        }
        bar.clear()
        return try await printFailures()
    }

    private static func words(for progress: ImportProgress) -> String {
        let parts = progress.parts.map { "\($0.count) \(names[$0.kind] ?? $0.kind.rawValue)" }
        return "to be asked about: \(parts.joined(separator: ", ")); at least \(duration(progress.atLeast))"
    }

    private static let names: [WorkKind: String] = [
        .fetchStatuses: "ids without their statuses", .fetchHistory: "histories", .verifyImportedReceipt: "receipts",
    ]

    private static func duration(_ duration: Milliseconds) -> String {
        let minutes = (duration.count + 59_999) / 60_000
        return minutes < 120 ? "\(minutes) min" : "\((minutes + 59) / 60) h"
    }

    private func printFailures() async throws -> Int {
        var (count, place) = (0, Int64?.some(0))
        while let after = place {
            let page = try await backend.importFailures(of: app, after: after)
            for failure in page.failures {
                if count < Self.mostPrinted { Console.print("given up: \(failure.subject)  \(failure.code)") }
                count += 1
            }
            place = page.next
        }
        if count > Self.mostPrinted { Console.print("… and \(count - Self.mostPrinted) more: `tenure work` lists all of them") }
        return count
    }
}
