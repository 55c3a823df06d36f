package import Primitives

/// What is done with the next notifications.
package enum DeliveryMode: Sendable, Hashable {
    case deliver
    /// The next ones are lost, so many; then they are delivered again.
    case drop(Int64)
    /// They wait until they are released.
    case hold
    /// Each is sent so many times.
    case duplicate(Int64)
}

/// In which order held notifications are released.
package enum ReleaseOrder: Sendable, Hashable {
    case given, reversed
    case shuffled(seed: UInt64)
}

/// How an attempt to deliver ended, in the spelling of `sendAttemptResult`.
///
/// Source: Apple, `sendAttemptResult`.
package enum SendAttemptResult: String, Sendable, Hashable {
    case success = "SUCCESS"
    case timedOut = "TIMED_OUT"
    case tlsIssue = "TLS_ISSUE"
    case noResponse = "NO_RESPONSE"
    case prematureClose = "PREMATURE_CLOSE"
    case unsuccessfulHTTPResponseCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    case other = "OTHER"
}

/// A notification as it was signed, and what became of it.
package struct OutboxRecord: Sendable {
    package enum State: String, Sendable, Hashable {
        case sent, held, dropped
    }

    package struct Attempt: Sendable, Hashable {
        package let attemptDate: Timestamp
        package let result: SendAttemptResult
    }

    package let notification: StoreNotification
    package let signedPayload: String
    package internal(set) var state: State
    package internal(set) var attempts: [Attempt] = []
    /// How many of the promised retries were made or are planned.
    var retries = 0

    /// Whether the receiver took it at least once.
    var isDelivered: Bool { attempts.contains { $0.result == .success } }
}

/// Notifications on their way: a plain value that says what to send and is told how that ended.
///
/// Source: Apple, "Responding to App Store Server Notifications": in production five retries, elsewhere one attempt.
struct Outbox: Sendable {
    var mode = DeliveryMode.deliver
    private var records: [String: OutboxRecord] = [:]
    /// Oldest first.
    private var order: [String] = []
    private var held: [String] = []
    private var retryQueue = DueQueue<String>()
    private let retryDelays: [Milliseconds]

    /// Records that are kept; the oldest are forgotten (a signed notification takes some 20 KB).
    static let maximumRecords = 5000
    /// Attempts that are kept of one notification.
    static let maximumAttempts = 100

    init(environment: Environment) {
        retryDelays = environment == .production ? [1, 12, 24, 48, 72].map { .hours($0) } : []
    }

    /// The newest `limit` records, newest first.
    func newest(_ limit: Int) -> [OutboxRecord] {
        order.suffix(limit).reversed().compactMap { records[$0] }
    }

    func record(_ uuid: String) -> OutboxRecord? { records[uuid] }

    var heldCount: Int { held.count }
    var nextRetry: Timestamp? { retryQueue.nextInstant }

    /// Takes a new notification; returns how many times it is to be sent now.
    mutating func accept(_ notification: StoreNotification, signedPayload: String) -> Int64 {
        var record = OutboxRecord(notification: notification, signedPayload: signedPayload, state: .sent)
        let copies: Int64
        switch mode {
        case .deliver: copies = 1
        case .duplicate(let count): copies = count
        case .hold:
            record.state = .held
            held.append(notification.notificationUUID)
            copies = 0
        case .drop(let left):
            record.state = .dropped
            mode = left > 1 ? .drop(left - 1) : .deliver
            copies = 0
        }
        records[notification.notificationUUID] = record
        order.append(notification.notificationUUID)
        forgetOldest()
        return copies
    }

    /// Takes the held ones off, in the order in which they are to be sent now.
    mutating func release(_ order: ReleaseOrder) -> [String] {
        var released = held
        held = []
        for uuid in released { records[uuid]?.state = .sent }
        switch order {
        case .given: break
        case .reversed: released.reverse()
        case .shuffled(let seed):
            var randomness = SplitMix(state: seed)
            released.shuffle(using: &randomness)
        }
        return released
    }

    /// Takes the earliest retry off that is due by then.
    mutating func popRetry(upTo limit: Timestamp) -> (name: String, at: Timestamp)? {
        retryQueue.popFirst(upTo: limit)
    }

    /// Keeps how an attempt ended and plans the next one, where one was promised.
    mutating func note(_ result: SendAttemptResult, of uuid: String, at instant: Timestamp) {
        guard var record = records[uuid] else { return }
        record.state = .sent
        record.attempts.append(OutboxRecord.Attempt(attemptDate: instant, result: result))
        record.attempts = record.attempts.suffix(Self.maximumAttempts)
        if record.isDelivered || record.retries >= retryDelays.count {
            retryQueue.set(uuid, at: nil)
        } else {
            retryQueue.set(uuid, at: instant.adding(retryDelays[record.retries]))
            record.retries += 1
        }
        records[uuid] = record
    }

    private mutating func forgetOldest() {
        guard order.count > Self.maximumRecords else { return }
        let uuid = order.removeFirst()
        records[uuid] = nil
        retryQueue.set(uuid, at: nil)
        held.removeAll { $0 == uuid }
    }
}
