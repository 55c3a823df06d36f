package import Primitives

/// One stretch of time that was bought or given inside a subscription, as all facts together show it.
package struct Period: Sendable, Hashable {
    /// Every name under which facts speak of it (PER-1); sorted, the first one names it.
    package let aliases: [PeriodAlias]
    private let kept: KeptTransaction
    private let otherIds: [TransactionID]
    /// Every id under which Apple's words speak of it, that of the newest copy first: a restore or another device mints one more
    /// for the same charge (PER-1).
    package var transactionIds: [TransactionID] { [kept.fact.transactionId] + otherIds }
    /// Whether an id is one of them.
    package func isNamed(by id: TransactionID) -> Bool { kept.fact.transactionId == id || otherIds.contains(id) }
    /// What Apple last said of it, with what earlier copies said and it is silent about.
    package var transaction: TransactionFact { kept.fact }
    package let beginning: Beginning
    /// When it stopped or stops giving service; nil for a purchase that does not expire.
    package let end: Timestamp?
    private let ending: Ending
    package var endReason: EndReason {
        switch ending {
        case .ran: .ran
        case .replaced: .replaced
        case .revoked: kept.fact.revocation.map { .revoked($0) } ?? .ran
        }
    }

    /// The tokens that copies of its transaction bear, by the first copy that bears each: the first is the purchase's own, the
    /// others were set later (OWN-4 a, decision 0063).
    package let tokens: [BorneToken]
    /// The purchase's own token; nil where no copy bears any.
    package var purchaseToken: AppAccountToken? { tokens.first?.token }
    /// Those that were set after the purchase.
    var setTokens: ArraySlice<BorneToken> { tokens.dropFirst() }

    /// Whether any copy bears the token.
    package func bears(_ token: AppAccountToken) -> Bool { tokens.contains { $0.token == token } }

    /// The token that it bears at an instant: the last one that was set by then, else the purchase's own.
    package func token(at instant: Timestamp) -> AppAccountToken? {
        (setTokens.last { $0.since <= instant } ?? tokens.first)?.token
    }

    /// Kept and shown, and gives nothing by the app's policy (OWN-13).
    package let isIgnored: Bool

    package var productId: ProductID { kept.fact.productId }
    package var purchaseDate: Timestamp { kept.fact.purchaseDate }

    init(
        _ entry: PeriodBook.Entry, beginning: Beginning, end: End, isIgnored: Bool, fate: Fate
    ) {
        (absence, continuedBy) = (fate.absence, fate.continuedBy)
        (mayBeRenewal, returns) = (fate.mayBeRenewal, fate.returns)
        repeatsKey = entry.repeatsKey
        aliases = entry.aliases
        kept = entry.kept
        otherIds = entry.otherIds
        tokens = entry.tokens
        self.beginning = beginning
        (self.end, ending) = (end.at, end.by)
        self.isIgnored = isIgnored
    }

    struct End {
        let at: Timestamp?
        let by: Ending
    }

    /// What other periods and subscriptions make of it.
    struct Fate {
        let absence: Absence?
        let continuedBy: OriginalTransactionID?
        let mayBeRenewal: Bool
        let returns: [PeriodReturn]
    }

    /// The reason without the revocation, which is the transaction's: periods are passed on by the dozen.
    enum Ending: Sendable, Hashable {
        case ran
        case replaced
        case revoked
    }

    /// It lasted to its own end: no refund took it back and nothing took its place.
    package var ranOut: Bool { ending == .ran }

    /// How a period came to be, which decides whether it can move the subscription to its buyer.
    package enum Beginning: String, Sendable, Hashable {
        /// The first period that we know of.
        case firstKnown
        /// It renewed by itself; moves nothing (OWN-8).
        case renewal
        /// Bought while an earlier period ran, whose place it takes: an upgrade, an immediate crossgrade (PER-3), or the same
        /// product bought again (OWN-5).
        case immediateChange
        /// Bought again after the end.
        case resubscription
    }

    package enum EndReason: Sendable, Hashable {
        /// It lasts to its `expiresDate`, or for ever.
        case ran
        /// An upgrade, an immediate crossgrade or the same product bought again took its place (PER-3, OWN-5).
        case replaced
        /// Refunded, or Family Sharing stopped (PER-2).
        case revoked(Revocation)
    }

    /// Whether it gives anybody anything at all: what a family shares may be ignored (OWN-13), and what is somebody's by a
    /// word that is not known is kept and shown only (FACT-5).
    package var counts: Bool { !isIgnored && kept.fact.details.isOwnershipKnown }

    /// Why it gives nothing to anybody; nil where it serves. It is credited to nobody, and whoever asks for the next or the last
    /// period passes it over.
    package let absence: Absence?
    package var neverServes: Bool { absence != nil }

    /// The subscription that continues this one from this period on, after a switch to or from a bundle (PER-14); nil where none
    /// does. The end of the period is then no lapse.
    package let continuedBy: OriginalTransactionID?

    /// What of it was returned to who paid it, in the order in which Apple decided it (ENT-4, ENT-5).
    package let returns: [PeriodReturn]

    /// Apple's revocation of it, where it took anything back; nil where it is the date of an upgrade, or of a switch to or from a
    /// bundle, seen from the money's side (ENT-4, PER-14).
    package var takenBack: Revocation? {
        transaction.isUpgraded || (continuedBy != nil && ending == .replaced) ? nil : transaction.revocation
    }

    /// The subscription under which the same charge serves; nil where it serves here, or nowhere.
    package var servedElsewhere: OriginalTransactionID? {
        if case .servedElsewhere(let id) = absence { return id }
        return nil
    }

    package enum Absence: Sendable, Hashable {
        /// PER-13: a renewal that was charged early and that an upgrade then replaced before it began.
        case replacedEarly
        /// PER-1: the same charge was signed first under that subscription, where it serves.
        case servedElsewhere(OriginalTransactionID)
        /// PER-12: seats that were added to a period that runs. It moves, replaces and lengthens nothing.
        case addedSeats
    }

    /// How many seats were added by it in mid-period; nil where it is a period of its own (PER-12).
    package var addedSeats: Int64? { absence == .addedSeats ? max(1, transaction.details.quantity ?? 1) : nil }

    /// Older data, which does not say whether it renewed, inside the dates of an earlier period: only evidence of the grades (a)
    /// and (b) shows its buyer (OWN-8).
    let mayBeRenewal: Bool

    /// Apple's key of it is that of an earlier period, too, whose dates do not overlap (PER-1): two charges under one key.
    package let repeatsKey: Bool

    /// A renewal, by how it began or by Apple's word; it is charged, and spoken of, up to a day before it begins (PER-6).
    private var isRenewed: Bool { beginning == .renewal || kept.fact.transactionReason == .renewal }

    /// From when on Apple's words about a next renewal are about this period's.
    var firstWord: Timestamp { isRenewed ? purchaseDate.adding(.hours(-24)) : purchaseDate }

    /// Whether its kind of product gives time or possession by itself. A consumable is counted, a non-renewing subscription
    /// adds to a balance (PER-9), and a kind that we do not know is kept (FACT-5), and so is a group's or a seat's purchase
    /// (PER-12).
    package var givesAccess: Bool {
        guard counts else { return false }
        return switch kept.fact.type {
        case .autoRenewableSubscription: kept.fact.expiresDate != nil
        case .nonConsumable: true
        case .consumable, .nonRenewingSubscription, .unstated, .unknown: false
        }
    }

    /// Whether somebody bought it, so that its buyer may own it (OWN-4); what renewed by itself nobody did.
    package var isBought: Bool {
        switch beginning {
        case .renewal: false
        case .firstKnown, .immediateChange, .resubscription: kept.fact.transactionReason != .renewal
        }
    }

    /// Whether it gives service at the instant.
    package func contains(_ instant: Timestamp) -> Bool {
        guard purchaseDate <= instant else { return false }
        guard let end else { return true }
        return instant < end
    }
}
