package import Primitives

/// What became of handing one event to a receiver.
package enum DeliveryVerdict: Sendable, Hashable {
    /// 2xx.
    case delivered
    /// The receiver does not take this event: 3xx, or 4xx but for 410 and 429.
    case refused(status: Int)
    /// The receiver is not well: no answer, 429, or 5xx; and how long it asks to be left alone.
    case failed(retryAfter: Milliseconds?)
    /// 410: it wants nothing any more.
    case gone
}

/// What was sent at once to one endpoint, and what came of it.
package struct DeliveryRound: Sendable, Hashable {
    /// One attempt.
    package struct Try: Sendable, Hashable {
        package let event: SentEvent
        package let verdict: DeliveryVerdict
        /// A status, or why there was none: for people.
        package let words: String

        package init(_ event: SentEvent, _ verdict: DeliveryVerdict, words: String) {
            self.event = event
            self.verdict = verdict
            self.words = words
        }
    }

    /// How far it came with one subject.
    package struct Line: Sendable, Hashable {
        package let subject: SubjectName
        /// The first of its events that the receiver has not; nil: it has all to where the log was read.
        package let next: Int64?
        /// The attempt that ended it; nil where none failed.
        package let failure: Try?

        package init(_ subject: SubjectName, next: Int64?, failure: Try? = nil) {
            self.subject = subject
            self.next = next
            self.failure = failure
        }
    }

    /// To where the log was read.
    package var read: [Environment: LogPlace] = [:]
    /// In the order in which they ended, those of what was sent once more among them.
    package var tries: [Try] = []
    package var lines: [Line] = []
    /// What was sent once more, and what is left of it; nil where nothing was.
    package var resend: Resending?
    /// Refused when they were sent once more.
    package var refusedAgain: [Try] = []

    package init() {}

    /// How far it came with what somebody asked to send once more.
    package struct Resending: Sendable, Hashable {
        package let was: DeliveryStanding.Resend
        /// Nil: all of it was sent.
        package let left: DeliveryStanding.Resend?

        package init(_ was: DeliveryStanding.Resend, left: DeliveryStanding.Resend?) {
            self.was = was
            self.left = left
        }
    }
}
