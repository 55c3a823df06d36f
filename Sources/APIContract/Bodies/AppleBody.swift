package import Primitives
package import StrictJSON

/// How asking Apple stands for an app in one environment (RECON-7, RECON-8).
package struct AppleBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Apple", "How asking Apple stands for an app in one environment (RECON-7, RECON-8).",
        [
            .required("asks", .bool, "Whether Apple is asked about the app: it has an In-App Purchase key."),
            .optional("sureUntil", .instant, "Everything that Apple told before this instant is kept (RECON-7)."),
            .required("isLate", .bool, "Whether sureUntil is so old that the log says so: 90 minutes, in Production."),
            .required("sweeps", .list(.object(Sweep.schema)), "What is looked through now of what Apple told."),
            .required("budgets", .list(.object(Budget.schema)), "Of each endpoint that was called; shared by all servers."),
            .required("backlog", .list(.object(Backlog.schema)), "What is due to be asked."),
            .optional("lastNotification", .object(Heard.schema), "The last one that Apple posted; absent where none came yet."),
            .optional("server", .object(OfServer.schema), "What the server that answers found; absent where it never asks."),
        ])

    package var asks: Bool
    package var sureUntil: Timestamp?
    package var isLate: Bool
    package var sweeps: [Sweep] = []
    package var budgets: [Budget] = []
    package var backlog: [Backlog] = []
    package var lastNotification: Heard?
    package var server: OfServer?

    package init(asks: Bool, isLate: Bool) { (self.asks, self.isLate) = (asks, isLate) }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        asks = try fields.requiredBool("asks")
        sureUntil = try fields.instant("sureUntil")
        isLate = try fields.requiredBool("isLate")
        sweeps = try fields.requiredList("sweeps", Sweep.init)
        budgets = try fields.requiredList("budgets", Budget.init)
        backlog = try fields.requiredList("backlog", Backlog.init)
        if let found = try fields.fields("lastNotification") { lastNotification = try Heard(found) }
        if let found = try fields.fields("server") { server = try OfServer(found) }
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("asks", asks)
        writer.optionalMember("sureUntil", sureUntil)
        writer.member("isLate", isLate)
        writer.member("sweeps", sweeps)
        writer.member("budgets", budgets)
        writer.member("backlog", backlog)
        writer.optionalMember("lastNotification", lastNotification)
        writer.optionalMember("server", server)
    }

    /// A stretch of what Apple told that is looked through.
    package struct Sweep: JSONItem {
        package static let schema = ObjectSchema(
            "AppleSweep", "A stretch of what Apple told that is looked through.",
            [
                .required("purpose", .word(purposes), "Why."),
                .required("from", .instant, "Where it begins."), .required("until", .instant, "Where it ends."),
                .required("plannedAt", .instant, "Since when it is to be."),
            ])

        /// Each reason for which a stretch is looked through.
        package static let purposes = ["hourly", "failures", "outage", "nightly", "asked"]

        package var purpose: String
        package var from: Timestamp
        package var until: Timestamp
        package var plannedAt: Timestamp

        package init(purpose: String, from: Timestamp, until: Timestamp, plannedAt: Timestamp) {
            (self.purpose, self.from, self.until, self.plannedAt) = (purpose, from, until, plannedAt)
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            purpose = try fields.requiredText("purpose")
            from = try fields.requiredInstant("from")
            until = try fields.requiredInstant("until")
            plannedAt = try fields.requiredInstant("plannedAt")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("purpose", purpose)
            writer.member("from", from)
            writer.member("until", until)
            writer.member("plannedAt", plannedAt)
        }
    }

    /// What is left of Apple's limit for one endpoint.
    package struct Budget: JSONItem {
        package static let schema = ObjectSchema(
            "AppleBudget", "What is left of Apple's limit for one endpoint.",
            [
                .required("endpoint", .text, "As Apple names it.", example: "Get All Subscription Statuses"),
                .required("callsPerHour", .integer(0, .max), "How many are made at the most; fewer after a 429."),
                .required("takenUntil", .instant, "Up to when calls are taken; free where it is past."),
                .required("blockedUntil", .instant, "Apple refused a call for too many: none is made before."),
            ])

        package var endpoint: String
        package var callsPerHour: Int64
        package var takenUntil: Timestamp
        package var blockedUntil: Timestamp

        package init(endpoint: String, callsPerHour: Int64, takenUntil: Timestamp, blockedUntil: Timestamp) {
            (self.endpoint, self.callsPerHour) = (endpoint, callsPerHour)
            (self.takenUntil, self.blockedUntil) = (takenUntil, blockedUntil)
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            endpoint = try fields.requiredText("endpoint")
            callsPerHour = try fields.requiredInteger("callsPerHour")
            takenUntil = try fields.requiredInstant("takenUntil")
            blockedUntil = try fields.requiredInstant("blockedUntil")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("endpoint", endpoint)
            writer.member("callsPerHour", callsPerHour)
            writer.member("takenUntil", takenUntil)
            writer.member("blockedUntil", blockedUntil)
        }
    }

    /// How much of one kind of work is due.
    package struct Backlog: JSONItem {
        package static let schema = ObjectSchema(
            "AppleBacklog", "How much of one kind of work is due.",
            [
                .required("kind", .text, "The kind of work, as in the queue.", example: "askApple"),
                .required("due", .integer(0, 10_000), "How much of it; 10 000 is at least so much."),
                .optional("dueSince", .instant, "Since when the longest due one has been."),
            ])

        package var kind: String
        package var due: Int64
        package var dueSince: Timestamp?

        package init(kind: String, due: Int64, dueSince: Timestamp?) {
            (self.kind, self.due, self.dueSince) = (kind, due, dueSince)
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            kind = try fields.requiredText("kind")
            due = try fields.requiredInteger("due")
            dueSince = try fields.instant("dueSince")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("kind", kind)
            writer.member("due", due)
            writer.optionalMember("dueSince", dueSince)
        }
    }

    /// A notification that Apple posted.
    package struct Heard: JSONItem {
        package static let schema = ObjectSchema(
            "AppleNotification", "A notification that Apple posted: it knows the address.",
            [
                .required("receivedAt", .instant, "When it came, noted within a minute."),
                .required("signedDate", .instant, "When Apple signed it."),
            ])

        package var receivedAt: Timestamp
        package var signedDate: Timestamp

        package init(receivedAt: Timestamp, signedDate: Timestamp) {
            (self.receivedAt, self.signedDate) = (receivedAt, signedDate)
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            receivedAt = try fields.requiredInstant("receivedAt")
            signedDate = try fields.requiredInstant("signedDate")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("receivedAt", receivedAt)
            writer.member("signedDate", signedDate)
        }
    }

    /// What one server found when it asked.
    package struct OfServer: JSONItem {
        package static let schema = ObjectSchema(
            "AppleAsked", "What the server that answers found when it asked, since it started.",
            [
                .optional("answeredAt", .instant, "When Apple answered last."),
                .optional("failedAt", .instant, "When a call failed last."),
                .optional("failure", .text, "Why, as of a failed question.", example: "unauthenticated"),
                .optional("failedEndpoint", .text, "What was called, as Apple names it."),
                .optional("pausedUntil", .instant, "It asks nothing before: Apple's host failed too often, or refuses the key."),
                .optional("clockAheadMilliseconds", .integer, "How far its clock is ahead of Apple's; negative: behind."),
            ])

        package var answeredAt: Timestamp?
        package var failedAt: Timestamp?
        package var failure: String?
        package var failedEndpoint: String?
        package var pausedUntil: Timestamp?
        package var clockAheadMilliseconds: Int64?

        package init() {}

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            answeredAt = try fields.instant("answeredAt")
            failedAt = try fields.instant("failedAt")
            failure = try fields.text("failure")
            failedEndpoint = try fields.text("failedEndpoint")
            pausedUntil = try fields.instant("pausedUntil")
            clockAheadMilliseconds = try fields.integer("clockAheadMilliseconds")
        }

        package func write(to writer: inout JSONWriter) {
            writer.optionalMember("answeredAt", answeredAt)
            writer.optionalMember("failedAt", failedAt)
            writer.optionalMember("failure", failure)
            writer.optionalMember("failedEndpoint", failedEndpoint)
            writer.optionalMember("pausedUntil", pausedUntil)
            writer.optionalMember("clockAheadMilliseconds", clockAheadMilliseconds)
        }
    }
}

/// Which stretch of what Apple told is to be looked through.
package struct SweepRequestBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "SweepRequest", "Which stretch of what Apple told is to be looked through (RECON-2).",
        [
            .required("from", .instant, "Where it begins; Apple keeps 180 days, in Sandbox 30."),
            .optional("until", .instant, "Where it ends; now unless said."),
        ])

    package var from: Timestamp
    package var until: Timestamp?

    package init(from: Timestamp, until: Timestamp? = nil) { (self.from, self.until) = (from, until) }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        from = try fields.requiredInstant("from")
        until = try fields.instant("until")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("from", from)
        writer.optionalMember("until", until)
    }
}
