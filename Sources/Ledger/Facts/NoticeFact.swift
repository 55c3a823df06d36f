package import Primitives

/// What a notification says by itself, beside the transaction and the renewal info that it carries.
///
/// Source: Apple, App Store Server Notifications V2, `responseBodyV2DecodedPayload`.
package struct NoticeFact: Sendable, Hashable, StatusWord {
    package var notificationUUID: String
    /// Apple's spelling, known to us or not (FACT-5).
    package var notificationType: String
    package var subtype: String?
    /// 1 active, 2 expired, 3 billing retry, 4 billing grace period, 5 revoked; nil where the notification has none.
    package var status: Int64?
    package var signedDate: Timestamp
    /// The transaction that a refund or a question about one names; nil where the notification is about the subscription, and in
    /// what was stored before this was kept.
    package var transactionId: TransactionID?
    /// Why a refund was asked for; nil but in a `CONSUMPTION_REQUEST`.
    package var consumptionRequestReason: String?
    /// What a `REFUND` says of it: the transaction shows it no more once it is reversed. Nil in any other, and in what was stored
    /// before this was kept.
    package var revocation: Revocation?

    package init(
        notificationUUID: String, notificationType: String, subtype: String? = nil, status: Int64? = nil, signedDate: Timestamp
    ) {
        self.notificationUUID = notificationUUID
        self.notificationType = notificationType
        self.subtype = subtype
        self.status = status
        self.signedDate = signedDate
    }

    /// Whether it says, by name or by status, that the subscription has expired.
    var saysExpired: Bool { showsExpiry || notificationType == "EXPIRED" }

    /// By `signedDate`; the UUID alone says which notification it is.
    static func inOrder(_ left: NoticeFact, _ right: NoticeFact) -> Bool {
        if left.signedDate != right.signedDate { return left.signedDate < right.signedDate }
        return ID<NoticeFact>(left.notificationUUID) < ID<NoticeFact>(right.notificationUUID)
    }
}

/// A question to Apple that failed: the one thing that prolongs a provisional answer (ENT-6).
package struct FailedQuestion: Sendable, Hashable {
    package var askedAt: Timestamp
    /// A stable code of what went wrong, for operators.
    package var reason: String
    /// Whether asking again can help. Apple says itself where it cannot (`is-retryable` 0), and such an answer prolongs nothing
    /// (FACT-7).
    package var isRetryable: Bool

    package init(askedAt: Timestamp, reason: String, isRetryable: Bool = true) {
        self.askedAt = askedAt
        self.reason = reason
        self.isRetryable = isRetryable
    }

    /// A question that was due and could not be put (ENT-12). Not asked is not failed by silence, so it prolongs what a failed
    /// one does; asking again need not wait for Apple to recover.
    package enum Unasked: String, Sendable, Hashable, CaseIterable {
        /// The calls that Apple allows were used up.
        case budget = "notAsked.budget"
        /// Apple was known not to answer, or the app's key was refused.
        case unavailable = "notAsked.unavailable"
    }

    /// Why it was not put; nil where it was.
    package var unasked: Unasked? { Unasked(rawValue: reason) }

    static func inOrder(_ left: FailedQuestion, _ right: FailedQuestion) -> Bool {
        if left.askedAt != right.askedAt { return left.askedAt < right.askedAt }
        if left.isRetryable != right.isRetryable { return right.isRetryable }
        return ID<FailedQuestion>(left.reason) < ID<FailedQuestion>(right.reason)
    }
}
