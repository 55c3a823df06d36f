import Ledger
import Primitives
import Testing

/// OWN-15: every statement of Apple's has its sentence, even where no story of docs/explanations.md shows it; the texts here are
/// written by hand.
@Suite struct ExplanationAppleWords {
    private static let january = transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1))
    private static let february = renewal("2", from: day(2026, 2, 1), to: day(2026, 3, 1))

    /// The explanation for an instant, after a purchase and after what Apple said since.
    private func said(_ first: TransactionFact = january, _ words: LedgerInput..., at instant: Timestamp) -> String {
        var book = Book()
        for word in [.fact(.transaction(first))] + words { book.tell(word) }
        return Explanation(of: book.history, book.state, at: instant, policies: PolicyTimeline(book.policy)).english
            .joined(separator: "\n")
    }

    private func word(
        _ signed: Timestamp, renews: Bool = true, _ change: (inout RenewalFact) -> Void = { _ in }
    ) -> LedgerInput { .fact(.renewal(renewalInfo(signed: signed, renews: renews, change))) }

    private func notice(
        _ type: String, _ subtype: String? = nil, at instant: Timestamp, _ change: (inout NoticeFact) -> Void = { _ in }
    ) -> LedgerInput {
        var fact = NoticeFact(
            notificationUUID: "\(type)\(instant)", notificationType: type, subtype: subtype, signedDate: instant)
        change(&fact)
        return .fact(.notice(fact, about: key.originalTransactionId))
    }

    private func costs(_ thousandths: Int64) -> (inout RenewalFact) -> Void {
        { ($0.renewalPrice, $0.currency) = (Milliunits(thousandths), "EUR") }
    }

    // MARK: Prices

    @Test func `OWN-15 a price increase that an earlier period asked about is no condition of the next renewal`() {
        let asked = word(day(2026, 1, 10)) { $0.priceIncreaseStatus = 0 }
        #expect(said(Self.january, asked, at: day(2026, 1, 11)).contains(", if the customer agrees to the higher price (ENT-1)."))
        let renewed = said(
            Self.january, asked, .fact(.transaction(Self.february)), word(day(2026, 2, 2)), at: day(2026, 2, 10))
        #expect(renewed.contains("The subscription is set to renew on 1 March 2026, 00:00 UTC (ENT-1)."), "\(renewed)")
    }

    @Test func `OWN-15 a higher price is explained with its amount, and so is that of the next renewal`() {
        let asked = said(
            Self.january,
            word(day(2026, 1, 10)) {
                costs(12_990)(&$0)
                $0.priceIncreaseStatus = 0
            }, at: day(2026, 1, 11))
        #expect(
            asked.contains("Apple asked the customer to agree to a higher price of 12.99 EUR. Without their consent"), "\(asked)")
        #expect(asked.contains("set to renew on 1 February 2026, 00:00 UTC for 12.99 EUR, if the customer agrees"), "\(asked)")
        let lower = said(Self.january, word(day(2026, 1, 10), costs(4990)), at: day(2026, 1, 11))
        #expect(lower.contains("The subscription is set to renew on 1 February 2026, 00:00 UTC for 4.99 EUR (ENT-1)."))
    }

    // MARK: Offers

    @Test func `OWN-15 the offer of the next renewal is explained, and so is one that no longer applies`() {
        let offered = word(day(2026, 1, 10)) {
            ($0.offerType, $0.offerIdentifier, $0.offerDiscountType) = (2, "loyal", "PAY_AS_YOU_GO")
        }
        #expect(
            said(Self.january, offered, at: day(2026, 1, 11)).contains(
                "The subscription is set to renew on 1 February 2026, 00:00 UTC with the promotional offer loyal (charged for "
                    + "each period) (ENT-1)."))
        let gone = said(Self.january, offered, word(day(2026, 1, 12)), at: day(2026, 1, 13))
        #expect(
            gone.contains(
                "On 12 January 2026, 00:00 UTC, the promotional offer loyal (charged for each period) no longer counted for the "
                    + "next renewal (PER-7)."))
        #expect(gone.contains("The subscription is set to renew on 1 February 2026, 00:00 UTC (ENT-1)."))
    }

    // MARK: While Apple tries to charge

    @Test func `OWN-15 renewal turned off, and another product, are explained in the billing grace period too`() {
        let failed = word(day(2026, 2, 1)) { ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, day(2026, 2, 17)) }
        let changed = word(day(2026, 2, 3)) {
            ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, day(2026, 2, 17))
            $0.autoRenewProductId = pro
        }
        let off = word(day(2026, 2, 5), renews: false) {
            ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, day(2026, 2, 17))
        }
        let words = said(Self.january, failed, changed, off, at: day(2026, 2, 6))
        #expect(
            words.contains(
                "On 3 February 2026, 00:00 UTC, a change from plus.monthly to pro.monthly was asked for, to take effect with the "
                    + "next renewal. Until then nothing was to change (PER-4)."), "\(words)")
        #expect(
            words.contains(
                "On 5 February 2026, 00:00 UTC, auto-renew was turned off: plus.monthly was to end on 17 February 2026, "
                    + "00:00 UTC (PER-2)."), "\(words)")
        // That auto-renew is off is not news where Apple says so only with the end.
        let over = said(Self.january, word(day(2026, 2, 1), renews: false) { $0.expirationIntent = 3 }, at: day(2026, 2, 6))
        #expect(!over.contains("turned off"), "\(over)")
    }

    // MARK: More time

    @Test func `OWN-15 an extension is explained even without a notification, with the date paid for before`() {
        let extended = transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 8)) { $0.signedDate = day(2026, 1, 10) }
        let words = said(
            Self.january, word(day(2026, 1, 2)) { $0.renewalDate = day(2026, 2, 1) }, .fact(.transaction(extended)),
            word(day(2026, 1, 10)) { $0.renewalDate = day(2026, 2, 8) }, at: day(2026, 1, 11))
        #expect(words.contains("plus.monthly was bought, paid until 1 February 2026, 00:00 UTC (PER-2)."), "\(words)")
        let more = "Apple gave more time, until 8 February 2026, 00:00 UTC, at no cost"
        #expect(words.contains("On 10 January 2026, 00:00 UTC, \(more) (PER-2)."), "\(words)")
        let announced = said(
            Self.january, word(day(2026, 1, 2)) { $0.renewalDate = day(2026, 2, 1) }, .fact(.transaction(extended)),
            notice("RENEWAL_EXTENDED", at: day(2026, 1, 10)), word(day(2026, 1, 10)) { $0.renewalDate = day(2026, 2, 8) },
            at: day(2026, 1, 11))
        #expect(announced.split(separator: more).count == 2, "told once: \(announced)")
        let rounded = said(
            Self.january, word(day(2026, 1, 2)) { $0.renewalDate = day(2026, 2, 1) }, .fact(.transaction(extended)),
            word(day(2026, 1, 10)) { $0.renewalDate = day(2026, 2, 7) + .hours(24) + .seconds(-1) }, at: day(2026, 1, 11))
        #expect(rounded.split(separator: "Apple gave more time").count == 2, "told once: \(rounded)")
        let silent = said(
            Self.january, word(day(2026, 1, 2)) { $0.renewalDate = day(2026, 2, 1) }, .fact(.transaction(extended)),
            at: day(2026, 1, 11))
        #expect(silent.contains("On 10 January 2026, 00:00 UTC, \(more) (PER-2)."), "by the transaction alone: \(silent)")
    }

    // MARK: Commitments and storefronts

    @Test func `OWN-15 a commitment is explained with what comes next`() {
        let committed = transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
            ($0.details.billingPlanType, $0.details.commitmentExpiresDate) = ("MONTHLY", day(2027, 1, 1))
        }
        let words = said(committed, at: day(2026, 1, 11))
        #expect(
            words.contains("The commitment, with a charge each month, lasts until 1 January 2027, 00:00 UTC (PER-10)."),
            "\(words)")
    }

    @Test func `OWN-15 a purchase in the App Store of another country is explained as such`() {
        var (german, french) = (Self.january, Self.february)
        (german.details.storefront, french.details.storefront) = ("DEU", "FRA")
        let words = said(german, .fact(.transaction(french)), at: day(2026, 2, 10))
        #expect(
            words.contains(
                "On 1 February 2026, 00:00 UTC, plus.monthly was charged in the App Store of FRA, and before that in that of DEU "
                    + "(OWN-14)."), "\(words)")
    }

    // MARK: Refunds

    @Test func `OWN-15 a reversed refund is explained with the date, share and reason of the refund`() {
        let refunded = notice("REFUND", at: day(2026, 1, 12)) {
            $0.transactionId = TransactionID("1")
            $0.revocation = Revocation(
                revocationDate: day(2026, 1, 11), revocationType: "REFUND_PRORATED", revocationReason: 1,
                revocationPercentage: 50_000)
        }
        let reversed = notice("REFUND_REVERSED", at: day(2026, 1, 20)) { $0.transactionId = TransactionID("1") }
        #expect(
            said(Self.january, refunded, reversed, at: day(2026, 1, 25)).contains(
                "On 11 January 2026, 00:00 UTC, Apple refunded 50% of the price of plus.monthly, because the customer saw a "
                    + "problem with the app (ENT-4)."))
    }
}
