import Ledger
import Primitives
import Testing

/// OWN-15: what an explanation says of access, the answer of that instant and the next steps agree.
@Suite struct ExplanationAccess {
    private let january = transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1))
    private let extras = EntitlementID("extras")
    private let expired = renewalInfo(signed: day(2026, 2, 1), renews: false) { $0.expirationIntent = 1 }

    private func book(_ words: RenewalFact...) -> Book {
        var book = Book()
        book.tell(january)
        _ = book.hear(claim(alice, .purchase, january, at: day(2026, 1, 1) + .seconds(5)))
        for word in words { book.tell(word) }
        return book
    }

    private func map(balanced: Bool = true) -> EntitlementMap {
        EntitlementMap(
            entries: [.init(productId: plus, validFrom: day(2000, 1, 1), entitlements: [access])],
            balanced: balanced ? [access] : [])
    }

    private func account(_ votes: CustomerVote.Kind..., reason: String = "") -> CustomerAccount {
        var account = CustomerAccount(app: key.app, environment: key.environment, customer: alice)
        for (number, kind) in votes.enumerated() {
            _ = account.record(
                CustomerVote(id: .init("v\(number)"), kind: kind, actor: "mia", reason: reason, votedAt: day(2026, 1, 1)))
        }
        return account
    }

    private func explanation(
        _ book: Book, at instant: Timestamp, _ account: CustomerAccount? = nil, _ map: EntitlementMap,
        others: [Holding] = []
    ) -> Explanation {
        let own = Holding(of: alice, in: book.state, keepingCredits: true)
        let owner = OwnerAccess(of: alice, holdings: [own] + others, account: account)
        return Explanation(of: book.history, book.state, at: instant, knowing: .init(products: map, owner: owner))
    }

    // MARK: What must be bought

    @Test func `OWN-15 a customer with a balance left is not sent to buy again what the balance gives`() {
        let voucher = account(.credit(access, at: day(2025, 12, 20), .days(20)))
        let left = explanation(book(expired), at: day(2026, 2, 5), voucher, map())
        // The voucher pays through 9 January, and then there are 31 more days.
        let told: [String] = [
            "As of 5 February 2026, 00:00 UTC, plus.monthly, which belongs to alice, is not active. Its last period ended on "
                + "1 February 2026, 00:00 UTC: auto-renew had been turned off (ENT-1).",
            "The customer has it again only if they buy it again. For the entitlement access, that is not needed now "
                + "(ENT-1).",
            "alice may use the entitlement access until 9 February 2026, 00:00 UTC. That rests on the "
                + "balance: time that was added and is not used yet (ENT-1, ENT-3).",
        ]
        #expect(left.english.suffix(3) == told[...])
        #expect(
            left.lines.suffix(2).map(Explanation.chineseSentence) == [
                "顾客如需再次拥有它，必须重新购买。目前使用权限 access 无需如此。",
                "alice 拥有权限 access，有效期至 2026年2月9日 00:00 UTC。此刻的依据是尚未用完的时长余额。",
            ])
        let used = explanation(book(expired), at: day(2026, 2, 9), voucher, map())
        #expect(
            used.english.suffix(2) == [
                "The customer has it again only if they buy it again (ENT-1).",
                "alice may not use the entitlement access. Access ended on 9 February 2026, 00:00 UTC: the time that was "
                    + "added is used up (ENT-1).",
            ])
        #expect(used.lines.last.map(Explanation.chineseSentence) == "alice 没有权限 access。该权限已于 2026年2月9日 00:00 UTC 失效：时长余额已用完。")
    }

    @Test func `OWN-15 a refunded subscription is explained with the grant that still gives access, and its reason`() {
        var refunded = january
        refunded.revocation = Revocation(revocationDate: day(2026, 1, 10), revocationType: "REFUND_FULL")
        var book = book()
        book.tell(refunded)
        let grant = account(.grant(access, TimeWindow(from: day(2026, 1, 5), until: nil)), reason: "apology")
        let lines = explanation(book, at: day(2026, 1, 20), grant, map(balanced: false)).lines.suffix(2)
        #expect(
            lines.map(Explanation.english) == [
                "The customer has it again only if they buy it again, or if Apple reverses the refund. For the entitlement "
                    + "access, that is not needed now (ENT-1).",
                "alice may use the entitlement access without an end date. That rests on a grant by an operator, "
                    + "for this reason: \u{201C}apology\u{201D} (ENT-1, ENT-9).",
            ])
        #expect(
            lines.last.map(Explanation.chineseSentence)
                == "alice 拥有权限 access，没有截止日期。此刻的依据是操作员的授予，理由：“apology”。")
    }

    @Test func `OWN-15 a held customer is explained as held, whatever the subscription gives`() {
        let hold = account(.hold(nil, TimeWindow(from: day(2026, 1, 10), until: day(2026, 1, 20))), reason: "fraud")
        let lines = explanation(book(), at: day(2026, 1, 15), hold, map(balanced: false)).lines
        #expect(
            lines.last.map(Explanation.english)
                == "alice may not use the entitlement access: an operator put it on hold until 20 January 2026, 00:00 UTC, for "
                + "this reason: \u{201C}fraud\u{201D}. A purchase does not lift the hold (ENT-1, ENT-9).")
        #expect(
            lines.last.map(Explanation.chineseSentence)
                == "alice 没有权限 access：操作员已将其冻结，至 2026年1月20日 00:00 UTC 为止，理由：“fraud”。冻结期间，即使购买也无法恢复。")
        let open = account(.hold(access, TimeWindow(from: day(2026, 1, 10), until: nil)))
        let last = explanation(book(), at: day(2026, 1, 15), open, map(balanced: false)).english.last
        #expect(
            last == "alice may not use the entitlement access: an operator put it on hold until the hold is withdrawn. "
                + "A purchase does not lift the hold (ENT-1, ENT-9).")
        let past = account(.hold(access, TimeWindow(from: day(2026, 1, 10), until: day(2026, 2, 10))))
        #expect(
            explanation(book(expired), at: day(2026, 2, 20), past, map(balanced: false)).english.last
                == "alice may not use the entitlement access. Access ended on 10 January 2026, 00:00 UTC: an operator put it on "
                + "hold (ENT-1, ENT-9).")
    }

    @Test func `OWN-15 access through another purchase is explained with that purchase`() throws {
        let other = owned("2000", by: alice, transaction("2", from: day(2026, 1, 20), to: day(2026, 3, 20)))
        let holding = Holding(of: alice, in: other, keepingCredits: true)
        let explained = explanation(book(expired), at: day(2026, 2, 5), nil, map(balanced: false), others: [holding])
        #expect(
            explained.english.last
                == "alice may use the entitlement access until 20 March 2026, 00:00 UTC. That rests on "
                + "plus.monthly (purchase 2000) (ENT-1).")
        let line = try #require(explained.lines.last)
        #expect(
            Explanation.chineseSentence(line)
                == "alice 拥有权限 access，有效期至 2026年3月20日 00:00 UTC。此刻的依据是购买 2000 的 plus.monthly。")
    }

    @Test func `OWN-15 a licence to updates is explained, since no end of a subscription takes it away`() {
        let book = book(expired)
        let licences = CustomerLicences(of: alice, states: [book.state], appPurchases: [], policy: LicencePolicy())
        let owner = OwnerAccess(of: alice, holdings: [], account: nil, licences: licences)
        let lines = Explanation(of: book.history, book.state, at: day(2026, 3, 1), knowing: .init(owner: owner)).lines.suffix(1)
        #expect(
            lines.map(Explanation.english) == [
                "Apart from that, alice has a licence to updates: every feature released by 2 February 2026, 00:00 UTC may be "
                    + "used for ever, even without the subscription (LIC-1, LIC-2)."
            ])
        #expect(
            lines.map(Explanation.chineseSentence) == ["此外，alice 拥有更新许可：即使没有订阅，也可永久使用 2026年2月2日 00:00 UTC 及之前发布的所有功能。"])
    }

    @Test func `OWN-15 what another customer may use is not explained as the owner's`() {
        let book = book(expired)
        let owner = OwnerAccess(of: bob, holdings: [], account: nil)
        let told = Explanation(of: book.history, book.state, at: day(2026, 2, 5), knowing: .init(products: map(), owner: owner))
        #expect(told == Explanation(of: book.history, book.state, at: day(2026, 2, 5), products: map()))
    }

    // MARK: Random lives

    /// A random customer-level history: another purchase, votes of each kind, withdrawals.
    private struct Books {
        let book: Book
        let other: SubscriptionState
        private(set) var accounts: [CustomerID: CustomerAccount] = [:]
        let map: EntitlementMap

        init(seed: UInt64) {
            var book = Book()
            for input in Life(seed: seed).inputs { book.tell(input) }
            self.book = book
            var generator = SplitMix64(seed: seed ^ 0xACCE55)
            let from = day(2026, 1, 1) + .days(Int64.random(in: 0..<120, using: &generator))
            let product = [plus, pro, ProductID("plus.yearly")].randomElement(using: &generator) ?? plus
            other = owned(
                "2000", by: Life.customers.randomElement(using: &generator),
                transaction("2000", product, from: from, to: from + .days(Int64.random(in: 10..<200, using: &generator))))
            map = EntitlementMap(
                entries: [
                    .init(productId: plus, validFrom: day(2000, 1, 1), entitlements: [access]),
                    .init(productId: pro, validFrom: day(2000, 1, 1), entitlements: [access, EntitlementID("extras")]),
                    .init(productId: pro, validFrom: day(2026, 3, 1), entitlements: [EntitlementID("extras")]),
                    .init(productId: ProductID("plus.yearly"), validFrom: day(2026, 2, 1), entitlements: [access]),
                ], balanced: seed.isMultiple(of: 4) ? [] : [access])
            for customer in Life.customers {
                var account = CustomerAccount(app: key.app, environment: key.environment, customer: customer)
                for number in 0..<Int.random(in: 0..<6, using: &generator) {
                    _ = account.record(Self.vote(number, using: &generator))
                }
                accounts[customer] = account
            }
        }

        private static func vote(_ number: Int, using generator: inout SplitMix64) -> CustomerVote {
            let votedAt = day(2026, 1, 1) + .hours(Int64.random(in: 0..<8000, using: &generator))
            let from = day(2026, 1, 1) + .hours(Int64.random(in: 0..<8000, using: &generator))
            let length = Milliseconds.hours(Int64.random(in: 1..<2000, using: &generator))
            let window = TimeWindow(from: from, until: Bool.random(using: &generator) ? from + length : nil)
            let entitlement = [access, EntitlementID("extras")].randomElement(using: &generator) ?? access
            let kind: CustomerVote.Kind =
                switch Int.random(in: 0..<6, using: &generator) {
                case 0, 1, 2: .grant(entitlement, window)
                case 3: .hold(Bool.random(using: &generator) ? entitlement : nil, TimeWindow(from: from, until: from + length))
                case 4: .withdraw(.init("v\(Int.random(in: 0..<6, using: &generator))"))
                default: .credit(access, at: from, length)
                }
            return CustomerVote(id: .init("v\(number)"), kind: kind, actor: "mia", reason: "", votedAt: votedAt)
        }

        func owner(at instant: Timestamp, in state: SubscriptionState) -> OwnerAccess? {
            guard let customer = state.owner(at: instant) else { return nil }
            return OwnerAccess(
                of: customer, holdings: [state, other].map { Holding(of: customer, in: $0, keepingCredits: true) },
                account: accounts[customer],
                licences: CustomerLicences(
                    of: customer, states: [state, other], appPurchases: [], policy: LicencePolicy()))
        }
    }

    @Test(arguments: 0..<48 as Range<UInt64>)
    func `OWN-15 over random lives what is explained of access is the answer, and no next step contradicts it`(seed: UInt64) {
        let books = Books(seed: seed)
        let state = books.book.state
        for hours in stride(from: 1 as Int64, to: 9000, by: 223) {
            let instant = day(2026, 1, 1) + .hours(hours)
            guard let owner = books.owner(at: instant, in: state), state.status(at: instant) != nil else { continue }
            let answer = CustomerAnswer(at: instant, holdings: owner.holdings, account: owner.account, map: books.map)
            let explained = Explanation(
                of: books.book.history, state, at: instant, knowing: .init(products: books.map, owner: owner))
            var said: [EntitlementID: ExplanationLine.Access] = [:]
            for line in explained.lines {
                switch line.statement {
                case .outlook(.access(let access)):
                    for entitlement in access.entitlements {
                        #expect(said.updateValue(access, forKey: entitlement) == nil, "seed \(seed), \(instant)")
                    }
                case .outlook(.licence(let customer, let until)):
                    #expect(customer == owner.customer && until == owner.licences?.end(at: instant), "seed \(seed), \(instant)")
                default: break
                }
            }
            // What the product of the instant gives must be said, and what it gave before where it is still of use.
            let begun = state.periods.filter { $0.purchaseDate <= instant && !$0.neverServes }
            let ever = Set(begun.flatMap { books.map.given(by: $0.productId, toPeriodFrom: $0.purchaseDate, asOf: instant) })
            let usable = answer.entitlements.filter(\.isActive).compactMap(\.entitlement).filter(ever.contains)
            let current = begun.last.map { books.map.given(by: $0.productId, toPeriodFrom: $0.purchaseDate, asOf: instant) } ?? []
            #expect(Set(said.keys) == Set(usable).union(current), "seed \(seed), \(instant)")
            for one in answer.entitlements {
                guard let entitlement = one.entitlement, let access = said[entitlement] else { continue }
                #expect(access.customer == owner.customer && access.agrees(with: one), "seed \(seed), \(instant)")
            }
            for line in explained.lines {
                guard case .outlook(.hadAgain(_, notFor: let free)) = line.statement else { continue }
                #expect(free == usable, "seed \(seed), \(instant)")
            }
            let hasLicence = explained.lines.contains { if case .outlook(.licence) = $0.statement { true } else { false } }
            #expect(hasLicence == (owner.licences?.end(at: instant) != nil), "seed \(seed), \(instant)")
        }
    }

    @Test func `OWN-15 the random lives show what they are about: a balance, a grant, a hold after the end`() {
        var shown: Set<String> = []
        for seed in 0..<48 as Range<UInt64> {
            let books = Books(seed: seed)
            let state = books.book.state
            for hours in stride(from: 1 as Int64, to: 9000, by: 223) {
                let instant = day(2026, 1, 1) + .hours(hours)
                let knowledge = Explanation.Knowledge(products: books.map, owner: books.owner(at: instant, in: state))
                let lines = Explanation(of: books.book.history, state, at: instant, knowing: knowledge).lines
                let isOver = lines.contains {
                    if case .outlook(.hadAgain(_, notFor: let free)) = $0.statement { !free.isEmpty } else { false }
                }
                for line in lines {
                    guard case .outlook(.access(let access)) = line.statement else { continue }
                    shown.insert("\(isOver ? "over, " : "")\(access.word)")
                }
            }
        }
        let wanted = [
            "paid", "gracePeriod", "balance", "granted", "held", "ended", "over, balance", "over, granted", "over, paid",
        ]
        for word in wanted {
            #expect(shown.contains(word), "\(word) among \(shown.sorted())")
        }
    }
}

extension ExplanationLine.Access {
    /// Whether it says what the answer says: active or not, until when, on what it rests, why it ended.
    fileprivate func agrees(with answer: EntitlementAnswer) -> Bool {
        switch state {
        case .active(let until, .grant): answer.isActive && until == answer.end && answer.restsOn?.right == .granted
        case .active(let until, .purchase(let right, let product, _)):
            answer.isActive && until == answer.end && answer.restsOn?.right == right && answer.restsOn?.productId == product
        case .held(let until, _):
            !answer.isActive && answer.endedBecause == .held
                && (until.map { end in answer.nextChangeDate.map { $0 <= end } ?? false } ?? true)
        case .ended(let at, let reason): !answer.isActive && at == answer.end && reason == answer.endReason
        case .neverGiven: !answer.isActive && answer.start == nil
        }
    }

    fileprivate var word: String {
        switch state {
        case .active(_, .grant): "granted"
        case .active(_, .purchase(let right, _, _)): right.rawValue
        case .held: "held"
        case .ended: "ended"
        case .neverGiven: "neverGiven"
        }
    }
}
