internal import Primitives

/// When Apple says that a call may be made again.
///
/// Apple writes UNIX time in milliseconds, where HTTP has seconds from now. A number that is too small to be such a time since
/// 1973 was not written by Apple, or not as documented: below 10⁹ it is read as HTTP's seconds from now, else as UNIX time in
/// seconds, because either reading waits a while and neither waits forever. An instant in the past is read as now; one more than
/// 24 hours ahead is read as 24 hours from now, so that a wrong header cannot stop a job. Everything else, including HTTP's
/// dates, is nil.
///
/// Source: Apple, App Store Server API, Identifying rate limits; RFC 9110, section 10.2.3; F15.
enum RetryAfter {
    static let longestWait = Milliseconds.hours(24)

    static func instant(_ header: String?, at now: Timestamp) -> Timestamp? {
        guard let header, let number = number(header) else { return nil }
        let instant: Timestamp =
            switch number {
            case ..<1_000_000_000: now.adding(.seconds(number))
            case ..<100_000_000_000: Timestamp(millisecondsSince1970: number * 1000)
            default: Timestamp(millisecondsSince1970: number)
            }
        return min(max(instant, now), now.adding(longestWait))
    }

    /// Only digits, with spaces allowed around them; a number that does not fit counts as the greatest one.
    private static func number(_ header: String) -> Int64? {
        var digits = header.utf8[...]
        while let last = digits.last, last == 0x20 || last == 0x09 { digits.removeLast() }
        while let first = digits.first, first == 0x20 || first == 0x09 { digits.removeFirst() }
        guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self)) ?? .max
    }
}
