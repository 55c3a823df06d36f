import Foundation
import Testing

/// Data that was not made up for these tests; the environment variable TENURE_FIXTURES says where it is.
enum Fixtures {
    static var folder: String? { ProcessInfo.processInfo.environment["TENURE_FIXTURES"] }

    static var areThere: Bool { folder != nil }

    static func bytes(_ path: String) throws -> [UInt8] {
        let folder = try #require(folder)
        return Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/" + path)))
    }

    /// The text without the line break at its end.
    static func text(_ path: String) throws -> String {
        String(decoding: try bytes(path), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// An object as Foundation reads it, which shares no code with our reader.
    static func object(_ path: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes(path))) as? [String: Any])
    }
}

extension Trait where Self == ConditionTrait {
    static var needsFixtures: Self { .enabled(if: Fixtures.areThere, "TENURE_FIXTURES is not set") }
}
