package import Ledger
package import Primitives

/// How the events of one decision stand in their row of the outbox: one JSON object a line, without the subscription, whose key
/// stands beside them (docs/decisions/0029).
package enum EventCoding {
    /// So many events have numbers of their own in one row; what one saving brings beyond that stands in further rows.
    package static let most = 1 << 16

    package static func encode(_ events: some Collection<LedgerEvent>) -> String {
        events.map { LedgerText.of($0, namesSubscription: false) }.joined(separator: "\n")
    }

    /// - Throws: `StorageError` with `corrupt` for anything that `encode` did not write.
    package static func decode(_ text: String, of key: SubscriptionKey) throws -> [LedgerEvent] {
        let subscription = LedgerText.member(naming: key)
        return try text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.utf8.first == UInt8(ascii: "{") else {
                throw StorageError(.corrupt, "an event is not a JSON object")
            }
            return try StateCoding.decode(LedgerEvent.self, from: "{\(subscription),\(line.dropFirst())")
        }
    }
}

/// A row of the outbox as it is kept: everything that one saving told of one subscription, customer or endpoint.
package struct OutboxEntry: Sendable, Hashable {
    /// Given by the database; grows, with gaps.
    package let id: Int64
    /// Where its transaction stands among all that wrote (``LogPlace/transaction``).
    package let transaction: Int64
    package let subject: Subject
    /// The number of its first event in the subject's sequence.
    package let first: Int64
    package let events: String
    /// When they were decided, on our clock.
    package let createdAt: Timestamp

    /// Of what the events tell.
    package enum Subject: Sendable, Hashable {
        case subscription(SubscriptionKey)
        case customer(CustomerKey)
        case endpoint(EndpointKey)
    }

    package init(id: Int64, transaction: Int64, subject: Subject, first: Int64, events: String, createdAt: Timestamp) {
        self.id = id
        self.transaction = transaction
        self.subject = subject
        self.first = first
        self.events = events
        self.createdAt = createdAt
    }

    /// Its events, each with an id of its own: the row's number and the event's place in the row.
    var rows: [OutboxRow] {
        get throws {
            try told.enumerated().map { place, told in
                OutboxRow(id: id * Int64(EventCoding.most) + Int64(place), sequence: first + Int64(place), told: told)
            }
        }
    }

    private var told: [OutboxRow.Told] {
        get throws {
            switch subject {
            case .subscription(let key): try EventCoding.decode(events, of: key).map { .ofSubscription($0) }
            case .customer(let key):
                try CustomerEventCoding.decode(events, of: key.customer).map { .ofCustomer($0, key.scope) }
            case .endpoint(let key):
                try events.split(separator: "\n").map {
                    .ofEndpoint(try StateCoding.decode(EndpointEvent.self, from: String($0)), key)
                }
            }
        }
    }

    /// The row in which the event of an id stands; events after it stand in this row and in those after it.
    package static func row(ofEvent id: Int64) -> Int64 { id / Int64(EventCoding.most) }

    /// How many rows are to be read for so many events: each has one at least, and of the first all may have been read before.
    package static func rows(forEvents limit: Int) -> Int64 { Int64(limit) + 1 }

    /// The events of rows, at most `limit` after the event `id`.
    package static func events(in entries: [OutboxEntry], after id: Int64, limit: Int) throws -> [OutboxRow] {
        Array(try entries.flatMap { try $0.rows }.lazy.filter { $0.id > id }.prefix(limit))
    }
}
