package import Primitives

/// The dates of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// The two older forms that a recipient must accept as well are not read: no server sends them, and nothing depends on it.
///
/// Source: RFC 9110, section 5.6.7.
package enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Nil for every other text, and for a day or a time that does not exist. The day of the week is not compared.
    package static func instant(_ text: String?) -> Timestamp? {
        guard let parts = text?.split(separator: " ", omittingEmptySubsequences: false), parts.count == 6,
            parts[0].utf8.count == 4, parts[0].hasSuffix(","), parts[5] == "GMT",
            let day = number(parts[1], digits: 2), let month = months.firstIndex(of: String(parts[2])),
            let year = number(parts[3], digits: 4),
            let date = CivilDate(year: year, month: Int64(month) + 1, day: day)
        else { return nil }
        let time = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, let hour = number(time[0], digits: 2), hour < 24, let minute = number(time[1], digits: 2),
            minute < 60, let second = number(time[2], digits: 2), second < 60
        else { return nil }
        return Timestamp(validating: (date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second) * 1000)
    }

    private static func number(_ text: Substring, digits: Int) -> Int64? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}
