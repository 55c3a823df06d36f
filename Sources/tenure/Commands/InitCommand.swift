import ArgumentParser
import Foundation
import Ledger
import Primitives

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a configuration with its keys, for a local App Store or for Apple's.",
        discussion: """
            `tenure init local` writes one for `tenure simulate` and `tenure serve` together; `tenure init real` one for
            Apple's App Store. What the options do not say is asked for at a terminal; a script must give all options.
            It writes tenure.json, keys.env with the keys in clear, and tenure.md that says where each value comes from; local
            also the local App Store's root and clock. No existing file is overwritten. See docs/first-hour.md.
            """)

    @Argument(help: "local: for a local App Store in place of Apple's. real: for Apple's.")
    var purpose: String?

    @Option(name: .long, help: "The folder to write to; created if it is missing.")
    var folder = "."

    @Option(name: .long, help: "The app's bundle id, as in App Store Connect, App Information.")
    var bundle: String?

    @Option(name: .long, help: "The app's name in addresses, of a-z, 0-9 and -; the last word of the bundle id unless given.")
    var id: String?

    @Option(
        name: .long,
        help: "The app's Apple ID, as in App Store Connect, App Information; without it nothing of Production is accepted.")
    var appAppleId: Int64?

    @Option(name: .long, help: "A .storekit file with the products. A local App Store sells these products.")
    var catalogue: String?

    @Option(name: .long, help: "The entitlement that each product of the catalogue gives; consumables give none.")
    var entitlement = "premium"

    @Option(
        name: .long,
        help: "What a product gives, as PRODUCT=ENTITLEMENT[,ENTITLEMENT]; may be repeated, and overrides the catalogue's.")
    var product: [String] = []

    @Option(
        name: .long,
        help: """
            Who is answered from the Sandbox: everyone, nobody, or customer ids with commas between them. Local: everyone; real: \
            nobody, unless given.
            """)
    var sandboxAccess: String?

    @Option(name: .long, help: "The server's port.")
    var port = 8080

    @Option(name: .long, help: "The local App Store's port.")
    var storePort = ControlAddress.usualPort

    @Option(name: .long, help: "The local App Store's clock at its first start, in milliseconds since 1970; now unless given.")
    var startsAt: Int64?

    @Flag(name: .long, help: "Replace existing files.")
    var force = false

    func run() async throws {
        let setup = try setup(SetupQuestions.ofThisProcess)
        try await setup.write(replacing: force)
        let path = setup.path(Setup.configurationName)
        Console.print("Written: \(path), and \(Setup.guideName) beside it, which explains it.")
        for step in steps(of: setup, path) { Console.print("  \(step)") }
    }

    private func steps(of setup: Setup, _ path: String) -> [String] {
        let simulate = setup.purpose == .local ? ["tenure simulate --config \(path)"] : []
        let url = setup.purpose == .local ? setup.address : "https://your.host"
        return simulate + ["tenure serve --config \(path)", "tenure doctor --config \(path) --url \(url)"]
    }

    private func setup(_ questions: SetupQuestions) throws -> Setup {
        let purpose = try purpose(questions)
        let bundleId = try questions.required(
            bundle, option: "--bundle", "The app's bundle id (App Store Connect, App Information)?")
        let (catalogue, products) = try goods(for: purpose, questions)
        return Setup(
            purpose: purpose, folder: URL(fileURLWithPath: folder, isDirectory: true).standardizedFileURL,
            app: try app(ofBundle: bundleId), bundleId: bundleId, appAppleId: try appAppleId(for: purpose, questions),
            products: products, catalogue: purpose == .local ? catalogue : nil, port: try Self.port(port, "--port"),
            storePort: try Self.port(storePort, "--store-port"),
            startsAt: try startsAt.map(Self.instant), testers: testers(for: purpose))
    }

    private func purpose(_ questions: SetupQuestions) throws -> Setup.Purpose {
        let answer = try questions.required(
            purpose, option: "The first word", "What is it for: local (try out, with a local App Store) or real (Apple's)?")
        guard let purpose = Setup.Purpose(rawValue: answer) else {
            throw CommandError("\(answer) is neither local nor real.")
        }
        return purpose
    }

    private func app(ofBundle bundleId: String) throws -> AppID {
        guard let id else {
            guard let app = Setup.app(ofBundle: bundleId) else {
                throw CommandError("--id is missing: a name of a-z, 0-9 and -.")
            }
            return app
        }
        guard AppConfiguration.isId(id) else { throw CommandError("--id is \(id); it must be 1 to 32 of a-z, 0-9 and -.") }
        return AppID(id)
    }

    /// A local App Store uses the given number; the real App Store's is asked for and may be given later.
    private func appAppleId(for purpose: Setup.Purpose, _ questions: SetupQuestions) throws -> Int64? {
        if let appAppleId {
            guard appAppleId > 0 else { throw CommandError("--app-apple-id is \(appAppleId); it must be a positive number.") }
            return appAppleId
        }
        guard purpose == .real,
            let answer = questions.ask("The app's Apple ID (App Store Connect, App Information; empty: Sandbox only for now)?")
        else { return nil }
        guard let number = Int64(answer), number > 0 else { throw CommandError("\(answer) is not an Apple ID (a number).") }
        return number
    }

    /// The catalogue's path, and the entitlements of the products.
    private func goods(
        for purpose: Setup.Purpose, _ questions: SetupQuestions
    ) throws -> (catalogue: String?, products: [(id: String, entitlements: [String])]) {
        let isNeeded = purpose == .local || product.isEmpty
        let file = try isNeeded ? questions.required(catalogue, option: "--catalogue", Self.catalogueQuestion) : catalogue
        let path = file.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
        let named = try product.map(Setup.product)
        let sold = try path.map { Setup.products(of: try CatalogueFile.read($0), entitlement: entitlement) } ?? []
        let products = sold.filter { one in !named.contains { $0.id == one.id } } + named
        guard !products.isEmpty else {
            throw CommandError("\(path ?? "") has nothing that gives access: name products with --product.")
        }
        guard Set(products.map(\.id)).count == products.count else { throw CommandError("--product names a product twice.") }
        return (path, products)
    }

    private static let catalogueQuestion =
        "The .storekit file of what you sell (from Xcode; for the real App Store --product PRODUCT=ENTITLEMENT does as well)?"

    /// Nil: everyone.
    private func testers(for purpose: Setup.Purpose) -> [String]? {
        switch sandboxAccess {
        case "everyone": nil
        case "nobody": []
        case let names?: names.split(separator: ",").map(String.init)
        case nil: purpose == .local ? nil : []
        }
    }

    private static func port(_ port: Int, _ option: String) throws -> Int {
        guard (1...65535).contains(port) else { throw CommandError("\(option) is \(port); it must be 1 to 65535.") }
        return port
    }

    private static func instant(_ milliseconds: Int64) throws -> Timestamp {
        guard let instant = Timestamp(validating: milliseconds) else {
            throw CommandError("--starts-at is \(milliseconds); it must be milliseconds since 1970, before the year 10000.")
        }
        return instant
    }
}
