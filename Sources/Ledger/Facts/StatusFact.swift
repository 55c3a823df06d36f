package import Primitives

/// What Apple answered about a subscription's status when it was asked, beside the transaction and the renewal info (ENT-7).
///
/// Nobody signs it: it counts as said over TLS by the host that the configuration names.
///
/// Source: Apple, App Store Server API, Get All Subscription Statuses, `LastTransactionsItem.status`.
package struct StatusFact: Sendable, Hashable, StatusWord {
    /// As in ``NoticeFact/status``; any number that Apple sends is kept (FACT-5).
    package var answered: Int64
    /// When Apple answered: the later `signedDate` of the transaction and the renewal info in the same answer.
    package var signedDate: Timestamp

    package init(_ answered: Int64, signedDate: Timestamp) {
        self.answered = answered
        self.signedDate = signedDate
    }

    package var status: Int64? { answered }

    /// By `signedDate`, then by the number.
    static func inOrder(_ left: StatusFact, _ right: StatusFact) -> Bool {
        (left.signedDate, left.answered) < (right.signedDate, right.answered)
    }
}

/// Something in which Apple names a subscription's status: a notification, or an answer.
package protocol StatusWord {
    /// 1 active, 2 expired, 3 billing retry, 4 billing grace period, 5 revoked; nil where it names none.
    var status: Int64? { get }
    /// When Apple said so.
    var signedDate: Timestamp { get }
}

extension StatusWord {
    /// Whether it says that the subscription is over, unpaid or taken back.
    package var showsEndOrRetry: Bool { status == 2 || status == 3 || status == 5 }

    /// Whether it says that the subscription has expired.
    var showsExpiry: Bool { status == 2 }

    /// Whether it says that a billing grace period runs.
    var showsGrace: Bool { status == 4 }
}
