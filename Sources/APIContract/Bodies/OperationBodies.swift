package import Primitives
import StrictJSON

/// What became of a notification.
package struct NotificationAnswerBody: AnswerContent, Hashable {
    /// `applied`, `duplicate` or `hinted`.
    package var outcome: String

    package init(outcome: String) { self.outcome = outcome }

    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { $0.member("outcome", outcome) }
        return writer.bytes
    }
}

/// What Apple sent that this version does not understand, once each, from the oldest on (FACT-5).
package struct WarningsBody: AnswerContent, Hashable {
    package var warnings: [Warning]

    package init(warnings: [Warning]) { self.warnings = warnings }

    package struct Warning: Sendable, Hashable {
        /// Stable.
        package var kind: String
        package var value: String
        package var firstSeenAt: Timestamp

        package init(kind: String, value: String, firstSeenAt: Timestamp) {
            self.kind = kind
            self.value = value
            self.firstSeenAt = firstSeenAt
        }
    }

    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("warnings") { writer in
                writer.array { writer in
                    for warning in warnings {
                        writer.object { writer in
                            writer.member("kind", warning.kind)
                            writer.member("value", warning.value)
                            writer.member("firstSeenAt", warning.firstSeenAt.millisecondsSince1970)
                        }
                    }
                }
            }
        }
        return writer.bytes
    }
}

/// The process lives.
package struct LiveBody: AnswerContent, Hashable {
    package init() {}

    package var json: [UInt8] { Array(#"{"status":"live"}"#.utf8) }
}

/// The server can answer questions.
package struct ReadyBody: AnswerContent, Hashable {
    /// The server's clock.
    package var at: Timestamp
    /// Whether the server asks Apple for what no notification told it.
    package var asksApple: Bool
    /// How many notifications had which outcome since the start, in the order in which they are shown.
    package var notifications: [Count]

    package init(at: Timestamp, asksApple: Bool, notifications: [Count]) {
        self.at = at
        self.asksApple = asksApple
        self.notifications = notifications
    }

    package struct Count: Sendable, Hashable {
        package var outcome: String
        package var count: Int64

        package init(outcome: String, count: Int64) {
            self.outcome = outcome
            self.count = count
        }
    }

    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("status", "ready")
            writer.member("now", at.millisecondsSince1970)
            writer.member("apple") { $0.object { $0.member("asks", asksApple) } }
            writer.member("notifications") { writer in
                writer.object { writer in
                    for outcome in notifications { writer.member(outcome.outcome, outcome.count) }
                }
            }
        }
        return writer.bytes
    }
}
