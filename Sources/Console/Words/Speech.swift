package import Primitives

/// How a page tells things to who reads it: in which language, and in which zone it prints instants.
package struct Speech: Sendable, Hashable {
    package let language: Language
    package let zone: ConsoleZone

    package init(_ language: Language, _ zone: ConsoleZone = .utc) { (self.language, self.zone) = (language, zone) }

    package func say(_ words: some Words) -> Said { language.say(words) }

    /// The instant with its zone: `2026-11-22 07:03 UTC`, `2026年11月22日 07:03 UTC`.
    package func instant(_ instant: Timestamp, seconds: Bool = false) -> String {
        let offset = zone.offset(at: instant)
        let (date, secondOfDay) = instant.adding(.seconds(Int64(offset.seconds))).utc
        let (hour, minute) = (secondOfDay / 3600, secondOfDay / 60 % 60)
        let clock = "\(Self.padded(hour)):\(Self.padded(minute))" + (seconds ? ":\(Self.padded(secondOfDay % 60))" : "")
        return "\(day(date)) \(clock) \(offset.name)"
    }

    /// The day: `2026-11-22`, `2026年11月22日`.
    package func day(_ date: CivilDate) -> String {
        switch language {
        case .english, .pseudo: "\(date.year)-\(Self.padded(date.month))-\(Self.padded(date.day))"
        case .simplifiedChinese: "\(date.year)年\(date.month)月\(date.day)日"
        }
    }

    /// `1,234,567` in every language.
    package func number(_ number: Int64) -> String { Self.grouped(number.magnitude, isNegative: number < 0) }

    package func number(_ number: Int) -> String { self.number(Int64(number)) }

    /// `¥12.00 CNY`: always with the code, since ¥ is two currencies and $ twenty.
    package func money(_ amount: Milliunits, _ currency: String) -> String {
        let digits = Currency.minorDigits(of: currency)
        let (whole, thousandths) = amount.count.magnitude.quotientAndRemainder(dividingBy: 1000)
        let three = String("\(1000 + thousandths)".dropFirst())
        // What a currency has no coins for is shown all the same: nothing that Apple said is left out.
        var fraction = three
        while fraction.count > digits, fraction.hasSuffix("0") { fraction.removeLast() }
        let sign = amount.count < 0 ? "-" : ""
        let point = fraction.isEmpty ? "" : ".\(fraction)"
        return
            "\(sign)\(Currency.sign(of: currency))\(Self.grouped(UInt64(whole), isNegative: false))\(point) \(isolated(currency))"
    }

    /// A length of time in its two greatest units: `3 days 4 hours`, `3 天 4 小时`.
    package func duration(_ duration: Milliseconds) -> String {
        let seconds = duration.count.magnitude / 1000
        let units: [(count: UInt64, english: String, chinese: String)] = [
            (seconds / 86_400, "day", "天"), (seconds / 3600 % 24, "hour", "小时"), (seconds / 60 % 60, "minute", "分钟"),
            (seconds % 60, "second", "秒"),
        ]
        let shown = units.drop { $0.count == 0 }.prefix(2).filter { $0.count > 0 }
        let parts = shown.map { unit -> String in
            let count = Self.grouped(unit.count, isNegative: false)
            switch language {
            case .english, .pseudo: return unit.count == 1 ? "\(count) \(unit.english)" : "\(count) \(unit.english)s"
            case .simplifiedChinese: return "\(count) \(unit.chinese)"
            }
        }
        guard !parts.isEmpty else { return language == .simplifiedChinese ? "0 秒" : "0 seconds" }
        return parts.joined(separator: " ")
    }

    /// Data inside a sentence: between FSI and PDI, so that it neither turns what follows nor is turned by it. A mark of
    /// direction in it could end that, and is replaced.
    ///
    /// Source: Unicode Standard Annex 9, section 2.4.
    package func isolated(_ data: String) -> String { Self.isolated(data) }

    package static func isolated(_ data: String) -> String {
        let scalars = data.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.value {
            case 0x202A...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: "\u{FFFD}"
            default: scalar
            }
        }
        var text = "\u{2068}"
        text.unicodeScalars.append(contentsOf: scalars)
        return text + "\u{2069}"
    }

    private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func grouped(_ number: UInt64, isNegative: Bool) -> String {
        var groups: [String] = []
        var rest = number
        while rest >= 1000 {
            groups.append(String("\(1000 + rest % 1000)".dropFirst()))
            rest /= 1000
        }
        groups.append("\(rest)")
        return (isNegative ? "-" : "") + groups.reversed().joined(separator: ",")
    }
}

/// What is known of currencies, as far as showing amounts needs it.
///
/// Source: ISO 4217, list one (minor units); signs as the currencies' banks write them.
enum Currency {
    /// How many digits an amount has behind the point at least; 2 where nothing else is known.
    static func minorDigits(of code: String) -> Int {
        switch code {
        case "JPY", "KRW", "VND", "CLP", "ISK", "PYG", "UGX", "XAF", "XOF", "XPF", "RWF", "KMF", "GNF", "DJF", "BIF", "VUV": 0
        case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND": 3
        default: 2
        }
    }

    /// The sign that stands before the amount; empty where none is known.
    static func sign(of code: String) -> String {
        switch code {
        case "CNY", "JPY": "¥"
        case "USD", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD", "MXN": "$"
        case "EUR": "€"
        case "GBP": "£"
        case "KRW": "₩"
        case "INR": "₹"
        case "VND": "₫"
        case "ILS": "₪"
        case "TRY": "₺"
        case "RUB": "₽"
        case "BRL": "R$"
        case "CHF": ""
        default: ""
        }
    }
}
