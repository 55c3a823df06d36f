/// What was counted in a year of lives.
struct YearFigures: Sendable {
    /// Polls that were answered, and those while no server lived.
    var polls = 0
    var unanswered = 0
    /// Those by somebody who pays by Apple's own books.
    var payers = 0
    /// A payer who was told that they have no access.
    var denials: [String] = []
    /// The same, where Apple's only word of a change that nobody could foresee was lost less than two days before: a card that
    /// works again in billing retry, a refund that is reversed, auto-renew turned on again just before the end.
    var unheard = 0
    /// Somebody who was told that they have access two days after Apple had ended it.
    var overstays: [String] = []
    /// What people did, and what Apple refused of it.
    var acts: [String: Int] = [:]
    var refusedActs = 0
    var uploads = 0
    /// Subscriptions that were compared with the oracle at the end.
    var compared = 0
    var periods = 0
}
