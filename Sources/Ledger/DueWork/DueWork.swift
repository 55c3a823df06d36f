package import Primitives

/// Something to be done about one subscription when its time comes; the queue that does it adds jitter and keeps rates (RECON-1).
///
/// The same state gives the same work. What a decision names takes the place of all that stood in the queue for the subscription;
/// work whose key was done is not done again (I40).
package struct DueWork: Sendable, Hashable {
    /// What makes it the same work, inside its subscription; stable.
    package let key: String
    /// Not before this instant.
    package let at: Timestamp
    package let action: Action

    package enum Action: Sendable, Hashable, Codable {
        /// Ask Apple for the subscription's status.
        case askApple(AskReason)
        /// Tell what time will have brought by then: `Decision.init(tellingAt:history:state:)`.
        case tell
        /// Answer Apple's question about a purchase before the deadline (ABUSE-2).
        case answerConsumptionRequest(transactionId: TransactionID, reason: String?, deadline: Timestamp)
    }

    /// Why Apple is to be asked.
    package enum AskReason: String, Sendable, Hashable, Codable, CaseIterable {
        /// A period has ended and Apple has said nothing: it renewed silently, or it is over (RECON-1).
        case periodEnded
        /// A grace notification bore no date (ENT-7).
        case graceWithoutDate
        /// The billing grace period has ended and Apple has said nothing.
        case gracePeriodEnded
        /// Apple has tried to charge for as long as it does, and has said nothing.
        case billingRetryEnded
    }

    package init(key: String, at: Timestamp, action: Action) {
        self.key = key
        self.at = at
        self.action = action
    }

    /// All work that follows from what is known, by its instant and then by its key.
    package static func after(_ state: SubscriptionState, _ history: SubscriptionHistory) -> [DueWork] {
        let moment = LedgerMoment(history: history, state: state)
        return after(moment, Passage.all(in: moment))
    }

    /// The same where what time brings is known already.
    static func after(_ moment: LedgerMoment, _ passages: [Passage]) -> [DueWork] {
        let work = AskingApple(moment: moment).work() + tell(passages, after: moment.history.toldUntil) + answers(moment)
        return work.sorted { ($0.at, $0.key) < ($1.at, $1.key) }
    }

    // MARK: Telling

    /// The next thing that time brings and that was not told.
    private static func tell(_ passages: [Passage], after toldUntil: Timestamp?) -> [DueWork] {
        let next = passages.lazy.map(\.tellAt).first { instant in toldUntil.map { instant > $0 } ?? true }
        return next.map { [DueWork(key: "tell/\($0.millisecondsSince1970)", at: $0, action: .tell)] } ?? []
    }

    // MARK: Answering

    /// Every transaction's last question that Apple has not decided since. Apple may ask again about the same one, under another
    /// id.
    private static func answers(_ moment: LedgerMoment) -> [DueWork] {
        let notices = moment.history.notices
        return notices.enumerated().compactMap { index, notice in
            guard notice.notificationType == "CONSUMPTION_REQUEST", let transaction = notice.transactionId else { return nil }
            let later = notices.dropFirst(index + 1)
            // Apple may name the charge by any of its ids (PER-1).
            let period = moment.state.periods.first { $0.isNamed(by: transaction) }
            let isDone = later.contains { other in
                guard other.settlesOrRepeatsQuestion, let id = other.transactionId else { return false }
                return id == transaction || period?.isNamed(by: id) == true
            }
            guard !isDone else { return nil }
            return DueWork(
                key: "consumption/\(notice.notificationUUID)", at: notice.signedDate,
                action: .answerConsumptionRequest(
                    transactionId: transaction, reason: notice.consumptionRequestReason, deadline: notice.answerDeadline))
        }
    }
}

extension NoticeFact {
    /// Whether it makes the answer to an earlier question about the same transaction needless.
    fileprivate var settlesOrRepeatsQuestion: Bool {
        ["CONSUMPTION_REQUEST", "REFUND", "REFUND_DECLINED"].contains(notificationType)
    }
}
