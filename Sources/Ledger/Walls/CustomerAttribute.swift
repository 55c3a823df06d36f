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
        var said: [String: String] = [:]
        for case .attribute(let attribute) in inputs { said[attribute.name] = attribute.value }
        return said
    }

    /// What was said last under the name, also where that took it back; nil where nothing ever was.
    package func attribute(_ name: String) -> CustomerAttribute? {
        guard let index = index(ofAttribute: name), case .attribute(let attribute) = inputs[index] else { return nil }
        return attribute
    }

    /// Where the one input stands that says it; nil where none does.
    func index(ofAttribute name: String) -> Int? {
        inputs.firstIndex { if case .attribute(let attribute) = $0 { attribute.name == name } else { false } }
    }
}
