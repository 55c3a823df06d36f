import AppStoreWire
import Primitives
import Testing

@testable import ArtifactInspection

/// What `tenure inspect` says in addition to a verifier's reason.
@Suite struct `The texts of inspect` {
    @Test func `an untrusted root names the options that would trust another one`() throws {
        for code in [RefusalCode.jws(.rootNotTrusted), .receipt(.rootNotTrusted)] {
            let advice = try #require(code.advice?.sentence)
            for text in [advice.english, advice.chinese] {
                #expect(text.contains("--root") && text.contains("--xcode-certificate"))
            }
        }
    }

    @Test func `each advice is given for a code`() {
        #expect(Set(RefusalCode.all.compactMap(\.advice)) == Set(Advice.allCases))
        #expect(Set(RefusalCode.all.map(\.rawValue)) == `The page about inspect`.codes)
    }

    @Test func `21002 is not called temporary: the receipt may be malformed`() {
        func words(_ status: Int) -> String {
            let body = Array(#"{"status":\#(status)}"#.utf8)
            let meaning = Meaning.of(VerifyReceiptOutcome(httpStatus: 200, body: body, from: .production))
            return meaning.map(\.english).joined(separator: " ")
        }
        let ambiguous = words(21002)
        #expect(ambiguous.contains("malformed or missing") && ambiguous.contains("temporary issue"))
        #expect(!ambiguous.contains("temporary fault"))
        for status in [21005, 21009, 21199] { #expect(words(status).contains("A temporary fault at Apple")) }
    }

    @Test func `each unusable form has a text of its own`() {
        let sentences = UnusableForm.allCases.map(\.sentence)
        #expect(Set(sentences).count == UnusableForm.allCases.count)
        #expect(Set(sentences.map(\.english)).count == UnusableForm.allCases.count)
    }

    @Test func `a transaction id is said to prove nothing, with where to ask`() {
        let words = Meaning.of(transactionId: "2000000900000002").map(\.english).joined(separator: " ")
        #expect(words.contains("https://api.storekit.apple.com/inApps/v1/transactions/2000000900000002"))
        #expect(words.contains("tenure import"))
    }

    // MARK: Two languages

    private static let day = Timestamp(millisecondsSince1970: 1_795_330_987_000)  // 2026-11-22T07:03:07Z, by date(1).

    /// Every sentence that has no text of others in it, and each shape of those that have.
    private static let everything: [Sentence] = {
        let purchases: [Meaning.Transaction] =
            [
                .replaced, .runs(until: day), .ended(day), .familySharingEnded(day), .refunded(day, share: nil),
                .refunded(day, share: 50_000), .familyShared, .monthOfCommitment,
            ] + [.introductory, .promotional, .offerCode, .winBack, OfferType(rawValue: 9)].map { .offer($0, isFree: true) }
            + [.autoRenewableSubscription, .nonConsumable, .consumable, .nonRenewingSubscription].map {
                .bought("a", $0, isRenewal: true, at: day)
            }
        let renewals: [Meaning.Renewal] =
            [
                .renews(into: nil), .renews(into: "a"), .ends, .unknownStatus(AutoRenewStatus(rawValue: 7)),
                .change(from: "a", to: "b"), .paymentFailed, .gracePeriod(until: day), .namesNoApp,
            ] + (1...6).map { .ended(ExpirationIntent(rawValue: $0)) }
        let receipts: [Meaning.Receipt] = [
            .appReceipt(purchases: 2, periods: 1), .latestPeriod(end: day), .environmentNotSigned,
            .appTransaction(version: "1"), .appTransaction(version: nil), .realtimeRequest(product: "a", locale: "de"),
        ]
        let answers: [Meaning.Answer] = [
            .provesToAsker, .genuine(purchases: 3), .expired, .otherEnvironment(.sandbox), .wrongSecret, .temporaryFault,
            .malformedOrTemporary, .inspectWhatWasSent, .refusedForEver, .notApples, .apiRefused(nil), .apiRefused("a"),
            .isRetryable(true), .isRetryable(false),
        ]
        let forms: [Meaning.Form] = [.digits, .askApple(transactionId: "1"), .importAsks, .brokenLines, .otherBase64]
        let unknown = NotificationMeaning(type: NotificationType(rawValue: "NEW"), subtype: nil)
        let newer = NotificationMeaning(type: .expired, subtype: NotificationSubtype(rawValue: "NEW"))
        let meaning: [Meaning] =
            [Meaning.Signature.apple, .xcode, .addedRoot, .givenIntermediate].map { .signature($0) }
            + purchases.map { .transaction($0) } + renewals.map { .renewal($0) } + receipts.map { .receipt($0) }
            + answers.map { .answer($0) } + forms.map { .form($0) } + notifications.map { .notification($0) }
            + [.notification(unknown), .notification(newer), .hint(.unknownType), .hint(.provesNothing), .hint(.perhaps(newer))]
            + [OwnJWS.Audience.appStoreConnect, .promotionalOffer, .introductoryOfferEligibility, .advancedCommerce, nil].map {
                .ownJWS(.audience($0))
            } + [.ownJWS(.signedByYourKey), .ownJWS(.hasExpired)]
        let details: [Refusal.Detail] = [
            .inside(.transaction, ""), .inside(.renewalInfo, "a"), .onlyAppleCanTell, .verifiedWithItsKey,
            .saidToBeIssued(leaf: "a", issuer: "b"), .onlyTheAskerKnows, .versionOneWithoutReceipt, .anyoneCanWriteIt,
        ]
        return meaning.map { $0.sentence { $0 } } + details.compactMap { $0.sentence { $0 } }
            + RefusalCode.all.map(\.sentence) + Advice.allCases.map(\.sentence) + UnusableForm.allCases.map(\.sentence)
            + Inspection.Kind.allCases.map(\.name)
    }()

    private static let notifications = NotificationMeaning.table.keys.sorted().map { key in
        let parts = key.split(separator: "/").map { String($0) }
        return NotificationMeaning(
            type: NotificationType(rawValue: parts[0]),
            subtype: parts.dropFirst().first.map { NotificationSubtype(rawValue: $0) })
    }

    /// Words that Apple's Chinese pages leave in Latin letters are names: no two of them in small letters follow each other,
    /// except where a command is meant.
    @Test func `each sentence is said in Chinese, with no English left in it`() {
        #expect(Self.everything.count > 200)
        for sentence in Self.everything {
            let chinese = sentence.chinese.replacing(#/tenure (?:import|inspect|call)/#, with: "")
            let characters = chinese.unicodeScalars.count { (0x4E00...0x9FFF).contains($0.value) }
            // "JWS" is a name in both.
            #expect(characters >= 2 && sentence.chinese != sentence.english, "\(sentence.english)")
            #expect(!chinese.contains(#/[a-z]{2,} [a-z]{2,}/#), "\(chinese)")
        }
    }

    /// What a sentence names by Apple's spelling, a number, an option or an address is in both languages.
    @Test func `each sentence names the same fields, options and numbers in both languages`() {
        func names(_ text: String) -> Set<String> {
            let dates = text.replacing(#/2026-11-22T07:03:07Z|2026年11月22日 07:03:07 UTC/#, with: "DAY")
            let pattern = #/--[a-z-]+|[a-z]+[A-Z][A-Za-z]+|https:[!-~]*[0-9a-z]|\b[0-9]+\b|DAY/#
            return Set(dates.matches(of: pattern).map { String($0.output) })
        }
        for sentence in Self.everything {
            let (english, chinese) = (names(sentence.english), names(sentence.chinese))
            // The Chinese adds the name of Apple's field to a value that nobody knows.
            #expect(english.subtracting(chinese).isEmpty, "\(sentence.english) \(sentence.chinese)")
            #expect(chinese.subtracting(english).subtracting(["offerType", "autoRenewStatus", "expirationIntent"]).isEmpty)
        }
    }

    @Test func `text of others in a sentence is quoted in both languages`() {
        let meaning: [Meaning] = [
            .transaction(.bought("<a>", ProductType(rawValue: "<a>"), isRenewal: false, at: Self.day)),
            .renewal(.renews(into: "<a>")), .renewal(.change(from: "<a>", to: "<a>")),
            .receipt(.appTransaction(version: "<a>")), .receipt(.realtimeRequest(product: "<a>", locale: "<a>")),
            .answer(.apiRefused("<a>")),
            .notification(NotificationMeaning(type: .expired, subtype: NotificationSubtype(rawValue: "<a>"))),
            .hint(.perhaps(NotificationMeaning(type: .expired, subtype: NotificationSubtype(rawValue: "<a>")))),
        ]
        let details: [Refusal.Detail] = [.inside(.transaction, "<a>"), .saidToBeIssued(leaf: "<a>", issuer: "<a>")]
        let sentences =
            meaning.map { $0.sentence { "(\($0))" } } + details.compactMap { $0.sentence { "(\($0))" } }
        #expect(sentences.count == 10)
        for text in sentences.flatMap({ [$0.english, $0.chinese] }) {
            #expect(text.contains("(<a>)") && !text.replacing("(<a>)", with: "").contains("<a>"), "\(text)")
        }
    }

    /// `share` is in thousandths of a per cent.
    @Test func `a part of a refund and an instant are told in Chinese`() {
        let refund = Meaning.transaction(.refunded(Self.day, share: 33_500)).sentence { $0 }
        #expect(refund.chinese == "已于 2026年11月22日 07:03:07 UTC 部分退款：33%。")
        #expect(refund.english == "Refunded in part on 2026-11-22T07:03:07Z: 33 per cent.")
    }
}
