import Primitives

extension ExplanationLine.Purchase {
    func english(_ line: ExplanationLine) -> String {
        switch self {
        case .began(let bought, let beginning): "On \(line.when), \(bought.english(beginning))"
        case .renewed(let bought, let before, let times, let interruption):
            bought.english(renewedAt: line, from: before, times: times, after: interruption)
        case .oneTime(let bought, let type, let quantity):
            "On \(line.when), \(quantity > 1 ? "\(quantity) of \(bought.productId) were" : "\(bought.productId) was") "
                + "\(bought.acquired)\(bought.terms). \(type.english)"
        case .earlyRenewalReplaced(let bought, let from):
            "On \(line.when), the renewal of \(bought.productId) was replaced too: Apple had charged"
                + "\(bought.cost.map { " \($0)" } ?? "") for it early, for the time from \(from.english). It never gave access. "
                + "Only Apple knows whether it refunds the charge"
        case .givesNothing(let product, .familySharingIgnored):
            "\(product) gives no access, because the app's policy ignores Family Sharing"
        case .givesNothing(let product, .ownershipType(let type)):
            "\(product) gives no access, because purchases with the inAppOwnershipType \(type) are only stored here"
        case .givesNothing(let product, .servedElsewhere(let server)):
            "On \(line.when), \(product) was charged, and the same charge was signed first under the subscription \(server). It "
                + "gives access there and none here"
        case .addedSeats(let bought, let count):
            "On \(line.when), \(count) \(count == 1 ? "seat of" : "seats of") \(bought.productId) \(count == 1 ? "was" : "were") "
                + "added\(bought.cost.map { " for \($0)" } ?? ""). The owner and the end of the subscription stay the same"
        case .twoCharges(let product, let key):
            "On \(line.when), \(product) was charged with the webOrderLineItemId \(key), which an earlier period has, too. Their "
                + "dates do not overlap, so that they are two charges"
        case .otherStorefront(let product, let storefront, let before):
            "On \(line.when), \(product) was charged in the App Store of \(storefront), and before that in that of \(before)"
        }
    }
}

extension ExplanationLine.Bought {
    /// Its price, its offer and until when it is paid.
    var terms: String {
        var words = ""
        if let cost { words += " for \(cost)" }
        if let offer {
            words += offer.offerType == 1 && !offer.isTrial ? " at \(offer.english)" : " with \(offer.english)"
        }
        if let until {
            let how = isPaidByAnother || offer?.isFree == true ? "" : "paid "
            words += ", \(how)until \(until.english)"
        }
        return words
    }

    /// What it cost; nil where it cost nothing, or Apple did not say.
    fileprivate var cost: String? { price.flatMap { $0.amount.count == 0 ? nil : $0.english } }

    /// How the customer got it.
    fileprivate var acquired: String {
        isFamilyShared ? "shared through Family Sharing" : isAssigned ? "assigned as a seat of a group purchase" : "bought"
    }

    fileprivate func english(_ beginning: ExplanationLine.Purchase.Beginning) -> String {
        let commitment = commitmentUntil.map { ". It is charged by the month under a commitment until \($0.english)" } ?? ""
        let verb = "was \(acquired)"
        switch beginning {
        case .first: return "\(productId) \(verb)\(terms)\(commitment)"
        case .firstHeardOf: return "\(productId) renewed\(terms)\(commitment). What was before is not known"
        case .again: return "\(productId) \(verb) again\(terms)\(commitment)"
        case .replacing(productId):
            return "\(productId) \(verb) again\(terms)\(commitment). It replaced what was left of the earlier purchase at once"
        case .replacing(let product):
            let before = product?.rawValue ?? "an earlier product, which is not known,"
            return "\(productId) \(verb)\(terms)\(commitment). It replaced \(before) at once"
        case .continuing(let previous, let product):
            return "\(productId) \(verb)\(terms)\(commitment). The customer switched to or from a bundle: it continues the "
                + "subscription \(previous)\(product.map { ", which was \($0)" } ?? "")"
        }
    }

    fileprivate func english(
        renewedAt line: ExplanationLine, from before: ProductID?, times: Int,
        after interruption: ExplanationLine.Purchase.Interruption
    ) -> String {
        if case .stretch(let from, let until?) = line.at {
            return "From \(from.english) to \(until.english), \(productId) renewed \(times) times" + each
        }
        let renewed =
            (before.map { "the subscription renewed as \(productId) instead of \($0)" } ?? "\(productId) renewed") + terms
        switch interruption {
        case .none: return "On \(line.when), \(renewed)"
        case .failedCharge: return "On \(line.when), Apple was able to charge after all: \(renewed)"
        case .gap(let since): return "On \(line.when), \(renewed). The period before it had ended on \(since.english)"
        }
    }

    private var each: String {
        let each = cost.map { " for \($0) each" } ?? ""
        return each + (until.map { ", the last time until \($0.english)" } ?? "")
    }
}

extension ProductKind {
    fileprivate var english: String {
        switch self {
        case .consumable: "It is a consumable: it is counted, and gives no time"
        case .nonConsumable: "It is a non-consumable: it does not expire"
        case .nonRenewingSubscription:
            "It is a non-renewing subscription: Apple names no end, and the app's configuration sets how long it lasts"
        case .autoRenewableSubscription: "It is a subscription, and Apple named no end; it gives nothing"
        case .unstated: "Apple has not said what kind of product it is; until then it gives nothing"
        case .unknown(let type): "Its kind is not known here (\(type)); it gives nothing"
        }
    }
}

// MARK: Refunds

extension ExplanationLine.Refund {
    var english: String {
        switch self {
        case .refunded(let product, let revocation, let takeBack):
            "Apple refunded \(revocation.share)\(English.product(product))\(revocation.reason). \(takeBack.english)"
        case .familySharingStopped(let product, let takeBack):
            "Family Sharing of \(product) stopped. \(takeBack.english)"
        case .assignmentEnded(let product, let takeBack):
            "the seat in a group purchase that gave \(product) was taken back. \(takeBack.english)"
        case .wasRefunded(let product, let revocation):
            "Apple refunded \(revocation?.share ?? "")\(English.product(product))\(revocation?.reason ?? "")"
        case .reversed(let product):
            "Apple reversed the refund of \(English.product(product)). What the refund took was given back"
        case .declined(let product): "Apple declined to refund \(English.product(product)). Nothing changes"
        case .consumptionRequested(let product, let reason, let deadline):
            "Apple asked about \(English.product(product)): the customer wanted a refund\(Self.english(reason)). "
                + "Apple wanted the app's answer by \(deadline.english)"
        case .restOfReplaced(let bought, let rest):
            "the rest of \(bought.productId), \(rest.english), ended because it was replaced"
                + (bought.cost == nil || bought.isPaidByAnother ? "" : ". Only Apple knows how much of its price it refunds")
        }
    }

    /// Source: Apple, App Store Server Notifications, `consumptionRequestReason`.
    private static func english(_ reason: String?) -> String {
        switch reason {
        case "UNINTENDED_PURCHASE"?: ", because the purchase was not intended"
        case "FULFILLMENT_ISSUE"?: ", because the purchase was not received or did not work"
        case "UNSATISFIED_WITH_PURCHASE"?: ", because they were not satisfied with it"
        case "LEGAL"?: ", for a legal reason"
        case "OTHER"?: ", for a reason that Apple does not name"
        case let other?: ", for a reason that is not known here (\(other))"
        case nil: ""
        }
    }
}

extension ExplanationLine.Refund.TakeBack {
    fileprivate var english: String {
        switch self {
        case .took(let time, let customer?): "The unused time, \(time.english), was taken back from \(customer)"
        case .took(let time, nil): "The unused time, \(time.english), was taken back. It had no owner"
        case .tookWhole(let customer): "It was taken back\(customer.map { " from \($0)" } ?? "")"
        case .nothingLeft: "Its time was over already, and nothing was taken back"
        case .fromBalance(nil): "The balance shows what was taken back"
        case .fromBalance(let unused?) where unused.count == 0:
            "By Apple's dates its time was over already; the balance shows what was taken back"
        case .fromBalance(let unused?):
            "By Apple's dates its unused time was \(unused.english); the balance shows what was taken back"
        case .endedGrace: "Its paid time was over already; this ended the access that had continued since"
        case .keptByPolicy: "The customer keeps the time, as the app's policy says"
        case .seats(0, let bought): "Some of its \(bought) seats are refunded, Apple does not say how many; the others are kept"
        case .seats(let seats, let bought): "In all, \(seats) of \(bought) seats are refunded, and the others are kept"
        case .units(nil, let bought): "Apple did not say which part, so that all \(bought) count as kept"
        case .units(0?, let bought): "That is less than one of \(bought), and all are kept"
        case .units(let units?, let bought): "That is \(units) of \(bought), and the others are kept"
        }
    }
}

extension Revocation {
    /// How much of the price, before the name of the product.
    fileprivate var share: String {
        guard isPartial else { return "" }
        guard let revocationPercentage else { return "a part of the price of " }
        let (whole, rest) = (revocationPercentage / 1000, revocationPercentage % 1000)
        return rest == 0 ? "\(whole)% of the price of " : "\(whole).\("\(1000 + rest)".dropFirst())% of the price of "
    }

    /// Source: Apple, App Store Server API, `revocationReason` and `revocationType`.
    fileprivate var reason: String {
        let type =
            switch (revocationType, self.type) {
            case (nil, _), (_, .some): ""
            case (let word?, nil): ", in a way that is not known here (\(word))"
            }
        switch revocationReason {
        case nil: return type
        case 0?: return type + ", for a reason other than a problem with the app"
        case 1?: return type + ", because the customer saw a problem with the app"
        case let reason?: return type + ", for a reason that is not known here (revocationReason \(reason))"
        }
    }
}
