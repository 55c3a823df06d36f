import Foundation
import Testing

/// What stands in for Apple's frameworks: it says where each declaration comes from, and refuses what Apple's would refuse.
@Suite(.timeLimit(.minutes(10))) struct `The stand-ins` {
    /// Client/Linux.
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func lines(_ path: String) throws -> [String] {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8).components(separatedBy: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static let files = [
        "Sources/Combine/Combine.swift", "Sources/SwiftUI/SwiftUI.swift", "Sources/StoreKit/StoreKit.swift",
        "Sources/StoreKit/StoreViews.swift", "Sources/Security/Security.swift",
    ]

    /// Whether a line declares what others see: members of protocols are the only ones that do not say `public`.
    private static func isDeclaration(_ line: String) -> Bool {
        line.firstMatch(of: #/\b(public|open)\b(?! import)|^case [a-z]|^(@\w+ )?(associatedtype|typealias|func)\b/#) != nil
    }

    private static func isMember(_ line: String) -> Bool { line.firstMatch(of: #/^(@\w+ )?(var|init\()/#) != nil }

    private static func isPage(_ line: String) -> Bool {
        line.wholeMatch(of: #/\/\/\/ (combine|swiftui|storekit|security|corefoundation|kernel)\/[-a-z0-9_\/.():]+(:.*)?/#) != nil
    }

    @Test(arguments: files) func `each declaration names Apple's page`(_ file: String) throws {
        let lines = try Self.lines(file)
        var named = 0
        for (index, line) in lines.enumerated() where Self.isDeclaration(line) {
            var above = index - 1
            while above >= 0, lines[above].hasPrefix("@") { above -= 1 }
            #expect(above >= 0 && Self.isPage(lines[above]), "\(file):\(index + 1): \(line)")
            named += 1
        }
        #expect(named >= 5, "no declaration was recognised")
    }

    @Test func `no page is named for nothing`() throws {
        for file in Self.files {
            let lines = try Self.lines(file)
            for (index, line) in lines.enumerated() where Self.isPage(line) {
                var below = index + 1
                while below < lines.count, lines[below].hasPrefix("@available") { below += 1 }
                let isSomething = below < lines.count && (Self.isDeclaration(lines[below]) || Self.isMember(lines[below]))
                #expect(isSomething, "\(file):\(index + 1): \(line)")
            }
        }
    }

    /// Linux knows no version of Apple's systems, so that a compiler there cannot say what is too new.
    @Test func `what is newer than iOS 15 is used only where the system is known to have it`() throws {
        let lines = try Self.lines("Sources/StoreKit/StoreViews.swift")
        var newer: Set<String> = []
        for (index, line) in lines.enumerated() where line.hasPrefix("@available(iOS 17") && index + 1 < lines.count {
            if let name = lines[index + 1].firstMatch(of: #/(?:struct|func) (\w+)/#) { newer.insert(String(name.1)) }
        }
        #expect(newer.count >= 10 && newer.contains("SubscriptionStoreView") && newer.contains("storeButton"), "\(newer)")
        let sources = Self.root.appendingPathComponent("Sources/TenureStoreKit").resolvingSymlinksInPath()
        var users: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: sources.path) where name.hasSuffix(".swift") {
            let code = try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8)
                .components(separatedBy: "\n").filter { $0.firstMatch(of: #/^\s*\/\//#) == nil }
            // Whether the type or extension that a line is in says since when it is there.
            var isGuarded = false
            for (index, line) in code.enumerated() {
                if line.firstMatch(of: #/^ {4}[a-z ]*(struct|enum|class|extension)\b/#) != nil {
                    isGuarded = index > 0 && code[index - 1].contains("@available(iOS 17")
                }
                let words = line.matches(of: #/\w+/#).map { String($0.0) }
                guard words.contains(where: newer.contains) else { continue }
                users.insert(name)
                #expect(isGuarded, "\(name): \(line)")
            }
        }
        #expect(users == ["AppleStore.swift"])
    }

    @Test func `D11 the example is an app of 80 lines at most`() throws {
        let example = Self.root.appendingPathComponent("Sources/Example").resolvingSymlinksInPath()
        let lines = try FileManager.default.contentsOfDirectory(atPath: example.path).map { name in
            try String(contentsOf: example.appendingPathComponent(name), encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false
            )
            .count - 1
        }
        #expect(lines.count == 2 && lines.reduce(0, +) <= 80, "\(lines)")
    }

    /// Each line that is marked wrong must not compile, and no other.
    private static let sample = """
        import Foundation
        import StoreKit
        import SwiftUI
        import TenureClient
        import TenureStoreKit

        struct Sample: View {
            @EnvironmentObject private var model: TenureModel
            @State private var isOpen = false
            @State private var ids: [String] = []
            var right: some View { Text("a").task { await model.follow() }.tenureManageSheet(isPresented: $isOpen) }
            var alsoRight: some View { TenureAccess("plus") { Text("a") } else: { Button("b") { isOpen = true } } }
            var body: some View { StoreView(ids: ids).tenurePurchases { id, outcome in print(id, outcome) } }
            var one: some View { Text("a").taks { await model.follow() } } // wrong
            var two: some View { Text("a").tenureManageSheet(isPresented: isOpen) } // wrong
            var three: some View { SubscriptionStoreView(productIds: ids) } // wrong
            var four: some View { StoreView(ids: 5) } // wrong
            var five: some View { Text("a").inAppPurchaseOptions { product in [product.id] } } // wrong
            var six: some View { Text("a").onInAppPurchaseCompletion { product in } } // wrong
            var seven: some View { Text("a").refundRequestSheet(for: "1", isPresented: $isOpen) } // wrong
            var eight: some View { TenureAccess("plus") { 5 } else: { Text("b") } } // wrong
            var nine: some View { Text("a").environmentObject(ids) } // wrong
            var ten: some View { Button("b") { await model.follow() } } // wrong
        }
        """

    @Test func `a misspelled modifier and a wrong argument do not compile`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sample-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let file = folder.appendingPathComponent("Sample.swift")
        try Data(Self.sample.utf8).write(to: file)
        let said = folder.appendingPathComponent("said")
        #expect(FileManager.default.createFile(atPath: said.path, contents: nil))
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let modules = Bundle.main.bundleURL.appendingPathComponent("Modules").path
        compiler.arguments = ["swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-I", modules, file.path]
        compiler.standardError = try FileHandle(forWritingTo: said)
        try compiler.run()
        compiler.waitUntilExit()
        let text = try String(contentsOf: said, encoding: .utf8)
        let found = Set(text.matches(of: #/Sample\.swift:(\d+):\d+: error:/#).compactMap { Int($0.1) })
        let wrong = Set(
            Self.sample.components(separatedBy: "\n").enumerated().filter { $0.element.hasSuffix("// wrong") }.map {
                $0.offset + 1
            })
        #expect(found == wrong, "\(text)")
    }
}
