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
    /// What is not as it should be and is known, with where it will be mended; it does not fail the run.
    var known: [String] = []
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
        if found.rows.audit > 0 {
            figures += [("audit rows", "\(found.rows.audit)"), ("events", "\(found.rows.events)")]
        }
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

    /// Moves known faults out of the findings. One that was not found is a finding itself: then its entry must go.
    mutating func setAside(_ issues: [KnownIssue]) {
        for issue in issues where issue.fault == id && skipped == nil {
            let found = findings.filter { $0.contains(issue.words) }
            findings.removeAll { $0.contains(issue.words) }
            known += found.map { "\($0) (\(issue.mending))" }
            if found.isEmpty { findings.append("known and not found any more, take it out of the list: \(issue.words)") }
        }
    }

    var verdict: String {
        if skipped != nil { return "skipped" }
        if !findings.isEmpty { return "FAILED" }
        return known.isEmpty ? "passed" : "known"
    }

    /// One line of the table at the end.
    var row: String {
        let numbers = [counts.sent, counts.acknowledged, counts.lost, counts.double, counts.unknown, counts.killed]
        let columns = zip(numbers, [8, 8, 7, 7, 8, 7]).map { String($0).leading($1) }.joined()
        return id.padded(15) + verdict.padded(7) + columns + wall.words.leading(9)
    }

    /// What it came to, in full.
    var text: String {
        let counted =
            "sent \(counts.sent) · acknowledged \(counts.acknowledged) · lost \(counts.lost) · double \(counts.double) · "
            + "unknown \(counts.unknown) · killed \(counts.killed)"
        let measured = figures.map { "\($0.name) \($0.value)" }.joined(separator: " · ")
        let lines = ["\(verdict.padded(8)) \(id.padded(14)) \(title) (\(wall.words))", "         \(skipped ?? counted)"]
        return
            (lines + (measured.isEmpty ? [] : ["         \(measured)"]) + known.map { "         ~ \($0)" }
            + findings.map { "         ! \($0)" })
            .joined(separator: "\n")
    }
}

/// A fault of the server that the harness found and that is not mended yet.
struct KnownIssue: Sendable {
    /// The report's id.
    let fault: String
    /// What its finding holds.
    let words: String
    /// Where it will be mended.
    let mending: String

    /// None at present.
    static let all: [KnownIssue] = []
}

extension String {
    /// With blanks at its end up to a width.
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// With blanks before it up to a width.
    func leading(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// Such as `1.25 s` or `12 ms`.
    var words: String {
        seconds < 1 ? "\(Int((seconds * 1000).rounded())) ms" : "\((seconds * 100).rounded() / 100) s"
    }
}
