public import Primitives

/// The app that a payload must be about. The caller or the address determines it, never the payload (FACT-4, T11).
///
/// Source: FACT-4; Apple, App Store Server Library, `SignedDataVerifier`.
public struct ExpectedApp: Sendable, Hashable {
    /// The bundle identifier, compared byte by byte.
    public let bundleId: String
    /// The app's Apple id. A Production payload that names one must name this one; with nil such a payload is refused.
    public let appAppleId: Int64?
    /// The environments that are accepted here. `.xcode` and `.localTesting` belong here only together with their own root.
    public let environments: Set<Environment>

    /// An app as it is configured.
    ///
    /// - Parameters:
    ///   - bundleId: as in App Store Connect.
    ///   - appAppleId: as in App Store Connect; nil only while the app has no Production data.
    ///   - environments: those whose payloads are accepted.
    public init(bundleId: String, appAppleId: Int64?, environments: Set<Environment>) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environments = environments
    }

    /// Compares byte by byte: `==` of strings treats canonically equivalent texts as equal.
    package func hasBundleId(_ other: String) -> Bool { bundleId.utf8.elementsEqual(other.utf8) }

    /// The text of a refusal of something that belongs to another app.
    func mismatch(bundleId found: String) -> String { "found \(found.prefix(256)), expected \(bundleId)" }

    /// The same for another environment.
    func mismatch(environment found: Environment) -> String {
        "found \(found.rawValue), expected \(environments.map(\.rawValue).sorted().joined(separator: " or "))"
    }

    /// The same for another Apple id of the app.
    func mismatch(appAppleId found: Int64) -> String { "found \(found), expected \(appAppleId.map { "\($0)" } ?? "none")" }
}
