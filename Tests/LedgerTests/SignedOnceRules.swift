import Ledger
import Primitives
import Testing

/// What Apple signed once stays signed, and what a later copy says anew counts from then (FACT-2, OWN-4 a, decision 0063).
@Suite struct SignedOnceRules {
    private let first = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))

    private func inputs(_ registrations: [TokenRegistration], _ copies: [TransactionFact]) -> [LedgerInput] {
        registrations.map { .registration($0) } + copies.map { .fact(.transaction($0)) }
    }

    // MARK: Tokens

    @Test(arguments: [PurchaseEvidencePolicy.claims, .tokenOnly])
    func `OWN-4 a later copy without the token takes nothing from whom it named`(evidence: PurchaseEvidencePolicy) throws {
        let token = try #require(aliceToken)
        var policy = AppPolicy()
        policy.purchaseEvidence = evidence
        let tokened = copy(first, signed: day(2026, 1, 1)) { $0.appAccountToken = token }
        let silent = copy(first, signed: day(2026, 1, 16))
        for book in books(inputs([registered(token, alice)], [tokened, silent]), policy) {
            var book = book
            #expect(owners(book) == ["alice \(day(2026, 1, 1))"])
            #expect(book.isActive(alice, at: day(2026, 1, 20)))
            #expect(book.state.periods[0].transaction.appAccountToken == token, "what was said stays said")
            let outcome = book.hear(claim(bob, .restore, silent, at: day(2026, 1, 17)))
            #expect(outcome == .refused(.ownedByAnother, rule: .restore))
        }
    }

    @Test func `OWN-4 a token that is set on a running subscription moves it from then on, and not from the purchase`() throws {
        let (his, hers) = (try #require(bobToken), try #require(aliceToken))
        let tokened = copy(first, signed: day(2026, 1, 1)) { $0.appAccountToken = hers }
        let set = copy(first, signed: day(2026, 1, 16)) { $0.appAccountToken = his }
        let again = copy(first, signed: day(2026, 1, 20)) { $0.appAccountToken = his }
        let said = [registered(hers, alice), registered(his, bob, at: day(2026, 1, 10))]
        for book in books(inputs(said, [tokened, set, again])) {
            #expect(owners(book) == ["alice \(day(2026, 1, 1))", "bob \(day(2026, 1, 16))"])
            #expect(book.isActive(alice, at: day(2026, 1, 15)) && !book.isActive(alice, at: day(2026, 1, 16)))
            #expect(book.state.tenures.last?.cause.rule == .purchaseEvidence)
        }
    }

    @Test func `OWN-4 a set token moves what a claim had bound, a renewal too, and whatever is decided about who buys`() throws {
        let his = try #require(bobToken)
        let hers = try #require(aliceToken)
        for onPurchase in PurchasePolicy.allCases {
            var book = Book(AppPolicy(onPurchase: onPurchase))
            let renewed = renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)) { $0.appAccountToken = hers }
            book.tell(first, renewed)
            _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 1)))
            book.tell(.registration(registered(his, bob, at: day(2026, 2, 9))))
            book.tell(copy(renewed, signed: day(2026, 2, 10)) { $0.appAccountToken = his })
            #expect(owners(book) == ["alice \(day(2026, 1, 1))", "bob \(day(2026, 2, 10))"])
        }
    }

    @Test func `OWN-4 a token that is set on an older transaction, or names nobody, or comes back, moves nothing`() throws {
        let (his, hers) = (try #require(bobToken), try #require(aliceToken))
        let tokened = copy(first, signed: day(2026, 1, 1)) { $0.appAccountToken = hers }
        let renewed = renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1)) { $0.appAccountToken = hers }
        let setOnOlder = copy(first, signed: day(2026, 2, 10)) { $0.appAccountToken = his }
        var book = Book()
        for input in inputs([registered(hers, alice), registered(his, bob)], [tokened, renewed, setOnOlder]) { book.tell(input) }
        #expect(owners(book) == ["alice \(day(2026, 1, 1))"])

        var unnamed = Book()
        let set = copy(first, signed: day(2026, 1, 10)) { $0.appAccountToken = his }
        for input in inputs([registered(hers, alice)], [tokened, set]) { unnamed.tell(input) }
        #expect(owners(unnamed) == ["alice \(day(2026, 1, 1))"])
        unnamed.tell(.registration(registered(his, bob, at: day(2026, 1, 11))))
        #expect(owners(unnamed) == ["alice \(day(2026, 1, 1))"], "registered after it was set: a proposal")

        var back = Book()
        let again = copy(first, signed: day(2026, 1, 20)) { $0.appAccountToken = hers }
        for input in inputs([registered(hers, alice), registered(his, bob)], [tokened, set, again]) { back.tell(input) }
        #expect(owners(back) == ["alice \(day(2026, 1, 1))", "bob \(day(2026, 1, 10))"])
    }

    // MARK: Everything else that something rests on

    @Test func `FACT-2 of everything that a later copy may lack, silence withdraws a revocation and nothing else`() {
        let full = copy(first, signed: day(2026, 1, 2)) {
            $0.webOrderLineItemId = "77"
            $0.transactionReason = .purchase
            $0.isUpgraded = true
            $0.appTransactionId = "700"
            $0.revocation = Revocation(revocationDate: day(2026, 1, 2))
            $0.details.subscriptionGroupIdentifier = "g"
            $0.details.originalPurchaseDate = day(2026, 1, 1)
            $0.details.quantity = 3
            $0.details.inAppOwnershipType = "FAMILY_SHARED"
            $0.details.offerType = 2
            $0.details.offerIdentifier = "spring"
            $0.details.offerDiscountType = "PAY_AS_YOU_GO"
            $0.details.offerPeriod = "P1M"
            $0.details.price = Milliunits(9990)
            $0.details.currency = "USD"
            $0.details.storefront = "USA"
            $0.details.billingPlanType = "MONTHLY"
            $0.details.commitmentExpiresDate = day(2027, 1, 1)
        }
        let silent = copy(first, signed: day(2026, 1, 9)) {
            $0.expiresDate = nil
            $0.webOrderLineItemId = nil
            $0.transactionReason = nil
            $0.details = TransactionDetails()
        }
        for book in books([full, silent].map { .fact(.transaction($0)) }) {
            var expected = full
            expected.revocation = nil
            #expect(book.state.periods.count == 1)
            #expect(book.state.periods.first?.transaction == expected)
        }
    }

    @Test func `FACT-2 what changes counts by the newest copy that says it, in whatever order copies come`() {
        let copies = [
            copy(first, signed: day(2026, 1, 2)) {
                $0.details.price = Milliunits(9990)
                $0.details.currency = "USD"
                $0.appTransactionId = "700"
            },
            copy(first, signed: day(2026, 1, 4)) {
                $0.details.price = Milliunits(8990)
                $0.details.currency = "EUR"
            },
            copy(first, signed: day(2026, 1, 6)) { $0.appTransactionId = "701" },
            copy(first, signed: day(2026, 1, 8)) { $0.details.currency = "CHF" },
        ]
        for book in books(copies.map { .fact(.transaction($0)) }) {
            let known = book.state.periods.first?.transaction
            #expect(known?.details.price == Milliunits(8990) && known?.details.currency == "EUR", "an amount keeps its currency")
            #expect(known?.appTransactionId == "701")
            #expect(known?.signedDate == day(2026, 1, 8))
        }
    }
}
