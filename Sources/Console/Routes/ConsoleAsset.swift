import Primitives

/// A file that pages load: its name holds a hash of its content, so that a browser may keep it for ever.
package enum ConsoleAsset: String, Sendable, Hashable, CaseIterable {
    case css
    case js
    /// The sign of the page in a browser's tab: without one a browser asks for `/favicon.ico`.
    case svg

    var content: [UInt8] {
        switch self {
        case .css: PackageResources.console_css
        case .js: PackageResources.console_js
        case .svg: PackageResources.console_svg
        }
    }

    var contentType: String {
        switch self {
        case .css: "text/css; charset=utf-8"
        case .js: "text/javascript; charset=utf-8"
        case .svg: "image/svg+xml"
        }
    }

    /// Such as `console-0f3c….css`.
    var name: String { Self.names[self] ?? "console.\(rawValue)" }

    static func named(_ name: String) -> ConsoleAsset? { allCases.first { $0.name == name } }

    private static let names = Dictionary(
        uniqueKeysWithValues: allCases.map { asset in
            (asset, "console-\(Hexadecimal.encode(fingerprint(of: asset.content))).\(asset.rawValue)")
        })

    /// FNV-1a of 64 bits: nobody chooses these files but us, and two versions need only differ.
    ///
    /// Source: IETF draft-eastlake-fnv, section 5.
    private static func fingerprint(of content: [UInt8]) -> [UInt8] {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in content { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * UInt64($0))) }
    }
}
