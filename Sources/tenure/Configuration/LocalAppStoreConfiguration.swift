import AppStoreWire
import Primitives
import StrictJSON

/// The configuration of the local App Store that takes Apple's place, so that `tenure simulate --config` and `tenure serve
/// --config` agree about everything.
struct LocalAppStoreConfiguration {
    /// The `.storekit` file that it sells from.
    let catalogue: String
    /// The PEM file with its keys and certificates, made if it is absent; nil: new ones at each start.
    let authority: String?
    /// The file to continue from, if it exists, and to save everything to at the end; nil: nothing is saved.
    let state: String?
    /// The port of its control API and its page.
    let port: Int
    /// The clock at its first start; nil: the machine's.
    let startsAt: Timestamp?

    private static let names: Set<String> = ["catalogue", "authority", "state", "port", "startsAt"]

    /// Reads `localAppStore` of the file; nil where the file has none.
    ///
    /// - Throws: `CommandError` that names the member and what it should be; also where Apple's own roots are trusted beside it,
    ///   because what a local App Store signs must never mix with real purchases.
    init?(in file: JSONFields, roots: TrustRoots) throws {
        guard let store = try file.fields("localAppStore", knowing: Self.names) else { return nil }
        guard !roots.containsAppleRoot else {
            throw CommandError("localAppStore is for tests: it needs trust.appleRoots to be false.")
        }
        catalogue = try store.requiredText("catalogue")
        authority = try store.text("authority")
        state = try store.text("state")
        port = try store.integer("port", in: 0...65535).map(Int.init) ?? ControlAddress.usualPort
        startsAt = try store.integer("startsAt", in: 0...Timestamp.latestAccepted.millisecondsSince1970).map {
            Timestamp(millisecondsSince1970: $0)
        }
    }
}
