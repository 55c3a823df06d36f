import AppStoreWire
import Foundation
import Primitives
import StrictJSON
import Testing

@Suite struct `Answers to Apple's real-time question` {
    static let uuid = "a1b2c3d4-e5f6-7890-a1b2-c3d4e5f67890"
    static let v1 = PromotionalOfferSignatureV1(
        encodedSignature: "c2ln", productId: "p", nonce: uuid, timestamp: World.signed, keyId: "K", offerIdentifier: "o",
        appAccountToken: nil)

    /// The texts were written by hand from the fields of Apple's page `RealtimeResponseBody`.
    static let table: [(RealtimeResponseBody, String)] = [
        (.message(messageIdentifier: uuid), #"{"message":{"messageIdentifier":"\#(uuid)"}}"#),
        (
            .alternateProduct(AlternateProduct(messageIdentifier: uuid, productId: "p", billingPlanType: .monthly)),
            #"{"alternateProduct":{"messageIdentifier":"\#(uuid)","productId":"p","billingPlanType":"MONTHLY"}}"#
        ),
        (
            .promotionalOffer(RealtimePromotionalOffer(messageIdentifier: uuid, signature: .v2("a.b.c"))),
            #"{"promotionalOffer":{"messageIdentifier":"\#(uuid)","promotionalOfferSignatureV2":"a.b.c"}}"#
        ),
        (
            .promotionalOffer(RealtimePromotionalOffer(messageIdentifier: nil, signature: .v1(v1))),
            #"{"promotionalOffer":{"promotionalOfferSignatureV1":{"encodedSignature":"c2ln","productId":"p","#
                + #""nonce":"\#(uuid)","timestamp":1780000000000,"keyId":"K","offerIdentifier":"o"}}}"#
        ),
        (
            .advancedCommerceInfo(RetentionAdvancedCommerceInfo(messageIdentifier: uuid, advancedCommerceData: "d")),
            #"{"advancedCommerceInfo":{"messageIdentifier":"\#(uuid)","advancedCommerceData":"d"}}"#
        ),
    ]

    @Test(arguments: table) func `an answer has exactly one member`(_ body: RealtimeResponseBody, _ json: String) throws {
        let written = try StrictJSONEncoder().encode(body)
        #expect(String(decoding: written, as: UTF8.self) == json)
        #expect(try StrictJSONDecoder().decode(RealtimeResponseBody.self, from: written) == body)
    }

    @Test(arguments: [
        "{}", #"{"message":null}"#, #"{"message":{},"alternateProduct":{}}"#, #"{"promotionalOffer":{}}"#,
        #"{"promotionalOffer":{"promotionalOfferSignatureV2":"a","promotionalOfferSignatureV1":{"encodedSignature":"c2ln","#
            + #""productId":"p","nonce":"n","timestamp":1,"keyId":"K","offerIdentifier":"o"}}}"#,
    ])
    func `no member, and two members, cannot be read`(_ json: String) {
        #expect(throws: JSONCodingError.self) {
            try StrictJSONDecoder().decode(RealtimeResponseBody.self, from: Array(json.utf8))
        }
    }

    @Test func `an absent member may also be null`() throws {
        let json = #"{"message":{"messageIdentifier":"m"},"alternateProduct":null}"#
        #expect(
            try StrictJSONDecoder().decode(RealtimeResponseBody.self, from: Array(json.utf8)) == .message(messageIdentifier: "m"))
    }
}
