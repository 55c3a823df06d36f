internal import Primitives

/// What falls due when, earliest first; things of one instant in the order of their names.
struct DueQueue<Name: Sendable & Hashable & Comparable>: Sendable {
    private struct Entry: Sendable {
        let at: Timestamp
        let name: Name

        static func < (left: Entry, right: Entry) -> Bool {
            left.at == right.at ? left.name < right.name : left.at < right.at
        }
    }

    /// Latest first, so that the earliest is taken off the end.
    private var entries: [Entry] = []
    private var instants: [Name: Timestamp] = [:]

    /// When the next thing falls due.
    var nextInstant: Timestamp? { entries.last?.at }

    /// Sets when the thing falls due, in place of what was set; nil: never.
    mutating func set(_ name: Name, at instant: Timestamp?) {
        if let earlier = instants[name] {
            let position = position(of: Entry(at: earlier, name: name))
            if position < entries.count, entries[position].name == name { entries.remove(at: position) }
        }
        instants[name] = instant
        guard let instant else { return }
        let entry = Entry(at: instant, name: name)
        entries.insert(entry, at: position(of: entry))
    }

    /// Takes the earliest thing off, if it is due by then.
    mutating func popFirst(upTo limit: Timestamp) -> (name: Name, at: Timestamp)? {
        guard let entry = entries.last, entry.at <= limit else { return nil }
        entries.removeLast()
        instants[entry.name] = nil
        return (entry.name, entry.at)
    }

    /// The first position whose entry is not after `entry`.
    private func position(of entry: Entry) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entry < entries[middle] { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
