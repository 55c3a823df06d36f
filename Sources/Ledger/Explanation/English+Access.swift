import Primitives

extension English {
    /// `the entitlement access`, `the entitlements access and extras`.
    static func entitlements(_ entitlements: [EntitlementID]) -> String {
        "the entitlement\(entitlements.count == 1 ? "" : "s") " + list(entitlements.map(\.rawValue))
    }
}

extension ExplanationLine.Access {
    func english(_ line: ExplanationLine) -> String {
        let what = English.entitlements(entitlements)
        let customer = knowsMore ? "By what is known now, \(customer)" : "\(customer)"
        switch state {
        case .active(let until, let basis):
            let end = until.map { "until \($0.english)" } ?? "without an end date"
            return "\(customer) may use \(what) \(end). That rests on \(basis.english(line))"
        case .held(let until, let reason):
            let end = until.map { "until \($0.english)" } ?? "until the hold is withdrawn"
            return "\(customer) may not use \(what): an operator put it on hold \(end)\(English.reason(reason)). "
                + "A purchase does not lift the hold"
        case .ended(let at, let reason):
            return "\(customer) may not use \(what). Access ended on \(at.english): \(reason.english)"
        case .neverGiven: return "\(customer) may not use \(what): nothing has given access yet"
        }
    }
}

extension ExplanationLine.Access.Basis {
    fileprivate func english(_ line: ExplanationLine) -> String {
        switch self {
        case .grant(let reason): "a grant by an operator\(English.reason(reason))"
        case .purchase(.balance, _, _): "the balance: time that was added and is not used yet"
        case .purchase(.gracePeriod, let product, let other): "the billing grace period of \(Self.name(product, other))"
        case .purchase(.provisional, let product, let other):
            "access kept for the time being: Apple has not said yet whether \(Self.name(product, other)) renewed"
        case .purchase(_, _, nil): line.subject == .subscription ? "this subscription" : "this purchase"
        case .purchase(_, let product, let other?): Self.name(product, other)
        }
    }

    /// `plus.monthly`, or with the purchase where it is not the explained one: `plus.monthly (purchase 2000)`.
    private static func name(_ product: ProductID?, _ other: OriginalTransactionID?) -> String {
        English.product(product) + (other.map { " (purchase \($0))" } ?? "")
    }
}

extension EndReason {
    /// Why access ended, after a colon.
    fileprivate var english: String {
        switch self {
        case .customerCanceled: "auto-renew had been turned off"
        case .billingError: "Apple could not charge for the renewal"
        case .priceIncreaseRefused: "the customer did not agree to a higher price, or to another change that needs consent"
        case .productUnavailable: "the product was not for sale when it should have renewed"
        case .expired: "the subscription that gave it did not renew"
        case .replaced: "a new purchase replaced the one that gave it"
        case .refunded: "Apple refunded the purchase that gave it"
        case .familySharingStopped: "Family Sharing of the purchase that gave it stopped"
        case .assignmentRevoked: "the seat in a group purchase that gave it was taken back"
        case .graceOver: "the billing grace period ended without a payment"
        case .noNewsFromApple: "Apple has not said that the subscription that gave it renewed"
        case .ownershipMoved: "the customer no longer owns the purchase that gave it"
        case .balanceUsed: "the time that was added is used up"
        case .grantEnded: "the operator's grant ended"
        case .held: "an operator put it on hold"
        }
    }
}
