package import Primitives

/// What the app's backend says of a customer by a name, such as `plan: gold`, for the conditions of cohorts (WALL-1). Of several
/// of one name the last one counts.
package struct CustomerAttribute: Sendable, Hashable {
    /// The app's own word; compared as it stands.
    package let name: String
    /// Nil: nothing is said under the name any more.
    package let value: String?
    /// On our clock.
    package let saidAt: Timestamp

    package init(name: String, value: String?, saidAt: Timestamp) {
        self.name = name
        self.value = value
        self.saidAt = saidAt
    }

    /// How many of them one customer has at the most: every read of what the customer may use carries them.
    package static let most = 50
    /// In characters.
    package static let longestName = 64
    /// In characters.
    package static let longestValue = 256
}

extension CustomerAccount {
    /// What was said last under each name; by name.
    package var attributes: [String: String] {
        Dictionary(saidAttributes.compactMap { said in said.value.map { (said.name, $0) } }) { first, _ in first }
    }

    /// What was said last under the name, also where that took it back; nil where nothing ever was.
    package func attribute(_ name: String) -> CustomerAttribute? { saidAttributes.first { $0.name == name } }

    private var saidAttributes: [CustomerAttribute] {
        inputs.compactMap { if case .attribute(let attribute) = $0 { attribute } else { nil } }
    }
}
