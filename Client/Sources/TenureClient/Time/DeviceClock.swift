import Foundation

/// What a device's clocks show at one moment.
public struct ClockReading: Sendable, Hashable, Codable {
    /// The clock that a person can set.
    public var wall: Instant
    /// Milliseconds since some moment before this boot's first reading; it goes on while the device sleeps, and nobody can set
    /// it.
    public var monotonic: Int64
    /// Which boot ``monotonic`` belongs to; nil where the system does not say, and then no two readings are of one boot.
    public var boot: String?

    /// - Parameters:
    ///   - wall: what the clock shows that a person can set.
    ///   - monotonic: in milliseconds, from any moment before.
    ///   - boot: which boot `monotonic` belongs to; nil where that is not known.
    public init(wall: Instant, monotonic: Int64, boot: String?) {
        (self.wall, self.monotonic, self.boot) = (wall, monotonic, boot)
    }
}

/// A device's clocks.
public protocol DeviceClock: Sendable {
    /// What the clocks show now, all at one moment.
    func read() -> ClockReading
}

/// The clocks of the system.
///
/// Reading the time since boot is declared in the privacy manifest (reason 35F9.1: how much time has passed between two events
/// in the app).
///
/// Source: clock_gettime(3): `CLOCK_MONOTONIC` counts sleep on Darwin, `CLOCK_BOOTTIME` on Linux; `kern.bootsessionuuid`, and
/// `/proc/sys/kernel/random/boot_id`, are another text after each boot.
public struct SystemClock: DeviceClock {
    private let boot: String?

    /// The clocks of this boot.
    public init() { boot = Self.bootIdentity() }

    /// - Parameter bootFile: a file with the name of this boot, in place of the system's.
    init(bootFile: String) { boot = Self.text(ofFile: bootFile) }

    /// What they show now.
    public func read() -> ClockReading {
        #if canImport(Darwin)
            let monotonic = Self.milliseconds(of: CLOCK_MONOTONIC)
        #else
            let monotonic = Self.milliseconds(of: CLOCK_BOOTTIME)
        #endif
        return ClockReading(
            wall: Instant(millisecondsSince1970: Self.milliseconds(of: CLOCK_REALTIME)), monotonic: monotonic, boot: boot)
    }

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    private static func bootIdentity() -> String? {
        #if canImport(Darwin)
            var length = 0
            guard sysctlbyname("kern.bootsessionuuid", nil, &length, nil, 0) == 0, (1...256).contains(length) else { return nil }
            var bytes = [CChar](repeating: 0, count: length)
            guard sysctlbyname("kern.bootsessionuuid", &bytes, &length, nil, 0) == 0 else { return nil }
            let text = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return text.isEmpty ? nil : text
        #else
            return text(ofFile: "/proc/sys/kernel/random/boot_id")
        #endif
    }

    private static func text(ofFile path: String) -> String? {
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        let text = String(decoding: bytes.prefix(256), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }
}
