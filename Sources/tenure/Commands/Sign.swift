import AppStoreWire
import ArgumentParser
import Foundation
import Primitives
import StrictJSON

struct Sign: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sign by hand what Apple requires to be signed: offers, eligibility, tokens for the App Store Server API.",
        discussion: """
            For trials; a server uses the library. The key is an In-App Purchase key of App Store Connect (.p8).
            The nonce is random unless given, and can be used once.
            """,
        subcommands: [PromotionalOffer.self, PromotionalOfferV1.self, IntroductoryOffer.self, APIToken.self])

    /// The key that signs, and for which app.
    struct Signer: ParsableArguments {
        @Option(
            name: .long, help: "The In-App Purchase key: a .p8 file of App Store Connect.", completion: .file(extensions: ["p8"]))
        var key: String

        @Option(name: .long, help: "The key's id.")
        var keyId: String

        @Option(name: .long, help: "The app's bundle id.")
        var bundle: String

        @Option(name: .long, help: "When it was signed, in milliseconds since 1970; now, unless given.")
        var at: Int64?

        var instant: Timestamp { at.map { Timestamp(millisecondsSince1970: $0) } ?? MachineClock().now() }

        func signingKey(issuerId: String) throws -> SigningKey {
            let file = URL(fileURLWithPath: key)
            let pem = String(decoding: try FileHandle(forReadingFrom: file).readToEnd() ?? Data(), as: UTF8.self)
            return try SigningKey(pem: pem, keyId: keyId, issuerId: issuerId, fileName: file.lastPathComponent)
        }

        func offerSigner(issuerId: String) throws -> OfferSigner {
            try OfferSigner(key: try signingKey(issuerId: issuerId), bundleId: bundle)
        }
    }

    /// The issuer of the key; it is part of everything that is signed, except offers for the original StoreKit.
    struct Issuer: ParsableArguments {
        @Option(name: .long, help: "The issuer id of App Store Connect, a UUID.")
        var issuerId: String
    }

    /// What an offer is for.
    struct Offer: ParsableArguments {
        @Option(name: .long, help: "The subscription's product id.")
        var product: String

        @Option(name: .long, help: "The offer's identifier.")
        var offer: String

        @Option(name: .long, help: "A UUID that was never used; random unless given.")
        var nonce: String?

        var uuid: String { nonce ?? UUID().uuidString.lowercased() }
    }
}

extension Sign {
    struct PromotionalOffer: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "A promotional offer as a compact JWS (StoreKit 2).")

        @OptionGroup var signer: Signer
        @OptionGroup var issuer: Issuer
        @OptionGroup var offer: Offer

        @Option(name: .long, help: "Any transaction of the customer's, or the appTransactionId, to which the offer is bound.")
        var transaction: String?

        func run() throws {
            Console.print(
                try signer.offerSigner(issuerId: issuer.issuerId).promotionalOffer(
                    productId: offer.product, offerIdentifier: offer.offer, transactionId: transaction, nonce: offer.uuid,
                    issuedAt: signer.instant))
        }
    }

    struct PromotionalOfferV1: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "promotional-offer-v1",
            abstract: "A promotional offer for the original StoreKit, as JSON with the members of SKPaymentDiscount.",
            discussion: "The purchase must carry the same token or applicationUsername, or none if none is given.")

        @OptionGroup var signer: Signer
        @OptionGroup var offer: Offer

        /// A placeholder that is not signed.
        private static let noIssuer = "00000000-0000-0000-0000-000000000000"

        @Option(name: .long, help: "The token or applicationUsername that the purchase will carry.")
        var appAccountToken: String?

        func run() throws {
            let signed = try signer.offerSigner(issuerId: Self.noIssuer).promotionalOfferV1(
                productId: offer.product, offerIdentifier: offer.offer, appAccountToken: appAccountToken, nonce: offer.uuid,
                timestamp: signer.instant)
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("identifier", signed.offerIdentifier)
                writer.member("keyIdentifier", signed.keyId)
                writer.member("nonce", signed.nonce)
                writer.member("signature", signed.encodedSignature)
                writer.member("timestamp", signed.timestamp.millisecondsSince1970)
            }
            Console.print(String(decoding: writer.bytes, as: UTF8.self))
        }
    }

    struct IntroductoryOffer: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "introductory-offer-eligibility",
            abstract: "Whether a customer may have an introductory offer, as a JWS.")

        @OptionGroup var signer: Signer
        @OptionGroup var issuer: Issuer

        @Option(name: .long, help: "The subscription's product id.")
        var product: String

        @Option(name: .long, help: "Any transaction of the customer's, or the appTransactionId.")
        var transaction: String

        @Flag(name: .long, inversion: .prefixedNo, help: "Whether the customer may have it.")
        var allow = true

        @Option(name: .long, help: "A UUID that was never used; random unless given.")
        var nonce: String?

        func run() throws {
            Console.print(
                try signer.offerSigner(issuerId: issuer.issuerId).introductoryOfferEligibility(
                    productId: product, allowIntroductoryOffer: allow, transactionId: transaction,
                    nonce: nonce ?? UUID().uuidString.lowercased(),
                    issuedAt: signer.instant))
        }
    }

    struct APIToken: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "api-token", abstract: "A token for the App Store Server API: Authorization: Bearer ….")

        @OptionGroup var signer: Signer
        @OptionGroup var issuer: Issuer

        @Option(name: .long, help: "How long it is valid, in seconds; Apple allows 3600.")
        var seconds: Int64 = 300

        func run() throws {
            Console.print(
                try ServerAPIToken(
                    key: try signer.signingKey(issuerId: issuer.issuerId), bundleId: signer.bundle, issuedAt: signer.instant,
                    lifetime: .seconds(seconds)
                ).compactJWS)
        }
    }
}
