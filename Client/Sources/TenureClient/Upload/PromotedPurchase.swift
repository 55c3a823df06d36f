import Foundation

/// A purchase that somebody began in the App Store, on the app's product page (DEV-5).
public struct PromotedPurchase: Sendable, Hashable, Codable {
    /// The product that they chose.
    public let productId: String
    /// When the store said it to the app, by the device's clock.
    public let askedAt: Instant

    /// Who chose something yesterday does not expect to be asked for it today.
    static let longest = Length.day

    /// More than anybody chooses in a day; the oldest is forgotten then.
    static let most = 10
}

/// The promoted purchases that the app has not taken up, the oldest first, each product once.
struct PromotedPurchases: Sendable, Hashable, Codable {
    private var all: [PromotedPurchase] = []

    /// Those that are young enough.
    func live(at now: Instant) -> [PromotedPurchase] { all.filter { now.since($0.askedAt) < PromotedPurchase.longest } }

    mutating func insert(_ purchase: PromotedPurchase, at now: Instant) {
        all = (live(at: now).filter { $0.productId != purchase.productId } + [purchase]).suffix(PromotedPurchase.most)
    }

    /// - Returns: whether there was one.
    mutating func remove(_ productId: String) -> Bool {
        let before = all.count
        all.removeAll { $0.productId == productId }
        return all.count < before
    }
}
