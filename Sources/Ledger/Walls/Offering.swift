package import Primitives

package typealias OfferingID = ID<Offering>

/// What a wall shows: products in an order, and the links that Apple wants beside them (WALL-1, WALL-6).
package struct Offering: Sendable, Hashable {
    package let id: OfferingID
    /// In the order in which they are shown; with their introductory offers, where they have any.
    package let products: [ProductID]
    package let links: OfferingLinks

    package init(id: OfferingID, products: [ProductID], links: OfferingLinks) {
        self.id = id
        self.products = products
        self.links = links
    }
}

/// The links that stand beside every offering; one without them cannot be made (WALL-6).
///
/// Source: Apple, App Review Guidelines, 3.1.2; Schedule 2, section 3.8 (b).
package struct OfferingLinks: Sendable, Hashable {
    package let privacyPolicy: String
    package let terms: String
    /// Where the customer can ask.
    package let questions: String

    /// Nil unless each is an address: `https://` and something after it; questions may also be a `mailto:`.
    package init?(privacyPolicy: String, terms: String, questions: String) {
        guard Self.isAddress(privacyPolicy, "https://"), Self.isAddress(terms, "https://"),
            Self.isAddress(questions, "https://") || Self.isAddress(questions, "mailto:")
        else { return nil }
        self.privacyPolicy = privacyPolicy
        self.terms = terms
        self.questions = questions
    }

    private static func isAddress(_ text: String, _ scheme: String) -> Bool {
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        return text.utf8.starts(with: scheme.utf8) && !rest.isEmpty && rest.allSatisfy { $0 > UInt8(ascii: " ") && $0 != 0x7F }
    }
}
