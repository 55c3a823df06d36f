import Ledger
import Primitives
import Testing

@Suite struct FactRules {
    let first = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))

    @Test func `FACT-1 decisions step by step give the same as a fold over the whole history`() async {
        for seed in UInt64(1)...50 {
            await Task.yield()
            let life = Life(seed: seed)
            var book = Book()
            for input in life.inputs { book.tell(input) }
            var last: SubscriptionState?
            var history = SubscriptionHistory(key: key)
            for input in life.inputs {
                let decision = Decision(on: [input], history: history, policy: AppPolicy(), learnedAt: day(2030, 1, 1))
                history = decision.history
                last = decision.state
            }
            #expect(last == book.state, "seed \(seed)")
            #expect(last == SubscriptionState(folding: history, under: AppPolicy()), "seed \(seed)")
        }
    }

    @Test func `FACT-1 a decision keeps everything that it is based on, and reports whether it changes anything`() {
        var book = Book()
        let told = book.tell(first)
        #expect(told.changesHistory && told.history.book.entries().map(\.latest) == [first])
        let info = renewalInfo(signed: day(2026, 1, 5), renews: false)
        #expect(book.tell(info).history.renewals == [info])
        let bound = book.tell(.claim(claim(alice, .purchase, first, at: day(2026, 1, 2))))
        #expect(bound.changesHistory && bound.history.claims.count == 1)
    }

    @Test func `FACT-2 the version with the later signedDate prevails, whichever arrives first`() {
        var refunded = first
        refunded.signedDate = day(2026, 1, 20)
        refunded.revocation = Revocation(revocationDate: day(2026, 1, 19))
        for order in [[first, refunded], [refunded, first]] {
            var book = Book()
            for fact in order { book.tell(fact) }
            #expect(book.state.periods.map(\.end) == [day(2026, 1, 19)])
        }
    }

    @Test func `FACT-2 of two versions signed in one millisecond the revocation prevails`() {
        var refunded = first
        refunded.revocation = Revocation(revocationDate: day(2026, 1, 19))
        for order in [[first, refunded], [refunded, first]] {
            var book = Book()
            for fact in order { book.tell(fact) }
            #expect(book.state.periods.map(\.end) == [day(2026, 1, 19)])
        }
    }

    @Test func `FACT-2 recording a fact again changes nothing`() {
        var book = Book()
        book.tell(first)
        let again = book.tell(first)
        #expect(!again.changesHistory && again.auditRows.isEmpty && again.events.isEmpty)
    }

    @Test
    func
        `FACT-5 an unknown product is folded as a period that gives no entitlement, and an upgrade to it still ends the old one`()
    {
        var book = Book()
        let unknown = transaction("1001", ProductID("never.heard.of"), from: day(2026, 1, 11), to: day(2026, 2, 11))
        book.tell(first, unknown)
        _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 1)))
        let map = EntitlementMap(entries: [
            .init(productId: plus, validFrom: day(2000, 1, 1), entitlements: [EntitlementID("access")])
        ])
        func isActive(_ instant: Timestamp) -> Bool {
            CustomerAnswer(at: instant, holdings: [Holding(of: alice, in: book.state)], map: map).overall.isActive
        }
        #expect(isActive(day(2026, 1, 5)))
        #expect(!isActive(day(2026, 1, 15)))
        #expect(book.state.periods.map(\.productId) == [plus, unknown.productId])
    }

    @Test func `FACT-5 a product is unknown when no version of the settings that holds then or later names it`() {
        func content(_ products: ProductID...) -> SettingsContent {
            let entries = products.map {
                EntitlementMap.Entry(productId: $0, validFrom: day(2000, 1, 1), entitlements: [access])
            }
            return SettingsContent(policy: AppPolicy(), products: entries)
        }
        let named = SettingsTimeline(content(plus, pro))
        #expect(named.names(pro, at: day(2026, 1, 1)) && !named.names(ProductID("never.heard.of"), at: day(2026, 1, 1)))
        let removed = named.adding(content(plus), from: day(2026, 2, 1))
        #expect(removed.names(pro, at: day(2026, 1, 31)) && !removed.names(pro, at: day(2026, 2, 1)))
        #expect(removed.names(plus, at: day(2026, 2, 1)))
        let back = removed.adding(content(plus, pro), from: day(2026, 3, 1))
        #expect(back.names(pro, at: day(2026, 2, 1)), "it gives something from March on, to what was bought before, too")
    }

    @Test func `FACT-5 unknown notification types, product types and reasons are kept in Apple's spelling and change nothing`() {
        var book = Book()
        book.tell(first)
        _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 1)))
        let before = book.state
        let notice = NoticeFact(
            notificationUUID: "u", notificationType: "NEVER_HEARD_OF", subtype: "NEITHER", signedDate: day(2026, 1, 3))
        let told = book.tell(.fact(.notice(notice, about: key.originalTransactionId)))
        #expect(told.history.notices == [notice] && told.state == before && told.auditRows.isEmpty)
        let odd = transaction("1001", from: day(2026, 1, 5), to: day(2027, 1, 5)) {
            $0.type = ProductKind(rawValue: "Subscription of a New Kind")
            $0.transactionReason = ChargeReason(rawValue: "GIFT")
        }
        book.tell(odd)
        #expect(book.answer(alice, at: day(2026, 1, 20)).end == day(2026, 2, 1))
        #expect(book.state.periods.last?.transaction.type.rawValue == "Subscription of a New Kind")
        #expect(book.state.periods.last?.transaction.transactionReason?.rawValue == "GIFT")
    }

    @Test
    func
        `AUDIT-1 every change in anyone's access has one row with its instants, rule, evidence, before, after and actor`()
    {
        var book = Book()
        book.tell(first)
        #expect(book.audit.isEmpty)
        let bound = claim(alice, .purchase, first, at: day(2026, 1, 2))
        _ = book.hear(bound)
        #expect(book.audit.count == 1)
        let row = book.audit[0]
        #expect(row.customer == alice && row.effectiveAt == day(2026, 1, 1) && row.learnedAt == day(2026, 1, 2))
        #expect(row.rule == .firstClaim && row.actor == .customer && row.evidence == [.claim(bound.id.rawValue)])
        #expect(!row.before.exists && row.after.until == day(2026, 2, 1))
        let renewed = renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1))
        book.tell(renewed)
        #expect(book.audit.count == 2)
        #expect(book.audit[1].before.until == day(2026, 2, 1) && book.audit[1].after.until == day(2026, 3, 1))
        #expect(book.audit[1].actor == .appStore && book.audit[1].evidence == [.fact(Fact.transaction(renewed).key)])
        let upgrade = transaction("1002", pro, from: day(2026, 2, 11), to: day(2026, 3, 11))
        book.tell(upgrade)
        _ = book.hear(claim(bob, .purchase, upgrade, at: day(2026, 2, 12)))
        let both = book.audit.suffix(2)
        #expect(
            both.map(\.customer) == [alice, bob]
                && both.allSatisfy { $0.effectiveAt == day(2026, 2, 11) && $0.rule == .followPurchase })
    }

    @Test
    func `AUDIT-1 the rows form a chain of accesses: each begins where the one before ended, and the last is the present one`()
        async
    {
        for seed in UInt64(1)...200 {
            await Task.yield()
            let life = Life(seed: seed)
            var book = Book()
            for input in life.inputs.shuffled(by: seed) {
                let before = book.state
                let decision = book.tell(input)
                for customer in Life.customers {
                    let changed = before.spans(of: customer) != decision.state.spans(of: customer)
                    let rows = decision.auditRows.filter { $0.customer == customer }
                    // Spans may be divided differently and give the same access; then there is nothing to report.
                    if !changed { #expect(rows.allSatisfy { $0.takeBacks.isEmpty == false }, "seed \(seed)") }
                    #expect(rows.count <= 1, "seed \(seed)")
                }
            }
            for customer in Life.customers {
                let rows = book.audit.filter { $0.customer == customer }
                for (one, next) in zip(rows, rows.dropFirst()) { #expect(one.after == next.before, "seed \(seed)") }
                let spans = book.state.spans(of: customer)
                let signedEnd = spans.filter { $0.kind != .provisional }.compactMap(\.until).max()
                #expect(rows.last?.after.until == signedEnd, "seed \(seed)")
            }
        }
    }

    @Test func `AUDIT-1 time that begins within present access and outlasts it has a row from where it outlasts it`() {
        var book = Book()
        book.tell(first)
        _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 2)))
        // With auto-renew off nothing follows the period's end.
        book.tell(renewalInfo(signed: day(2026, 1, 10), renews: false))
        let rows = book.audit.count
        book.tell(transaction("1002", from: day(2026, 1, 20), to: day(2026, 2, 20)))
        #expect(book.audit.count == rows + 1 && book.audit.last?.effectiveAt == day(2026, 2, 1))
        #expect(
            book.audit.last?.after.until == day(2026, 2, 20)
                && book.events.last { $0.kind == .accessChanged }?.accessUntil == day(2026, 2, 20))
    }

    @Test func `AUDIT-1 a renewal shown by a device is attributed to the App Store, and only stored claims are cited`() {
        var book = Book()
        book.tell(first)
        _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 2)))
        let renewed = renewal("1001", from: day(2026, 2, 1), to: day(2026, 3, 1))
        let told = book.tell(.fact(.transaction(renewed)), .claim(claim(alice, .queue, renewed, at: day(2026, 2, 1))))
        #expect(told.auditRows.map(\.actor) == [.appStore])
        #expect(told.auditRows.first?.evidence == [.fact(Fact.transaction(renewed).key)])
    }

    @Test func `AUDIT-1 what a changed policy changes has rows when it comes into force`() {
        var book = Book()
        let upgrade = transaction("1001", pro, from: day(2026, 1, 11), to: day(2026, 2, 11))
        book.tell(first, upgrade)
        _ = book.hear(claim(alice, .purchase, first, at: day(2026, 1, 1)))
        _ = book.hear(claim(bob, .purchase, upgrade, at: day(2026, 1, 11)))
        let renewed = renewal("1002", pro, from: day(2026, 2, 11), to: day(2026, 3, 11))
        let decision = Decision(
            on: [.fact(.transaction(renewed))], history: book.history, state: book.state,
            policy: AppPolicy(version: 2, onPurchase: .stay), learnedAt: day(2026, 2, 11))
        #expect(decision.auditRows.map(\.customer) == [alice, bob])
        #expect(
            decision.auditRows.allSatisfy { $0.effectiveAt == day(2026, 1, 11) }
                && decision.state.owner(at: day(2026, 2, 1)) == alice)
    }
}
