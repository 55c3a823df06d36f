import Foundation
import Glibc
import Synchronization

/// The answers that a client got, recorded before it relies on them: a line is on disk when `acknowledged` returns. Lines that
/// arrive together share one `fdatasync`.
final class Journal: Sendable {
    /// The result of sending a message once.
    enum Entry: Sendable {
        case sent
        /// The status and the outcome that the server named.
        case acknowledged(status: Int, outcome: String)
        /// It may have been done or not.
        case unknown
    }

    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct Pending {
        var lines = ""
        var waiters: [Waiter] = []
        var isScheduled = false
    }

    let path: String
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "journal")
    private let pending = Mutex(Pending())

    init(path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ChaosError("\(path) cannot be opened: \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    /// Writes a line without waiting for the disk.
    func note(_ name: String, _ entry: Entry) { add(Self.line(name, entry), nil) }

    /// Writes a line and waits until it is on disk.
    func acknowledged(_ name: String, status: Int, outcome: String) async throws {
        let line = Self.line(name, .acknowledged(status: status, outcome: outcome))
        try await withCheckedThrowingContinuation { add(line, $0) }
    }

    private func add(_ line: String, _ waiter: Waiter?) {
        let mustSchedule = pending.withLock { pending in
            pending.lines += line
            if let waiter { pending.waiters.append(waiter) }
            defer { pending.isScheduled = true }
            return !pending.isScheduled
        }
        if mustSchedule { queue.async { self.write() } }
    }

    private func write() {
        let batch = pending.withLock { pending in
            defer { pending = Pending() }
            return pending
        }
        let bytes = Array(batch.lines.utf8)
        let written = Glibc.write(descriptor, bytes, bytes.count)
        let isWritten = written == bytes.count && (batch.waiters.isEmpty || fdatasync(descriptor) == 0)
        let error = ChaosError("the journal cannot be written: \(String(cString: strerror(errno)))")
        for waiter in batch.waiters { isWritten ? waiter.resume() : waiter.resume(throwing: error) }
    }

    private static func line(_ name: String, _ entry: Entry) -> String {
        switch entry {
        case .sent: "sent\t\(name)\n"
        case .acknowledged(let status, let outcome): "acknowledged\t\(name)\t\(status)\t\(outcome)\n"
        case .unknown: "unknown\t\(name)\n"
        }
    }
}

/// The content of a journal, read back from the disk.
struct JournalContents: Sendable {
    private(set) var sent = 0
    private(set) var unknown = 0
    /// How often a message was acknowledged, and what the server said each time.
    private(set) var acknowledgements: [String: [String]] = [:]

    init(path: String) throws {
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        for line in text.split(separator: "\n") {
            let words = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard words.count >= 2 else { continue }
            switch words[0] {
            case "sent": sent += 1
            case "unknown": unknown += 1
            default: acknowledgements[String(words[1]), default: []].append(words.dropFirst(2).joined(separator: " "))
            }
        }
    }

    /// The total number of acknowledgements.
    var acknowledged: Int { acknowledgements.values.reduce(0) { $0 + $1.count } }
}
