package import Primitives

/// One thing that is told of a subscription: when, what, and by which rules (OWN-15). A value without words:
/// `Explanation.english` says it in English, and another language says the same cases.
package struct ExplanationLine: Sendable, Hashable {
    /// When it happened, or from when to when it was so.
    package let at: Extent
    /// The rules that made it so, the strongest first; never empty.
    package let rules: [Rule]
    package let statement: Statement
    /// Another line tells of the same minute, so that the seconds show what came first.
    package internal(set) var needsSeconds = false
    /// What it is about.
    package internal(set) var subject = Subject.subscription

    package init(at extent: Extent, rules: [Rule], _ statement: Statement) {
        at = extent
        self.rules = rules
        self.statement = statement
    }

    package enum Subject: Sendable, Hashable {
        case subscription
        /// A consumable, a non-consumable or another one that does not renew (PER-9).
        case oneTimePurchase
    }

    package enum Extent: Sendable, Hashable {
        case instant(Timestamp)
        /// Nil where it lasts, as far as is known at the instant that is asked about.
        case stretch(from: Timestamp, until: Timestamp?)

        /// Where it stands on the timeline.
        package var begin: Timestamp {
            switch self {
            case .instant(let instant): instant
            case .stretch(let from, _): from
            }
        }
    }

    /// What is told, by topic.
    package enum Statement: Sendable, Hashable {
        case purchase(Purchase)
        case change(Change)
        case billing(Billing)
        case refund(Refund)
        case ownership(Ownership)
        case claim(ClaimNews)
        case outlook(Outlook)
    }
}

// MARK: What was bought

extension ExplanationLine {
    /// What was bought, and what renewed.
    package enum Purchase: Sendable, Hashable {
        case began(Bought, Beginning)
        /// Several renewals in a row that differ in nothing are one line; `times` is at least 1. `from`: the product before, if
        /// that was another.
        case renewed(Bought, from: ProductID?, times: Int, after: Interruption)
        /// A consumable, a non-consumable, a non-renewing subscription, or a kind that Apple has not said or that is not known
        /// here (PER-9).
        case oneTime(Bought, ProductKind, quantity: Int64)
        /// It was renewed early and an upgrade then took its place, so that it never served (PER-13).
        case earlyRenewalReplaced(Bought, from: Timestamp)
        /// Kept and shown, and gives nothing.
        case givesNothing(ProductID, Reason)
        /// The one before was charged in another storefront; Apple's codes, which are those of countries.
        case otherStorefront(ProductID, String, before: String)
        /// Apple's key of the charge is that of an earlier period, too, and their dates do not overlap (PER-1).
        case twoCharges(ProductID, String)
        /// Seats of a group purchase that were added to the period that runs (PER-12).
        case addedSeats(Bought, count: Int64)

        package enum Beginning: Sendable, Hashable {
            case first
            /// Apple calls it a renewal; what was before it is not known.
            case firstHeardOf
            /// The product whose running period it replaced, which may be its own; nil where that is not known.
            case replacing(ProductID?)
            /// After the end.
            case again
            /// It continues that subscription after a switch to or from a bundle (PER-14). The product that ran then is nil where
            /// it is not known.
            case continuing(OriginalTransactionID, ProductID?)
        }

        /// What came between the period before and its renewal.
        package enum Interruption: Sendable, Hashable {
            case none
            /// Apple said that it could not charge.
            case failedCharge
            /// The period before ended then, and Apple said nothing of a failed charge.
            case gap(since: Timestamp)
        }

        package enum Reason: Sendable, Hashable {
            /// The app's policy ignores what a family shares (OWN-13).
            case familySharingIgnored
            /// `inAppOwnershipType` as Apple wrote it (FACT-5).
            case ownershipType(String)
            /// The same charge was signed first under that subscription, where it serves (PER-1).
            case servedElsewhere(OriginalTransactionID)
        }
    }

    /// A period or a one-time purchase, as it was when it was bought.
    package struct Bought: Sendable, Hashable {
        package let productId: ProductID
        /// `expiresDate` before Apple gave more time, as far as that is known; nil for what does not expire.
        package var until: Timestamp?
        package let offer: LedgerEvent.Offer?
        package let price: Price?
        package let isFamilyShared: Bool
        /// Apple assigned it as a seat of a group purchase (PER-12).
        package let isAssigned: Bool
        /// The end of a commitment with monthly billing (PER-10); nil where there is none or Apple does not say.
        package let commitmentUntil: Timestamp?

        /// Another Apple Account paid for it.
        var isPaidByAnother: Bool { isFamilyShared || isAssigned }
    }

    /// An amount of money and its currency, as Apple signed both.
    package struct Price: Sendable, Hashable {
        package let amount: Milliunits
        package let currency: String
    }
}

// MARK: What Apple said of the next renewal

extension ExplanationLine {
    /// What was changed for the next renewal, and other words of Apple's.
    package enum Change: Sendable, Hashable {
        /// `until`: when the period ends that is paid.
        case renewalOff(ProductID, until: Timestamp?)
        case renewalOn
        /// The next renewal is into another product (PER-4).
        case scheduled(from: ProductID, to: ProductID, takesEffectAt: Timestamp?)
        /// The next renewal is into the present product again. `voids`: who had asked for the change as theirs (OWN-6).
        case withdrawn(to: ProductID, remains: ProductID, voids: [CustomerID])
        /// Nil where Apple did not name the price.
        case pricePending(Price?)
        /// Where nobody `wasAsked` to agree, the customer may only have been told.
        case priceAccepted(Price?, wasAsked: Bool)
        /// An offer that counts from the next renewal (PER-7).
        case offer(LedgerEvent.Offer, from: Timestamp?)
        /// What was accepted for the next renewal no longer counts for it.
        case offerGone(LedgerEvent.Offer)
        /// Apple moved the renewal date back; nil where the new end is not known.
        case extended(until: Timestamp?)
        case extensionFailed
        /// What Apple sent and what changes no answer here; Apple's spelling (FACT-5).
        case notice(type: String, subtype: String?)
    }

    /// What became of the charge for the next period, and how a period ended.
    package enum Billing: Sendable, Hashable {
        /// `access`: what it means for access.
        case failed(ProductID, access: AccessMeanwhile)
        case graceBegan(until: Timestamp)
        case graceOver
        /// Access was kept past the end, for want of news (ENT-6). `questions`: how often Apple was asked in vain.
        case keptWithoutNews(ProductID, questions: Int)
        case ended(ProductID, Ending)

        package enum AccessMeanwhile: Sendable, Hashable {
            case keptUntil(Timestamp)
            /// Apple signed a grace period, and not until when (ENT-7).
            case keptUntilNews(atMost: Timestamp)
            case lostFrom(Timestamp)
        }

        package enum Ending: Sendable, Hashable {
            /// `expirationIntent` as Apple gave it.
            case apple(expirationIntent: Int64)
            /// Apple said that it is over, and not why.
            case appleWithoutReason
            /// Renewal was off, and Apple has not said that it is over.
            case renewalWasOff
            /// Apple says that another product replaced it, and that one is not known here.
            case replacedByUnknown
            /// That subscription continues it after a switch to or from a bundle (PER-14).
            case continued(OriginalTransactionID)
            /// Apple does not try to charge for longer than so many days.
            case retryOver(days: Int64)
            /// Nobody said so.
            case silence
        }
    }

    /// What was given back, and what that took.
    package enum Refund: Sendable, Hashable {
        case refunded(ProductID?, Revocation, TakeBack)
        case familySharingStopped(ProductID, TakeBack)
        /// A seat of a group purchase was taken back (PER-12).
        case assignmentEnded(ProductID, TakeBack)
        /// Apple told of a refund that no transaction shows any more; nil where it is not known what Apple said of it.
        case wasRefunded(ProductID?, Revocation?)
        case reversed(ProductID?)
        case declined(ProductID?)
        /// `consumptionRequestReason` in Apple's spelling; nil where it gave none.
        case consumptionRequested(ProductID?, reason: String?, deadline: Timestamp)
        /// The rest of what an upgrade or a crossgrade at once replaced ended with that (ENT-4).
        case restOfReplaced(Bought, rest: Milliseconds)

        package enum TakeBack: Sendable, Hashable {
            /// The unused part, and who had it; nil if there was no owner.
            case took(Milliseconds, from: CustomerID?)
            /// It does not expire, so that there is no part of it.
            case tookWhole(from: CustomerID?)
            /// It was over already.
            case nothingLeft
            /// Where time adds up, the balance shows what was taken: what was unused by Apple's dates; nil where it has none.
            case fromBalance(Milliseconds?)
            /// Its paid time was over; what was kept after it, for a grace period or for want of news, ended (ENT-7).
            case endedGrace
            /// The app's policy leaves the time that a partial refund is about (PER-11).
            case keptByPolicy
            /// Of several units, or of a consumable, a part of the price was refunded: so many whole units of all that were
            /// bought (PER-11); nil where Apple does not say which part.
            case units(Int64?, of: Int64)
            /// So many of the seats that were bought, in all refunds of them (PER-12); 0 where Apple does not say how many.
            case seats(Int64, of: Int64)
        }
    }
}

// MARK: Whose it is

extension ExplanationLine {
    /// Who owned it, and what was said of who is who.
    package enum Ownership: Sendable, Hashable {
        case nobody(Unowned)
        /// Whose it was is erased (I45).
        case released
        case owner(CustomerID, Why, Judgement)
        /// An anonymous customer turned out to be an identified one.
        case merged(anonymous: CustomerID, into: CustomerID, by: Merge)
        /// An operator decided that one customer is another one, or gave a customer another id.
        case joined(CustomerPair, because: String)
        /// An operator withdrew that.
        case separated(CustomerPair)
        /// They asked before buying whether they may (OWN-18).
        case intent(CustomerID, ProductID)
        /// An operator or an import said whose it is (OWN-18).
        case reserved(CustomerID)
        /// A token that a purchase bore already was registered. The product is nil where only Apple's word about a change bore
        /// it.
        case tokenTooLate(CustomerID, of: ProductID?, TooLate)
        /// Something was bought and nothing shows by whom.
        case buyerUnknown(ProductID, staysWith: CustomerID)

        /// Why no customer owns it.
        package enum Unowned: Sendable, Hashable {
            case noClaim
            /// A claim to it is pending.
            case claimPending
            /// There were claims, and none of them is pending or was accepted.
            case noClaimAccepted
        }

        /// How an anonymous customer and another one became one.
        package enum Merge: Sendable, Hashable {
            /// By logging in, or by a claim elsewhere.
            case elsewhere
            /// By a restore of this, under the policy `mergeOnClaim`.
            case restore
            /// By a restore, under the policy `mergeOnClaim`: both are anonymous and of one Apple Account.
            case oneAppleAccount
        }

        /// Why a registration of a token names no customer.
        package enum TooLate: Sendable, Hashable {
            /// It was registered for this customer before.
            case registeredBefore(CustomerID)
            /// It is vouched for that it is this customer's.
            case vouchedFor(CustomerID)
            /// This purchase bore it before it was registered.
            case borneHere
            /// Another purchase did.
            case borneElsewhere
            /// It is the nil UUID, or another constant that names nobody (OWN-2).
            case namesNobody
        }

        /// Why a token names the customer (OWN-2).
        package enum TokenOrigin: Sendable, Hashable {
            /// It was registered for them before any purchase bore it.
            case registered
            /// The app's backend or an import vouches that it was made for them.
            case vouched
            /// It is their own id.
            case ownId
        }

        /// What shows that they are the owner.
        package enum Why: Sendable, Hashable {
            case token(TokenOrigin)
            /// The app set it on the running purchase.
            case tokenSet(TokenOrigin)
            case tokenOfChange(ProductID?, TokenOrigin)
            case evidence(Shown, PurchaseGrade, Among)
            /// The first claim that was accepted.
            case firstToShow(Shown)
            case restored(Shown)
            case restoredFromAnonymous(CustomerID, Shown)
            case reserved
            /// An operator gave it to them; the operator's words, which may be empty.
            case operatorDecided(reason: String)
            case operatorApproved(Claim.Kind, reason: String)
            case ownerAgreed(CustomerID?, Claim.Kind)
            /// They owned the subscription that this one continues (PER-14).
            case previous(OriginalTransactionID)
        }

        /// Who else had evidence of the same grade.
        package enum Among: Sendable, Hashable {
            case alone
            case first
        }
    }

    /// A claim as what it shows.
    package struct Shown: Sendable, Hashable {
        package let kind: Claim.Kind
        /// The product that was named.
        package let productId: ProductID
        /// It names a change that waits for the renewal, and `after` counts from Apple's word about that.
        package let isChange: Bool
        /// How long after the purchase; nil where the claim is not about one purchase, or came before it by our clock.
        package let after: Milliseconds?
        /// As which anonymous customer, where that is another name than the owner's.
        package let asAnonymous: CustomerID?
    }

    /// By which version of the app's policy something was judged, where versions differ in what decides it (OWN-17).
    package enum Judgement: Sendable, Hashable {
        case onlyOne
        case version(Int64)
    }
}

// MARK: What was asked for in vain

extension ExplanationLine {
    /// A claim that did not simply succeed, or what was decided about one.
    package enum ClaimNews: Sendable, Hashable {
        case refused(Made, ClaimOutcome.RefusalReason, by: Rule)
        /// `decidedAt`: when an operator decided whose it is, by the instant that is told for.
        case waiting(Made, ClaimOutcome.WaitingReason, decidedAt: Timestamp?)
        /// It shows who bought, and the owner stays.
        case noted(Made)
        /// Several have evidence of one purchase, or a reservation of it. `decidedAt` as above.
        case contested(ProductID, customers: [CustomerID], serves: CustomerID?, decidedAt: Timestamp?)
        /// Pending until its customer was erased (I45).
        case lapsed(Made)
        /// `reason`: in the operator's words; may be empty.
        case denied(CustomerID, Claim.Kind, reason: String)
        /// An operator gave it to a customer, and its owners are those without that. `isOwner`: the customer owned it already.
        case transferChangedNothing(CustomerID, isOwner: Bool, reason: String)
        /// Somebody approved a claim that had been decided before, or who no longer could.
        case approvalChangedNothing(CustomerID, Claim.Kind, reason: String)
    }

    /// A claim and how it was met.
    package struct Made: Sendable, Hashable {
        package let customer: CustomerID
        package let kind: Claim.Kind
        package let claim: ID<ClaimEvidence>
        /// The product that was named.
        package let productId: ProductID
        /// It names another product than it shows: a change that waits for the renewal.
        package let isChange: Bool
        /// Others have evidence of the same purchase.
        package let isContested: Bool
        package let weakness: Weakness
        /// The owner then; nil if there was none.
        package let owner: CustomerID?
        /// What the app's policy says of it, by the version that judged it.
        package let policy: PolicyWord
        package let judged: Judgement
        /// How often it was made again in vain; nil where it was not.
        package let again: ClaimRepetition?
    }
}

extension ExplanationLine.Made {
    /// Why an upload does not show who bought.
    package enum Weakness: Sendable, Hashable {
        /// So long after the purchase that it no longer counts.
        case late(Milliseconds)
        /// The client asks before it buys, and did not ask for this (OWN-18).
        case notAskedFor
        /// It is what it is: a restore, a renewal, another product.
        case byKind
    }
}

extension ExplanationLine.Made {
    /// What the app's policy says of who may take it.
    package enum PolicyWord: Sendable, Hashable {
        /// Nothing that explains more than the reason does.
        case silent
        /// A restore moves nothing (`onRestore: keep`).
        case keeps
        /// A restore moves only what is over (`onRestore: transferIfInactive`).
        case movesInactive
        /// A purchase by another customer moves nothing (`onPurchase: stay`).
        case stays
        /// Only tokens count as evidence (`purchaseEvidence: tokenOnly`).
        case tokensOnly
        /// So many restores by others in so long (`restoreLimit`), and no other limit.
        case restores(count: Int64, in: Milliseconds)
        /// So many customers for each Apple Account (`customersPerAppleAccount`), and no other limit.
        case customers(count: Int64)
    }
}

// MARK: What it is and what comes next

extension ExplanationLine {
    /// What it is at the instant that was asked about, and what is known and not known of what follows.
    package enum Outlook: Sendable, Hashable {
        case unknown
        case standing(Standing, ProductID, owner: CustomerID?)
        case renews(Renewing)
        case ends(at: Timestamp)
        case doesNotEnd
        /// Apple has not said whether it renews.
        case renewalUnknown(end: Timestamp)
        /// Charged already for what begins later (PER-6). `owner`: the owner then, if that is another customer.
        case renewedAhead(ProductID, from: Timestamp, owner: CustomerID?)
        /// A charge each month until the end of the commitment (PER-10).
        case commitment(until: Timestamp)
        /// It is over, and how the customer can have it again. `notFor`: the entitlements that the owner may use without that;
        /// sorted.
        case hadAgain(WayBack, notFor: [EntitlementID])
        /// Its end is not confirmed: it goes on if Apple reports later that it renewed.
        case mayComeBack
        /// Apple reported that another product replaced it: it goes on once Apple shows that one.
        case mayComeBackAsAnother
        /// Nothing was paid: it is of Apple's Sandbox (FACT-4).
        case sandbox
        case noNews(ended: Timestamp, keptUntil: Timestamp?)
        case graceRuns(until: Timestamp)
        /// Apple signed a grace period, and not until when (ENT-7).
        case graceRunsUntilNews(atMost: Timestamp)
        case retryRuns(since: Timestamp, until: Timestamp)
        /// The owner's access to the entitlements that it gives.
        case access(Access)
        /// A licence to updates: every feature released by then may be used for ever (LIC-1).
        case licence(CustomerID, until: Timestamp)

        package enum Standing: Sendable, Hashable {
            case active
            /// For want of news (ENT-6).
            case provisional
            case grace
            case retry
            case over(ended: Timestamp, Billing.Ending)
            case revoked(since: Timestamp, TakenBack)
            case notBegun(from: Timestamp)
            case purchased(ProductKind)
            /// A non-renewing subscription until its configured end (PER-9); nil where no length is configured.
            case lasts(until: Timestamp?)
            /// A non-renewing subscription whose configured end is past.
            case ranOut(at: Timestamp)
            /// It gives no access to anybody, at no instant.
            case givesNothing(Purchase.Reason)
        }

        /// What makes it the customer's again.
        package enum WayBack: Sendable, Hashable {
            case purchase
            /// It was refunded: a purchase, or the reversal of the refund (ENT-5).
            case purchaseOrReversal
            /// The customer had it through Family Sharing and never bought it (OWN-13).
            case familySharing
            /// The customer had it by a seat of a group purchase and never bought it (PER-12).
            case seat
        }

        package struct Renewing: Sendable, Hashable {
            /// Nil where it renews into its own product.
            package let into: ProductID?
            package let at: Timestamp
            /// As Apple's last word says them; nil where it says none.
            package let price: Price?
            package let offer: LedgerEvent.Offer?
            /// The owner then, if another customer asked for the change; nil: it stays with its owner.
            package let owner: CustomerID?
            /// The customer was asked to agree to a higher price, and has not answered.
            package let awaitsConsent: Bool
        }
    }
}

// MARK: What the owner may use

extension ExplanationLine {
    /// The access of a subscription's owner at the instant that was asked about, from the answer that a query gets (ENT-1).
    package struct Access: Sendable, Hashable {
        package let customer: CustomerID
        /// Those with this one answer; sorted, never empty.
        package let entitlements: [EntitlementID]
        /// Apple signed more after the instant, which the answer knows and the other lines leave out.
        package let knowsMore: Bool
        package let state: State

        package enum State: Sendable, Hashable {
            /// Nil where no end is known.
            case active(until: Timestamp?, Basis)
            /// An operator holds it (ENT-9). Nil: until the hold is withdrawn. The reason is in the operator's words and may be
            /// empty.
            case held(until: Timestamp?, reason: String)
            /// The end of the last window.
            case ended(at: Timestamp, EndReason)
            case neverGiven
        }

        /// What an active answer rests on at the instant.
        package enum Basis: Sendable, Hashable {
            /// `other`: the purchase where it is not the explained one, and nil too for a balance to which only other sources
            /// added.
            case purchase(EntitlementAnswer.Right, ProductID?, other: OriginalTransactionID?)
            /// A grant by an operator (ENT-9); the reason is in the operator's words and may be empty.
            case grant(reason: String)
        }
    }
}
