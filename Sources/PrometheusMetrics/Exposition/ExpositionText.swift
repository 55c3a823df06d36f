/// The text of a scrape, in the format 0.0.4.
///
/// Source: Prometheus, Exposition formats, Text-based format.
struct ExpositionText: Sendable {
    private(set) var text = ""

    /// The two lines before a metric's samples.
    mutating func head(of family: MetricFamily) {
        let kind =
            switch family.kind {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        text += "# HELP \(family.name) \(Self.escaped(family.help, quotes: false))\n# TYPE \(family.name) \(kind)\n"
    }

    /// One line.
    mutating func sample(_ name: SeriesName, _ value: Double) {
        text += name.name
        if !name.labels.isEmpty {
            let pairs = name.labels.map { label in "\(label.name)=\"\(Self.escaped(label.value, quotes: true))\"" }
            text += "{\(pairs.joined(separator: ","))}"
        }
        text += " \(Self.number(value))\n"
    }

    /// A number as Go reads it: whole ones without a fraction, as long as a double tells them from their neighbours.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if value == value.rounded(), value.magnitude < 9_007_199_254_740_992 { return String(Int64(value)) }
        return String(value)
    }

    /// A backslash, a line feed, and in the value of a label a quotation mark are written with a backslash.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x0A || $0 == 0x22 }) else { return text }
        return text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "\\": escaped += #"\\"#
            case "\n": escaped += #"\n"#
            case "\"" where quotes: escaped += #"\""#
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}

/// What stands before the value of a line.
struct SeriesName: Sendable, Hashable {
    struct Label: Sendable, Hashable {
        let name: String
        let value: String
    }

    private(set) var name: String
    private(set) var labels: [Label]

    init(_ family: MetricFamily, _ values: [String]) {
        name = family.name
        labels = zip(family.labels, values).map { Label(name: $0, value: $1) }
    }

    func suffixed(_ suffix: String) -> SeriesName {
        var longer = self
        longer.name += suffix
        return longer
    }

    func with(label: String, _ value: String) -> SeriesName {
        var more = self
        more.labels.append(Label(name: label, value: value))
        return more
    }
}
