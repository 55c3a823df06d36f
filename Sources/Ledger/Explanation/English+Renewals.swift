import Primitives

extension ExplanationLine.Change {
    var english: String {
        switch self {
        case .renewalOff(let product, let until):
            "auto-renew was turned off" + (until.map { ": \(product) was to end on \($0.english)" } ?? "")
        case .renewalOn: "auto-renew was turned on again"
        case .scheduled(let from, let to, let at):
            "a change from \(from) to \(to) was asked for, to take effect with the next renewal"
                + (at.map { ", on \($0.english)" } ?? "") + ". Until then nothing was to change"
        case .withdrawn(let to, let remains, let voids):
            "the change to \(to) was withdrawn: \(remains) was to renew as before"
                + (voids.isEmpty ? "" : ". The change that \(English.list(voids.map(\.rawValue))) had reported has no effect")
        case .pricePending(let price):
            "Apple asked the customer to agree to a higher price\(English.price(price)). Without their consent the subscription "
                + "would not renew"
        case .priceAccepted(let price, wasAsked: true): "the customer agreed to the higher price\(English.price(price))"
        case .priceAccepted(let price, wasAsked: false):
            "the customer agreed to a higher price\(English.price(price)), or was informed of it and did not have to agree"
        case .offer(let offer, let from):
            "\(offer.english) was accepted. It was to count from the next renewal" + (from.map { ", on \($0.english)" } ?? "")
        case .offerGone(let offer): "\(offer.english) no longer counted for the next renewal"
        case .extended(let until): "Apple gave more time" + (until.map { ", until \($0.english)" } ?? "") + ", at no cost"
        case .extensionFailed: "Apple was asked for more time, and did not give it"
        case .notice("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED"?):
            "auto-renew was turned off. Under the commitment the monthly charges continue, and the subscription ends with the "
                + "commitment"
        case .notice("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED"?):
            "auto-renew was turned on again: the subscription continues after the commitment"
        case .notice(let type, let subtype):
            "Apple sent \(type)" + (subtype.map { " (\($0))" } ?? "") + ", which is stored and changes nothing here"
        }
    }
}

extension ExplanationLine.Billing {
    func english(_ line: ExplanationLine) -> String {
        switch self {
        case .failed(let product, .keptUntil(let end)):
            "On \(line.when), Apple could not charge for the renewal of \(product). It set a billing grace period: the "
                + "subscription was to give access until \(end.english) meanwhile"
        case .failed(let product, .keptUntilNews(let end)):
            "On \(line.when), Apple could not charge for the renewal of \(product). It set a billing grace period and did not "
                + "say when that ends: the subscription was to give access until Apple says that it has ended, until "
                + "\(end.english) at the latest"
        case .failed(let product, .lostFrom(let end)):
            "On \(line.when), Apple could not charge for the renewal of \(product). There was no billing grace period: without "
                + "a payment, the subscription was to stop giving access on \(end.english)"
        case .graceBegan(let end):
            "On \(line.when), Apple set a billing grace period: the subscription was to give access until \(end.english) "
                + "meanwhile"
        case .graceOver:
            "On \(line.when), the billing grace period ended without a payment, and the subscription stopped giving access"
        case .keptWithoutNews(let product, let questions): line.keptWithoutNews(product, questions)
        case .ended(let product, .silence):
            "On \(line.when), the period of \(product) ended. Apple has not said that it renewed, nor that it expired"
        case .ended(let product, .renewalWasOff):
            "On \(line.when), the period of \(product) ended, and auto-renew was off. Apple has not confirmed the end"
        case .ended(let product, .retryOver(let days)):
            "On \(line.when), \(product) ended: Apple tries to charge for \(days) days at the most, and has not said that it "
                + "succeeded"
        case .ended(let product, .replacedByUnknown):
            "On \(line.when), the period of \(product) ended: Apple says that another product replaced it, and has not "
                + "shown which"
        case .ended(let product, .continued(let next)):
            "On \(line.when), \(product) ended: the customer switched to or from a bundle, and the subscription \(next) "
                + "continues it"
        case .ended(let product, let ending): "On \(line.when), \(product) expired: \(ending.english)"
        }
    }
}

extension ExplanationLine {
    fileprivate func keptWithoutNews(_ product: ProductID, _ questions: Int) -> String {
        let failed = questions == 0 ? "" : ". Asking Apple failed \(English.times(Int64(questions)))"
        let why = "it was set to renew, and news can be late\(failed)"
        guard case .stretch(_, let until?) = at else {
            return "Since \(when), the subscription has kept giving access although Apple has not said that \(product) renewed: "
                + "\(why)"
        }
        return "From \(when) to \(until.english), the subscription kept giving access although Apple had not said that "
            + "\(product) renewed: \(why)"
    }
}

extension ExplanationLine.Billing.Ending {
    /// Why, after a colon.
    ///
    /// Source: Apple, App Store Server API, `expirationIntent`.
    var english: String {
        switch self {
        case .apple(1): "auto-renew had been turned off"
        case .apple(2): "Apple could not charge for the renewal"
        case .apple(3): "the customer did not agree to a higher price, or to another change that needs consent"
        case .apple(4): "the product was not for sale when it should have renewed"
        case .apple(5): "Apple gives another reason, and does not name it"
        case .apple(let intent): "Apple gives a reason that is not known here (expirationIntent \(intent))"
        case .appleWithoutReason: "Apple gives no reason"
        case .renewalWasOff: "auto-renew was off"
        case .retryOver(let days): "Apple tries to charge for \(days) days at the most, and has not said that it succeeded"
        case .replacedByUnknown: "Apple says that another product replaced it, and has not shown which"
        case .continued(let next): "the subscription \(next) continues it"
        case .silence: "Apple has not said that it renewed"
        }
    }
}

// MARK: What it is and what comes next

extension ExplanationLine.Outlook {
    func english(_ line: ExplanationLine) -> String {
        switch self {
        case .unknown: "As of \(line.when), nothing that Apple signed is known of it"
        case .standing(let standing, let product, let owner): "As of \(line.when), \(standing.english(product, owner))"
        case .renews(let renewing): renewing.english
        case .ends(let end): "Auto-renew is off: the subscription ends on \(end.english)"
        case .doesNotEnd: "It does not expire"
        case .renewalUnknown(let end): "It lasts until \(end.english). Apple has not said whether it renews then"
        case .renewedAhead(let product, let from, let owner):
            "It has renewed already: the next period, of \(product), begins on \(from.english)" + English.next(owner)
        case .commitment(let until): "The commitment, with a charge each month, lasts until \(until.english)"
        case .hadAgain(let way, notFor: let usable):
            "The customer has it again only if \(way.english)"
                + (usable.isEmpty ? "" : ". For \(English.entitlements(usable)), that is not needed now")
        case .mayComeBack: "If Apple says later that it renewed, it gives access again"
        case .mayComeBackAsAnother: "Once Apple shows which product replaced it, the subscription continues with that product"
        case .sandbox: "It is a purchase in Apple's Sandbox, for tests: nothing was paid"
        case .noNews(let ended, let kept):
            "Its last period ended on \(ended.english), and Apple has not said yet whether it renewed. Without news, it stops "
                + "giving access" + (kept.map { " on \($0.english)" } ?? " soon")
        case .graceRuns(let until):
            "It continues if Apple can charge by \(until.english), for instance with another payment method; if not, it "
                + "stops giving access then"
        case .graceRunsUntilNews(let until):
            "It continues if Apple can charge, for instance with another payment method. Apple has not said when the "
                + "billing grace period ends: the subscription stops giving access when Apple says that it has ended, on "
                + "\(until.english) at the latest"
        case .retryRuns(let since, let until):
            "Its last period ended on \(since.english). Apple keeps trying to charge, until \(until.english) at the latest; "
                + "if that succeeds, for instance with another payment method, it gives access again"
        case .access(let access): access.english(line)
        case .licence(let customer, let end):
            "Apart from that, \(customer) has a licence to updates: every feature released by \(end.english) may be used "
                + "for ever, even without the subscription"
        }
    }
}

extension ExplanationLine.Outlook.WayBack {
    /// After "only if".
    fileprivate var english: String {
        switch self {
        case .purchase: "they buy it again"
        case .purchaseOrReversal: "they buy it again, or if Apple reverses the refund"
        case .familySharing: "it is shared with them again through Family Sharing, or if they buy it themselves"
        case .seat: "a seat is assigned to them again, or if they buy it themselves"
        }
    }
}

extension ExplanationLine.Outlook.Renewing {
    fileprivate var english: String {
        let product = into.map { " as \($0)" } ?? ""
        let terms = (price.map { " for \($0.english)" } ?? "") + (offer.map { " with \($0.english)" } ?? "")
        let consent = awaitsConsent ? ", if the customer agrees to the higher price" : ""
        return "The subscription is set to renew\(product) on \(at.english)\(terms)\(consent)" + English.next(owner)
    }
}

extension ExplanationLine.Outlook.Standing {
    fileprivate func english(_ product: ProductID, _ owner: CustomerID?) -> String {
        let belongs = owner.map { "belongs to \($0)" } ?? "has no owner"
        let isOff = "\(product), which \(belongs), is not active"
        switch self {
        case .active: return "\(product) is active and \(belongs)"
        case .provisional: return "\(product) is active for the time being and \(belongs)"
        case .grace: return "\(product) is active in the billing grace period and \(belongs)"
        case .retry: return "\(isOff): Apple could not charge for the renewal, and is still trying"
        case .over(let ended, let ending):
            return "\(isOff). Its last period ended on \(ended.english): \(ending.english)"
        case .revoked(let since, .familySharing): return "\(isOff): Family Sharing of it stopped on \(since.english)"
        case .revoked(let since, .assignment): return "\(isOff): the seat in a group purchase was taken back on \(since.english)"
        case .revoked(let since, .money): return "\(isOff): Apple refunded it on \(since.english)"
        case .notBegun(let from): return "\(product), which \(belongs), has not begun: it begins on \(from.english)"
        case .purchased(.consumable): return "\(product) counts as bought and \(belongs)"
        case .lasts(let until?):
            return "\(product) is active and \(belongs). By the app's configuration it lasts until \(until.english)"
        case .lasts(nil): return "\(product), which \(belongs), gives no access: the app's configuration sets no duration"
        case .ranOut(let end): return "\(isOff): the duration that the app's configuration sets ended on \(end.english)"
        case .purchased: return "\(product), which \(belongs), is stored and gives no access"
        case .givesNothing(.familySharingIgnored):
            return "\(product), which \(belongs), gives no access: the app's policy ignores Family Sharing"
        case .givesNothing(.ownershipType(let type)):
            return "\(product), which \(belongs), gives no access: purchases with the inAppOwnershipType \(type) are only stored "
                + "here"
        case .givesNothing(.servedElsewhere(let server)):
            return "\(product), which \(belongs), gives no access here: it gives access under the subscription \(server)"
        }
    }
}
