package import Metrics

/// A metric as it is described before anything is measured. Only what is described is kept: so each metric has its words, and no
/// label can come up that nobody thought of (T37).
///
/// Source: Prometheus, Metric and label naming; Data model.
package struct MetricFamily: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// Only grows, from 0 at the start of the process.
        case counter
        /// Goes up and down.
        case gauge
        /// How many values were at most how large.
        ///
        /// - Parameter buckets: the upper bounds without the last one, which is infinite; ascending, in the unit of the name.
        case histogram(buckets: [Double])
    }

    /// Letters, digits, `_` and `:`; a counter's ends in `_total`, and one with a unit names it: `_seconds`.
    package let name: String
    package let kind: Kind
    /// The names of the labels, in the order of their values.
    package let labels: [String]
    /// One sentence or two, for people.
    package let help: String

    package init(_ name: String, _ kind: Kind, labels: [String] = [], help: String) {
        self.name = name
        self.kind = kind
        self.labels = labels
        self.help = help
    }

    /// How many lines of a scrape one set of labels takes.
    var linesEach: Int {
        switch kind {
        case .counter, .gauge: 1
        // The infinite bucket, the sum and the count.
        case .histogram(let buckets): buckets.count + 3
        }
    }

    /// What is wrong with the description; nil where nothing is.
    var fault: MetricFamilyError.Code? {
        guard Self.isName(name, mayHaveColons: true), (kind == .counter) == name.hasSuffix("_total") else { return .name }
        guard Set(labels).count == labels.count, labels.allSatisfy({ Self.isName($0, mayHaveColons: false) }),
            !labels.contains("le"), labels.allSatisfy({ !$0.hasPrefix("__") })
        else { return .labels }
        if case .histogram(let buckets) = kind {
            let isAscending = zip(buckets, buckets.dropFirst()).allSatisfy(<)
            guard !buckets.isEmpty, isAscending, buckets.allSatisfy(\.isFinite) else { return .buckets }
        }
        return nil
    }

    private static func isName(_ text: String, mayHaveColons: Bool) -> Bool {
        guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: mayHaveColons && byte == UInt8(ascii: ":")
            }
        }
    }

    // MARK: Measuring

    /// The counter with these values of the labels, in their order. Making it again gives the same one.
    package func counter(_ values: String..., in factory: any MetricsFactory) -> Counter {
        Counter(label: name, dimensions: dimensions(values), factory: factory)
    }

    /// The gauge with these values of the labels, in their order.
    package func gauge(_ values: [String], in factory: any MetricsFactory) -> Meter {
        Meter(label: name, dimensions: dimensions(values), factory: factory)
    }

    /// The histogram of durations with these values of the labels, in their order.
    package func timer(_ values: String..., in factory: any MetricsFactory) -> Timer {
        Timer(label: name, dimensions: dimensions(values), factory: factory)
    }

    /// Where there are too few values, labels are missing, and the registry keeps nothing of it.
    private func dimensions(_ values: [String]) -> [(String, String)] { Array(zip(labels, values)) }
}

/// Why a metric cannot be exposed as it is described. Equal by code.
package struct MetricFamilyError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: String, Sendable, Hashable {
        /// Not a name of a metric, or one that contradicts its kind.
        case name
        /// A label is not a name, is reserved, or is there twice.
        case labels
        /// A histogram's bounds are missing, not ascending or not finite.
        case buckets
        /// Two metrics have the same name.
        case twice
    }

    package let code: Code
    /// The metric's name.
    package let name: String

    package var description: String { "\(name): \(code.rawValue)" }

    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    package func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
