import AppStoreModel
import ArgumentParser
import Backend
import Foundation
import Primitives
import StrictJSON

struct CatalogueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue", abstract: "What an app sells, in its configuration.",
        subcommands: [ImportCatalogue.self, CheckCatalogue.self])
}

struct ImportCatalogue: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Describe the products of a .storekit file in the configuration.",
        discussion: """
            Writes `apps[].products`: types, groups, levels, durations, introductory offers and prices. What each product gives \
            stays as it was; new products give nothing until you write their entitlements. Nothing else in the file is touched. \
            Try it with --print first; the change takes effect as every change of the settings does (docs/operations/policy.md).
            """)

    @Argument(help: "The .storekit file, as Xcode writes it.")
    var file: String

    @Option(help: ArgumentHelp("The configuration file.", valueName: "path"))
    var config: String

    @Option(help: "Which of its apps; needed only where there are several.")
    var app: String?

    @Flag(help: "Print the new `products` and write nothing.")
    var print = false

    func run() throws {
        guard let storekit = FileManager.default.contents(atPath: file) else { throw CommandError("\(file) cannot be read.") }
        guard let content = FileManager.default.contents(atPath: config).map(Array.init) else {
            throw CommandError("\(config) cannot be read.")
        }
        let catalogue: Catalogue
        do throws(CatalogueError) {
            catalogue = try Catalogue(storeKitFile: Array(storekit))
        } catch {
            throw CommandError("\(file): \(error)")
        }
        let app = try member(of: content)
        let products = app["products"]
        let taken = CatalogueImport(catalogue, into: products?.object)
        if print { return Console.print(String(decoding: taken.products, as: UTF8.self)) }
        var written = content
        if let range = products.map({ $0.rawBytes.indices }) {
            written.replaceSubrange(range, with: taken.products)
        } else {
            written.insert(
                contentsOf: Array("\"products\": ".utf8) + taken.products + Array(", ".utf8), at: app.rawBytes.startIndex + 1)
        }
        try Data(written).write(to: URL(fileURLWithPath: config), options: .atomic)
        report(taken)
    }

    private func member(of content: [UInt8]) throws -> JSONObject {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(content, limits: JSONLimits())
        } catch {
            throw CommandError("\(config) is not strict JSON: \(error)")
        }
        let apps = (document.root.object?["apps"]?.array.map(Array.init) ?? []).compactMap(\.object)
        guard let app else {
            guard apps.count == 1 else {
                let ids = apps.compactMap { $0["id"]?.string }.joined(separator: ", ")
                throw CommandError("--app is missing; configured: \(ids).")
            }
            return apps[0]
        }
        guard let found = apps.first(where: { $0["id"]?.string == app }) else {
            throw CommandError("\(config) has no app \(app).")
        }
        return found
    }

    private func report(_ taken: CatalogueImport) {
        for (words, products) in [
            ("added", taken.added), ("changed", taken.changed), ("unchanged", taken.unchanged),
            ("not in the file, left alone", taken.leftAlone),
        ] where !products.isEmpty {
            Console.print("\(products.count) \(words): \(products.joined(separator: ", "))")
        }
        for warning in taken.warnings { Console.print(warning) }
    }
}

struct CheckCatalogue: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "List products that were bought and are not configured, and the reverse.",
        discussion: """
            Looks at every subscription in the database, and changes nothing; may run beside a server.
            A product that was removed from the configuration, and bought after that, is not configured; those who paid for it \
            are listed.
            Exit status: 0 where every product that was bought is configured, 1 where one is not.
            """)

    @OptionGroup var choice: AppChoice

    func run() async throws {
        let (configuration, chosen) = try choice.read()
        var bar = ProgressBar()
        let comparison = try await configuration.withBackend { backend, _ in
            try await backend.compareCatalogue(of: chosen.id) { bar.show("\($0) subscriptions") }
        }
        bar.clear()
        for line in Self.lines(of: comparison) { Console.print(line) }
        if !comparison.notConfigured.isEmpty { throw ExitCode(1) }
    }

    static func lines(of comparison: CatalogueComparison) -> [String] {
        func list(_ heading: String, _ products: [String]) -> [String] {
            products.isEmpty ? [] : ["\(heading):"] + products.map { "  \($0)" }
        }
        func words(_ seen: CatalogueComparison.SeenProduct) -> String {
            "\(seen.productId)  \(seen.environment.rawValue)  \(seen.subscriptions) bought, last on \(seen.lastPurchaseDate)"
        }
        func payers(of seen: CatalogueComparison.SeenProduct) -> [String] {
            let lines = seen.payers.map { payer in
                "  \(payer.customer?.rawValue ?? "(nobody yet)")  \(payer.subscription)  on \(payer.purchaseDate)"
            }
            return seen.payers.count < CatalogueComparison.mostPayers
                ? lines : lines + ["  and maybe more: these are the newest \(seen.payers.count)"]
        }
        let plain =
            list(
                "Bought and not configured: who paid, and has no access by it",
                comparison.notConfigured.flatMap { [words($0)] + payers(of: $0) })
            + list("Configured to give nothing", comparison.givesNothing.map(\.rawValue))
            + list("Configured and never bought", comparison.notSeen.map(\.rawValue))
            + list("Bought and configured", comparison.configured.map(words))
        return plain + ["\(comparison.subscriptions) subscriptions and other purchases were looked at."]
    }
}
