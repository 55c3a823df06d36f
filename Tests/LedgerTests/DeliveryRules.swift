import Ledger
import Primitives
import Testing

/// A consumable is delivered once, whoever owned it when, and what is refunded of it is counted (PER-9, PER-11, decision 0067).
@Suite struct DeliveryRules {
    private let ids = ["1000", "1009"].map { TransactionID($0) }

    private func delivery(_ transactionId: String = "1000", day number: Int64) -> ConsumableDelivery {
        ConsumableDelivery(transactionId: TransactionID(transactionId), deliveredAt: day(2026, 1, number))
    }

    private func account(_ customer: CustomerID, _ inputs: [CustomerInput] = []) -> CustomerAccount {
        var account = CustomerAccount(app: key.app, environment: key.environment, customer: customer)
        for input in inputs { _ = account.record(input) }
        return account
    }

    private func vote(_ id: String, _ kind: CustomerVote.Kind, day number: Int64) -> CustomerInput {
        .vote(CustomerVote(id: .init(id), kind: kind, actor: "mia", reason: "", votedAt: day(2026, 1, number)))
    }

    private func verdict(_ person: Person, after made: [CustomerDelivery]) -> ConsumableVerdict {
        ConsumableVerdict(of: ids, to: person, after: made)
    }

    // MARK: Once

    @Test func `PER-9 whoever had a consumable first has it, and a second customer is told who and since when`() {
        let first = CustomerDelivery(delivery(day: 2), to: alice)
        let second = CustomerDelivery(delivery(day: 3), to: carol)
        #expect(verdict(Person(account(bob)), after: []) == .allowed)
        #expect(verdict(Person(account(bob)), after: [second, first]) == .refused(first))
        let another = CustomerDelivery(delivery("7000", day: 1), to: alice)
        #expect(verdict(Person(account(bob)), after: [another]) == .allowed, "of another purchase")
    }

    @Test func `PER-9 saying it again changes nothing, by any id of the purchase, whoever else has it`() {
        let kept = delivery("1009", day: 2)
        let made = [CustomerDelivery(kept, to: alice), CustomerDelivery(delivery(day: 1), to: bob)]
        #expect(verdict(Person(account(alice, [.delivery(kept)])), after: made) == .delivered(kept))
    }

    @Test func `PER-9 what was delivered under another id of the same person is theirs`() {
        let join = vote("j", .join(CustomerPair(alice, into: bob)), day: 3)
        let had = account(alice, [.delivery(delivery(day: 2)), join])
        let person = Person(account(bob, [join]), [had])
        let made = [CustomerDelivery(delivery(day: 2), to: alice)]
        #expect(verdict(person, after: made) == .delivered(delivery(day: 2)))
        #expect(verdict(Person(account(bob)), after: made) == .refused(made[0]), "two persons")
    }

    @Test func `PER-9 a vote allows one more customer, until it is withdrawn`() {
        let made = [CustomerDelivery(delivery(day: 2), to: alice)]
        let allowed = vote("v", .redelivery(TransactionID("1009")), day: 4)
        #expect(verdict(Person(account(bob, [allowed])), after: made) == .allowed)
        #expect(verdict(Person(account(carol)), after: made) == .refused(made[0]), "nobody else")
        let withdrawn = vote("w", .withdraw(.init("v")), day: 5)
        #expect(verdict(Person(account(bob, [allowed, withdrawn])), after: made) == .refused(made[0]))
        let other = vote("v", .redelivery(TransactionID("7000")), day: 4)
        #expect(verdict(Person(account(bob, [other])), after: made) == .refused(made[0]), "of another purchase")
    }

    /// Customers confirm, operators vote and withdraw, in random order: counted by hand beside the rules.
    @Test(arguments: 1...UInt64(50))
    func `PER-9 no more customers have a purchase than one and one for each vote that stood when they got it`(seed: UInt64) {
        var chance = SplitMix64(seed: seed)
        let customers = [alice, bob, carol]
        var accounts = Dictionary(uniqueKeysWithValues: customers.map { ($0, account($0)) })
        var (having, allowed, made) = (Set<CustomerID>(), Set<CustomerID>(), [CustomerDelivery]())
        for step in 1...40 {
            let customer = customers[Int.random(in: 0..<3, using: &chance)]
            let at = day(2026, 1, 1).adding(.minutes(Int64(step)))
            func said(_ kind: CustomerVote.Kind, _ id: String) -> CustomerInput {
                .vote(CustomerVote(id: .init(id), kind: kind, actor: "mia", reason: "", votedAt: at))
            }
            switch Int.random(in: 0..<4, using: &chance) {
            case 0:
                allowed.insert(customer)
                _ = accounts[customer]?.record(said(.redelivery(ids[Int.random(in: 0..<2, using: &chance)]), "v\(step)"))
            case 1:
                allowed.remove(customer)
                for vote in accounts[customer]?.votes ?? [] {
                    _ = accounts[customer]?.record(said(.withdraw(vote.id), "w\(step)/\(vote.id)"))
                }
            default:
                let person = Person(accounts[customer] ?? account(customer))
                let mayHave = having.isEmpty || having.contains(customer) || allowed.contains(customer)
                switch verdict(person, after: made.reversed()) {
                case .allowed:
                    #expect(mayHave && !having.contains(customer))
                    let new = ConsumableDelivery(transactionId: ids[Int.random(in: 0..<2, using: &chance)], deliveredAt: at)
                    _ = accounts[customer]?.record(.delivery(new))
                    made.append(CustomerDelivery(new, to: customer))
                    having.insert(customer)
                case .delivered: #expect(having.contains(customer))
                case .refused(let first): #expect(!mayHave && first == made.first)
                }
            }
        }
    }

    // MARK: How many

    private func coins(_ quantity: Int64?, _ revocation: Revocation? = nil) -> TransactionFact {
        transaction("1000", ProductID("coins"), from: day(2026, 1, 1), to: nil) {
            $0.webOrderLineItemId = nil
            $0.type = .consumable
            $0.details.quantity = quantity
            $0.revocation = revocation
            if revocation != nil { $0.signedDate = day(2026, 1, 5) }
        }
    }

    private func refund(_ percentage: Int64?, _ type: String? = nil) -> Revocation {
        Revocation(revocationDate: day(2026, 1, 5), revocationType: type, revocationPercentage: percentage)
    }

    // swift-format-ignore
    /// Apple's percentage is in thousandths of a percent; how many units that is, by hand.
    @Test(arguments: [
        (4, 50_000, 2), (4, 25_000, 1), (3, 33_333, 1), (3, 33_334, 1), (3, 66_666, 2), (3, 66_667, 2), (10, 99_999, 9),
        (1, 50_000, 0), (1, 99_999, 0), (2, 49_999, 1), (2, 49_998, 0), (5, 0, 0), (5, -7, 0), (5, 100_000, 5),
        (5, Int64.max, 5),
    ] as [(Int64, Int64, Int64)])
    func `PER-11 of several units the part that was refunded is taken back, in whole units`(
        bought: Int64, percentage: Int64, units: Int64
    ) {
        #expect(coins(bought).units(refundedBy: refund(percentage)) == units)
    }

    @Test func `PER-11 a refund without a part is of everything, a part that Apple does not say is of none that is known`() {
        #expect(coins(3).units(refundedBy: refund(nil)) == 3)
        #expect(coins(nil).units(refundedBy: refund(nil)) == 1)
        #expect(coins(3).units(refundedBy: refund(nil, "REFUND_PRORATED")) == nil)
        #expect(coins(Int64.max).units(refundedBy: refund(99_999)) == Int64.max - 1, "and nothing traps")
        #expect(coins(5).units(refundedBy: refund(Int64.max, "REFUND_PRORATED")) == 4, "nor does a part that is none")
        let monthly = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        #expect(monthly.units(refundedBy: refund(50_000)) == nil, "of a period time is refunded")
    }

    @Test func `PER-9 what was delivered stays visible after its refund, with how many were bought and refunded`() throws {
        for (percentage, refunded) in [(nil, 4), (50_000, 2)] as [(Int64?, Int64)] {
            var book = Book()
            book.tell(coins(4))
            _ = book.hear(claim(alice, .purchase, coins(4), at: day(2026, 1, 1)))
            book.tell(coins(4, refund(percentage)))
            let had = Person(account(alice, [.delivery(delivery(day: 2))]))
            let bought = try #require(ConsumablePurchase.all(of: had, in: [book.state]).first)
            #expect((bought.units, bought.refundedUnits, bought.unitsLeft) == (4, refunded, 4 - refunded))
            #expect(bought.delivery == delivery(day: 2) && bought.purchase.customer == alice)
            #expect(ConsumablePurchase.named(TransactionID("1000"), of: had, in: book.state) == bought)
            #expect(book.events.last { $0.kind == .purchaseRefunded }?.quantity == refunded)
            let words = Explanation(of: book.history, book.state, at: day(2026, 1, 6))
            let isHalf = percentage != nil
            #expect(words.english.contains { $0.contains("That is 2 of 4, and the others are kept") } == isHalf)
            #expect(words.lines.contains { Explanation.chineseSentence($0).contains("即 4 件中的 2 件，其余保留") } == isHalf)
            var back = coins(4)
            back.signedDate = day(2026, 1, 9)
            book.tell(back)
            #expect(book.events.last { $0.kind == .refundReversed }?.quantity == refunded)
        }
    }

    @Test func `PER-11 how many units are refunded is told once Apple says so, and in all when it is more`() {
        var book = Book()
        book.tell(coins(4))
        _ = book.hear(claim(alice, .purchase, coins(4), at: day(2026, 1, 1)))
        for (number, revocation) in [refund(nil, "REFUND_PRORATED"), refund(25_000), refund(50_000)].enumerated() {
            var copy = coins(4, revocation)
            copy.signedDate = day(2026, 1, 5 + Int64(number))
            book.tell(copy)
        }
        #expect(book.events.filter { $0.kind == .purchaseRefunded }.map(\.quantity) == [nil, 1, 2])
    }

    @Test func `PER-9 what was delivered to a customer is shown to them though another turned out to have bought it`() throws {
        var book = Book()
        book.tell(coins(1))
        _ = book.hear(claim(bob, .purchase, coins(1), at: day(2026, 1, 1)))
        let had = Person(account(alice, [.delivery(delivery(day: 2))]))
        let shown = try #require(ConsumablePurchase.all(of: had, in: [book.state]).first)
        #expect(shown.purchase.customer == bob && shown.delivery != nil)
        #expect(ConsumablePurchase.all(of: Person(account(carol)), in: [book.state]).isEmpty)
        let refused = RefusedDelivery(transactionId: TransactionID("1000"), refusedAt: day(2026, 1, 3))
        let buyer = Person(account(bob, [.refusedDelivery(refused)]))
        #expect(ConsumablePurchase.all(of: buyer, in: [book.state]).map(\.refusedDelivery) == [refused])
    }

    @Test func `PER-9 a refused delivery is kept once, and told of the purchase with both customers`() {
        let refused = RefusedDelivery(transactionId: TransactionID("1000"), refusedAt: day(2026, 1, 3))
        var kept = account(bob)
        let isNew = kept.record(.refusedDelivery(refused))
        let later = RefusedDelivery(transactionId: TransactionID("1000"), refusedAt: day(2026, 1, 4))
        let again = kept.record(.refusedDelivery(later))
        #expect(isNew && !again && kept.refusedDelivery(ofAny: ids) == refused)
        let signal = AbuseSignal.secondDelivery(
            of: OriginalTransactionID("1000"), to: bob, refused, having: CustomerDelivery(delivery(day: 2), to: alice))
        #expect(signal.evidence.map(\.customer) == [alice, bob] && signal.count == 2)
        let third = AbuseSignal.secondDelivery(
            of: OriginalTransactionID("1000"), to: carol, RefusedDelivery(transactionId: ids[0], refusedAt: day(2026, 1, 8)),
            having: CustomerDelivery(delivery(day: 2), to: alice), beside: signal.evidence)
        #expect(third.evidence.map(\.customer) == [alice, bob, carol] && third.count == 3)
    }
}
