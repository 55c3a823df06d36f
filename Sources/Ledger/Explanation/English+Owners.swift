import Primitives

extension ExplanationLine.Ownership {
    func english(_ line: ExplanationLine) -> String {
        switch self {
        case .nobody:
            line.stretched(
                "nobody owned it, because nobody had claimed it", "nobody has owned it, because nobody has claimed it")
        case .owner(let customer, let why, let judged):
            line.stretched("it belonged to \(customer)", "it has belonged to \(customer)")
                + ", because \(why.english(customer))\(judged.english)"
        case .merged(let anonymous, let customer):
            "On \(line.when), the anonymous customer \(anonymous) logged in as \(customer). What belonged to \(anonymous) is "
                + "\(customer)'s, also for the time before"
        case .intent(let customer, let product): "On \(line.when), \(customer)'s app asked whether \(customer) may buy \(product)"
        case .buyerUnknown(let product, let owner):
            "On \(line.when), nothing showed who bought \(product), and so it stayed with \(owner)"
        case .reserved(let customer): "On \(line.when), an operator or an import reserved it for \(customer)"
        case .tokenTooLate(let customer, let product, let named):
            "On \(line.when), the account token that the purchase\(product.map { " of \($0)" } ?? "") carries was registered for "
                + "\(customer). That counts for nothing, because "
                + (named.map { "it had been registered for \($0) before" }
                    ?? "the purchase had shown it already, so that anybody could have copied it")
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
        case .token: "the purchase carries the account token that was registered for \(owner)"
        case .tokenOfChange(let product):
            "the change\(product.map { " to \($0)" } ?? "") carries the account token that was registered for \(owner)"
        case .evidence(let shown, let grade, let among): shown.english(owner, grade, among)
        case .firstToShow(let shown):
            "\(shown.who(owner)) was the first to show it\(shown.kind == .restore ? ", by a restore" : "")"
        case .restored(let shown): "\(shown.who(owner)) restored it, and the app's policy lets a restore move it"
        case .restoredFromAnonymous(let before, let shown):
            "\(shown.who(owner)) restored it, and what belongs to an anonymous customer, here \(before), "
                + "goes to whoever restores it"
        case .reserved: "it was reserved for \(owner)"
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
        let rivals = among == .alone ? ", and no other customer showed it" : ", before any other customer showed it"
        let others = grade == .prompt ? "" : rivals
        if isChange {
            return "\(whose(owner)) uploaded the change to \(productId)" + wait("after it was asked for") + others
        }
        switch kind {
        case .queue: return "it appeared on \(device(owner))" + wait("after the purchase of \(productId)") + others
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
        case .queue: "upload of what appeared on the device"
        case .restore: "restore"
        case .reservation: "reservation"
        }
    }
}

// MARK: Claims

extension ExplanationLine.ClaimNews {
    var english: String {
        switch self {
        case .refused(let made, let reason, let rule):
            made.did + ". " + made.refusal(reason, rule) + made.judged.english + made.repeated
        case .waiting(let made, let reason):
            made.did + ". " + made.waiting(reason) + made.judged.english + made.repeated
        case .noted(let made):
            made.did
                + (made.isChange ? ". The owner stays the same until it takes effect" : ". \(made.stays)")
        case .contested(let product, let customers, let buyer):
            "\(English.list(customers.map(\.rawValue))) each have evidence of having bought \(product). "
                + (buyer.map { "It stays with \($0) unless an operator decides otherwise" }
                    ?? "An operator should decide whose it is")
        case .denied(let customer, let kind, let reason): "an operator denied \(customer)'s \(kind.noun)\(English.reason(reason))"
        case .transferChangedNothing(let customer, let reason):
            "an operator gave it to \(customer), to whom it belonged already\(English.reason(reason))"
        }
    }
}

extension ExplanationLine.Made {
    /// What the customer did.
    fileprivate var did: String {
        if isChange { return "\(customer)'s app uploaded the change to \(productId) as \(customer)'s" }
        switch kind {
        case .purchase: return "\(customer)'s app uploaded the purchase of \(productId) as \(customer)'s"
        case .queue: return "\(productId) appeared on \(customer)'s device"
        case .restore: return "\(customer) asked to restore it"
        case .reservation: return "an operator or an import reserved it for \(customer)"
        }
    }

    fileprivate var stays: String { owner.map { "It stayed with \($0)" } ?? "It stayed without an owner" }

    fileprivate func refusal(_ reason: ClaimOutcome.RefusalReason, _ rule: Rule) -> String {
        let whose = owner.map { "it belonged to \($0)" } ?? "nobody owned it"
        switch reason {
        case .ownedByAnother where rule == .renewalNeverMoves:
            return "\(stays): a renewal appears on every device of the Apple Account, and does not show who bought"
        case .ownedByAnother where kind == .restore:
            return "This was refused: \(whose), and the app's policy did not let a restore move it"
        case .ownedByAnother: return "\(stays): \(weakness.english(customer))"
        case .tokenOfAnother:
            return "This was refused: the purchase carries the account token of another customer"
        case .boughtByAnother: return "This was refused: \(whose), and there is better evidence of who bought"
        case .anonymousClaimant:
            return "This was refused: \(whose), and an anonymous customer takes nothing from one who is known"
        case .denied: return "An operator denied this"
        }
    }

    fileprivate func waiting(_ reason: ClaimOutcome.WaitingReason) -> String {
        switch reason {
        case .decision where isContested:
            "The claim \(claim) waits for an operator, because another customer has evidence that is as good"
        case .decision where kind == .restore:
            "The claim \(claim) waits for a decision, as the app's policy wants it for restores"
        case .decision: "The claim \(claim) waits for a decision, as the app's policy wants it for purchases"
        case .signedPendingChange: "The claim \(claim) waits until Apple confirms the change"
        case .limit: "The claim \(claim) waits for an operator, because a limit of the app's policy is reached"
        }
    }

    fileprivate var repeated: String {
        guard let again else { return "" }
        let times = again.count == 1 ? "once more" : "\(again.count) more times"
        return ". It was tried \(times), the last time on \(again.lastAt.english)"
    }
}

extension ExplanationLine.Made.Weakness {
    fileprivate func english(_ customer: CustomerID) -> String {
        switch self {
        case .late(let wait): "this came \(wait.english) after the purchase, too late to show who bought"
        case .notAskedFor: "\(customer)'s app had not asked to buy it, so that this does not show who bought"
        case .byKind: "this does not show who bought"
        }
    }
}
