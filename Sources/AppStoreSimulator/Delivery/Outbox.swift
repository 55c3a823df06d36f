package import AppStoreModel
package import Primitives

/// What is done with the next notifications.
package enum DeliveryMode: Sendable, Hashable, Codable {
    case deliver
    /// The next ones are lost, so many; then they are delivered again.
    case drop(Int64)
    /// They wait until they are released.
    case hold
    /// Each is sent so many times.
    case duplicate(Int64)
    /// Each is sent so much later, on the simulated clock.
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

/// A notification and what became of it.
package struct OutboxRecord: Sendable, Hashable, Codable {
    package enum State: String, Sendable, Hashable, Codable {
        case sent, held, delayed, dropped
    }

    package struct Attempt: Sendable, Hashable, Codable {
        package let attemptDate: Timestamp
        package let result: DeliveryResult
    }

    package let notification: StoreNotification
    let signatures: StorePrinter.Signatures
    package internal(set) var state: State
    package internal(set) var attempts: [Attempt] = []
    /// How many of the promised retries were made or are planned.
    var retries = 0

    /// Whether the receiver took it at least once.
    package var isDelivered: Bool { attempts.contains { $0.result == .success } }
}

/// Notifications on their way: a plain value that says what to send and is told how that ended.
///
/// Source: Apple, "Responding to App Store Server Notifications": in production five retries of version 2 and three of version 1,
/// in Sandbox one attempt.
struct Outbox: Sendable, Hashable {
    var mode = DeliveryMode.deliver
    /// Oldest first; of those before ``forgotten`` nothing is left.
    private var records: [OutboxRecord] = []
    private var forgotten = 0
    private var places: [CompactUUID: Int] = [:]
    private var held: [Int] = []
    private var queue = DueQueue<Int>()

    /// Records that are kept; the oldest are forgotten.
    static let maximumRecords = 1_000_000
    /// Attempts that are kept of one notification.
    static let maximumAttempts = 100

    /// When the next attempt follows the one that failed.
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

    /// Those that match, oldest first, from a place on; and the place after the last of them, nil at the end.
    func page(
        from place: Int, limit: Int, where matches: (OutboxRecord) -> Bool
    ) -> (records: [OutboxRecord], next: Int?) {
        var found: [OutboxRecord] = []
        for index in max(0, place - forgotten)..<max(max(0, place - forgotten), records.count) where matches(records[index]) {
            if found.count == limit { return (found, index + forgotten) }
            found.append(records[index])
        }
        return (found, nil)
    }

    // MARK: Sending

    /// Takes a new notification; returns how many times it is to be sent now.
    mutating func accept(_ notification: StoreNotification, _ signatures: StorePrinter.Signatures) -> Int64 {
        var record = OutboxRecord(notification: notification, signatures: signatures, state: .sent)
        let place = records.count + forgotten
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
        records.append(record)
        places[notification.notificationUUID] = place
        forgetOldest()
        return copies
    }

    /// Takes the held ones off, in the order in which they are to be sent now.
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

    /// Takes the earliest off that is to be sent by then.
    mutating func popDue(upTo limit: Timestamp) -> (uuid: CompactUUID, at: Timestamp)? {
        while let (place, at) = queue.popFirst(upTo: limit) {
            if place >= forgotten { return (records[place - forgotten].notification.notificationUUID, at) }
        }
        return nil
    }

    /// Keeps how an attempt ended and plans the next one, where one was promised.
    mutating func note(
        _ result: DeliveryResult, of uuid: CompactUUID, at instant: Timestamp, retryDelays: [Milliseconds]
    ) {
        guard let place = places[uuid] else { return }
        var record = records[place - forgotten]
        record.state = .sent
        record.attempts.append(OutboxRecord.Attempt(attemptDate: instant, result: result))
        if record.attempts.count > Self.maximumAttempts { record.attempts.removeFirst() }
        if record.isDelivered || record.retries >= retryDelays.count {
            queue.set(place, at: nil)
        } else {
            queue.set(place, at: instant.adding(retryDelays[record.retries]))
            record.retries += 1
        }
        records[place - forgotten] = record
    }

    /// Many at a time, since each time costs as much as there are.
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

    /// Whether a place is of a record that is kept, or that is forgotten.
    private func has(_ place: Int) -> Bool { place >= 0 && place - forgotten < records.count }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        mode = try container.decode(DeliveryMode.self, forKey: .mode)
        records = try container.decode([OutboxRecord].self, forKey: .records)
        forgotten = try container.decode(Int.self, forKey: .forgotten)
        held = try container.decode([Int].self, forKey: .held)
        queue = try container.decode(DueQueue<Int>.self, forKey: .queue)
        guard (0...Self.mostForgotten).contains(forgotten), (held + queue.all.map(\.name)).allSatisfy(has) else {
            throw DecodingError.dataCorruptedError(forKey: .held, in: container, debugDescription: "a place that is none")
        }
        for (index, record) in records.enumerated() { places[record.notification.notificationUUID] = index + forgotten }
    }
}
