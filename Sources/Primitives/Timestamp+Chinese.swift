extension Timestamp {
    /// The instant in Simplified Chinese to the minute, in UTC: `2026年4月15日 12:00 UTC`. What is finer is cut off.
    package var chinese: String { chinese(seconds: false) }

    /// The same, to the second where it is wanted: `2026年4月15日 12:00:07 UTC`.
    package func chinese(seconds: Bool) -> String {
        let (date, secondOfDay) = utc
        let time = [secondOfDay / 3600, secondOfDay / 60 % 60] + (seconds ? [secondOfDay % 60] : [])
        let clock = time.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return "\(date.year)年\(date.month)月\(date.day)日 \(clock) UTC"
    }
}
