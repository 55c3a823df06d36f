import AppStoreWire
import Backend
import Primitives
import Server

/// Something in a configuration that is valid but most likely not intended.
struct ConfigurationWarning: Sendable, Hashable {
    /// What it is about, with the names of the file.
    let subject: String
    let words: String
    let remedy: String

    var text: String { "\(subject): \(words) \(remedy)" }
}

extension TenureConfiguration {
    /// - Parameter variables: the environment in which it was read.
    func warnings(environment variables: [String: String]) -> [ConfigurationWarning] {
        let ofRoots = rootsBesideApples.map { words in
            ConfigurationWarning(
                subject: "trust.additionalRootSHA256", words: words,
                remedy: "Remove it, unless Apple publishes it as a root of its own; a local App Store needs a separate server.")
        }
        return (ofRoots.map { [$0] } ?? []) + warningsOfApps(environment: variables)
    }

    /// The warnings about apps, and about variables that belong to no app.
    func warningsOfApps(environment variables: [String: String]) -> [ConfigurationWarning] {
        shared + untrustedXcode + Self.misspelt(variables, apps)
    }

    /// Apps that accept the environment `Xcode` where no copy of Xcode is trusted: everything of it is refused.
    private var untrustedXcode: [ConfigurationWarning] {
        guard roots.xcodeFingerprints.isEmpty else { return [] }
        return apps.filter { $0.settings.expected.environments.contains(.xcode) }.map { app in
            ConfigurationWarning(
                subject: "apps[].environments",
                words:
                    "\(app.settings.id) accepts the environment Xcode, but no Xcode certificate is listed: everything that Xcode "
                    + "signs is refused.",
                remedy:
                    "List the SHA-256 of each Mac's certificate in trust.xcodeCertificateSHA256 (docs/operations/xcode.md).")
        }
    }

    /// The trusted roots that are not Apple's, by their SHA-256 in hexadecimal digits.
    var otherRoots: String {
        roots.fingerprints.subtracting(TrustRoots.apple.fingerprints).map(Hexadecimal.encode).sorted().joined(separator: ", ")
    }

    /// What it means that other roots are trusted beside Apple's; nil where none are.
    var rootsBesideApples: String? {
        guard roots.containsAppleRoot, !otherRoots.isEmpty else { return nil }
        return "besides Apple's, \(otherRoots) is trusted: its owner can sign purchases."
    }

    /// Values that should belong to one app but are shared: their holder can act for the other apps too.
    private var shared: [ConfigurationWarning] {
        let secrets: [(String, (AppConfiguration) -> String?)] = [
            ("bundleId", { $0.settings.expected.bundleId }),
            ("publicKey", { $0.credentials.publicKey }),
            ("serverKeySHA256", { Hexadecimal.encode($0.credentials.serverKeyDigest) }),
            ("customerTokenKeys", { $0.credentials.customerTokenKeys.map { "\($0.issuer) \($0.audience)" } }),
            ("customerTokenSecret", { $0.credentials.customerTokenSecret.map { Hexadecimal.encode($0) } }),
        ]
        return secrets.flatMap { name, value in
            let named = apps.compactMap { app in value(app).map { (app.settings.id.rawValue, $0) } }
            let groups = Dictionary(grouping: named) { $0.1 }.values.map { $0.map(\.0) }.filter { $0.count > 1 }
            return groups.sorted { $0[0] < $1[0] }.map { ids in
                ConfigurationWarning(
                    subject: "apps[].\(name)", words: "\(ids.joined(separator: " and ")) have the same one.",
                    remedy: Self.remedies[name] ?? "tenure keys makes new ones.")
            }
        }
    }

    /// Of values that Tenure does not make.
    private static let remedies = [
        "bundleId": "One app at Apple is one app here.",
        "customerTokenKeys": "A token for one app names a customer of the other too: ask the issuer for an audience of each.",
    ]

    /// Variables whose names look like ours but that nothing reads.
    private static func misspelt(_ variables: [String: String], _ apps: [AppConfiguration]) -> [ConfigurationWarning] {
        let known = apps.flatMap { AppConfiguration.variables(of: $0.settings.id) }
        // For the shell of a user who tries Tenure (`keys.env`).
        let ofOfferKeys = apps.map { AppConfiguration.offerKeyVariables(of: $0.settings.id) }
        let names = variables.keys.filter { name in
            name.hasPrefix("TENURE_APP_") && name != "TENURE_APP_URL" && !known.contains(name)
                && !ofOfferKeys.contains(where: name.hasPrefix)
        }
        return names.sorted().map { name in
            ConfigurationWarning(
                subject: name, words: "this environment variable is not used.",
                remedy: "Known: \(known.sorted().joined(separator: ", ")).")
        }
    }
}
