package import Primitives

/// What the three certificates of a ``SigningAuthority`` look like: Apple's shape, or one fault of it.
///
/// A verifier is tested with every wrong shape; only tests ask for one.
///
/// Source: Apple, App Store Server API, `x5c`; the certificates in Apple-signed payloads of 2022 to 2025.
package struct ChainShape: Sendable, Hashable {
    /// Whose names the certificates contain.
    package enum Names: Sendable, Hashable {
        /// Names that say "Simulator", so that nobody mistakes such a certificate for Apple's.
        case simulator
        /// Apple's own subject names, to the letter: a forger's first try (T01).
        case apple
    }

    /// The curve of the leaf's key.
    package enum LeafKey: Sendable, Hashable {
        /// Apple's curve; the only one that ES256 works with.
        case p256
        /// A curve that ES256 does not work with.
        case p384
    }

    /// What the leaf's key usage extension says.
    package enum LeafUsage: Sendable, Hashable {
        /// As Apple's: critical, `digitalSignature`.
        case digitalSignature
        /// Present, but for key agreement only.
        case keyAgreement
        /// No such extension.
        case absent
    }

    /// Whether the leaf carries 1.2.840.113635.100.6.11.1.
    package var leafHasMarker = true
    /// Whether the intermediate carries 1.2.840.113635.100.6.2.1.
    package var intermediateHasMarker = true
    /// Whether the leaf also carries the intermediate's mark: a forger needs this to shift a chain by one.
    package var leafHasIntermediateMarker = false
    /// Whether the leaf says that it may issue certificates.
    package var leafIsCA = false
    /// Whether the intermediate says that it may issue certificates.
    package var intermediateIsCA = true
    /// What the leaf's key may be used for.
    package var leafUsage = LeafUsage.digitalSignature
    /// The curve of the leaf's key.
    package var leafKey = LeafKey.p256
    /// Whether subject and authority key identifiers are there; Apple's Python library refuses chains without them.
    package var hasKeyIdentifiers = true
    /// A critical extension in the leaf that no verifier knows.
    package var leafHasUnknownCriticalExtension = false
    /// Whose names the certificates contain.
    package var names = Names.simulator
    /// When the leaf is valid; nil: as long as the rest.
    package var leafValidity: ClosedRange<Timestamp>?
    /// When the intermediate is valid; nil: as long as the root.
    package var intermediateValidity: ClosedRange<Timestamp>?

    /// Apple's shape.
    package init() {}

    /// Apple's shape.
    package static let apple = ChainShape()

    /// Apple's shape with one thing changed.
    package static func apple(_ change: (inout ChainShape) -> Void) -> ChainShape {
        var shape = ChainShape()
        change(&shape)
        return shape
    }
}
