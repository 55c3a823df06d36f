public import Foundation

/// What the customer may use at one instant: one Bool and two timestamps first (ENT-1).
///
/// Nothing but a complete answer of the server, or the end that the last one named, ends access: no failure of a network, no
/// empty list of a store, and no error of a server does.
public struct Access: Sendable, Hashable {
    /// Whether there is a window now.
    public let isActive: Bool
    /// Start of the present window, else of the last one; nil where there never was one.
    public let start: Date?
    /// End of that window; nil where it does not end, or there never was one.
    public let end: Date?
    /// Each entitlement that the app knows, by id.
    public let entitlements: [String: Entitlement]
    /// The customer.
    public let customer: String
    /// What it rests on.
    public let source: Source
    /// Why nothing is active although something may be; nil where it is as it was answered.
    public let doubt: Doubt?

    /// Whether one entitlement can be used now; false for one that the app does not know.
    public func isActive(_ entitlement: String) -> Bool { entitlements[entitlement]?.isActive ?? false }

    /// One entitlement at that instant.
    public struct Entitlement: Sendable, Hashable {
        /// Whether it can be used now.
        public let isActive: Bool
        /// Start of its present window, else of the last one; nil where there never was one.
        public let start: Date?
        /// End of that window; nil where it does not end, or there never was one.
        public let end: Date?
        /// Whether it is used past its end, or before Apple has said whether it goes on (ENT-6, ENT-10).
        public let isProvisional: Bool
    }

    /// What an answer rests on.
    public struct Source: RawRepresentable, Sendable, Hashable {
        /// As it is written in a log, and by the server where it comes from there.
        public let rawValue: String

        /// Any value, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nothing was ever answered to this customer on this device.
        public static let nothing = Source(rawValue: "nothing")
        /// The server answered for this instant just now.
        public static let server = Source(rawValue: "server")
        /// The window that the server named last, which lasts still or has ended (DEV-2).
        public static let window = Source(rawValue: "window")
        /// An answer that the server signed, past the window's end (ENT-10).
        public static let signed = Source(rawValue: "signed")
    }

    /// Why something that may be active is not shown as active.
    public struct Doubt: RawRepresentable, Sendable, Hashable {
        /// As it is written in a log, and by the server where it comes from there.
        public let rawValue: String

        /// Any value, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nothing was answered yet: ask.
        public static let neverAsked = Doubt(rawValue: "neverAsked")
        /// The device's clock shows less than before: only the server can say what time it is.
        public static let clockSetBack = Doubt(rawValue: "clockSetBack")
        /// The last window has ended, and was set to renew: ask.
        public static let ended = Doubt(rawValue: "ended")
    }

    package static func nothing(of customer: String, _ doubt: Doubt = .neverAsked) -> Access {
        Access(isActive: false, start: nil, end: nil, entitlements: [:], customer: customer, source: .nothing, doubt: doubt)
    }
}
