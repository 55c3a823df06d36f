package import Primitives

/// Something that Apple was told, or asked to do, on somebody's behalf: a report on a purchase (ABUSE-2), more time for a
/// subscription, another token. It is kept before it is sent and with what came of it, so that it is sent once, and can be shown.
///
/// It is no evidence of anything: what Apple makes of it arrives as facts.
package struct AppleRequest: Sendable, Hashable {
    package let name: AppleRequestName
    /// What it is about: an `originalTransactionId`, or a product; empty where it is about the app.
    package let subject: String
    /// What was sent, as JSON; empty where nothing was.
    package let content: String
    /// Who asked for it: an operator, or `tenure` where a rule did.
    package let actor: String
    /// When it was kept, just before it was sent.
    package let requestedAt: Timestamp
    /// What came of it; nil while nobody knows: it is being sent, or whoever sent it died.
    package var result: Result?

    /// What came of a request.
    package struct Result: Sendable, Hashable {
        /// ``accepted``, or why not: a failure's code, such as `apple.4000185`, or `notSent.` with the reason.
        package let outcome: String
        /// Apple's answer as JSON; empty where it has none.
        package let answer: String
        package let at: Timestamp

        package init(outcome: String, answer: String = "", at: Timestamp) {
            self.outcome = outcome
            self.answer = answer
            self.at = at
        }

        /// Apple took it.
        package static let accepted = "accepted"

        package var isAccepted: Bool { outcome == Self.accepted }
    }

    package init(
        _ name: AppleRequestName, subject: String, content: String, by actor: String, at requestedAt: Timestamp
    ) {
        self.name = name
        self.subject = subject
        self.content = content
        self.actor = actor
        self.requestedAt = requestedAt
    }
}

/// What makes it one among the requests of an app's environment.
package struct AppleRequestName: Sendable, Hashable {
    package let scope: Scope
    /// Apple's name of what is called, such as `Send Consumption Information`.
    package let endpoint: String
    /// Chosen by whoever asks, such as Apple's `requestIdentifier`; a notification's UUID where Apple asked.
    package let id: String

    package init(_ scope: Scope, _ endpoint: String, id: String) {
        self.scope = scope
        self.endpoint = endpoint
        self.id = id
    }
}
