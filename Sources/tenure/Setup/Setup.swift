import AppStoreModel
import Foundation
import Ledger
import Primitives

/// All output of `tenure init` follows from these values.
struct Setup {
    /// The purpose of the server.
    enum Purpose: String, CaseIterable {
        /// Trying out: a local App Store takes Apple's place.
        case local
        /// Apple's App Store.
        case real
    }

    let purpose: Purpose
    /// Where the files go.
    let folder: URL
    /// The app's name in addresses.
    let app: AppID
    let bundleId: String
    /// Nil: not known yet, so Production cannot be accepted.
    let appAppleId: Int64?
    /// The entitlements of each product, by product id.
    let products: [(id: String, entitlements: [String])]
    /// The `.storekit` file of a local App Store, as an absolute path; nil where there is none.
    let catalogue: String?
    let port: Int
    let storePort: Int
    /// The clock of a local App Store at its first start; nil: the machine's.
    let startsAt: Timestamp?
    /// Who is answered from the Sandbox; nil: everyone.
    let testers: [String]?
    let keys = AppKeys()

    /// The files' paths, absolute, so that the programs may be started from any folder.
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// How the server is reached from this machine.
    var address: String { "http://127.0.0.1:\(port)" }

    var environments: [Primitives.Environment] {
        purpose == .real && appAppleId != nil ? [.production, .sandbox] : [.sandbox]
    }
}

extension Setup {
    /// The default entitlements of a catalogue's products: one for each, and none for consumables, because what is used up gives
    /// no access.
    static func products(of catalogue: Catalogue, entitlement: String) -> [(id: String, entitlements: [String])] {
        catalogue.products.filter { $0.kind != .consumable }.map { ($0.id.rawValue, [entitlement]) }
    }

    /// A product and its entitlements, as `notes.monthly=plus` or `notes.pro=plus,pro`.
    static func product(_ text: String) throws -> (id: String, entitlements: [String]) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        let names = parts.count == 2 ? parts[1].split(separator: ",").map(String.init) : []
        guard !names.isEmpty else {
            throw CommandError("--product is \(text); it must be PRODUCT=ENTITLEMENT[,ENTITLEMENT], such as notes.pro=plus,pro.")
        }
        return (parts[0], names)
    }

    /// The last word of the bundle id, which is what people call the app; nil where it cannot be used in an address.
    static func app(ofBundle bundleId: String) -> AppID? {
        let word = bundleId.split(separator: ".").last?.lowercased() ?? ""
        let name = String(word.filter { AppConfiguration.mayStandInId($0) }.prefix(32))
        return name.isEmpty ? nil : AppID(name)
    }
}
