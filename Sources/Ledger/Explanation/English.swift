import Primitives

extension Explanation {
    /// One or two sentences for a line, with its rules in parentheses at the end. Dates are in UTC; nothing asks for a locale.
    package static func english(_ line: ExplanationLine) -> String {
        "\(words(line)) (\(line.rules.map(\.rawValue).joined(separator: ", ")))."
    }

    /// The same without its rules, for whoever shows them in another way.
    package static func englishSentence(_ line: ExplanationLine) -> String { "\(words(line))." }

    private static func words(_ line: ExplanationLine) -> String {
        switch line.statement {
        case .purchase(let purchase): purchase.english(line)
        case .change(let change): "On \(line.when), \(change.english)"
        case .billing(let billing): billing.english(line)
        case .refund(let refund): "On \(line.when), \(refund.english)"
        case .ownership(let ownership): ownership.english(line)
        case .claim(let claim): "On \(line.when), \(claim.english(line))"
        case .outlook(let outlook): outlook.english(line)
        }
    }
}

extension ExplanationLine {
    /// When it happened or began.
    var when: String { at.begin.english(seconds: needsSeconds) }

    /// What the line is about, with its article.
    var it: String {
        switch subject {
        case .subscription: "the subscription"
        case .oneTimePurchase: "the purchase"
        }
    }
}

// MARK: Time and money

extension Timestamp {
    /// The instant as `15 April 2026, 12:00 UTC`.
    var english: String { english(seconds: false) }

    func english(seconds: Bool) -> String {
        let (date, secondOfDay) = utc
        let time = [secondOfDay / 3600, secondOfDay / 60 % 60] + (seconds ? [secondOfDay % 60] : [])
        let clock = time.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return "\(date.day) \(Self.months[Int(date.month - 1)]) \(date.year), \(clock) UTC"
    }

    private static var months: [String] {
        [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
            "December",
        ]
    }
}

extension Milliseconds {
    /// Its two greatest units, such as `30 days and 18 hours`.
    var english: String {
        let seconds = max(0, count) / 1000
        let units = [
            (seconds / 86_400, "day"), (seconds / 3600 % 24, "hour"), (seconds / 60 % 60, "minute"), (seconds % 60, "second"),
        ]
        let parts = units.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }.map { English.count($0.0, $0.1) }
        return parts.isEmpty ? "less than a second" : parts.joined(separator: " and ")
    }
}

extension ExplanationLine.Price {
    /// The amount with the decimals that it has, two at least where it has any.
    var english: String {
        let (whole, rest) = (amount.count / 1000, abs(amount.count % 1000))
        if rest == 0 { return "\(whole) \(currency)" }
        let thousandths = "\(1000 + rest)".dropFirst()
        return "\(whole).\(rest % 10 == 0 ? thousandths.dropLast() : thousandths) \(currency)"
    }
}

/// Pieces of sentences.
enum English {
    /// `1 day`, `2 days`.
    static func count(_ count: Int64, _ unit: String) -> String { count == 1 ? "1 \(unit)" : "\(count) \(unit)s" }

    /// `once`, `2 times`.
    static func times(_ count: Int64) -> String { count == 1 ? "once" : "\(count) times" }

    /// `A`, `A and B`, `A, B and C`.
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "nobody" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }

    /// What an operator wrote, as a part of a sentence; empty where nothing was written.
    static func reason(_ words: String) -> String { words.isEmpty ? "" : ", for this reason: \u{201C}\(words)\u{201D}" }

    /// A duration of ISO 8601 with one unit in words; another one as Apple wrote it.
    static func period(_ text: String) -> String {
        let units: [Character: String] = ["D": "day", "W": "week", "M": "month", "Y": "year"]
        guard text.first == "P", let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropFirst().dropLast())
        else { return text }
        return count(number, unit)
    }

    /// ` of 9.99 EUR`; empty where the price is not known.
    static func price(_ price: ExplanationLine.Price?) -> String { price.map { " of \($0.english)" } ?? "" }

    /// Whose it is after a change that they asked for; empty where it stays.
    static func next(_ owner: CustomerID?) -> String {
        owner.map { ". From then on it belongs to \($0), who asked for the change" } ?? ""
    }

    /// `it` where it is not known which.
    static func product(_ product: ProductID?) -> String { product?.rawValue ?? "it" }
}

// MARK: Offers

extension LedgerEvent.Offer {
    /// The offer with its article, such as `the promotional offer spring (free for 1 month)`.
    ///
    /// Source: Apple, App Store Server API, `offerType` and `offerDiscountType`.
    var english: String {
        if isTrial { return "a free trial" + (offerPeriod.map { " of \(English.period($0))" } ?? "") }
        let name = offerIdentifier.map { " \($0)" } ?? ""
        let offer =
            switch offerType {
            case 1?: "an introductory price"
            case 2?: "the promotional offer\(name)"
            case 3?: offerIdentifier == nil ? "an offer code" : "a code for the offer\(name)"
            case 4?: "the win-back offer\(name)"
            case 5?: "the retention offer\(name)"
            case let type?: "an offer\(name) of a kind that is not known here (offerType \(type))"
            case nil: "the offer\(name)"
            }
        return offer + (terms.map { " (\($0))" } ?? "")
    }

    /// An introductory offer that costs nothing (PER-7).
    var isTrial: Bool { offerType == 1 && offerDiscountType == "FREE_TRIAL" }

    /// It costs nothing, whoever may have it.
    var isFree: Bool { offerDiscountType == "FREE_TRIAL" }

    private var terms: String? {
        let length = offerPeriod.map { " for \(English.period($0))" } ?? ""
        switch offerDiscountType {
        case "FREE_TRIAL"?: return "free\(length)"
        case "PAY_AS_YOU_GO"?: return "charged for each period"
        case "PAY_UP_FRONT"?: return "paid in advance\(length)"
        case "ONE_TIME"?: return "charged once"
        case let type?: return "on terms that are not known here: \(type)"
        case nil: return nil
        }
    }
}
