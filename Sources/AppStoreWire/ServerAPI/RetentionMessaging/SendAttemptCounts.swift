/// The number of attempts by result. As JSON it is an object, its members in the order of their names.
///
/// Source: Apple, App Store Server API, `failures` of `PerformanceTestResultResponse`.
public struct SendAttemptCounts: Codable, Sendable, Hashable {
    /// The count of each result that occurred.
    public var counts: [SendAttemptResult: Int64]

    /// Any counts.
    public init(_ counts: [SendAttemptResult: Int64]) { self.counts = counts }

    /// Reads an object of integers.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ResultKey.self)
        counts = [:]
        for key in container.allKeys {
            counts[SendAttemptResult(rawValue: key.stringValue)] = try container.decode(Int64.self, forKey: key)
        }
    }

    /// Writes an object of integers.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ResultKey.self)
        for (result, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try container.encode(count, forKey: ResultKey(stringValue: result.rawValue))
        }
    }

    private struct ResultKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }
}
