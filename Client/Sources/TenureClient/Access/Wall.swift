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

    /// One product as this customer is offered it (WALL-3).
    public struct Product: Sendable, Hashable, Decodable {
        /// The one to buy: the plan with its introductory offer, or the same plan without.
        public let productId: String
        /// For people; nil where the server's configuration has no name for it.
        public let displayName: String?
        /// Its subscription group.
        public let subscriptionGroupIdentifier: String
        /// Its level of service in the group; 1 is the highest.
        public let level: Int
        /// As ISO 8601 writes a length of time, such as `P1M`.
        public let duration: String
        /// Whether the plan has an introductory offer, and whether to mention it to this customer.
        public let introductoryOffer: String
        /// Apple's word, `FREE_TRIAL`, `PAY_AS_YOU_GO` or `PAY_UP_FRONT`; nil where the offer is not to be mentioned.
        public let introductoryKind: String?
        /// How long the offer lasts, as ISO 8601 writes it; nil where it is not to be mentioned.
        public let introductoryLength: String?
    }

    /// A change of plan inside a subscription group, and what it does (PER-3).
    public struct Change: Sendable, Hashable, Decodable {
        /// The product now.
        public let from: String
        /// The product then.
        public let to: String
        /// `upgrade`, `downgrade`, `crossgradeOfSameDuration` or `crossgradeOfOtherDuration`; a newer server may know more.
        public let change: String
        /// When it takes effect: `atOnce` or `atRenewal`.
        public let effect: String
        /// The instant of that renewal; nil where it is not known, or the change takes effect at once.
        public let effectiveAt: Instant?
    }

    /// The links that Apple wants beside an offering (WALL-6).
    public struct Links: Sendable, Hashable, Decodable {
        /// The privacy policy.
        public let privacyPolicy: URL
        /// The terms of use.
        public let terms: URL
        /// Where to ask.
        public let questions: URL
    }
}

/// What a purchase would come to, before it is made (OWN-18).
public struct PurchaseForecast: Sendable, Hashable, Decodable {
    /// ``Answer/yes``, or why not, or what it would change; a newer server may know more.
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

    /// What the server says to the question whether to buy.
    public struct Answer: RawRepresentable, Sendable, Hashable, Decodable {
        /// As it is written in a log, and by the server where it comes from there.
        public let rawValue: String

        /// Any value, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nothing speaks against it.
        public static let yes = Answer(rawValue: "yes")
        /// The customer has it, or all that it gives, or is charged again for some of it in another group: buying would be paying
        /// twice.
        public static let alreadyHeld = Answer(rawValue: "alreadyHeld")
        /// The customer has some or all of what it gives, and buying it need not be paying twice: it gives more, adds its time,
        /// or may be a change of plan.
        public static let overlaps = Answer(rawValue: "overlaps")
        /// The customer has nothing of what it gives now, but a subscription that gives some of it is in billing retry: it may be
        /// charged still, and then be paid twice.
        public static let mayStillBeCharged = Answer(rawValue: "mayStillBeCharged")
        /// The Apple Account of this device has it for another customer.
        public static let heldByAnother = Answer(rawValue: "heldByAnother")
        /// It changes a subscription of the Apple Account of this device, or the customer's own one of that group.
        public static let changes = Answer(rawValue: "changes")
        /// The server's configuration does not name the product: buying it would give nothing.
        public static let unknownProduct = Answer(rawValue: "unknownProduct")
    }

    /// Whom a subscription would serve after a purchase that changes it.
    public struct Result: RawRepresentable, Sendable, Hashable, Decodable {
        /// As it is written in a log, and by the server where it comes from there.
        public let rawValue: String

        /// Any value, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The customer who asks.
        public static let theirs = Result(rawValue: "theirs")
        /// Whoever has the subscription now goes on having it.
        public static let staysWithOwner = Result(rawValue: "staysWithOwner")
        /// Somebody decides.
        public static let waits = Result(rawValue: "waits")
    }

    /// Whether the customer would get nothing for it that they do not have. Who has it already may still take a promotional
    /// offer, which is for the next period.
    func isInVain(withOffer hasOffer: Bool) -> Bool {
        switch answer {
        case .alreadyHeld: !hasOffer
        case .heldByAnother, .unknownProduct: true
        default: result == .staysWithOwner
        }
    }
}
