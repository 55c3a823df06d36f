package import Primitives

/// A queue of due events, earliest first; events of one instant in the order of their names. An event that is rescheduled leaves
/// its old entry behind, which is skipped when its time comes.
package struct DueQueue<Name: Sendable & Hashable & Comparable>: Sendable, Hashable {
    private struct Entry: Sendable {
        let at: Timestamp
        let name: Name

        static func < (left: Entry, right: Entry) -> Bool {
            left.at == right.at ? left.name < right.name : left.at < right.at
        }
    }

    /// A heap: no entry is before its parent at (place − 1) / 2.
    private var entries: [Entry] = []
    private var instants: [Name: Timestamp] = [:]

    package init() {}

    /// All events, earliest first.
    package var all: [(at: Timestamp, name: Name)] {
        instants.map { ($0.value, $0.key) }.sorted { ($0.at, $0.name) < ($1.at, $1.name) }
    }

    /// Compares what is due and when, without the old entries left behind.
    package static func == (left: Self, right: Self) -> Bool { left.instants == right.instants }

    package func hash(into hasher: inout Hasher) { hasher.combine(instants) }

    /// When the next event is due.
    package var nextInstant: Timestamp? {
        mutating get {
            dropOld()
            return entries.first?.at
        }
    }

    /// Sets when the event is due, in place of the earlier time; nil: never.
    package mutating func set(_ name: Name, at instant: Timestamp?) {
        guard instants[name] != instant else { return }
        instants[name] = instant
        guard let instant else { return }
        entries.append(Entry(at: instant, name: name))
        rise(from: entries.count - 1)
    }

    /// Removes and returns the earliest event, if it is due by `limit`.
    package mutating func popFirst(upTo limit: Timestamp) -> (name: Name, at: Timestamp)? {
        dropOld()
        guard let entry = entries.first, entry.at <= limit else { return nil }
        removeFirst()
        instants[entry.name] = nil
        return (entry.name, entry.at)
    }

    private mutating func dropOld() {
        while let first = entries.first, instants[first.name] != first.at { removeFirst() }
    }

    private mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        sink()
    }

    private mutating func rise(from place: Int) {
        var place = place
        while place > 0 {
            let parent = (place - 1) / 2
            guard entries[place] < entries[parent] else { return }
            entries.swapAt(place, parent)
            place = parent
        }
    }

    private mutating func sink() {
        var place = 0
        while true {
            let children = [2 * place + 1, 2 * place + 2].filter { $0 < entries.count }
            guard let least = children.min(by: { entries[$0] < entries[$1] }), entries[least] < entries[place] else { return }
            entries.swapAt(place, least)
            place = least
        }
    }
}
