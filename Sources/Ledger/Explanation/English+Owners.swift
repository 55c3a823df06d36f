import Primitives

extension ExplanationLine.Ownership {
    func english(_ line: ExplanationLine) -> String {
        switch self {
        case .nobody(.noClaim):
            line.stretched(
                "\(line.it) had no owner, because no customer had claimed it",
                "\(line.it) has had no owner, because no customer has claimed it")
        case .nobody(.claimPending):
            line.stretched(
                "\(line.it) had no owner, because a claim to it was pending",
                "\(line.it) has had no owner, because a claim to it is pending")
        case .nobody(.noClaimAccepted):
            line.stretched(
                "\(line.it) had no owner, because no claim to it had been accepted",
                "\(line.it) has had no owner, because no claim to it has been accepted")
        case .released:
            line.stretched(
                "\(line.it) had no owner, because the customer who owned it had been erased",
                "\(line.it) has had no owner, because the customer who owned it has been erased")
        case .owner(let customer, let why, let judged):
            line.stretched("\(line.it) belonged to \(customer)", "\(line.it) has belonged to \(customer)")
                + ", because \(why.english(customer))\(judged.english)"
        case .merged(let anonymous, let customer, let merge):
            merge.english(line, anonymous, customer)
                + ". What belonged to \(anonymous) counts as \(customer)'s, from the beginning"
        case .joined(let pair, let reason):
            "On \(line.when), an operator decided that \(pair.from) and \(pair.into) are one customer, \(pair.into): what "
                + "belonged to \(pair.from) counts as \(pair.into)'s, from the beginning\(English.reason(reason))"
        case .separated(let pair):
            "On \(line.when), an operator decided that \(pair.from) and \(pair.into) are two customers after all: what belonged "
                + "to \(pair.from) is \(pair.from)'s again"
        case .intent(let customer, let product):
            "On \(line.when), \(customer)'s app asked whether \(customer) may buy \(product)"
        case .buyerUnknown(let product, let owner):
            "On \(line.when), nothing showed who bought \(product), and so it stayed with \(owner)"
        case .reserved(let customer): "On \(line.when), an operator or an import reserved \(line.it) for \(customer)"
        case .tokenTooLate(let customer, let product, let reason):
            "On \(line.when), the account token that "
                + "\(product.map { "the purchase of \($0)" } ?? "a change of the subscription") carries was registered for "
                + "\(customer). That has no effect, because \(reason.english)"
        }
    }
}

extension ExplanationLine.Ownership.Merge {
    fileprivate func english(_ line: ExplanationLine, _ anonymous: CustomerID, _ customer: CustomerID) -> String {
        switch self {
        case .elsewhere: "On \(line.when), the anonymous customer \(anonymous) became known as \(customer)"
        case .restore:
            "On \(line.when), \(customer) restored what the anonymous customer \(anonymous) owned. By the app's policy that "
                + "makes both one customer"
        case .oneAppleAccount:
            "On \(line.when), a restore showed that the anonymous customers \(anonymous) and \(customer) use one Apple Account. "
                + "By the app's policy that makes both one customer, \(customer)"
        }
    }
}

extension ExplanationLine.Ownership.TooLate {
    fileprivate var english: String {
        switch self {
        case .registeredBefore(let named): "it had been registered for \(named) before"
        case .vouchedFor(let named): "it was made for \(named)"
        case .borneHere: "it had been used here before, so that anybody could have copied it"
        case .namesNobody: "it is a constant that apps send in place of a missing token; it names nobody"
        case .borneElsewhere: "it had been used for another purchase before, so that anybody could have copied it"
        }
    }
}

extension ExplanationLine.Ownership.TokenOrigin {
    /// After "the account token that".
    fileprivate func english(_ owner: CustomerID) -> String {
        switch self {
        case .registered: "was registered for \(owner)"
        case .vouched: "was made for \(owner), as the app's backend or an import says"
        case .ownId: "is \(owner)'s own id"
        }
    }
}

extension ExplanationLine {
    /// A sentence about a stretch that is over, or that lasts.
    fileprivate func stretched(_ past: String, _ present: String) -> String {
        if case .stretch(_, let until?) = at { return "From \(when) to \(until.english), \(past)" }
        return "Since \(when), \(present)"
    }
}

extension ExplanationLine.Judgement {
    /// As a sentence of its own, after a full stop.
    var english: String {
        switch self {
        case .onlyOne: ""
        case .version(let version): ". Version \(version) of the app's policy decided this"
        }
    }
}

extension ExplanationLine.Ownership.Why {
    fileprivate func english(_ owner: CustomerID) -> String {
        switch self {
        case .token(let origin): "the purchase carries the account token that \(origin.english(owner))"
        case .tokenSet(let origin): "the app later gave the purchase the account token that \(origin.english(owner))"
        case .tokenOfChange(let product, let origin):
            "the change\(product.map { " to \($0)" } ?? "") carries the account token that \(origin.english(owner))"
        case .evidence(let shown, let grade, let among): shown.english(owner, grade, among)
        case .firstToShow(let shown):
            "\(shown.who(owner)) made the first claim to it that was accepted\(shown.kind == .restore ? ", by a restore" : "")"
        case .restored(let shown): "\(shown.who(owner)) restored it, and the app's policy let a restore move it"
        case .restoredFromAnonymous(let before, let shown):
            "\(shown.who(owner)) restored it, and what belongs to an anonymous customer, here \(before), "
                + "goes to the customer who restores it"
        case .reserved: "it was reserved for \(owner)"
        case .previous(let id): "\(owner) owned the subscription \(id), which this one continues"
        case .operatorDecided(let reason): "an operator decided so\(English.reason(reason))"
        case .operatorApproved(let kind, let reason): "an operator approved \(owner)'s \(kind.noun)\(English.reason(reason))"
        case .ownerAgreed(let before, let kind): "\(before.map(\.rawValue) ?? "its owner") agreed to \(owner)'s \(kind.noun)"
        }
    }
}

extension ExplanationLine.Shown {
    /// The owner, and under which name they were then.
    fileprivate func who(_ owner: CustomerID) -> String {
        asAnonymous.map { "\(owner), then still the anonymous customer \($0)," } ?? owner.rawValue
    }

    fileprivate func english(
        _ owner: CustomerID, _ grade: PurchaseGrade, _ among: ExplanationLine.Ownership.Among
    ) -> String {
        let rivals =
            among == .alone
            ? ", and no other customer showed evidence of the purchase in time"
            : ", before any other customer showed evidence of the purchase"
        let others = grade == .prompt ? "" : rivals
        if isChange {
            return "\(whose(owner)) reported the change to \(productId)" + wait("after it was asked for") + others
        }
        switch kind {
        case .queue: return "the purchase of \(productId) appeared on \(device(owner))" + wait("after it was made") + others
        case .purchase, .restore, .reservation:
            return "\(whose(owner)) uploaded the purchase of \(productId)" + wait("after it was made") + others
        }
    }

    private func whose(_ owner: CustomerID) -> String {
        asAnonymous.map { "the app of \(owner), then still the anonymous customer \($0)," } ?? "\(owner)'s app"
    }

    private func device(_ owner: CustomerID) -> String {
        asAnonymous.map { "the device of \(owner), then still the anonymous customer \($0)," } ?? "\(owner)'s device"
    }

    private func wait(_ since: String) -> String { after.map { " \($0.english) \(since)" } ?? "" }
}

extension Claim.Kind {
    /// What the customer did, after a possessive.
    var noun: String {
        switch self {
        case .purchase: "upload of the purchase"
        case .queue: "upload of the purchase that appeared on the device"
        case .restore: "restore"
        case .reservation: "reservation"
        }
    }
}

// MARK: Claims

extension ExplanationLine.ClaimNews {
    func english(_ line: ExplanationLine) -> String {
        switch self {
        case .refused(let made, let reason, let rule):
            made.did(line.it) + ". " + made.refusal(reason, rule) + made.judged.english + made.repeated
        case .waiting(let made, let reason, let decidedAt):
            made.did(line.it) + ". " + made.waiting(reason, decidedAt) + made.judged.english + made.repeated
        case .noted(let made):
            made.did(line.it)
                + (made.isChange
                    ? ". Until it took effect, \(made.owner.map { "\($0) was to stay the owner" } ?? "it was to have no owner")"
                    : ". \(made.stays)\(made.policyOnPurchase.map { ": \($0)" } ?? "")")
        case .contested(let product, let customers, let buyer, let decidedAt):
            "more than one customer had a claim to \(product): \(English.list(customers.map(\.rawValue))). "
                + Self.contested(buyer, decidedAt)
        case .lapsed(let made):
            made.did(line.it) + ". This was pending until \(made.customer) was erased, and was then refused"
        case .denied(let customer, let kind, let reason): "an operator denied \(customer)'s \(kind.noun)\(English.reason(reason))"
        case .transferChangedNothing(let customer, let isOwner, let reason):
            "an operator gave it to \(customer)\(English.reason(reason)). That changed nothing"
                + (isOwner ? ": \(customer) owned it already" : "")
        case .approvalChangedNothing(let customer, let kind, let reason):
            "\(customer)'s \(kind.noun) was approved\(English.reason(reason)). That changed nothing"
        }
    }

    private static func contested(_ buyer: CustomerID?, _ decidedAt: Timestamp?) -> String {
        switch (buyer, decidedAt) {
        case (let buyer?, nil): "It stays with \(buyer) unless an operator decides otherwise"
        case (let buyer?, let at?): "It stayed with \(buyer) until the owner was decided, on \(at.english)"
        case (nil, nil): "An operator must decide whose it is"
        case (nil, let at?): "The owner was decided on \(at.english)"
        }
    }
}

extension ExplanationLine.Made {
    /// What the customer did.
    fileprivate func did(_ it: String) -> String {
        if isChange { return "\(customer)'s app reported the change to \(productId) as \(customer)'s own" }
        switch kind {
        case .purchase: return "\(customer)'s app uploaded the purchase of \(productId) as \(customer)'s own"
        case .queue: return "the purchase of \(productId) appeared on \(customer)'s device"
        case .restore: return "\(customer) asked to restore \(it)"
        case .reservation: return "an operator or an import reserved \(it) for \(customer)"
        }
    }

    fileprivate var stays: String { owner.map { "It stayed with \($0)" } ?? "It stayed without an owner" }

    fileprivate func refusal(_ reason: ClaimOutcome.RefusalReason, _ rule: Rule) -> String {
        let whose = owner.map { "it belonged to \($0)" } ?? "it had no owner"
        switch reason {
        case .ownedByAnother where rule == .renewalNeverMoves:
            return "\(stays): a renewal appears on every device of the Apple Account, and does not show who bought"
        case .ownedByAnother where kind == .restore: return "This was refused: \(whose), and the app's policy \(restoreMoves)"
        case .ownedByAnother: return "\(stays): \(policyOnPurchase ?? weakness.english(customer))"
        case .tokenOfAnother where kind == .restore:
            return "This was refused: the purchase carries the account token of another customer, and the app's policy protects "
                + "what was bought with one"
        case .tokenOfAnother:
            return "This was refused: the purchase carries the account token of another customer"
        case .boughtByAnother: return "This was refused: \(whose), and there is better evidence of who bought"
        case .anonymousClaimant:
            return "This was refused: \(whose), and under the app's policy an anonymous customer takes nothing from an "
                + "identified one"
        case .denied: return "An operator denied this later"
        }
    }

    private var restoreMoves: String {
        policy == .movesInactive
            ? "lets a restore move it only when it is over and Apple no longer tries to charge" : "did not let a restore move it"
    }

    fileprivate var policyOnPurchase: String? {
        switch policy {
        case .stays: "under the app's policy a purchase by another customer moves nothing"
        case .tokensOnly: "under the app's policy only account tokens show who bought"
        default: nil
        }
    }

    fileprivate func waiting(_ reason: ClaimOutcome.WaitingReason, _ decidedAt: Timestamp?) -> String {
        guard let decidedAt else { return "This is pending \(wait(reason))" }
        return "This was pending \(wait(reason)). The owner was decided on \(decidedAt.english)"
    }

    private func wait(_ reason: ClaimOutcome.WaitingReason) -> String {
        switch reason {
        case .decision where isContested: "an operator's decision, because another customer has an equal claim"
        case .decision where kind == .restore: "a decision, which the app's policy requires for restores"
        case .decision: "a decision, which the app's policy requires for purchases"
        case .signedPendingChange: "Apple's confirmation of the change"
        case .limit: "an operator's decision, because \(limit)"
        }
    }

    private var limit: String {
        switch policy {
        case .restores(let count, let window):
            "the app's policy lets restores move a subscription \(English.times(count)) in \(window.english)"
        case .customers(let count):
            "the app's policy lets an Apple Account serve \(English.count(count, "customer"))"
        default: "a limit of the app's policy is reached"
        }
    }

    fileprivate var repeated: String {
        guard let again else { return "" }
        if again.count == 1 { return ". It was tried once more, on \(again.lastAt.english)" }
        return ". It was tried \(again.count) more times, the last time on \(again.lastAt.english)"
    }
}

extension ExplanationLine.Made.Weakness {
    fileprivate func english(_ customer: CustomerID) -> String {
        switch self {
        case .late(let wait): "this came \(wait.english) after the purchase, too late to show who bought"
        case .notAskedFor: "\(customer)'s app had not asked whether \(customer) may buy it, so that this does not show who bought"
        case .byKind: "this does not show who bought"
        }
    }
}
