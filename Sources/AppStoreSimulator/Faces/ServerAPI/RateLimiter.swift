internal import AppStoreModel
internal import Primitives

/// How often an app may call, as Apple limits it: a number of calls per second, counted over an hour.
///
/// Source: Apple, "Identifying rate limits"; in Sandbox a tenth.
struct RateLimiter: Sendable {
    /// Calls that are counted together; the raw value is how many are allowed per second.
    enum Class: Int64, Sendable, Hashable {
        case frequent = 50
        case usual = 20
        case rare = 10
        case single = 1
    }

    private struct Name: Hashable {
        let app: AppNumber
        let environment: Environment
        let limit: Class
    }

    private struct Window {
        var begins: Timestamp
        var count: Int64 = 0
    }

    let isOn: Bool
    private var windows: [Name: Window] = [:]

    private static let hour = Milliseconds.hours(1)

    init(isOn: Bool) { self.isOn = isOn }

    /// Counts a call; returns when to retry, if the call exceeds the limit.
    mutating func count(_ limit: Class, of app: AppNumber, in environment: Environment, at now: Timestamp) -> Timestamp? {
        guard isOn else { return nil }
        let name = Name(app: app, environment: environment, limit: limit)
        var window = windows[name] ?? Window(begins: now)
        if now.since(window.begins) >= Self.hour { window = Window(begins: now) }
        let most = limit.rawValue * 3600 / (environment == .sandbox ? 10 : 1)
        defer { windows[name] = window }
        guard window.count < most else { return window.begins.adding(Self.hour) }
        window.count += 1
        return nil
    }
}
