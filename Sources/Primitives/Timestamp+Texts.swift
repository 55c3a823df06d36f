extension Timestamp {
    /// An instant from a text such as `2012-04-30T15:05:55Z`, `2012-04-30T17:05:55.25+02:00`: the form of the dates in app
    /// receipts.
    ///
    /// What is finer than a millisecond is cut off. `-00:00` is UTC (section 4.3); `t` and `z` are read like `T` and `Z`
    /// (section 5.6).
    ///
    /// nil where the text has another form or anything beside it, where a part of the date or the time does not exist, on a leap
    /// second (`:60`, which has no instant of its own in Unix time), and outside the years that ``init(validating:)`` accepts,
    /// offset counted in.
    ///
    /// Source: RFC 3339, sections 4.2 and 5.6; Apple, "Receipt Fields" (dates are `IA5String` in this form).
    public init?(rfc3339 text: String) {
        var text = DateText(text)
        guard let days = text.days(), text.isNext("T") || text.isNext("t"), let secondOfDay = text.secondOfDay(),
            let millisecond = text.millisecond(), let offset = text.offset(), text.isAtEnd
        else { return nil }
        self.init(validating: (days * 86_400 + secondOfDay - offset) * 1000 + millisecond)
    }

    /// An instant from a text such as `2018-07-18 07:55:17 Etc/GMT`: the form that `/verifyReceipt` and version 1 of the server
    /// notifications call "similar to the ISO 8601".
    ///
    /// nil where the text has another form (`America/Los_Angeles` is another), where a part of the date or the time does not
    /// exist, and outside the years that ``init(validating:)`` accepts.
    ///
    /// Source: Apple, App Store Receipts, `purchase_date` and the like.
    public init?(etcGMT text: String) {
        var text = DateText(text)
        guard let days = text.days(), text.isNext(" "), let secondOfDay = text.secondOfDay(), text.isNext(" Etc/GMT"),
            text.isAtEnd
        else { return nil }
        self.init(validating: (days * 86_400 + secondOfDay) * 1000)
    }
}

/// Reads the parts of a date's text from left to right; a part that is not there, or cannot be, is nil.
private struct DateText {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// Goes over the word, if it is next.
    mutating func isNext(_ word: StaticString) -> Bool {
        let matches = word.withUTF8Buffer { rest.starts(with: $0) }
        if matches { rest = rest.dropFirst(word.utf8CodeUnitCount) }
        return matches
    }

    /// `YYYY-MM-DD`, as days from 1970-01-01.
    mutating func days() -> Int64? {
        guard let year = number(digits: 4), isNext("-"), let month = number(digits: 2), isNext("-"),
            let day = number(digits: 2)
        else { return nil }
        return CivilDate(year: year, month: month, day: day)?.daysSince1970
    }

    /// `HH:MM:SS`, 00:00:00 to 23:59:59.
    mutating func secondOfDay() -> Int64? {
        guard let minutes = minutes(), isNext(":"), let second = number(digits: 2), second < 60 else { return nil }
        return minutes * 60 + second
    }

    /// A full stop and at least one digit, or nothing, which is 0.
    mutating func millisecond() -> Int64? {
        guard isNext(".") else { return 0 }
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        let padded = Array(digits.prefix(3)) + Array(repeating: UInt8(ascii: "0"), count: max(0, 3 - digits.count))
        return padded.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// `Z`, or a sign and `HH:MM`, as seconds east of UTC.
    mutating func offset() -> Int64? {
        if isNext("Z") || isNext("z") { return 0 }
        if isNext("+") { return minutes().map { $0 * 60 } }
        return isNext("-") ? minutes().map { $0 * -60 } : nil
    }

    /// `HH:MM`, 00:00 to 23:59, in minutes.
    private mutating func minutes() -> Int64? {
        guard let hour = number(digits: 2), hour < 24, isNext(":"), let minute = number(digits: 2), minute < 60 else {
            return nil
        }
        return hour * 60 + minute
    }

    /// Exactly so many digits; four at the most are ever asked for.
    private mutating func number(digits count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
}
