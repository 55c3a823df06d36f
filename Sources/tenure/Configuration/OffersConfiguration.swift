import AppStoreWire
import Ledger
import Primitives
import StrictJSON

/// Which promotional offers are signed for whom, as an app's file says it in `offers` (WALL-5), and with which key: `offerKeys`.
struct OffersConfiguration {
    /// What the app sells by subscription: nothing else has offers.
    let plans: PlanCatalogueDraft

    private static let names: Set<String> = ["promotional", "signaturesPerHour", "signaturesPerMinute"]

    /// - Throws: `CommandError` that names the member and what it should be.
    func desk(_ file: JSONFields) throws -> OfferDesk {
        guard let chosen = try file.fields("offers", knowing: Self.names) else { return OfferDesk() }
        var offers: [PromotionalOffer] = []
        for fields in try chosen.list("promotional") ?? [] {
            let offer = try offer(fields)
            guard
                !offers.contains(where: { $0.offerIdentifier == offer.offerIdentifier && $0.productId == offer.productId })
            else {
                throw CommandError("\(fields.place("id")): \(offer.productId) has two offers \(offer.offerIdentifier).")
            }
            offers.append(offer)
        }
        let usual = OfferDesk()
        return OfferDesk(
            offers: offers,
            signaturesPerHour: try chosen.integer("signaturesPerHour", in: 1...1000).map(Int.init) ?? usual.signaturesPerHour,
            signaturesPerMinute: try chosen.integer("signaturesPerMinute", in: 1...100_000).map(Int.init)
                ?? usual.signaturesPerMinute)
    }

    private func offer(_ fields: JSONFields) throws -> PromotionalOffer {
        try fields.refuseMembers(besides: ["id", "product", "audience", "timesPerCustomer", "window"])
        let product = ProductID(try fields.requiredText("product"))
        guard
            let group = plans.families.first(where: { family in family.products.contains { $0.productId == product } })?
                .subscriptionGroupIdentifier
        else {
            throw CommandError(
                """
                \(fields.place("product")) is \(product), which products does not describe as a subscription, with group, level \
                and duration.
                """)
        }
        var window: PromotionalOffer.Window?
        if let chosen = try fields.fields("window", knowing: ["times", "days"]) {
            window = PromotionalOffer.Window(
                times: Int(try chosen.requiredInteger("times", in: 1...1000)),
                length: .days(try chosen.requiredInteger("days", in: 1...3650)))
        }
        return PromotionalOffer(
            offerIdentifier: try identifier(fields), productId: product, subscriptionGroupIdentifier: group,
            audience: try fields.choice("audience", PromotionalOffer.Audience.self) ?? .presentOrFormer,
            timesPerCustomer: try fields.integer("timesPerCustomer", in: 1...1000).map(Int.init) ?? 1, window: window)
    }

    /// As App Store Connect takes it, so that no character of it can change what is signed (T22).
    private func identifier(_ fields: JSONFields) throws -> String {
        let id = try fields.requiredText("id")
        let isAllowed = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard (1...64).contains(id.utf8.count), id.utf8.allSatisfy(isAllowed) else {
            throw CommandError(
                "\(fields.place("id")) must be 1 to 64 letters, digits, `.`, `_` and `-`, as App Store Connect has it.")
        }
        return id
    }

    // MARK: Keys

    /// Where an app's keys may be said, and which one signs where none of them is for offers.
    struct Keys {
        let file: JSONFields
        let bundleId: String
        /// Of `apple`; nil where it has none.
        let ofApple: SigningKey?
        /// What the names of the variables begin with that may hold the text of a key in place of its file.
        let variablePrefix: String
        let variables: [String: String]
    }

    /// Signs with the key that `offerKeys.use` names, else with the first one, else with that of `apple`; nil where there is
    /// none.
    ///
    /// - Throws: `CommandError`; every key is read, so that one which replaces a lost one is known to be right before.
    static func signer(_ keys: Keys) throws -> OfferSigner? {
        guard let chosen = try keys.file.fields("offerKeys", knowing: ["use", "keys"]) else {
            return try keys.ofApple.map { try signer($0, keys) }
        }
        var known: [SigningKey] = []
        for fields in try chosen.list("keys") ?? [] {
            try fields.refuseMembers(besides: ["keyId", "issuerId", "privateKeyFile"])
            let id = try fields.requiredText("keyId")
            let key = try PrivateKeyText(
                fields, variable: keys.variablePrefix + id, keys.variables
            ).key(keyId: id, issuerId: try fields.requiredText("issuerId"))
            guard !known.contains(where: { $0.keyId == id }) else {
                throw CommandError("\(fields.place("keyId")): two keys are called \(id).")
            }
            known.append(key)
        }
        if let use = try chosen.text("use") {
            guard let key = (known + [keys.ofApple].compactMap { $0 }).first(where: { $0.keyId == use }) else {
                throw CommandError("\(chosen.place("use")) is \(use), which is none of the keys.")
            }
            return try signer(key, keys)
        }
        guard let key = known.first ?? keys.ofApple else { throw CommandError("\(chosen.place("keys")) is missing.") }
        return try signer(key, keys)
    }

    private static func signer(_ key: SigningKey, _ keys: Keys) throws -> OfferSigner {
        do {
            return try OfferSigner(key: key, bundleId: keys.bundleId)
        } catch {
            throw CommandError("\(keys.file.place("bundleId")) cannot be signed: \(error)")
        }
    }
}
