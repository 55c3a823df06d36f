import Primitives

/// Apple's decisions not to refund a charge. One decision may come in several notifications, each with an id of its own.
///
/// Apple signs nothing that names the request it decides about. So declines of one charge are one decision where each is signed
/// within a day of the one before and no `CONSUMPTION_REQUEST` of that charge is signed between: nobody had asked again.
struct DeclinedRefunds {
    /// The notifications of each decision, by `signedDate`; never an empty one.
    let decisions: [[NoticeFact]]

    /// - Parameters:
    ///   - notices: by `signedDate`.
    ///   - periods: say which ids name one charge (PER-1).
    init(_ notices: [NoticeFact], periods: [Period]) {
        guard notices.contains(where: \.isDecline) else {
            decisions = []
            return
        }
        var decisions: [[NoticeFact]] = []
        // Of each charge the decision that goes on, unless it was asked about since.
        var latest: [TransactionID: Int] = [:]
        for notice in notices {
            let charge = notice.transactionId.map { id in periods.first { $0.isNamed(by: id) }?.transactionIds.min() ?? id }
            if notice.notificationType == "CONSUMPTION_REQUEST", let charge { latest[charge] = nil }
            guard notice.isDecline else { continue }
            if let known = charge.flatMap({ latest[$0] }), let last = decisions[known].last,
                notice.signedDate <= last.signedDate.adding(.days(1))
            {
                decisions[known].append(notice)
            } else {
                decisions.append([notice])
                if let charge { latest[charge] = decisions.count - 1 }
            }
        }
        self.decisions = decisions
    }

    /// Whether it is the first notification of its decision.
    func isFirst(_ decline: NoticeFact) -> Bool { decisions.contains { $0.first == decline } }
}

extension NoticeFact {
    fileprivate var isDecline: Bool { notificationType == "REFUND_DECLINED" }
}
