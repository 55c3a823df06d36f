package import Primitives

/// An event as it stands in the log: its bytes never change (I39).
package struct LoggedEvent: Sendable, Hashable {
    package let place: LogPlace
    package let subject: OutboxEntry.Subject
    /// Its number among the events of the subject: 1, 2, 3, … without gaps.
    package let sequence: Int64
    /// The event as it was kept: a JSON object that does not name its subject.
    package let text: String
    /// When it was decided, on our clock.
    package let toldAt: Timestamp

    package init(place: LogPlace, subject: OutboxEntry.Subject, sequence: Int64, text: String, toldAt: Timestamp) {
        self.place = place
        self.subject = subject
        self.sequence = sequence
        self.text = text
        self.toldAt = toldAt
    }
}

extension OutboxEntry.Subject {
    package var scope: Scope {
        switch self {
        case .subscription(let key): key.scope
        case .customer(let key): key.scope
        case .endpoint(let key): key.scope
        }
    }
}

/// A stretch of a log.
package struct LogPage: Sendable, Hashable {
    /// In their order.
    package let events: [LoggedEvent]
    /// Where to read on: the last event's place, or where the reader was where there is none.
    package let end: LogPlace

    package init(events: [LoggedEvent], after place: LogPlace) {
        self.events = events
        end = events.last?.place ?? place
    }
}

extension OutboxEntry {
    /// Its events as the log has them, each with its own place and number.
    var logged: [LoggedEvent] {
        // By bytes: to look for characters takes longer than all the rest.
        events.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated().map { index, line in
            LoggedEvent(
                place: LogPlace(transaction: transaction, row: id, event: index), subject: subject,
                sequence: first + Int64(index), text: String(Substring(line)), toldAt: createdAt)
        }
    }

    /// The place of its last event.
    package var end: LogPlace { logged.last?.place ?? LogPlace(transaction: transaction, row: id, event: -1) }

    /// The events after a place, at most `limit`. A row has one event or many, so rows are read a few at a time until there are
    /// enough: what is read for nothing costs as much as the rest.
    ///
    /// - Parameter rows: at most so many in their order, from the one of a place on.
    package static func page(
        after place: LogPlace, limit: Int, _ rows: (LogPlace, Int) throws -> [OutboxEntry]
    ) rethrows -> LogPage {
        let stretch = max(8, limit / 3 + 1)
        var (events, begin, last): ([LoggedEvent], LogPlace, Int64?) = ([], place, nil)
        while events.count < limit {
            let read = try rows(begin, stretch)
            // The row of the place itself was taken with the rows before.
            let new = Array(read.drop { $0.id == last })
            events += Self.events(in: new, limit: limit - events.count) { $0.place > place }
            guard read.count == stretch, let end = new.last else { break }
            (begin, last) = (end.end, end.id)
        }
        return LogPage(events: events, after: place)
    }

    /// The events of rows of one subject that are in their order, at most `limit` from a number on.
    package static func events(in entries: [OutboxEntry], from sequence: Int64, limit: Int) -> [LoggedEvent] {
        events(in: entries, limit: limit) { $0.sequence >= sequence }
    }

    /// The last events of rows that are in their reverse order, the last one first; at most `limit`.
    package static func newest(in entries: [OutboxEntry], limit: Int) -> [LoggedEvent] {
        Array(entries.lazy.flatMap { $0.logged.reversed() }.prefix(limit))
    }

    /// In one pass: a lazy sequence would take each row apart again and again.
    private static func events(
        in entries: [OutboxEntry], limit: Int, where isWanted: (LoggedEvent) -> Bool
    ) -> [LoggedEvent] {
        var events: [LoggedEvent] = []
        for entry in entries where events.count < limit {
            for event in entry.logged where events.count < limit && isWanted(event) { events.append(event) }
        }
        return events
    }
}
