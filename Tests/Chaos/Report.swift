/// What one fault came to.
struct FaultReport: Sendable {
    /// What must be printed of each run.
    struct Counts: Sendable {
        var sent = 0
        var acknowledged = 0
        var lost = 0
        var double = 0
        /// Sendings whose outcome the client never learned.
        var unknown = 0
        /// Processes that we ended.
        var killed = 0
    }

    let id: String
    let title: String
    var counts = Counts()
    /// Measured: name and value.
    var figures: [(name: String, value: String)] = []
    /// What is not as it should be; empty: passed.
    var findings: [String] = []
    /// Why it could not run; nil where it ran.
    var skipped: String?
    var wall = Duration.zero

    init(_ id: String, _ title: String) {
        self.id = id
        self.title = title
    }

    /// Takes over what an audit found.
    mutating func add(_ found: Audit.Findings) {
        counts.lost += found.lost.count
        counts.double += found.double.count
        findings += found.words()
    }

    mutating func add(_ journal: JournalContents) {
        counts.sent += journal.sent
        counts.acknowledged += journal.acknowledged
        counts.unknown += journal.unknown
    }

    /// A finding unless it is as it should be.
    mutating func expect(_ isRight: Bool, _ finding: @autoclosure () -> String) {
        if !isRight { findings.append(finding()) }
    }

    var verdict: String { skipped != nil ? "skipped" : findings.isEmpty ? "passed" : "FAILED" }

    /// One line for the table, and what was found.
    var text: String {
        let counted =
            "sent \(counts.sent) · acknowledged \(counts.acknowledged) · lost \(counts.lost) · double \(counts.double) · "
            + "unknown \(counts.unknown) · killed \(counts.killed)"
        let measured = figures.map { "\($0.name) \($0.value)" }.joined(separator: " · ")
        let lines = ["\(verdict.padded(8)) \(id.padded(14)) \(title) (\(wall.words))", "         \(skipped ?? counted)"]
        return (lines + (measured.isEmpty ? [] : ["         \(measured)"]) + findings.map { "         ! \($0)" })
            .joined(separator: "\n")
    }
}

extension String {
    /// With blanks at its end up to a width.
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// Such as `1.25 s` or `12 ms`.
    var words: String {
        seconds < 1 ? "\(Int((seconds * 1000).rounded())) ms" : "\((seconds * 100).rounded() / 100) s"
    }
}
