package import Primitives
package import StrictJSON

/// What became of a notification.
package struct NotificationAnswerBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "NotificationAnswer", "What became of a notification.",
        [.required("outcome", .word(["applied", "duplicate", "hinted", "parked"]), "applied, duplicate, hinted or parked.")])

    /// `applied`, `duplicate`, `hinted` or `parked`.
    package var outcome: String

    package init(outcome: String) { self.outcome = outcome }

    package init(_ fields: JSONFields) throws(JSONFieldError) { outcome = try fields.requiredText("outcome") }

    package func write(to writer: inout JSONWriter) { writer.member("outcome", outcome) }
}

/// Notifications that Apple signed and that could not be applied yet (RECON-4).
package struct ParkedNotificationsBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "ParkedNotifications", "Notifications that Apple signed and that could not be applied yet: kept, and tried every hour.",
        [.required("notifications", .list(.object(Item.schema)), "By when they are tried next; at most 100.")])

    package var notifications: [Item]

    package init(notifications: [Item]) { self.notifications = notifications }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        notifications = try fields.requiredList("notifications", Item.init)
    }

    package func write(to writer: inout JSONWriter) { writer.member("notifications", notifications) }

    package struct Item: JSONItem {
        package static let schema = ObjectSchema(
            "ParkedNotification", "A notification that Apple signed and that could not be applied yet.",
            [
                .required("id", .text, "Its notificationUUID."),
                .required("receivedAt", .instant, "When it came."),
                .required("reason", .text, "Why it was not applied, at the last attempt.", example: "transaction.fieldInvalid"),
                .required("attempts", .integer(0, .max), "How often it was tried again."),
                .required("triedNextAt", .instant, "When it is tried again; a newer version may understand it."),
                .required("signedPayload", .text, "What Apple posted."),
            ])

        package var id: String
        package var receivedAt: Timestamp
        package var reason: String
        package var attempts: Int64
        package var triedNextAt: Timestamp
        package var signedPayload: String

        package init(id: String, receivedAt: Timestamp, reason: String, attempts: Int64, triedNextAt: Timestamp) {
            self.id = id
            self.receivedAt = receivedAt
            self.reason = reason
            self.attempts = attempts
            self.triedNextAt = triedNextAt
            signedPayload = ""
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            id = try fields.requiredText("id")
            receivedAt = try fields.requiredInstant("receivedAt")
            reason = try fields.requiredText("reason")
            attempts = try fields.requiredInteger("attempts")
            triedNextAt = try fields.requiredInstant("triedNextAt")
            signedPayload = try fields.requiredText("signedPayload")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("id", id)
            writer.member("receivedAt", receivedAt)
            writer.member("reason", reason)
            writer.member("attempts", attempts)
            writer.member("triedNextAt", triedNextAt)
            writer.member("signedPayload", signedPayload)
        }
    }
}

/// What Apple sent that this version does not understand, once each, from the oldest on (FACT-5).
package struct WarningsBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Warnings", "What Apple sent that this version does not understand, once each, from the oldest on (FACT-5).",
        [.required("warnings", .list(.object(warning)), "From the oldest on; at most 1000.")])
    private static let warning = ObjectSchema(
        "Warning", "Something that this version does not understand.",
        [
            .required("kind", .text, "Stable.", example: "unknownProduct"), .required("value", .text, "As Apple wrote it."),
            .required("firstSeenAt", .instant, "When it came first."),
        ])

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

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        warnings = try fields.requiredList("warnings", Warning.init)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("warnings") { $0.array { writer in warnings.forEach { $0.write(to: &writer) } } }
    }
}

extension WarningsBody.Warning {
    fileprivate init(_ fields: JSONFields) throws(JSONFieldError) {
        kind = try fields.requiredText("kind")
        value = try fields.requiredText("value")
        firstSeenAt = try fields.requiredInstant("firstSeenAt")
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("kind", kind)
            writer.member("value", value)
            writer.member("firstSeenAt", firstSeenAt.millisecondsSince1970)
        }
    }
}

/// The process lives.
package struct LiveBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Live", "The process lives.", [.required("status", .word(["live"]), "Always live.")])

    package init() {}

    package init(_ fields: JSONFields) throws(JSONFieldError) {}

    package func write(to writer: inout JSONWriter) { writer.member("status", "live") }
}

/// The server can answer questions.
package struct ReadyBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Ready", "The server can answer questions.",
        [
            .required("status", .word(["ready"]), "Always ready."),
            .required("now", .instant, "The server's clock."),
            .required(
                "apple",
                .object(
                    ObjectSchema(
                        "ReadyApple", "What the server asks Apple.",
                        [.required("asks", .bool, "Whether it asks Apple for what was not notified to it.")])),
                "What the server asks Apple."),
            .required("notifications", .map(.integer), "How many notifications had which outcome since the start."),
        ])

    /// The server's clock.
    package var at: Timestamp
    /// Whether the server asks Apple for what was not notified it.
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

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        at = try fields.requiredInstant("now")
        let apple = try fields.required("apple", .object, try fields.fields("apple"))
        asksApple = try apple.requiredBool("asks")
        let counts = try fields.required("notifications", .object, try fields.fields("notifications"))
        notifications = []
        for member in counts.object {
            notifications.append(Count(outcome: member.name, count: try counts.requiredInteger(member.name)))
        }
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("status", "ready")
        writer.member("now", at.millisecondsSince1970)
        writer.member("apple") { $0.object { $0.member("asks", asksApple) } }
        writer.member("notifications") { writer in
            writer.object { writer in
                for outcome in notifications { writer.member(named: outcome.outcome, outcome.count) }
            }
        }
    }
}
