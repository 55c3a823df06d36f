import AppStoreWire
import Primitives
import Testing

@testable import ArtifactInspection

/// What `tenure inspect` says in addition to a verifier's reason.
@Suite struct `The texts of inspect` {
    @Test func `an untrusted root names the options that would trust another one`() throws {
        let advice = try #require(Advice.words(code: JWSRefusal.Code.rootNotTrusted.rawValue))
        #expect(advice.contains("--root") && advice.contains("--xcode-certificate"))
        #expect(ReceiptRefusal.Code.rootNotTrusted.rawValue == JWSRefusal.Code.rootNotTrusted.rawValue)
    }

    @Test func `advice is given for existing codes`() {
        let advised = Advice.all.map(\.code)
        #expect(Set(advised).isSubset(of: `The page about inspect`.codes))
        #expect(Set(advised).count == advised.count)
    }

    @Test func `21002 is not called temporary: the receipt may be malformed`() {
        func words(_ status: Int) -> String {
            let body = Array(#"{"status":\#(status)}"#.utf8)
            return Meaning.words(VerifyReceiptOutcome(httpStatus: 200, body: body, from: .production)).joined(separator: " ")
        }
        let ambiguous = words(21002)
        #expect(ambiguous.contains("malformed or missing") && ambiguous.contains("temporary issue"))
        #expect(!ambiguous.contains("temporary fault"))
        for status in [21005, 21009, 21199] { #expect(words(status).contains("A temporary fault at Apple")) }
    }

    @Test func `each unusable form has a text of its own`() {
        let words = UnusableForm.allCases.map { Meaning.words($0) }
        #expect(Set(words).count == UnusableForm.allCases.count && words.allSatisfy { !$0.isEmpty })
    }

    @Test func `a transaction id is said to prove nothing, with where to ask`() {
        let words = Meaning.words(transactionId: "2000000900000002").joined(separator: " ")
        #expect(words.contains("https://api.storekit.apple.com/inApps/v1/transactions/2000000900000002"))
        #expect(words.contains("tenure import"))
    }
}
