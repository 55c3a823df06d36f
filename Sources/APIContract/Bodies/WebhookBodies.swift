package import Primitives
package import StrictJSON

/// What somebody wants of an endpoint of webhooks.
package struct EndpointOrderBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "WebhookEndpointOrder", "Where events are to be sent, and which; what is left out has its default.",
        [
            .required(
                "url", .text, "Where to post: https, and a name that leads to public addresses (TELL-4).",
                example: "https://billing.example/tenure"),
            .optional("description", .text, "For people; up to 200 characters.", example: "Billing"),
            .optional("types", .list(.text), "Only these types; subscription.* for all that begin so; all unless said."),
            .optional("environments", .list(.word(Environment.names)), "Of these only; all that the app takes unless said."),
            .optional(
                "format", .word(WebhookFormat.names),
                "tenure: the event as the log has it, unless said; raw: what Apple posts. It cannot be changed."),
            .optional(
                "signature", .word(["v1", "v1a", "both", "none"]),
                "HMAC-SHA256, Ed25519, or both; v1 unless said. raw has none but Apple's."),
            .optional(
                "concurrency", .integer(1, 64),
                "How many at once; those of one subscription or customer never are. 16 unless said."),
            .optional("headers", .list(.object(WebhookHeaderItem.schema)), "Sent with each; up to 16."),
            .optional("since", .instant, "A new one also gets what was told from then on; from now on unless said."),
        ])

    package var url: String
    package var description: String?
    package var types: [String]?
    package var environments: [Environment]?
    package var format: String?
    package var signature: String?
    package var concurrency: Int64?
    package var headers: [WebhookHeaderItem]?
    package var since: Timestamp?

    package init(url: String) { self.url = url }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        url = try fields.requiredText("url")
        description = try fields.text("description")
        types = try fields.texts("types")
        environments = try fields.environments("environments")
        format = try fields.text("format")
        signature = try fields.text("signature")
        concurrency = try fields.integer("concurrency", in: 1...64)
        headers = try fields.items("headers", WebhookHeaderItem.init)
        since = try fields.instant("since")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("url", url)
        writer.optionalMember("description", description)
        if let types { writer.member("types", types) }
        if let environments { writer.member("environments", environments.map(\.rawValue)) }
        writer.optionalMember("format", format)
        writer.optionalMember("signature", signature)
        writer.optionalMember("concurrency", concurrency)
        if let headers { writer.member("headers", headers) }
        writer.optionalMember("since", since)
    }
}

/// What the bodies of an endpoint can be; the spellings are stable.
enum WebhookFormat {
    /// `tenure`: the event as the log has it; `raw`: what Apple posted, byte for byte; `revenuecat`: what RevenueCat's webhooks
    /// say of it.
    static let names = ["tenure", "raw", "revenuecat"]
}

/// A header that is sent with each event.
package struct WebhookHeaderItem: JSONItem {
    package static let schema = ObjectSchema(
        "WebhookHeader", "A header that is sent beside those of the signature.",
        [
            .required("name", .text, "Its name.", example: "X-Team"),
            .required("value", .text, "Its value; ASCII.", example: "billing"),
        ])

    package var name: String
    package var value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        name = try fields.requiredText("name")
        value = try fields.requiredText("value")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("name", name)
        writer.member("value", value)
    }
}

/// An endpoint as it stands.
package struct WebhookEndpointBody: AnswerContent, JSONBody, JSONItem {
    package static let schema = ObjectSchema(
        "WebhookEndpoint", "Where events are sent, and how far its receiver was told.",
        [
            .required("id", .text, "Chosen by whoever made it.", example: "billing"),
            .required("url", .text, "Where to.", example: "https://billing.example/tenure"),
            .required("description", .text, "For people.", example: "Billing"),
            .required("types", .list(.text), "Only these; empty: all."),
            .required("environments", .list(.word(Environment.names)), "Of these."),
            .required("format", .word(WebhookFormat.names), "What a body is."),
            .required("signature", .word(["v1", "v1a", "both", "none"]), "With which signatures."),
            .required("concurrency", .integer(1, 64), "How many at once."),
            .required("headers", .list(.object(WebhookHeaderItem.schema)), "Sent with each."),
            .optional("changedBy", .text, "Who changed it last, and after a slash with which key.", example: "appBackend/file"),
            .required("createdAt", .instant, "When it was made."),
            .required(
                "state", .word(["healthy", "failing", "disabled", "paused"]),
                "failing: it is tried from time to time; disabled: after 410 or five days, until it is resumed."),
            .optional("stateSince", .instant, "Since when, where it is not healthy."),
            .optional("reason", .text, "Why: a status, or why no answer came.", example: "503"),
            .optional("nextAttemptAt", .instant, "When a failing one is tried next."),
            .optional("waitingSince", .instant, "When the oldest event was told that it has not; absent: it has all."),
            .required("waitingSubjects", .integer(0, .max), "How many subscriptions and customers wait for another attempt."),
            .required("delivered", .integer(0, .max), "How many attempts were taken."),
            .required("failed", .integer(0, .max), "How many were not."),
            .optional("deliveredAt", .instant, "When the last one was taken."),
            .required("resends", .integer(0, .max), "How many requests to send something once more are left."),
            .required("secrets", .list(.object(WebhookSecretItem.schema)), "What signs, the newest first."),
            .optional(
                "newSecrets", .list(.object(NewWebhookSecretItem.schema)),
                "What was made just now: shown here, and never again."),
            .optional("worker", .text, "The server that sends to it.", example: "web-1/4711/3f2a91c2"),
        ])

    package var id: String
    package var url: String
    package var description = ""
    package var types: [String] = []
    package var environments: [Environment] = []
    package var format = "tenure"
    package var signature = "v1"
    package var concurrency: Int64 = 16
    package var headers: [WebhookHeaderItem] = []
    package var changedBy: String?
    package var createdAt: Timestamp
    package var state: String
    package var stateSince: Timestamp?
    package var reason: String?
    package var nextAttemptAt: Timestamp?
    package var waitingSince: Timestamp?
    package var waitingSubjects: Int64 = 0
    package var delivered: Int64 = 0
    package var failed: Int64 = 0
    package var deliveredAt: Timestamp?
    package var resends: Int64 = 0
    package var secrets: [WebhookSecretItem] = []
    package var newSecrets: [NewWebhookSecretItem]?
    package var worker: String?

    package init(id: String, url: String, createdAt: Timestamp, state: String) {
        (self.id, self.url, self.createdAt, self.state) = (id, url, createdAt, state)
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        id = try fields.requiredText("id")
        url = try fields.requiredText("url")
        description = try fields.requiredText("description")
        types = try fields.texts("types") ?? []
        environments = try fields.environments("environments") ?? []
        format = try fields.requiredText("format")
        signature = try fields.requiredText("signature")
        concurrency = try fields.requiredInteger("concurrency")
        headers = try fields.requiredList("headers", WebhookHeaderItem.init)
        changedBy = try fields.text("changedBy")
        createdAt = try fields.requiredInstant("createdAt")
        state = try fields.requiredText("state")
        stateSince = try fields.instant("stateSince")
        reason = try fields.text("reason")
        nextAttemptAt = try fields.instant("nextAttemptAt")
        waitingSince = try fields.instant("waitingSince")
        waitingSubjects = try fields.requiredInteger("waitingSubjects")
        delivered = try fields.requiredInteger("delivered")
        failed = try fields.requiredInteger("failed")
        deliveredAt = try fields.instant("deliveredAt")
        resends = try fields.requiredInteger("resends")
        secrets = try fields.requiredList("secrets", WebhookSecretItem.init)
        newSecrets = try fields.items("newSecrets", NewWebhookSecretItem.init)
        worker = try fields.text("worker")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("url", url)
        writer.member("description", description)
        writer.member("types", types)
        writer.member("environments", environments.map(\.rawValue))
        writer.member("format", format)
        writer.member("signature", signature)
        writer.member("concurrency", concurrency)
        writer.member("headers", headers)
        writer.optionalMember("changedBy", changedBy)
        writer.member("createdAt", createdAt)
        writer.member("state", state)
        writer.optionalMember("stateSince", stateSince)
        writer.optionalMember("reason", reason)
        writer.optionalMember("nextAttemptAt", nextAttemptAt)
        writer.optionalMember("waitingSince", waitingSince)
        writer.member("waitingSubjects", waitingSubjects)
        writer.member("delivered", delivered)
        writer.member("failed", failed)
        writer.optionalMember("deliveredAt", deliveredAt)
        writer.member("resends", resends)
        writer.member("secrets", secrets)
        if let newSecrets { writer.member("newSecrets", newSecrets) }
        writer.optionalMember("worker", worker)
    }
}

/// What is known of a secret without the secret.
package struct WebhookSecretItem: JSONItem {
    package static let schema = ObjectSchema(
        "WebhookSecret", "A secret that signs, without the secret.",
        [
            .required("kind", .word(["v1", "v1a"]), "Of which signature."),
            .required("fingerprint", .text, "The first 8 digits of its SHA-256: which one it is.", example: "3f2a91c2"),
            .required("madeAt", .instant, "When it was made."),
            .optional("endsAt", .instant, "Until when it signs beside a newer one."),
        ])

    package var kind: String
    package var fingerprint: String
    package var madeAt: Timestamp
    package var endsAt: Timestamp?

    package init(kind: String, fingerprint: String, madeAt: Timestamp, endsAt: Timestamp?) {
        (self.kind, self.fingerprint, self.madeAt, self.endsAt) = (kind, fingerprint, madeAt, endsAt)
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        kind = try fields.requiredText("kind")
        fingerprint = try fields.requiredText("fingerprint")
        madeAt = try fields.requiredInstant("madeAt")
        endsAt = try fields.instant("endsAt")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("kind", kind)
        writer.member("fingerprint", fingerprint)
        writer.member("madeAt", madeAt)
        writer.optionalMember("endsAt", endsAt)
    }
}

/// A secret that was made just now.
package struct NewWebhookSecretItem: JSONItem {
    package static let schema = ObjectSchema(
        "NewWebhookSecret", "What the receiver needs to check signatures; it cannot be shown again.",
        [
            .required("kind", .word(["v1", "v1a"]), "Of which signature."),
            .required("text", .text, "whsec_… of v1, or the public key whpk_… of v1a.", example: "whsec_C2FVsBQIhrscChlQIMV…"),
        ])

    package var kind: String
    package var text: String

    package init(kind: String, text: String) { (self.kind, self.text) = (kind, text) }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        kind = try fields.requiredText("kind")
        text = try fields.requiredText("text")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("kind", kind)
        writer.member("text", text)
    }
}

/// The endpoints of an app.
package struct WebhookEndpointsBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "WebhookEndpoints", "The endpoints of an app.",
        [.required("items", .list(.object(WebhookEndpointBody.schema)), "By id; at most 50.")])

    package var items: [WebhookEndpointBody]

    package init(items: [WebhookEndpointBody]) { self.items = items }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        items = try fields.requiredList("items", WebhookEndpointBody.init)
    }

    package func write(to writer: inout JSONWriter) { writer.member("items", items) }
}

/// How secrets are changed over.
package struct RotationBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Rotation", "How the old secret gives way to a new one.",
        [
            .optional(
                "overlap", .integer(0, 86_400_000),
                "So many milliseconds both sign, so that the receiver can change over; a day unless said.")
        ])

    package var overlap: Int64?

    package init(overlap: Int64? = nil) { self.overlap = overlap }

    package init(_ fields: JSONFields) throws(JSONFieldError) { overlap = try fields.integer("overlap", in: 0...86_400_000) }

    package func write(to writer: inout JSONWriter) { writer.optionalMember("overlap", overlap) }
}

/// What is to be sent once more.
package struct ResendBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Resend", "What is to be sent once more, under the same ids: single events, a stretch of time, or what is parked.",
        [
            .optional("events", .list(.object(NumberedEventItem.schema)), "These; up to 50."),
            .optional("range", .object(EventRangeItem.schema), "Everything of a stretch of time."),
            .optional("parked", .bool, "Everything that is parked now."),
        ])

    package static let mostEvents = 50

    package var events: [NumberedEventItem]?
    package var range: EventRangeItem?
    package var parked: Bool?

    package init() {}

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        events = try fields.items("events", NumberedEventItem.init)
        range = try fields.fields("range").map(EventRangeItem.init)
        parked = try fields.bool("parked")
    }

    package func write(to writer: inout JSONWriter) {
        if let events { writer.member("events", events) }
        writer.optionalMember("range", range)
        if let parked { writer.member("parked", parked) }
    }
}

/// An event by its number among those of its subscription or customer.
package struct NumberedEventItem: JSONItem {
    package static let schema = ObjectSchema(
        "NumberedEvent", "An event by its number, as its own data says it.",
        [
            .optional("subscription", .text, "The original transaction id it is about; or customer.", example: "2000000111"),
            .optional("customer", .text, "The customer it is about, where it is about no subscription.", example: "alice"),
            .optional("environment", .word(Environment.names), "Production unless said."),
            .required("sequence", .integer(1, .max), "Its number there."),
        ])

    package var subscription: String?
    package var customer: String?
    package var environment: Environment?
    package var sequence: Int64

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        subscription = try fields.text("subscription")
        customer = try fields.text("customer")
        environment = try fields.environment("environment")
        sequence = try fields.requiredInteger("sequence", in: 1...Int64.max)
    }

    package func write(to writer: inout JSONWriter) {
        writer.optionalMember("subscription", subscription)
        writer.optionalMember("customer", customer)
        writer.optionalMember("environment", environment?.rawValue)
        writer.member("sequence", sequence)
    }
}

/// A stretch of what was told.
package struct EventRangeItem: JSONItem {
    package static let schema = ObjectSchema(
        "EventRange", "What was told in a stretch of time, by the server's clock.",
        [
            .optional("environment", .word(Environment.names), "Production unless said."),
            .required("from", .instant, "From then on."),
            .optional("to", .instant, "Before then; to now unless said."),
        ])

    package var environment: Environment?
    package var from: Timestamp
    package var to: Timestamp?

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        environment = try fields.environment("environment")
        from = try fields.requiredInstant("from")
        to = try fields.instant("to")
    }

    package func write(to writer: inout JSONWriter) {
        writer.optionalMember("environment", environment?.rawValue)
        writer.member("from", from)
        writer.optionalMember("to", to)
    }
}

/// One attempt to hand an event to a receiver.
package struct WebhookAttemptBody: AnswerContent, JSONBody, PagedItem {
    package static let page = PageWords(
        "WebhookAttempts", "Attempts to hand events to a receiver; those that were taken are kept for 7 days, others for 30.",
        order: "The last one first.")

    package static let schema = ObjectSchema(
        "WebhookAttempt", "One attempt to hand an event to a receiver, and what came of it.",
        eventMembers + [
            .required("at", .instant, "When it began."),
            .required("url", .text, "Where to.", example: "https://billing.example/tenure"),
            .required("tookMilliseconds", .integer(0, .max), "How long it took."),
            .required("isResent", .bool, "Whether somebody asked for it, though it was sent before."),
            .required("isDelivered", .bool, "Whether the receiver took it: 2xx."),
            .optional("status", .integer(0, 999), "What it answered."),
            .optional("failure", .text, "Why no answer came.", example: "timedOut"),
            .optional("words", .text, "The same as a sentence.", example: "no answer came in time"),
            .optional("answer", .text, "The beginning of the answer's body, up to 2 KB; never to be shown as HTML."),
            .required("fingerprints", .list(.text), "Which secrets signed it."),
        ])

    /// Of the event; absent for a test.
    static let eventMembers: [MemberSchema] = [
        .optional("eventId", .text, "The webhook-id; absent for a test.", example: "evt_3k2m7qv5xw4zt6ynd2hc4ujb2e"),
        .optional("type", .text, "What the event tells.", example: "subscription.renewed"),
        .optional("environment", .word(Environment.names), "Whose ledger."),
        .optional("subscription", .text, "The original transaction id it is about.", example: "2000000111"),
        .optional("customer", .text, "The customer it is about, where it is about no subscription.", example: "alice"),
        .optional("sequence", .integer(1, .max), "Its number there."),
    ]

    package var event: WebhookEventWords?
    package var at: Timestamp
    package var url: String
    package var tookMilliseconds: Int64
    package var isResent: Bool
    package var isDelivered: Bool
    package var status: Int64?
    package var failure: String?
    package var words: String?
    package var answer: String?
    package var fingerprints: [String] = []

    package init(at instant: Timestamp, url: String, tookMilliseconds: Int64, isResent: Bool, isDelivered: Bool) {
        (at, self.url, self.tookMilliseconds) = (instant, url, tookMilliseconds)
        (self.isResent, self.isDelivered) = (isResent, isDelivered)
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        event = try WebhookEventWords(optional: fields)
        at = try fields.requiredInstant("at")
        url = try fields.requiredText("url")
        tookMilliseconds = try fields.requiredInteger("tookMilliseconds")
        isResent = try fields.requiredBool("isResent")
        isDelivered = try fields.requiredBool("isDelivered")
        status = try fields.integer("status")
        failure = try fields.text("failure")
        words = try fields.text("words")
        answer = try fields.text("answer")
        fingerprints = try fields.texts("fingerprints") ?? []
    }

    package func write(to writer: inout JSONWriter) {
        event?.write(to: &writer)
        writer.member("at", at)
        writer.member("url", url)
        writer.member("tookMilliseconds", tookMilliseconds)
        writer.member("isResent", isResent)
        writer.member("isDelivered", isDelivered)
        writer.optionalMember("status", status)
        writer.optionalMember("failure", failure)
        writer.optionalMember("words", words)
        writer.optionalMember("answer", answer)
        writer.member("fingerprints", fingerprints)
    }
}

/// Which event it was.
package struct WebhookEventWords: Sendable, Hashable {
    package var eventId: String
    package var type: String
    package var environment: Environment
    package var subscription: String?
    package var customer: String?
    package var endpoint: String?
    package var sequence: Int64

    package init(eventId: String, type: String, environment: Environment, sequence: Int64) {
        (self.eventId, self.type, self.environment, self.sequence) = (eventId, type, environment, sequence)
    }

    init(_ fields: JSONFields) throws(JSONFieldError) {
        eventId = try fields.requiredText("eventId")
        type = try fields.requiredText("type")
        environment = try fields.requiredEnvironment("environment")
        subscription = try fields.text("subscription")
        customer = try fields.text("customer")
        endpoint = try fields.text("endpoint")
        sequence = try fields.requiredInteger("sequence")
    }

    /// Nil where the fields name none.
    init?(optional fields: JSONFields) throws(JSONFieldError) {
        guard try fields.text("eventId") != nil else { return nil }
        try self.init(fields)
    }

    func write(to writer: inout JSONWriter) {
        writer.member("eventId", eventId)
        writer.member("type", type)
        writer.member("environment", environment.rawValue)
        writer.optionalMember("subscription", subscription)
        writer.optionalMember("customer", customer)
        writer.optionalMember("endpoint", endpoint)
        writer.member("sequence", sequence)
    }
}

/// An event that a receiver refused so often that what came after it went on.
package struct ParkedEventItem: PagedItem {
    package static let page = PageWords(
        "ParkedEvents", "Events that a receiver refused again and again; resendEvents sends them once more.",
        order: "In the order in which they were parked.")

    package static let schema = ObjectSchema(
        "ParkedEvent", "An event that a receiver refused five times within an hour; what came after it went on (TELL-2).",
        WebhookAttemptBody.eventMembers + [
            .required("parkedAt", .instant, "When it was refused last."),
            .required("outcome", .text, "A status, or why no answer came.", example: "422"),
        ])

    package var event: WebhookEventWords
    package var parkedAt: Timestamp
    package var outcome: String

    package init(_ event: WebhookEventWords, parkedAt: Timestamp, outcome: String) {
        (self.event, self.parkedAt, self.outcome) = (event, parkedAt, outcome)
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        event = try WebhookEventWords(fields)
        parkedAt = try fields.requiredInstant("parkedAt")
        outcome = try fields.requiredText("outcome")
    }

    package func write(to writer: inout JSONWriter) {
        event.write(to: &writer)
        writer.member("parkedAt", parkedAt)
        writer.member("outcome", outcome)
    }
}
