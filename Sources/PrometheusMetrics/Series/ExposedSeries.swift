internal import Metrics
internal import Synchronization

/// One metric with one set of values of its labels.
protocol ExposedSeries: AnyObject, Sendable {
    /// Writes its lines as they are now.
    func write(as name: SeriesName, into text: inout ExpositionText)
}

/// A counter; what would make it smaller is ignored, since whoever reads it would take that for a restart.
final class CounterSeries: ExposedSeries, CounterHandler, FloatingPointCounterHandler {
    private let value = Mutex(0.0)

    func increment(by amount: Int64) { increment(by: Double(amount)) }

    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        value.withLock { $0 += amount }
    }

    func reset() { value.withLock { $0 = 0 } }

    func write(as name: SeriesName, into text: inout ExpositionText) { text.sample(name, value.withLock { $0 }) }
}

/// A value as it was set last.
final class GaugeSeries: ExposedSeries, MeterHandler, RecorderHandler {
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) { self.value.withLock { $0 = value } }

    func increment(by amount: Double) { value.withLock { $0 += amount } }

    func decrement(by amount: Double) { value.withLock { $0 -= amount } }

    func record(_ value: Int64) { set(Double(value)) }

    func record(_ value: Double) { set(value) }

    func write(as name: SeriesName, into text: inout ExpositionText) { text.sample(name, value.withLock { $0 }) }
}

/// How many values were at most as large as each bound; a value that is no finite number is ignored.
final class HistogramSeries: ExposedSeries, TimerHandler, RecorderHandler {
    private let bounds: [Double]
    private let counts: Mutex<Counts>

    private struct Counts: Sendable {
        /// By bound, each value in one of them; the last are those above all bounds.
        var each: [UInt64]
        var sum = 0.0
    }

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = Mutex(Counts(each: Array(repeating: 0, count: bounds.count + 1)))
    }

    /// What is measured as time is exposed in seconds.
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        let place = bounds.firstIndex { value <= $0 } ?? bounds.count
        counts.withLock { counts in
            counts.each[place] += 1
            counts.sum += value
        }
    }

    func write(as name: SeriesName, into text: inout ExpositionText) {
        let counts = counts.withLock { $0 }
        var total: UInt64 = 0
        for (bound, count) in zip(bounds + [.infinity], counts.each) {
            total += count
            text.sample(name.suffixed("_bucket").with(label: "le", ExpositionText.number(bound)), Double(total))
        }
        text.sample(name.suffixed("_sum"), counts.sum)
        text.sample(name.suffixed("_count"), Double(total))
    }
}

/// Takes the place of a series that is not kept, and counts what it was given.
final class DroppedSeries: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    private let values = Atomic<UInt64>(0)

    /// How many values were not kept.
    var count: UInt64 { values.load(ordering: .relaxed) }

    private func drop() { values.add(1, ordering: .relaxed) }

    func increment(by: Int64) { drop() }
    func increment(by: Double) { drop() }
    func decrement(by: Double) { drop() }
    func set(_: Int64) { drop() }
    func set(_: Double) { drop() }
    func record(_: Int64) { drop() }
    func record(_: Double) { drop() }
    func recordNanoseconds(_: Int64) { drop() }
    func reset() {}
}
