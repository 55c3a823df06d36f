import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One line of the table.
struct Figure: Sendable {
    let name: String
    let unit: String
    /// The minimum cost, measured in the same rounds; nil where there is none.
    var floor: Double?
    let ours: Double
    /// Ours over the floor, as rates: the median of the rounds' own ratios, because what slows a round down slows both of its
    /// halves.
    var ratio: Double?
    /// The ratio's minimum; nil where the figure is for information.
    var target: Double?
    /// The maximum of ours, in the figure's own unit; nil where the target is a ratio or there is none.
    var atMost: Double?
    var remark = ""

    var misses: Bool {
        if let atMost { return ours > atMost }
        guard let target, let ratio else { return false }
        return ratio < target
    }
}

extension Figure {
    /// A rate beside its floor.
    init(_ name: String, unit: String = "1/s", rates: Pairs, target: Double?, remark: String = "") {
        let spread = String(format: "%.2f to %.2f", rates.ratios.min() ?? 0, rates.ratios.max() ?? 0)
        self.init(
            name: name, unit: unit, floor: rates.floors.median, ours: rates.ours.median, ratio: rates.ratios.median,
            target: target, remark: "rounds \(spread); \(remark)")
    }
}

/// The printed report: one table, and the machine it was measured on.
struct Report {
    let machine: Machine
    let rounds: Int
    /// Whether figures are compared with their targets; nothing is said of speed where a slice was run.
    let judges: Bool
    private(set) var figures: [Figure] = []

    init(machine: Machine, rounds: Int, judges: Bool) {
        (self.machine, self.judges) = (machine, judges)
        self.rounds = rounds
    }

    mutating func add(_ more: [Figure]) { figures += more }

    /// Writes a line of progress at once: standard error is not buffered, and not part of the report.
    static func progress(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

    var missed: [Figure] { judges ? figures.filter(\.misses) : [] }

    var heading: String {
        """
        \(machine.processor), \(machine.cores) cores, load \(machine.load) at the start
        \(machine.date), commit \(machine.commit), medians of \(rounds) rounds

        """
    }

    /// In Markdown, so that it can be copied into a document.
    var table: String {
        let header = ["figure", "unit", "floor", "ours", "ratio", "target", ""]
        let rows = [header] + figures.map(cells)
        let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var lines = rows.map { row in
            let padded = zip(row, widths).enumerated().map { column, cell in
                Self.padded(cell.0, to: cell.1, left: column > 1 && column < 6)
            }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        let rules = widths.enumerated().map { column, width in
            column > 1 && column < 6 ? String(repeating: "-", count: width - 1) + ":" : String(repeating: "-", count: width)
        }
        lines.insert("| " + rules.joined(separator: " | ") + " |", at: 1)
        return lines.joined(separator: "\n")
    }

    private func cells(_ figure: Figure) -> [String] {
        [
            figure.name, figure.unit, figure.floor.map(Self.number) ?? "", Self.number(figure.ours),
            figure.ratio.map { String(format: "%.2f", $0) } ?? "", Self.target(of: figure),
            judges && figure.misses ? "MISSED " + figure.remark : figure.remark,
        ]
    }

    private static func target(of figure: Figure) -> String {
        if let atMost = figure.atMost { return String(format: "<= %.2f ", atMost) + figure.unit }
        return figure.target.map { String(format: ">= %.2f", $0) } ?? ""
    }

    private static func padded(_ text: String, to width: Int, left: Bool) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return left ? space + text : text + space
    }

    private static func number(_ value: Double) -> String {
        String(format: value >= 1000 ? "%.0f" : value >= 100 ? "%.1f" : "%.2f", value)
    }
}

/// The machine of a run.
struct Machine {
    let processor: String
    let cores: Int
    /// The one-minute load average before the start: anything but a small number means that other work was measured too.
    let load: String
    let date: String
    let commit: String

    static func present() -> Machine {
        Machine(
            processor: line(of: "/proc/cpuinfo", after: "model name") ?? "unknown processor",
            cores: ProcessInfo.processInfo.activeProcessorCount,
            load: text(of: "/proc/loadavg").flatMap { $0.split(separator: " ").first.map(String.init) } ?? "unknown",
            date: ISO8601DateFormatter().string(from: Date()), commit: commit)
    }

    private static var commit: String {
        guard let head = text(of: ".git/HEAD")?.trimmingCharacters(in: .whitespacesAndNewlines) else { return "unknown" }
        guard head.hasPrefix("ref: ") else { return String(head.prefix(12)) }
        let reference = String(head.dropFirst("ref: ".count))
        return text(of: ".git/" + reference).map { String($0.prefix(12)) } ?? reference
    }

    /// The processor time of this process, in seconds.
    static var processorSeconds: Double {
        Double(clock()) / Double(CLOCKS_PER_SEC)
    }

    /// The resident memory of this process, in bytes.
    static var residentBytes: Int {
        let kilobytes = line(of: "/proc/self/status", after: "VmRSS")?.split(separator: " ").first.flatMap { Int($0) } ?? 0
        return kilobytes * 1024
    }

    static func text(of path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    static func line(of path: String, after name: String) -> String? {
        text(of: path)?.split(separator: "\n").first { $0.hasPrefix(name) }?.split(separator: ":").last
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
