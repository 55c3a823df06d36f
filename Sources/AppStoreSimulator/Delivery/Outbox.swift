package import AppStoreModel
package import Primitives

/// What is done with the next notifications.
package enum DeliveryMode: Sendable, Hashable, Codable {
    case deliver
    /// This many of the next ones are lost; later ones are delivered again.
    case drop(Int64)
    /// They are held until they are released.
    case hold
    /// Each is sent this many times.
    case duplicate(Int64)
    /// Each is sent this much later, on the simulated clock.
    case delay(Milliseconds)
}

/// In which order held notifications are released.
package enum ReleaseOrder: Sendable, Hashable {
    case given, reversed
    case shuffled(seed: UInt64)
}

/// How an attempt to deliver ended, in the spelling of `sendAttemptResult`.
///
/// Source: Apple, `sendAttemptResult`.
package enum DeliveryResult: String, Sendable, Hashable, CaseIterable, Codable {
    case success = "SUCCESS"
    case timedOut = "TIMED_OUT"
    case tlsIssue = "TLS_ISSUE"
    case circularRedirect = "CIRCULAR_REDIRECT"
    case noResponse = "NO_RESPONSE"
    case socketIssue = "SOCKET_ISSUE"
    case unsupportedCharset = "UNSUPPORTED_CHARSET"
    case invalidResponse = "INVALID_RESPONSE"
    case prematureClose = "PREMATURE_CLOSE"
    case unsuccessfulHTTPResponseCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    case other = "OTHER"
}

/// A notification and its delivery attempts.
package struct OutboxRecord: Sendable, Hashable, Codable {
    package enum State: String, Sendable, Hashable, Codable {
        case sent, held, delayed, dropped
        /// Its subscription is silent: it can only be read in the notification history.
        case silent
    }

    package struct Attempt: Sendable, Hashable, Codable {
        package let attemptDate: Timestamp
        package let result: DeliveryResult
    }

    package let notification: StoreNotification
    let signatures: StorePrinter.Signatures
    /// When what it tells happened, where its `signedDate` is later, as while the clock stands still; nil: at its `signedDate`.
    let happenedAt: Timestamp?
    package internal(set) var state: State
    package internal(set) var attempts: [Attempt] = []
    /// How many of the promised retries were made or are planned.
    var retries = 0

    var happenedOrSignedAt: Timestamp { happenedAt ?? notification.signedDate }

    /// The date of the first attempt; nil: there was none.
    var firstAttemptDate: Timestamp? { attempts.first?.attemptDate }

    /// Whether the receiver accepted it at least once.
    package var isDelivered: Bool { attempts.contains { $0.result == .success } }
}

/// The delivery queue of notifications: a plain value that says what to send and is given the result.
///
/// Source: Apple, "Responding to App Store Server Notifications": in production five retries of version 2 and three of version 1,
/// in Sandbox one attempt.
struct Outbox: Sendable, Hashable {
    var mode = DeliveryMode.deliver
    /// Oldest first; the first ``forgotten`` of all records are deleted.
    private var records: [OutboxRecord] = []
    private var forgotten = 0
    private var places: [CompactUUID: Int] = [:]
    private var held: [Int] = []
    private var queue = DueQueue<Int>()

    /// The most records that are kept; the oldest are deleted.
    static let maximumRecords = 1_000_000
    /// The most attempts that are kept of one notification.
    static let maximumAttempts = 100

    /// How long after a failed attempt the next one follows.
    static func retryDelays(_ version: NotificationVersion, _ environment: Environment) -> [Milliseconds] {
        guard environment == .production else { return [] }
        return (version == .v2 ? [1, 12, 24, 48, 72] : [6, 24, 48]).map { .hours($0) }
    }

    // MARK: Looking

    var count: Int { records.count }
    var heldCount: Int { held.count }
    var nextDue: Timestamp? { mutating get { queue.nextInstant } }

    /// The newest `limit` records, newest first.
    func newest(_ limit: Int) -> [OutboxRecord] { records.suffix(limit).reversed() }

    var all: [OutboxRecord] { records }

    func record(_ uuid: CompactUUID) -> OutboxRecord? { places[uuid].map { records[$0 - forgotten] } }

    /// The place of the next record.
    var end: Int { records.count + forgotten }

    /// The place where those end that tell what happened by an instant; at least `place`.
    func end(of instant: Timestamp, from place: Int) -> Int {
        var end = records.count
        // They are in the order of their dates.
        while end > max(0, place - forgotten), records[end - 1].happenedOrSignedAt > instant { end -= 1 }
        return end + forgotten
    }

    /// At most `limit` records that match, oldest first, of a range of places; and the place of the next one, nil: there is none.
    func page(
        of places: Range<Int>, limit: Int, where matches: (OutboxRecord) -> Bool
    ) -> (records: [OutboxRecord], next: Int?) {
        var found: [OutboxRecord] = []
        let begin = min(max(0, places.lowerBound - forgotten), records.count)
        for index in begin..<max(begin, min(places.upperBound - forgotten, records.count)) where matches(records[index]) {
            if found.count == limit { return (found, index + forgotten) }
            found.append(records[index])
        }
        return (found, nil)
    }

    // MARK: Sending

    /// Adds a new notification; returns how many times to send it now.
    mutating func accept(
        _ notification: StoreNotification, _ signatures: StorePrinter.Signatures, at now: Timestamp
    ) -> Int64 {
        let happenedAt = notification.signedDate > now ? now : nil
        var record = OutboxRecord(notification: notification, signatures: signatures, happenedAt: happenedAt, state: .sent)
        let place = end
        if notification.subject.isSilent {
            record.state = .silent
            add(record)
            return 0
        }
        let copies: Int64
        switch mode {
        case .deliver: copies = 1
        case .duplicate(let count): copies = count
        case .hold:
            record.state = .held
            held.append(place)
            copies = 0
        case .delay(let time):
            record.state = .delayed
            queue.set(place, at: notification.signedDate.adding(time))
            copies = 0
        case .drop(let left):
            record.state = .dropped
            mode = left > 1 ? .drop(left - 1) : .deliver
            copies = 0
        }
        add(record)
        return copies
    }

    private mutating func add(_ record: OutboxRecord) {
        places[record.notification.notificationUUID] = end
        records.append(record)
        forgetOldest()
    }

    /// Removes the held ones and returns them in the order in which to send them now.
    mutating func release(_ order: ReleaseOrder) -> [CompactUUID] {
        var released = held.filter { $0 >= forgotten }
        held = []
        for place in released { records[place - forgotten].state = .sent }
        switch order {
        case .given: break
        case .reversed: released.reverse()
        case .shuffled(let seed):
            var randomness = SplitMix(state: seed)
            released.shuffle(using: &randomness)
        }
        return released.map { records[$0 - forgotten].notification.notificationUUID }
    }

    /// Removes and returns the earliest one that is due by `limit`.
    mutating func popDue(upTo limit: Timestamp) -> (uuid: CompactUUID, at: Timestamp)? {
        while let (place, at) = queue.popFirst(upTo: limit) {
            if place >= forgotten { return (records[place - forgotten].notification.notificationUUID, at) }
        }
        return nil
    }

    /// Records the result of an attempt and schedules the next one, if another retry is due.
    mutating func note(
        _ result: DeliveryResult, of uuid: CompactUUID, at instant: Timestamp, retryDelays: [Milliseconds]
    ) {
        guard let place = places[uuid] else { return }
        var record = records[place - forgotten]
        record.state = .sent
        record.attempts.append(OutboxRecord.Attempt(attemptDate: instant, result: result))
        // The first one stays: a window of the history may be by its date.
        if record.attempts.count > Self.maximumAttempts { record.attempts.remove(at: 1) }
        if record.isDelivered || record.retries >= retryDelays.count {
            queue.set(place, at: nil)
        } else {
            queue.set(place, at: instant.adding(retryDelays[record.retries]))
            record.retries += 1
        }
        records[place - forgotten] = record
    }

    /// Deletes many at a time, because each deletion costs in proportion to all records.
    private mutating func forgetOldest() {
        guard records.count > Self.maximumRecords else { return }
        let count = Self.maximumRecords / 10
        for record in records.prefix(count) { places[record.notification.notificationUUID] = nil }
        records.removeFirst(count)
        forgotten += count
    }
}

// MARK: - Saving

extension Outbox: Codable {
    /// Without ``places``, which follow from the records.
    private enum CodingKeys: String, CodingKey {
        case mode, records, forgotten, held, queue
    }

    private static let mostForgotten = 1 << 40

    /// Whether a place is that of a record that is kept or was deleted.
    private func has(_ place: Int) -> Bool { place >= 0 && place - forgotten < records.count }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        mode = try container.decode(DeliveryMode.self, forKey: .mode)
        records = try container.decode([OutboxRecord].self, forKey: .records)
        forgotten = try container.decode(Int.self, forKey: .forgotten)
        held = try container.decode([Int].self, forKey: .held)
        queue = try container.decode(DueQueue<Int>.self, forKey: .queue)
        guard (0...Self.mostForgotten).contains(forgotten), (held + queue.all.map(\.name)).allSatisfy(has) else {
            throw DecodingError.dataCorruptedError(forKey: .held, in: container, debugDescription: "a place out of range")
        }
        for (index, record) in records.enumerated() { places[record.notification.notificationUUID] = index + forgotten }
    }
}
