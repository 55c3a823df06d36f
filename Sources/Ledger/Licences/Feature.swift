package import Primitives

package typealias FeatureID = ID<Feature>

/// Something that the app learned to do, and when it was released: what a licence to updates is about (LIC-1).
package struct Feature: Sendable, Hashable {
    package let id: FeatureID
    /// For people.
    package let name: String
    package let releaseDate: Timestamp

    package init(id: FeatureID, name: String, releaseDate: Timestamp) {
        self.id = id
        self.name = name
        self.releaseDate = releaseDate
    }
}

/// The app's features in the order of their release (LIC-1).
package struct FeatureTimeline: Sendable, Hashable {
    /// By `releaseDate`, then by id; of several with one id the first of that order.
    package let features: [Feature]

    package init(_ features: [Feature]) {
        let sorted = features.sorted { ($0.releaseDate, $0.id) < ($1.releaseDate, $1.id) }
        var known: Set<FeatureID> = []
        self.features = sorted.filter { known.insert($0.id).inserted }
    }
}
