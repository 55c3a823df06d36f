import Foundation
import Testing

/// The third-party code that is built: each manifest states a range of one minor version, all state the same one, and nothing
/// older than the first version without a known vulnerability is used (T34; docs/architecture.md, "Dependencies"; decision 0026).
@Suite struct `Versions of the dependencies` {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    /// The folders that hold a package.
    private static let folders = ["", "Rules/", "Fuzz/"]

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private static func manifests() throws -> [Manifest] {
        try folders.map { Manifest(path: $0 + "Package.swift", text: try text($0 + "Package.swift")) }
    }

    /// The versions that the builds of this checkout resolved; none where nothing was built yet, as in a fresh clone.
    private static func resolutions() throws -> [Resolution] {
        try folders.map { $0 + "Package.resolved" }
            .filter { FileManager.default.fileExists(atPath: root.appendingPathComponent($0).path) }
            .map { try Resolution(path: $0, json: Data(contentsOf: root.appendingPathComponent($0))) }
    }

    private func complain(_ findings: [String]) {
        for finding in findings { Issue.record("\(finding)") }
    }

    @Test func `each manifest states ranges of one minor version, and all state the same ones`() throws {
        let manifests = try Self.manifests()
        #expect(manifests.allSatisfy { $0.ranges.count >= 3 })
        complain(manifests.flatMap(\.findings) + Manifest.contradictions(manifests))
    }

    @Test func `what was resolved lies in the stated ranges`() throws {
        let ranges = try Self.manifests().flatMap(\.ranges)
        complain(try Self.resolutions().flatMap { $0.findings(outside: ranges) })
    }

    @Test func `T34 no dependency is stated or was resolved below its floor`() throws {
        let floors = Floor.all(page: try Self.text("docs/architecture.md"))
        let (manifests, resolutions) = (try Self.manifests(), try Self.resolutions())
        // As in the threat model: without these lines the table was lost or has another form.
        #expect(
            ["swift-crypto", "swift-certificates", "swift-asn1", "swift-nio", "swift-nio-ssl"].allSatisfy { floors[$0] != nil })
        complain(manifests.flatMap { $0.findings(below: floors) } + resolutions.flatMap { $0.findings(below: floors) })
        for resolution in resolutions where resolution.path == "Package.resolved" {
            complain(floors.keys.filter { resolution.versions[$0] == nil }.map { "\($0) has a floor, and nothing resolves it" })
        }
    }

    // MARK: That the comparison finds what it is for

    private static let crypto = #".package(url: "https://github.com/apple/swift-crypto.git", .upToNextMinor(from: "4.5.2")),"#

    @Test func `another range for the same dependency is found, and so is one in another form`() {
        let one = Manifest(path: "Package.swift", text: Self.crypto)
        #expect(one.findings.isEmpty && Manifest.contradictions([one, one]).isEmpty)
        let other = Manifest(path: "Fuzz/Package.swift", text: Self.crypto.replacingOccurrences(of: "4.5.2", with: "4.6.0"))
        #expect(Manifest.contradictions([one, other]).count == 1)
        for form in [#"from: "4.5.2""#, #"branch: "main""#, #".upToNextMajor(from: "4.5.2")"#, #""4.5.2"..<"5.0.0""#] {
            let text = #".package(url: "https://github.com/apple/swift-crypto.git", \#(form)),"#
            #expect(Manifest(path: "Package.swift", text: text).findings.count == 1, "\(form)")
        }
    }

    @Test(arguments: [("4.5.1", true), ("4.5.2", false), ("4.5.10", false), ("4.6.0", true), ("5.5.2", true)])
    func `a resolved version outside its range is found`(version: String, isFound: Bool) throws {
        let range = try #require(Manifest(path: "Package.swift", text: Self.crypto).ranges.first)
        #expect(try Self.resolution(#""version":"\#(version)""#).findings(outside: [range]).isEmpty != isFound)
    }

    @Test func `a version below its floor is found, stated or resolved, and so is one that is no version`() throws {
        let floors = Floor.all(page: "| swift-crypto | 4.5.10 | a hole |\n| something | else | |")
        #expect(floors.count == 1)
        #expect(Manifest(path: "Package.swift", text: Self.crypto).findings(below: floors).count == 1)
        #expect(try Self.resolution(#""version":"4.5.9""#).findings(below: floors).count == 1)
        #expect(try Self.resolution(#""version":"4.5.10""#).findings(below: floors).isEmpty)
        #expect(try Self.resolution(#""branch":"main""#).findings(below: floors).count == 1)
    }

    private static func resolution(_ state: String) throws -> Resolution {
        try Resolution(
            path: "Package.resolved", json: Data(#"{"pins":[{"identity":"swift-crypto","state":{\#(state)}}]}"#.utf8))
    }
}

/// A released version: three numbers.
private struct Version: Comparable {
    let numbers: [Int]

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        numbers = parts.compactMap { part in part.allSatisfy(\.isNumber) ? Int(part) : nil }
        guard numbers.count == 3, parts.count == 3 else { return nil }
    }

    static func < (left: Version, right: Version) -> Bool { left.numbers.lexicographicallyPrecedes(right.numbers) }

    /// Whether a range from `first` up to the next minor version contains this one.
    func isOfMinor(from first: Version) -> Bool { self >= first && numbers.prefix(2) == first.numbers.prefix(2) }
}

/// A dependency as a manifest states it.
private struct StatedRange {
    let path: String
    let identity: String
    let from: String
}

/// The dependencies of one manifest.
private struct Manifest {
    let ranges: [StatedRange]
    /// Dependencies that are not stated as a range of one minor version.
    let findings: [String]

    init(path: String, text: String) {
        let stated = text.matches(
            of: #/\.package\(\s*url: "[^"]*/([^"/]+?)(?:\.git)?",\s*\.upToNextMinor\(from: "([^"]+)"\)\s*\)/#)
        ranges = stated.map { StatedRange(path: path, identity: $0.output.1.lowercased(), from: String($0.output.2)) }
        var findings = ranges.filter { Version($0.from) == nil }.map { "\(path): \($0.identity): \($0.from) is no version" }
        let count = text.matches(of: #/\.package\(/#).count
        if count != ranges.count {
            findings.append("\(path): \(count - ranges.count) of \(count) dependencies are not stated by .upToNextMinor(from:)")
        }
        self.findings = findings
    }

    static func contradictions(_ manifests: [Manifest]) -> [String] {
        let grouped: [String: [StatedRange]] = Dictionary(grouping: manifests.flatMap(\.ranges), by: \.identity)
        var findings: [String] = []
        for identity in grouped.keys.sorted() {
            let ranges = grouped[identity] ?? []
            guard Set(ranges.map(\.from)).count > 1 else { continue }
            let stated = ranges.map { "\($0.path) from \($0.from)" }.joined(separator: ", ")
            findings.append("\(identity) has several ranges: \(stated)")
        }
        return findings
    }

    func findings(below floors: [String: Version]) -> [String] {
        ranges.compactMap { range in
            guard let floor = floors[range.identity], let from = Version(range.from), from < floor else { return nil }
            return "\(range.path): \(range.identity) from \(range.from) is below its floor"
        }
    }
}

/// What a build used, according to its `Package.resolved`.
private struct Resolution {
    let path: String
    /// The version of each dependency by its identity; nil where it is a branch or a revision.
    let versions: [String: Version?]

    private struct Document: Decodable {
        struct Pin: Decodable {
            struct State: Decodable { let version: String? }
            let identity: String
            let state: State
        }
        let pins: [Pin]
    }

    init(path: String, json: Data) throws {
        self.path = path
        let pins = try JSONDecoder().decode(Document.self, from: json).pins
        let pairs: [(String, Version?)] = pins.map { pin in
            guard let version = pin.state.version else { return (pin.identity, nil) }
            return (pin.identity, Version(version))
        }
        versions = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    func findings(outside ranges: [StatedRange]) -> [String] {
        var findings: [String] = []
        for range in ranges {
            guard let resolved = versions[range.identity], let from = Version(range.from) else { continue }
            if let resolved, resolved.isOfMinor(from: from) { continue }
            findings.append("\(path): \(range.identity) is outside the range from \(range.from) of \(range.path)")
        }
        return findings
    }

    func findings(below floors: [String: Version]) -> [String] {
        var findings: [String] = []
        for identity in versions.keys.sorted() {
            guard let version = versions[identity] ?? nil else {
                findings.append("\(path): \(identity) is no released version")
                continue
            }
            if let floor = floors[identity], version < floor { findings.append("\(path): \(identity) is below its floor") }
        }
        return findings
    }
}

/// The table of floors: a line `| identity | version | why |` each.
private enum Floor {
    static func all(page: String) -> [String: Version] {
        let rows = page.matches(of: #/(?m)^\| ([\w.-]+) \| (\d+\.\d+\.\d+) \| /#)
        return Dictionary(
            rows.compactMap { row in Version(row.output.2).map { (String(row.output.1), $0) } }, uniquingKeysWith: max)
    }
}
