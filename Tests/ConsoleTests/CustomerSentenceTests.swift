import Ledger
import Primitives
import Testing

@testable import Console

/// The console's sentence for a customer, the explanation of their subscription and the answer to a query agree at every instant,
/// in both languages (OWN-15, ENT-1).
@Suite struct `The sentence for a customer` {
    private static let plus = ProductID("plus"), access = EntitlementID("access"), alice = CustomerID("alice")
    private static let key = SubscriptionKey(
        app: AppID("app"), environment: .production, originalTransactionId: OriginalTransactionID("1000"))

    /// Noon of a day of 2026, counted from the first of January.
    private static func noon(_ day: Int64) -> Timestamp {
        // 2026-01-01T12:00:00Z, by date(1).
        Timestamp(millisecondsSince1970: 1_767_268_800_000).adding(.days(day))
    }

    /// How the month that was bought on day 10 goes on.
    private enum Fate: CaseIterable {
        case nobodyKnows, turnedOff, inGrace, gaveUp, refunded, neverBought
    }

    /// What an operator decided beside it.
    private enum Vote: CaseIterable {
        case credit, grant, endless, hold, everything

        var kind: CustomerVote.Kind {
            switch self {
            case .credit: .credit(access, at: noon(20), .days(12))
            case .grant: .grant(access, TimeWindow(from: noon(5), until: noon(60)))
            case .endless: .grant(access, TimeWindow(from: noon(70), until: nil))
            case .hold: .hold(access, TimeWindow(from: noon(30), until: noon(45)))
            case .everything: .hold(nil, TimeWindow(from: noon(2), until: noon(15)))
            }
        }
    }

    private struct Customer {
        let history: SubscriptionHistory
        let state: SubscriptionState
        let account: CustomerAccount
        let map: EntitlementMap

        init(_ fate: Fate, _ votes: Int) {
            var account = CustomerAccount(app: key.app, environment: key.environment, customer: alice)
            for (number, vote) in Vote.allCases.enumerated() where votes >> number & 1 == 1 {
                let id = ID<VoteEvidence>("v\(number)")
                _ = account.record(CustomerVote(id: id, kind: vote.kind, actor: "mia", reason: "", votedAt: noon(0)))
            }
            self.account = account
            map = EntitlementMap(
                entries: [.init(productId: plus, validFrom: noon(-365), entitlements: [access])],
                balanced: votes & 1 == 1 ? [access] : [])
            let decision = Decision(
                on: Self.inputs(fate), history: SubscriptionHistory(key: key), policy: AppPolicy(), learnedAt: noon(100))
            (history, state) = (decision.history, decision.state)
        }

        private static func inputs(_ fate: Fate) -> [LedgerInput] {
            var bought = TransactionFact(
                originalTransactionId: key.originalTransactionId, transactionId: TransactionID("1000"), productId: plus,
                purchaseDate: noon(10), signedDate: noon(10))
            (bought.expiresDate, bought.webOrderLineItemId, bought.transactionReason) = (noon(40), "91000", .purchase)
            let claim = Claim(
                id: .init("claim"), customer: Claimant(fate == .neverBought ? CustomerID("bob") : alice), kind: .purchase,
                transaction: bought, productId: plus, claimedAt: noon(10))
            var words: [LedgerInput] = []
            func word(_ day: Int64, renews: Bool, _ change: (inout RenewalFact) -> Void = { _ in }) {
                var word = RenewalFact(originalTransactionId: key.originalTransactionId, signedDate: noon(day))
                word.autoRenewStatus = renews
                change(&word)
                words.append(.fact(.renewal(word)))
            }
            switch fate {
            case .nobodyKnows, .neverBought: break
            case .turnedOff:
                word(20, renews: false)
                word(40, renews: false) { $0.expirationIntent = 1 }
            case .inGrace:
                word(12, renews: true)
                word(40, renews: true) { ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, noon(56)) }
            case .gaveUp: word(40, renews: true) { ($0.isInBillingRetryPeriod, $0.expirationIntent) = (true, 2) }
            case .refunded: bought.revocation = Revocation(revocationDate: noon(25), revocationType: "REFUND_FULL")
            }
            return [.fact(.transaction(bought)), .claim(claim)] + words
        }

        /// The answer that a query gets, and what the subscription's explanation says of it.
        func answers(at instant: Timestamp) -> (EntitlementAnswer, ExplanationLine.Access?) {
            let holding = Holding(of: alice, in: state, keepingCredits: true)
            let answer = CustomerAnswer(at: instant, holdings: [holding], account: account, map: map)
            let owner = OwnerAccess(of: alice, holdings: [holding], account: account)
            let explained = Explanation(of: history, state, at: instant, knowing: .init(products: map, owner: owner))
            for line in explained.lines {
                if case .outlook(.access(let access)) = line.statement { return (answer.overall, access) }
            }
            return (answer.overall, nil)
        }
    }

    @Test func `OWN-15 the sentence for the customer, the explanation and the answer agree`() {
        var told: [String: Int] = [:]
        for fate in Fate.allCases {
            for votes in 0..<(1 << Vote.allCases.count) {
                let customer = Customer(fate, votes)
                for day in stride(from: 1 as Int64, through: 99, by: 7) {
                    let instant = Self.noon(day)
                    let (answer, explained) = customer.answers(at: instant)
                    let sentence = CustomerSentence(answer)
                    let said = Said(sentence)
                    let comment: Comment = "\(fate), votes \(votes), day \(day): \(sentence.english) \(sentence.chinese)"
                    #expect(said.isActive == answer.isActive, comment)
                    if answer.endReason == .held { #expect(said.word == "held", comment) }
                    told[said.word, default: 0] += 1
                    guard let explained else { continue }
                    expect(said, sentence, explained.state, comment)
                }
            }
        }
        for word in ["active", "endless", "held", "ended", "unknown"] { #expect(told[word] != nil, "\(word) in \(told)") }
    }

    private func expect(
        _ said: Said, _ sentence: CustomerSentence, _ explained: ExplanationLine.Access.State, _ comment: Comment
    ) {
        switch explained {
        case .active(let until?, _): #expect(said.word == "active" && sentence.names(until), comment)
        case .active(nil, _): #expect(said.word == "endless", comment)
        case .held: #expect(said.word == "held", comment)
        case .ended(_, .held): #expect(said.word == "held", comment)
        case .ended(let at, _): #expect(said.word == "ended" && sentence.names(at), comment)
        case .neverGiven: #expect(said.word == "unknown", comment)
        }
    }

    /// What a sentence says, read from its text; both languages must say the same.
    private struct Said {
        private static let words: [(word: String, english: String, chinese: String)] = [
            ("unknown", "do not know of a purchase", "没有您的购买记录"), ("held", "put on hold", "已被暂停"),
            ("endless", "does not end", "不会到期"), ("ended", "Your access ended on", "您的访问权限已于"),
            ("active", "access", "权限"),
        ]

        let word: String
        var isActive: Bool { word == "active" || word == "endless" }

        init(_ sentence: CustomerSentence) {
            let english = Self.words.first { sentence.english.contains($0.english) }?.word
            let chinese = Self.words.first { sentence.chinese.contains($0.chinese) }?.word
            word = english == chinese ? english ?? "nothing" : "\(english ?? "nothing") and \(chinese ?? "nothing")"
        }
    }
}

extension CustomerSentence {
    /// Whether both languages name the instant.
    fileprivate func names(_ instant: Timestamp) -> Bool {
        english.contains(Speech(.english).instant(instant)) && chinese.contains(Speech(.simplifiedChinese).instant(instant))
    }
}
