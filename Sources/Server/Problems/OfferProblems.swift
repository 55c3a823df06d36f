import APIContract
import Backend
import Ledger
import Primitives

/// What is answered where nothing is signed.
enum OfferProblems {
    static func problem(of refusal: OfferRefusal) -> Problem {
        switch refusal {
        case .notConfigured:
            Problem(
                .offersNotSigned, detail: "This server has no In-App Purchase key that signs offers of the app.", rule: "WALL-5",
                setting: "apps[].offerKeys")
        case .unknownOffer(let product, let offer):
            Problem(
                .unknownOffer, detail: "The app's settings have no promotional offer \(offer) of \(product).", rule: "WALL-5",
                setting: "apps[].offers.promotional")
        case .unknownPlan(let product):
            Problem(
                .unknownPlan, detail: "The app's settings do not describe \(product) as a subscription.", rule: "WALL-4",
                setting: "apps[].products")
        case .notAllowed(let refusal): problem(of: refusal)
        case .transactionNeeded:
            refused(
                "transactionNeeded",
                "Apple wants a transaction of the customer's with this. None is known: send signedTransactions or the "
                    + "signedAppTransaction.", "WALL-6")
        case .userOfAnother:
            refused("userOfAnother", "The token, or the applicationUsername, is not this customer's.")
        case .notATester(let environment):
            Problem(
                .offerRefused, code: "offer.notATester",
                detail:
                    "A signature is valid in Production too, so that \(environment.rawValue) gives them only to testers whom "
                    + "the app's sandboxAccess names.",
                rule: "FACT-4", setting: "apps[].sandboxAccess")
        }
    }

    private static func problem(of refusal: OfferVerdict.Refusal) -> Problem {
        switch refusal {
        case .tooOften:
            Problem(
                .tooManySignatures, detail: "This customer was given as many signatures in an hour as one may be.",
                rule: "WALL-5", setting: "apps[].offers.signaturesPerHour", retryAfterSeconds: 60)
        case .appTooOften:
            Problem(
                .tooManySignatures, detail: "The app's customers were given as many signatures in a minute as they may be.",
                rule: "WALL-5", setting: "apps[].offers.signaturesPerMinute", retryAfterSeconds: 10)
        case .unknownOffer, .notAuthenticated, .neverSubscribed, .notActive, .stillActive, .paidTwice, .hadBefore, .hadLately:
            refused(refusal.word, words(of: refusal))
        }
    }

    private static func refused(_ word: String, _ detail: String, _ rule: String = "WALL-5") -> Problem {
        Problem(.offerRefused, code: "offer.\(word)", detail: detail, rule: rule)
    }

    private static func words(of refusal: OfferVerdict.Refusal) -> String {
        switch refusal {
        case .unknownOffer, .notAuthenticated, .tooOften, .appTooOften: "It is not signed."
        case .neverSubscribed: "The customer never was a subscriber of the group; Apple gives promotional offers to no others."
        case .notActive: "The offer is for present subscribers of the group."
        case .stillActive: "The offer is for former subscribers of the group."
        case .paidTwice: "The customer has what it sells by another group already (OWN-12)."
        case .hadBefore(let times): "The customer had it as often as one may: \(times)."
        case .hadLately(let instant):
            "The customer had it lately" + (instant.map { "; again from \($0) on." } ?? ".")
        }
    }
}
