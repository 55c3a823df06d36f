/// The result of one fault.
struct FaultReport: Sendable {
    /// The figures that are printed for each run.
    struct Counts: Sendable {
        var sent = 0
        var acknowledged = 0
        var lost = 0
        var double = 0
        /// Requests whose outcome the client never learned.
        var unknown = 0
        /// Processes that we ended.
        var killed = 0
    }

    let id: String
    let title: String
    var counts = Counts()
    /// Measured: name and value.
    var figures: [(name: String, value: String)] = []
    /// The faults that were found; empty: passed.
    var findings: [String] = []
    /// Known faults, with the place where they will be fixed; they do not fail the run.
    var known: [String] = []
    /// Why it could not run; nil where it ran.
    var skipped: String?
    var wall = Duration.zero

    init(_ id: String, _ title: String) {
        self.id = id
        self.title = title
    }

    /// Adds the findings of an audit.
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

    /// Adds a finding unless the condition is true.
    mutating func expect(_ isRight: Bool, _ finding: @autoclosure () -> String) {
        if !isRight { findings.append(finding()) }
    }

    /// Moves known faults out of the findings. A known fault that was not found is a finding itself: its entry must then be
    /// removed.
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

    /// The full result.
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

/// A fault of the server that the harness found and that is not fixed yet.
struct KnownIssue: Sendable {
    /// The report's id.
    let fault: String
    /// The text that its finding contains.
    let words: String
    /// Where it will be fixed.
    let mending: String

    /// None at present.
    static let all: [KnownIssue] = []
}

extension String {
    /// Padded with trailing blanks to a width.
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// Padded with leading blanks to a width.
    func leading(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// Such as `1.25 s` or `12 ms`.
    var words: String {
        seconds < 1 ? "\(Int((seconds * 1000).rounded())) ms" : "\((seconds * 100).rounded() / 100) s"
    }
}
