import Foundation

/// One line on standard error with the progress of long work; nothing where standard error is not a terminal.
struct ProgressBar {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var shownAt: ContinuousClock.Instant?

    /// Shows the words, at most ten times a second.
    ///
    /// - Parameter fraction: how much of it is done, from 0 to 1; nil where it is not known.
    mutating func show(_ words: String, fraction: Double? = nil) {
        guard isTerminal else { return }
        let now = ContinuousClock.now
        if let shownAt, now - shownAt < .milliseconds(100) { return }
        shownAt = now
        let bar = fraction.map { fraction in
            let filled = Int((min(max(fraction, 0), 1) * 30).rounded())
            return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled) + "] "
        }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(bar ?? "")\(words)".utf8))
    }

    /// Clears the line.
    func clear() {
        if isTerminal, shownAt != nil { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    }
}
