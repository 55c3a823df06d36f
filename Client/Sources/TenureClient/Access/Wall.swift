public import Foundation

/// What a client says of itself when it asks what to show (WALL-1).
struct WallQuestion: Sendable, Hashable, Encodable {
    var storefront: String?
    var appVersion: String?
    var signedTransactions: [String]
    var signedAppTransaction: String?
}

/// What to show to the customer now, for Apple's own views or for the app's (WALL-1 to WALL-6). The server has removed what the
/// customer has already.
public struct Wall: Sendable, Hashable, Decodable {
    /// The first cohort whose condition holds; nil where none does.
    public let cohort: String?
    /// What that cohort is shown.
    public let offering: String?
    /// What the customer may buy without paying twice, in the offering's order; empty where they have all of it (WALL-2).
    public let products: [Product]
    /// Subscriptions to manage at Apple, of what the offering sells.
    public let manage: [String]
    /// Where Apple lets them manage these.
    public let manageLink: URL
    /// Changes of plan in the app (PER-3).
    public let changes: [Change]
    /// The links that Apple wants beside an offering (WALL-6).
    public let links: Links?

    public struct Product: Sendable, Hashable, Decodable {
        public let productId: String
        public let displayName: String?
        public let subscriptionGroupIdentifier: String
        public let level: Int
        /// As ISO 8601 writes a length of time, such as `P1M`.
        public let duration: String
        /// Whether the plan has an introductory offer, and whether to mention it to this customer.
        public let introductoryOffer: String
        public let introductoryKind: String?
        public let introductoryLength: String?
    }

    public struct Change: Sendable, Hashable, Decodable {
        public let from: String
        public let to: String
        public let change: String
        public let effect: String
        public let effectiveAt: Instant?
    }

    public struct Links: Sendable, Hashable, Decodable {
        public let privacyPolicy: URL
        public let terms: URL
        public let questions: URL
    }
}

/// What a purchase would come to, before it is made (OWN-18).
public struct PurchaseForecast: Sendable, Hashable, Decodable {
    /// ``yes``, or why not, or what it would change; a newer server may know more.
    public let answer: Answer
    /// The same in English, for support and for a log.
    public let words: String
    /// The customer's one token.
    public let appAccountToken: UUID
    /// Until when it is held already; nil where it does not end.
    public let until: Instant?
    /// Whom the subscription that would change serves now, masked; nil where nobody or this customer.
    public let ownerHint: String?
    /// Whom it would serve then; nil where nothing changes.
    public let result: Result?

    public struct Answer: RawRepresentable, Sendable, Hashable, Decodable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let yes = Answer(rawValue: "yes")
        /// The customer has it: buying would be paying twice.
        public static let alreadyHeld = Answer(rawValue: "alreadyHeld")
        /// The Apple Account of this device has it for another customer.
        public static let heldByAnother = Answer(rawValue: "heldByAnother")
        /// It changes a subscription of the Apple Account of this device.
        public static let changes = Answer(rawValue: "changes")
    }

    public struct Result: RawRepresentable, Sendable, Hashable, Decodable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let theirs = Result(rawValue: "theirs")
        /// Whoever has the subscription now goes on having it.
        public static let staysWithOwner = Result(rawValue: "staysWithOwner")
        /// Somebody decides.
        public static let waits = Result(rawValue: "waits")
    }

    /// Whether the customer would get nothing for it that they do not have.
    var isInVain: Bool { answer == .alreadyHeld || answer == .heldByAnother || result == .staysWithOwner }
}
