import Crypto
package import Ledger
package import Primitives

/// What Apple posted, byte for byte, kept for endpoints of the format `raw` until each of them has it (TELL-5).
package struct NotificationCopy: Sendable, Hashable {
    package let scope: Scope
    /// Copies of one subject are passed on one after the other: an original transaction id, or a name of the notification's own.
    package let subject: String
    /// By which one notification is kept once, however often Apple posts it: at most one copy of a scope has it.
    package let name: String
    package let receivedAt: Timestamp
    package let content: Content

    /// A request of Apple's.
    package struct Content: Sendable, Hashable, Codable {
        package let contentType: String
        /// The bytes as text; what is not UTF-8 is no notification.
        package let body: String

        package init(contentType: String, body: String) {
            self.contentType = contentType
            self.body = body
        }
    }

    /// - Parameters:
    ///   - uuid: Apple's `notificationUUID`; nil for a notification of version 1, which has none: the same bytes are the same.
    ///   - subscription: what it is about, where that is known.
    package init(
        scope: Scope, uuid: String?, subscription: OriginalTransactionID?, receivedAt: Timestamp, content: Content
    ) {
        self.scope = scope
        name = uuid ?? "v1/" + Hexadecimal.encode(SHA256.hash(data: Array(content.body.utf8)))
        subject = subscription?.rawValue ?? "notification/\(name)"
        self.receivedAt = receivedAt
        self.content = content
    }
}

extension LoggedEvent {
    /// What was posted, where this is of a copy.
    ///
    /// - Throws: `StorageError` with `corrupt` for anything else.
    package var copiedContent: NotificationCopy.Content {
        get throws { try StateCoding.decode(NotificationCopy.Content.self, from: text) }
    }
}
