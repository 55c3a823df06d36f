package import Primitives

/// A right to updates: its holder may use every feature released up to its end, for ever (LIC-1).
package struct Licence: Sendable, Hashable {
    /// When it was earned; it does not count before that.
    package let from: Timestamp
    /// A feature released at this instant is the last that it covers; slack is counted in (LIC-2).
    package let until: Timestamp
    package let why: Reason

    package init(from: Timestamp, until: Timestamp, why: Reason) {
        self.from = from
        self.until = until
        self.why = why
    }

    /// What it rests on, so that support can show it.
    package enum Reason: Sendable, Hashable {
        /// A period that the customer bought (LIC-2).
        case purchase(OriginalTransactionID, TransactionID)
        /// The customer once paid for the app itself (LIC-3).
        case paidApp
        /// What was left of the first licence, after the first period that the customer bought
        /// (LIC-4).
        case restOfFirstLicence(OriginalTransactionID, TransactionID)

        package var rule: Rule {
            switch self {
            case .purchase: .licenceEnd
            case .paidApp: .paidApp
            case .restOfFirstLicence: .restOfTheFirstLicence
            }
        }
    }

    /// By when they were earned, then by end, then by rule: the order must not depend on how subscriptions were read.
    static func inOrder(_ left: Licence, _ right: Licence) -> Bool {
        (left.from, left.until, left.why.rule.rawValue, left.why.evidence) < (
            right.from, right.until, right.why.rule.rawValue, right.why.evidence
        )
    }
}

extension Licence.Reason {
    fileprivate var evidence: String {
        switch self {
        case .purchase(let subscription, let transaction), .restOfFirstLicence(let subscription, let transaction):
            "\(subscription)/\(transaction)"
        case .paidApp: ""
        }
    }
}
