package import Primitives

/// From one instant to another, the second not included.
package struct TimeWindow: Sendable, Hashable {
    package let from: Timestamp
    /// Nil for what does not end.
    package let until: Timestamp?

    package init(from: Timestamp, until: Timestamp?) {
        self.from = from
        self.until = until
    }

    package func contains(_ instant: Timestamp) -> Bool {
        guard from <= instant else { return false }
        return until.map { instant < $0 } ?? true
    }

    var isEmpty: Bool { until.map { $0 <= from } ?? false }
}

extension [TimeWindow] {
    /// The windows that these cover together; those that touch or overlap are one. By start, never touching each other.
    init(joining windows: some Sequence<TimeWindow>) {
        let parts = windows.filter { !$0.isEmpty }
        guard parts.count > 1 else {
            self = parts
            return
        }
        let isInOrder = parts.indices.dropFirst().allSatisfy { parts[$0 - 1].from <= parts[$0].from }
        self = []
        for window in isInOrder ? parts : parts.sorted(by: { $0.from < $1.from }) {
            guard let last, last.until.map({ window.from <= $0 }) ?? true else {
                append(window)
                continue
            }
            guard let end = last.until else { continue }
            self[count - 1] = TimeWindow(from: last.from, until: window.until.map { Swift.max(end, $0) })
        }
    }

    /// What is left of these where none of the others is. Both must be joined.
    func removing(_ others: [TimeWindow]) -> [TimeWindow] {
        guard !others.isEmpty else { return self }
        var left: [TimeWindow] = []
        for window in self {
            var rest: TimeWindow? = window
            for other in others {
                guard let part = rest else { break }
                if let before = part.before(other.from) { left.append(before) }
                rest = other.until.flatMap { part.after($0) }
            }
            if let rest { left.append(rest) }
        }
        return [TimeWindow](joining: left)
    }
}

extension TimeWindow {
    /// The part before an instant; nil where there is none.
    fileprivate func before(_ instant: Timestamp) -> TimeWindow? {
        let part = TimeWindow(from: from, until: until.map { min($0, instant) } ?? instant)
        return part.isEmpty ? nil : part
    }

    /// The part from an instant on; nil where there is none.
    fileprivate func after(_ instant: Timestamp) -> TimeWindow? {
        let part = TimeWindow(from: max(from, instant), until: until)
        return part.isEmpty ? nil : part
    }
}
