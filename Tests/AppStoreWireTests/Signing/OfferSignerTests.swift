import AppStoreWire
import Crypto
import Foundation
import Primitives
import Testing

@Suite struct `Signatures of offers` {
    static let nonce = "A1B2C3D4-E5F6-7890-A1B2-C3D4E5F67890"
    static let token = "7E3FB20B-4CDB-47CC-936D-99D65F608138"
    let world: SigningWorld
    let signer: OfferSigner

    init() throws {
        world = try SigningWorld()
        signer = try OfferSigner(key: world.key, bundleId: "com.example.tenure")
    }

    // MARK: Version 1

    private func offer(
        productId: String = "gold", offerIdentifier: String = "half", token: String? = nil, nonce: String = nonce,
        at milliseconds: Int64 = 1_780_000_000_123
    ) throws(OfferSigningError) -> PromotionalOfferSignatureV1 {
        try signer.promotionalOfferV1(
            productId: productId, offerIdentifier: offerIdentifier, appAccountToken: token, nonce: nonce,
            timestamp: World.instant(milliseconds))
    }

    /// Whether swift-crypto accepts the signature as the key's, over bytes that were assembled here.
    private func isSigned(_ offer: PromotionalOfferSignatureV1, _ parts: [String]) throws -> Bool {
        var bytes = Data()
        for (index, part) in parts.enumerated() {
            if index > 0 { bytes.append(contentsOf: [0xE2, 0x81, 0xA3]) }
            bytes.append(contentsOf: part.utf8)
        }
        let der = try #require(Data(base64Encoded: offer.encodedSignature))
        return world.secret.publicKey.isValidSignature(try P256.Signing.ECDSASignature(derRepresentation: der), for: bytes)
    }

    @Test func `version 1 signs the seven texts, token and nonce in lower case`() throws {
        let offer = try offer(token: Self.token)
        #expect(
            try isSigned(
                offer,
                [
                    "com.example.tenure", "2X9R4HXF34", "gold", "half", "7e3fb20b-4cdb-47cc-936d-99d65f608138",
                    "a1b2c3d4-e5f6-7890-a1b2-c3d4e5f67890", "1780000000123",
                ]))
        #expect(offer.keyId == "2X9R4HXF34")
        #expect(offer.nonce == "a1b2c3d4-e5f6-7890-a1b2-c3d4e5f67890")
        #expect(offer.timestamp == World.instant(1_780_000_000_123))
        #expect(offer.productId == "gold" && offer.offerIdentifier == "half")
        #expect(offer.appAccountToken == "7e3fb20b-4cdb-47cc-936d-99d65f608138")
        #expect(world.key.publicKey.isValid(offer, bundleId: "com.example.tenure"))
    }

    @Test func `without a token its separators stay`() throws {
        for token in [nil, ""] {
            #expect(
                try isSigned(
                    try offer(token: token),
                    ["com.example.tenure", "2X9R4HXF34", "gold", "half", "", Self.nonce.lowercased(), "1780000000123"]))
        }
        #expect(
            try !isSigned(
                try offer(), ["com.example.tenure", "2X9R4HXF34", "gold", "half", Self.nonce.lowercased(), "1780000000123"]))
    }

    @Test func `an applicationUsername that is not a UUID is signed in lower case`() throws {
        #expect(
            try isSigned(
                try offer(token: "User-É1"),
                ["com.example.tenure", "2X9R4HXF34", "gold", "half", "user-é1", Self.nonce.lowercased(), "1780000000123"]))
    }

    private func refusal<Value>(_ sign: () throws(OfferSigningError) -> Value) -> OfferSigningError? {
        do throws(OfferSigningError) {
            _ = try sign()
            return nil
        } catch {
            return error
        }
    }

    static let forbidden = ["\u{2063}", "a\u{2063}b", "a\u{301}\u{2063}", "a\u{0}", "a\nb", "\u{7F}", "\u{9F}", "\r\n"]

    @Test(arguments: forbidden) func `a text with the separator or a control character is never signed`(_ text: String) throws {
        #expect(refusal { () throws(OfferSigningError) in try offer(productId: text) }?.code == .characterNotAllowed)
        #expect(refusal { () throws(OfferSigningError) in try offer(offerIdentifier: text) }?.field == "offerIdentifier")
        #expect(refusal { () throws(OfferSigningError) in try offer(token: text) }?.field == "appAccountToken")
        #expect(
            refusal { () throws(OfferSigningError) in try OfferSigner(key: world.key, bundleId: text) }?.field == "bundleId")
        #expect(
            refusal { () throws(OfferSigningError) in
                try signer.promotionalOffer(
                    productId: "p", offerIdentifier: "o", transactionId: text, nonce: Self.nonce, issuedAt: World.now)
            }?.field == "transactionId")
        #expect(
            refusal { () throws(OfferSigningError) in
                try signer.introductoryOfferEligibility(
                    productId: text, allowIntroductoryOffer: true, transactionId: "1", nonce: Self.nonce, issuedAt: World.now)
            }?.field == "productId")
    }

    @Test(arguments: [
        "", "x", "a1b2c3d4e5f67890a1b2c3d4e5f67890", "a1b2c3d4-e5f6-7890-a1b2-c3d4e5f6789",
        "g1b2c3d4-e5f6-7890-a1b2-c3d4e5f67890", "{a1b2c3d4-e5f6-7890-a1b2-c3d4e5f6789}",
    ])
    func `a nonce is a UUID`(_ nonce: String) {
        #expect(refusal { () throws(OfferSigningError) in try offer(nonce: nonce) }?.code == .nonceNotUUID)
        #expect(
            refusal { () throws(OfferSigningError) in
                try signer.promotionalOffer(productId: "p", offerIdentifier: "o", nonce: nonce, issuedAt: World.now)
            }?.code == .nonceNotUUID)
    }

    @Test func `empty names and impossible instants are refused`() {
        #expect(refusal { () throws(OfferSigningError) in try offer(productId: "") }?.code == .empty)
        #expect(refusal { () throws(OfferSigningError) in try offer(offerIdentifier: "") }?.code == .empty)
        #expect(refusal { () throws(OfferSigningError) in try offer(at: -1) }?.code == .timestampOutOfRange)
        #expect(refusal { () throws(OfferSigningError) in try offer(at: .max) }?.code == .timestampOutOfRange)
        #expect(refusal { () throws(OfferSigningError) in try OfferSigner(key: world.key, bundleId: "") }?.code == .empty)
        #expect(
            refusal { () throws(OfferSigningError) in
                try signer.introductoryOfferEligibility(
                    productId: "p", allowIntroductoryOffer: true, transactionId: "", nonce: Self.nonce, issuedAt: World.now)
            }?.field == "transactionId")
    }

    @Test func `any change of the signed content is detected`() throws {
        let key = world.key.publicKey
        let offer = try offer(token: Self.token)
        let changes: [(inout PromotionalOfferSignatureV1) -> Void] = [
            { $0.productId = "silver" }, { $0.offerIdentifier = "free" }, { $0.keyId = "AAAAAAAAAA" },
            { $0.appAccountToken = nil },
            { $0.nonce = Self.token.lowercased() }, { $0.timestamp = World.now }, { $0.encodedSignature = "" },
            { $0.encodedSignature += "=" }, { $0.encodedSignature = "AAAA" },
            { ($0.productId, $0.offerIdentifier) = ("goldhalf", "") },
        ]
        for change in changes {
            var changed = offer
            change(&changed)
            #expect(!key.isValid(changed, bundleId: "com.example.tenure"))
        }
        #expect(!key.isValid(offer, bundleId: "com.example.other"))
        #expect(try !SigningWorld().key.publicKey.isValid(offer, bundleId: "com.example.tenure"))
    }

    @Test func `a signature over one separator too many is invalid, because two offers have that text`() throws {
        let text = ["com.example.tenure", "2X9R4HXF34", "a", "b", "c", "", Self.nonce.lowercased(), "1780000000123"]
            .joined(separator: "\u{2063}")
        let signature = try world.secret.signature(for: Data(text.utf8)).derRepresentation.base64EncodedString()
        for (product, identifier) in [("a\u{2063}b", "c"), ("a", "b\u{2063}c")] {
            let offer = PromotionalOfferSignatureV1(
                encodedSignature: signature, productId: product, nonce: Self.nonce.lowercased(),
                timestamp: World.instant(1_780_000_000_123), keyId: "2X9R4HXF34", offerIdentifier: identifier)
            #expect(!world.key.publicKey.isValid(offer, bundleId: "com.example.tenure"))
        }
    }

    // MARK: Version 2

    static var header: NSDictionary { ["alg": "ES256", "kid": "2X9R4HXF34", "typ": "JWT"] }

    private func claims(_ audience: String, _ more: [String: Any]) -> NSDictionary {
        let common: [String: Any] = [
            "iss": SigningWorld.issuerId, "iat": 1_780_000_060, "aud": audience, "bid": "com.example.tenure",
            "nonce": Self.nonce.lowercased(),
        ]
        return common.merging(more) { $1 } as NSDictionary
    }

    @Test func `a promotional offer has exactly Apple's claims, and no end`() throws {
        let jws = try signer.promotionalOffer(
            productId: "gold", offerIdentifier: "half", transactionId: "2000000900000001", nonce: Self.nonce, issuedAt: World.now)
        let opened = try world.opened(jws)
        #expect(opened.header == Self.header)
        #expect(
            opened.claims
                == claims(
                    "promotional-offer",
                    ["productId": "gold", "offerIdentifier": "half", "transactionId": "2000000900000001"]))
        #expect(world.key.publicKey.isValid(compactJWS: jws))
        let unbound = try signer.promotionalOffer(
            productId: "gold", offerIdentifier: "half", nonce: Self.nonce, issuedAt: World.now)
        #expect(
            try world.opened(unbound).claims == claims("promotional-offer", ["productId": "gold", "offerIdentifier": "half"]))
    }

    @Test(arguments: [true, false]) func `eligibility for an introductory offer has exactly Apple's claims`(_ isAllowed: Bool)
        throws
    {
        let jws = try signer.introductoryOfferEligibility(
            productId: "gold", allowIntroductoryOffer: isAllowed, transactionId: "1", nonce: Self.nonce, issuedAt: World.now)
        let opened = try world.opened(jws)
        #expect(opened.header == Self.header)
        #expect(
            opened.claims
                == claims(
                    "introductory-offer-eligibility",
                    ["productId": "gold", "allowIntroductoryOffer": isAllowed, "transactionId": "1"]))
    }

    static let info = AdvancedCommerceRequestInfo(requestReferenceId: "550e8400-e29b-41d4-a716-446655440001")

    /// Operation and version are those of Apple's own libraries.
    static let requests: [(AdvancedCommerceInAppRequest, String)] = [
        (
            .createOneTimeCharge(
                AdvancedCommerceOneTimeChargeCreateRequest(
                    currency: "USD",
                    item: AdvancedCommerceOneTimeChargeItem(description: "d", displayName: "n", sku: "s", price: Milliunits(990)),
                    requestInfo: info, taxCode: "t")),
            #"{"operation":"CREATE_ONE_TIME_CHARGE","version":"1","currency":"USD","#
                + #""item":{"description":"d","displayName":"n","SKU":"s","price":990},"#
                + #""requestInfo":{"requestReferenceId":"550e8400-e29b-41d4-a716-446655440001"},"taxCode":"t"}"#
        ),
        (
            .createSubscription(
                AdvancedCommerceSubscriptionCreateRequest(
                    currency: "USD", descriptors: AdvancedCommerceDescriptors(description: "d", displayName: "n"),
                    items: [
                        AdvancedCommerceSubscriptionCreateItem(
                            description: "d", displayName: "n",
                            offer: AdvancedCommerceOffer(period: .p1W, periodCount: 12, price: Milliunits(0), reason: .winBack),
                            price: Milliunits(1), sku: "s")
                    ], period: .p1M, requestInfo: info, taxCode: "t")),
            #"{"operation":"CREATE_SUBSCRIPTION","version":"1","currency":"USD","#
                + #""descriptors":{"description":"d","displayName":"n"},"#
                + #""items":[{"description":"d","displayName":"n","offer":{"period":"P1W","periodCount":12,"price":0,"#
                + #""reason":"WIN_BACK"},"price":1,"SKU":"s"}],"period":"P1M","#
                + #""requestInfo":{"requestReferenceId":"550e8400-e29b-41d4-a716-446655440001"},"taxCode":"t"}"#
        ),
        (
            .modifySubscription(
                AdvancedCommerceSubscriptionModifyInAppRequest(
                    removeItems: [AdvancedCommerceSubscriptionModifyRemoveItem(sku: "s")], requestInfo: info,
                    retainBillingCycle: true, transactionId: "1")),
            #"{"operation":"MODIFY_SUBSCRIPTION","version":"1","removeItems":[{"SKU":"s"}],"requestInfo":{"requestReferenceId":"#
                + #""550e8400-e29b-41d4-a716-446655440001"},"retainBillingCycle":true,"transactionId":"1"}"#
        ),
        (
            .reactivateSubscription(AdvancedCommerceSubscriptionReactivateInAppRequest(requestInfo: info, transactionId: "1")),
            #"{"operation":"REACTIVATE_SUBSCRIPTION","version":"1","requestInfo":{"requestReferenceId":"#
                + #""550e8400-e29b-41d4-a716-446655440001"},"transactionId":"1"}"#
        ),
    ]

    @Test(arguments: requests) func `an Advanced Commerce request is in its claim as base64 of its JSON`(
        _ request: AdvancedCommerceInAppRequest, _ json: String
    ) throws {
        let opened = try world.opened(try signer.advancedCommerce(request, nonce: Self.nonce, issuedAt: World.now))
        #expect(opened.header == Self.header)
        #expect(opened.claims == claims("advanced-commerce-api", ["request": Data(json.utf8).base64EncodedString()]))
    }

    @Test func `an Advanced Commerce request beyond a limit is not signed`() {
        let item = AdvancedCommerceOneTimeChargeItem(
            description: String(repeating: "d", count: 46), displayName: "n", sku: "s", price: Milliunits(1))
        let charge = AdvancedCommerceOneTimeChargeCreateRequest(
            currency: "USD", item: item, requestInfo: Self.info, taxCode: "t")
        let error = refusal { () throws(OfferSigningError) in
            try signer.advancedCommerce(.createOneTimeCharge(charge), nonce: Self.nonce, issuedAt: World.now)
        }
        #expect(error?.code == .requestInvalid)
        #expect(error?.field == "item.description")
        #expect(error?.request?.limit == 45)
        for count in [Int64(0), 13] {
            let offer = AdvancedCommerceOffer(period: .p1W, periodCount: count, price: Milliunits(0), reason: .retention)
            let add = AdvancedCommerceSubscriptionModifyAddItem(
                description: "d", displayName: "n", offer: offer, price: Milliunits(1), sku: "s")
            let modify = AdvancedCommerceSubscriptionModifyInAppRequest(
                addItems: [add], requestInfo: Self.info, retainBillingCycle: true, transactionId: "1")
            let error = refusal { () throws(OfferSigningError) in
                try signer.advancedCommerce(.modifySubscription(modify), nonce: Self.nonce, issuedAt: World.now)
            }
            #expect(error?.field == "addItems[0].offer.periodCount")
            #expect(error?.request?.code == .outOfRange)
        }
    }
}
