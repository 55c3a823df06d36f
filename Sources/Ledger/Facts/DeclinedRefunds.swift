import Primitives

/// Apple's decisions not to refund a charge. One decision may come in several notifications, each with an id of its own.
///
/// Apple signs nothing that names the request it decides about. So declines of one charge are one decision where each is signed
/// within a day of the one before and no `CONSUMPTION_REQUEST` of that charge is signed between: nobody had asked again.
struct DeclinedRefunds {
    /// By `signedDate`.
    let notices: [NoticeFact]
    let periods: [Period]

    /// All notifications of one decision, by `signedDate`.
    ///
    /// - Parameter decline: one of them.
    func notifications(ofDecisionIn decline: NoticeFact) -> [NoticeFact] {
        guard let charge = charge(of: decline) else { return [decline] }
        var decisions: [[NoticeFact]] = []
        var wasAsked = true
        for notice in notices where self.charge(of: notice) == charge {
            switch notice.notificationType {
            case "CONSUMPTION_REQUEST": wasAsked = true
            case "REFUND_DECLINED":
                let isSoon = decisions.last?.last.map { notice.signedDate <= $0.signedDate.adding(.days(1)) } ?? false
                if wasAsked || !isSoon { decisions.append([]) }
                decisions[decisions.count - 1].append(notice)
                wasAsked = false
            default: break
            }
        }
        return decisions.first { $0.contains(decline) } ?? [decline]
    }

    /// Whether it is the first notification of its decision.
    func isFirst(_ decline: NoticeFact) -> Bool { notifications(ofDecisionIn: decline).first == decline }

    /// The charge that a notification names, by whichever of its ids (PER-1); nil where it names none.
    private func charge(of notice: NoticeFact) -> TransactionID? {
        guard let id = notice.transactionId else { return nil }
        return periods.first { $0.isNamed(by: id) }?.transactionIds.min() ?? id
    }
}
