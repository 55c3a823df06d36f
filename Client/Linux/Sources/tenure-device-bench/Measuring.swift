import Foundation
import Synchronization

/// What one run came to.
struct Report: Encodable {
    let waiting: Int
    let leftWaiting: Int
    let uploadsPerSecond: Double
    /// Signed text of one item, in bytes.
    let bytesOfEach: Int
    /// Resident memory (`VmRSS`) when nothing waited.
    let idleKilobytes: Int
    /// The most resident memory (`VmHWM`) from then on.
    let mostKilobytes: Int
    /// The longest stall of each round, in milliseconds: when nothing waited, and then.
    let idle: [Double]
    let busy: [Double]
}

/// For how long the main actor could not run.
enum Stall {
    /// The longest, in milliseconds: from asking for it until it ran, asked each millisecond from a thread of its own. What the
    /// system took for other programs is in it.
    ///
    /// Source: the main actor is the main queue's. On Linux that has no thread of its own, so what it computed cannot be read.
    static func longest(within seconds: Int) async throws -> Double {
        let watch = Watch()
        let asking = Thread {
            while watch.ask() { usleep(1000) }
        }
        asking.start()
        try await Task.sleep(nanoseconds: UInt64(seconds) * 1_000_000_000)
        return watch.end()
    }

    private final class Watch: Sendable {
        private let state = Mutex(State())

        struct State {
            var longest = 0.0
            var isOver = false
            var isAsked = false
        }

        /// - Returns: whether to ask again.
        func ask() -> Bool {
            let before = state.withLock { state in
                defer { state.isAsked = true }
                return state
            }
            guard !before.isOver else { return false }
            // One at a time: what has not been answered is late already.
            if !before.isAsked {
                let asked = ContinuousClock.now
                DispatchQueue.main.async { self.runs(asked) }
            }
            return true
        }

        private func runs(_ asked: ContinuousClock.Instant) {
            let waited = (ContinuousClock.now - asked) / .milliseconds(1)
            state.withLock { state in
                state.isAsked = false
                state.longest = max(state.longest, waited)
            }
        }

        func end() -> Double {
            state.withLock { state in
                state.isOver = true
                return state.longest
            }
        }
    }
}

/// The process's memory.
///
/// Source: proc(5), `/proc/self/status` and `/proc/self/clear_refs`.
enum Memory {
    /// `VmRSS`: now; `VmHWM`: the most so far.
    static func kilobytes(_ field: String) -> Int {
        let status = String(decoding: FileManager.default.contents(atPath: "/proc/self/status") ?? Data(), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(field):") } ?? ""
        return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }

    /// The most begins from now on.
    static func forgetMost() {
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
        file.write(Data("5".utf8))
        file.closeFile()
    }
}
