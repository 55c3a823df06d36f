import Foundation
import Primitives
import Server
import Testing

@testable import tenure

/// `apps[].customerTokenKeys`. The key is that of RFC 7515, appendix A.3.1.
@Suite struct `Keys of customer tokens in a configuration` {
    private static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
    private static let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
    private static let key = #"{"kty":"EC","crv":"P-256","kid":"a","x":"\#(x)","y":"\#(y)"}"#

    private func read(_ keys: String) throws -> AppConfiguration {
        let app = #"""
            {"id":"one","bundleId":"com.example.one","appAppleId":1,"products":{"a":["plus"]},"publicKey":"tpk_one",
             "serverKeySHA256":"\#(String(repeating: "01", count: 32))","customerTokenKeys":\#(keys)}
            """#
        let json = #"{"database":{"sqlite":"x"},"apps":[\#(app)]}"#
        return try #require(try TenureConfiguration(json: Array(json.utf8), environment: [:]).apps.first)
    }

    @Test func `a JWK set is read as its issuer publishes it`() throws {
        let published = Self.key.dropLast() + #","use":"sig","alg":"ES256","x5t":"abc","key_ops":["verify"]}"#
        let keys = try #require(
            try read(#"{"keys":[\#(published)],"issuer":"https://id.example","audience":"mobile"}"#).credentials.customerTokenKeys
        )
        #expect(keys.keys.keys.sorted() == ["a"])
        #expect(keys.issuer == "https://id.example" && keys.audience == "mobile" && keys.claim == "sub")
        #expect(keys.longestValidity == .hours(24))
        let more = #""issuer":"i","audience":"a","claim":"user_id","longestValiditySeconds":3600"#
        let other = try #require(try read(#"{"keys":[\#(Self.key)],\#(more)}"#).credentials.customerTokenKeys)
        #expect(other.claim == "user_id" && other.longestValidity == .hours(1))
    }

    @Test(arguments: [
        (#"{"keys":[],"issuer":"i","audience":"a"}"#, "customerTokenKeys.keys"),
        (#"{"keys":[KEY],"audience":"a"}"#, "customerTokenKeys.issuer"),
        (#"{"keys":[KEY],"issuer":"i"}"#, "customerTokenKeys.audience"),
        (#"{"keys":[KEY],"issuer":"i","audience":"a","longestValiditySeconds":86401}"#, "longestValiditySeconds"),
        (#"{"keys":[KEY],"issuer":"i","audience":"a","jwksURL":"https://x"}"#, "jwksURL"),
        (#"{"keys":[KEY,KEY],"issuer":"i","audience":"a"}"#, "keys[1].kid"),
        (#"{"keys":[{"kty":"RSA","crv":"P-256","kid":"a","x":"AA","y":"AA"}],"issuer":"i","audience":"a"}"#, "keys[0].kty"),
        (#"{"keys":[{"kty":"EC","crv":"P-384","kid":"a","x":"AA","y":"AA"}],"issuer":"i","audience":"a"}"#, "keys[0].kty"),
        (#"{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}],"issuer":"i","audience":"a"}"#, "keys[0].kid"),
        (#"{"keys":[{"kty":"EC","crv":"P-256","kid":"a","x":"AA","y":"AA"}],"issuer":"i","audience":"a"}"#, "keys[0].x"),
        (#"{"keys":[{"kty":"EC","crv":"P-256","kid":"a","x":"X","y":"X"}],"issuer":"i","audience":"a"}"#, "keys[0].x"),
        (#"{"keys":[{"kty":"EC","crv":"P-256","kid":"a","x":"X","y":"Y","d":"X"}],"issuer":"i","audience":"a"}"#, "keys[0].d"),
    ])
    func `what is no key, or says too little, is refused with its place`(_ keys: String, _ place: String) throws {
        let text = keys.replacing("KEY", with: Self.key).replacing(#""X""#, with: #""\#(Self.x)""#)
            .replacing(#""Y""#, with: #""\#(Self.y)""#)
        do {
            _ = try read(text)
            Issue.record("\(text) is taken")
        } catch {
            #expect("\(error)".contains(place), "\(error)")
        }
    }
}
