import Ledger
import Primitives
import Testing

/// OWN-15: two situations that differ have two sentences, in English and in Chinese. Expected texts follow from the meaning of
/// each situation.
@Suite struct ExplanationSituations {
    private let january = transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1))

    private func owned(_ policy: AppPolicy = AppPolicy(), _ first: TransactionFact? = nil) -> Book {
        var book = Book(policy)
        book.tell(first ?? january)
        _ = book.hear(claim(alice, .purchase, first ?? january, at: day(2026, 1, 1) + .seconds(5)))
        return book
    }

    private func english(_ book: Book, at instant: Timestamp) -> String {
        explanation(book, at: instant).english.joined(separator: "\n")
    }

    private func chinese(_ book: Book, at instant: Timestamp) -> String {
        explanation(book, at: instant).lines.map(Explanation.chineseSentence).joined(separator: "\n")
    }

    private func explanation(_ book: Book, at instant: Timestamp) -> Explanation {
        Explanation(of: book.history, book.state, at: instant, policies: PolicyTimeline(book.policy))
    }

    private func vote(
        _ kind: OwnershipVote.Kind, by actor: OwnershipVote.Actor = .operatorOfTenure("mia"), at instant: Timestamp,
        reason: String = ""
    ) -> LedgerInput {
        .vote(OwnershipVote(id: .init("\(instant)"), kind: kind, actor: actor, votedAt: instant, reason: reason))
    }

    // MARK: After the end

    /// How January ended for its customer, and how that customer can have it again.
    private static let ends: [(ownership: String, revocation: String?, english: String, chinese: String)] = [
        ("PURCHASED", nil, "they buy it again (ENT-1).", "必须重新购买。"),
        (
            "PURCHASED", "REFUND_FULL", "they buy it again, or if Apple reverses the refund (ENT-1).",
            "必须重新购买，或由 Apple 撤销退款。"
        ),
        (
            "FAMILY_SHARED", nil, "it is shared with them again through Family Sharing, or if they buy it themselves (ENT-1).",
            "必须再次通过家人共享获得，或自行购买。"
        ),
        (
            "FAMILY_SHARED", "FAMILY_REVOKE",
            "it is shared with them again through Family Sharing, or if they buy it themselves (ENT-1).",
            "必须再次通过家人共享获得，或自行购买。"
        ),
        ("ASSIGNED", nil, "a seat is assigned to them again, or if they buy it themselves (ENT-1).", "必须再次获分配席位，或自行购买。"),
        (
            "ASSIGNED", "ASSIGNMENT_REVOKE", "a seat is assigned to them again, or if they buy it themselves (ENT-1).",
            "必须再次获分配席位，或自行购买。"
        ),
    ]

    @Test(arguments: ends.indices)
    func `OWN-15 after the end a customer is sent to buy again only what they bought`(index: Int) {
        let end = Self.ends[index]
        var period = january
        period.details.inAppOwnershipType = end.ownership
        if let type = end.revocation {
            period.revocation = Revocation(revocationDate: day(2026, 1, 10), revocationType: type)
        }
        var book = owned(AppPolicy(), period)
        if end.revocation == nil { book.tell(renewalInfo(signed: day(2026, 2, 1), renews: false) { $0.expirationIntent = 1 }) }
        #expect(english(book, at: day(2026, 2, 5)).hasSuffix("\nThe customer has it again only if \(end.english)"))
        #expect(chinese(book, at: day(2026, 2, 5)).hasSuffix("\n顾客如需再次拥有它，\(end.chinese)"))
    }

    @Test func `OWN-15 what is over is not called not yet begun in Chinese, nor what Apple still tries to charge for over`() {
        let ended = owned().telling(renewalInfo(signed: day(2026, 2, 1), renews: false) { $0.expirationIntent = 1 })
        let over = "截至 2026年2月5日 00:00 UTC，plus.monthly（归 alice 所有）已失效。最后一个周期已于 2026年2月1日 00:00 UTC 结束：自动续订已关闭。"
        #expect(chinese(ended, at: day(2026, 2, 5)).contains(over))
        let retried = owned().telling(renewalInfo(signed: day(2026, 2, 1)) { $0.isInBillingRetryPeriod = true })
        #expect(chinese(retried, at: day(2026, 2, 5)).contains("plus.monthly（归 alice 所有）目前无效：Apple 未能为续订扣款，仍在重试扣款。"))
    }

    @Test func `OWN-15 the end of a free trial is not called the end of paid time`() {
        let trial = transaction("1", from: day(2026, 1, 1), to: day(2026, 1, 8)) {
            ($0.details.offerType, $0.details.offerDiscountType, $0.details.offerPeriod) = (1, "FREE_TRIAL", "P1W")
        }
        let words = english(owned(AppPolicy(), trial), at: day(2026, 1, 20))
        let ended = "Its last period ended on 8 January 2026, 00:00 UTC: Apple has not said that it renewed"
        #expect(words.contains(ended), "\(words)")
        #expect(!words.contains("paid"), "\(words)")
        #expect(!chinese(owned(AppPolicy(), trial), at: day(2026, 1, 20)).contains("付费"))
    }

    @Test func `OWN-15 what a product replaced that is not known continues as that one, and no renewal of it is looked for`() {
        let replaced = transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1)) {
            ($0.isUpgraded, $0.signedDate) = (true, day(2026, 1, 10))
        }
        let book = owned(AppPolicy(), replaced)
        let next = "Once Apple shows which product replaced it, the subscription continues with that product (ENT-6)."
        #expect(english(book, at: day(2026, 3, 1)).hasSuffix(next))
        #expect(chinese(book, at: day(2026, 3, 1)).hasSuffix("Apple 说明替换它的商品后，订阅将以该商品继续。"))
    }

    @Test func `OWN-15 what the policy ignores is explained as giving no access, with no end to come and no way back`() {
        var ignoring = AppPolicy()
        ignoring.familySharing = .ignore
        var shared = january
        shared.details.inAppOwnershipType = "FAMILY_SHARED"
        let words = english(owned(ignoring, shared), at: day(2026, 1, 10))
        #expect(
            words.hasSuffix(
                "As of 10 January 2026, 00:00 UTC, plus.monthly, which belongs to alice, gives no access: the app's policy "
                    + "ignores Family Sharing (ENT-1)."), "\(words)")
        let none = "plus.monthly（归 alice 所有）不提供访问权限：App 的策略忽略家人共享。"
        #expect(chinese(owned(ignoring, shared), at: day(2026, 1, 10)).hasSuffix(none))
    }

    @Test func `OWN-15 a one-time purchase that a family shares was not bought by its customer`() {
        let shared = transaction("1", ProductID("unlock"), from: day(2026, 1, 1), to: nil) {
            ($0.type, $0.details.inAppOwnershipType) = (.nonConsumable, "FAMILY_SHARED")
        }
        let book = owned(AppPolicy(), shared)
        let begun = "On 1 January 2026, 00:00 UTC, unlock was shared through Family Sharing. It is a non-consumable: "
        #expect(english(book, at: day(2026, 1, 2)).contains(begun + "it does not expire"))
        #expect(chinese(book, at: day(2026, 1, 2)).contains("通过家人共享获得了 unlock。这是非消耗型项目：不会过期。"))
    }

    // MARK: Decisions

    @Test func `OWN-15 the reason of a decision that changed nothing is not given as the reason why nothing changed`() {
        let book = owned().telling(vote(.transfer(to: alice), at: day(2026, 1, 7), reason: "invoice seen"))
        #expect(
            english(book, at: day(2026, 1, 8)).contains(
                "On 7 January 2026, 00:00 UTC, an operator gave it to alice, for this reason: \u{201C}invoice seen\u{201D}. That "
                    + "changed nothing: alice owned it already (OWN-9)."))
        #expect(
            chinese(book, at: day(2026, 1, 8)).contains("操作员将它判给 alice，理由：“invoice seen”。归属没有变化：它本已归 alice 所有。"))
    }

    @Test func `OWN-15 a claim that was denied is no missing claim where nobody owns the subscription`() {
        var limited = AppPolicy()
        limited.customersPerAppleAccount = 0
        var book = Book(limited)
        book.tell(january)
        let restore = claim(alice, .restore, january, at: day(2026, 1, 5))
        _ = book.hear(restore)
        book.tell(vote(.deny(restore.id), at: day(2026, 1, 7)))
        let ownerless = "Since 1 January 2026, 00:00 UTC, the subscription has had no owner, because "
        #expect(english(book, at: day(2026, 1, 4)).contains(ownerless + "no customer has claimed it (OWN-1)."))
        #expect(english(book, at: day(2026, 1, 6)).contains(ownerless + "a claim to it is pending (OWN-1)."))
        #expect(english(book, at: day(2026, 1, 8)).contains(ownerless + "no claim to it has been accepted (OWN-1)."))
        #expect(chinese(book, at: day(2026, 1, 8)).contains("该订阅一直无人拥有，因为没有认领被接受。"))
    }

    @Test func `OWN-15 the first claim that was accepted is not called the first one after an earlier one is pending`() {
        var limited = AppPolicy()
        limited.customersPerAppleAccount = 1
        var book = Book(limited)
        book.tell(january)
        let crowded = Claimant(bob, othersServed: [carol])
        _ = book.hear(
            Claim(
                id: .init("b"), customer: crowded, kind: .restore, transaction: january, productId: plus,
                claimedAt: day(2026, 1, 5)))
        _ = book.hear(claim(alice, .restore, january, at: day(2026, 1, 6)))
        #expect(
            english(book, at: day(2026, 1, 8)).contains(
                "has belonged to alice, because alice made the first claim to it that was accepted, by a restore (OWN-2)."))
        #expect(chinese(book, at: day(2026, 1, 8)).contains("因为 alice 的认领最先被接受（通过恢复购买）。"))
    }

    @Test func `OWN-15 a claim that was pending when its customer was erased is not explained as denied by an operator`() {
        var book = owned(AppPolicy(onRestore: .ask))
        _ = book.hear(claim(bob, .restore, january, at: day(2026, 1, 5)))
        book.tell(vote(.erase(bob), at: day(2026, 1, 9)))
        let asked = "On 5 January 2026, 00:00 UTC, bob asked to restore the subscription. "
        #expect(
            english(book, at: day(2026, 1, 6)).contains(
                asked + "This is pending a decision, which the app's policy requires for restores (OWN-9)."))
        let after = english(book, at: day(2026, 1, 10))
        #expect(after.contains(asked + "This was pending until bob was erased, and was then refused (OWN-9)."), "\(after)")
        #expect(!after.contains("denied"), "\(after)")
        #expect(chinese(book, at: day(2026, 1, 10)).contains("此认领待定，直到 bob 被删除，随后被拒绝。"))
    }

    @Test func `OWN-15 before a refused claim is denied it is explained as refused by the policy, not as pending`() {
        var book = owned()
        let restore = claim(bob, .restore, january, at: day(2026, 1, 5))
        _ = book.hear(restore)
        book.tell(vote(.deny(restore.id), at: day(2026, 1, 9)))
        #expect(
            english(book, at: day(2026, 1, 6)).contains(
                "This was refused: it belonged to alice, and the app's policy did not let a restore move it (OWN-9)."))
    }

    @Test func `OWN-15 what the owner decided is not explained as an operator's decision, and an erasure is none`() {
        var book = owned(AppPolicy(onRestore: .ask))
        let restore = claim(bob, .restore, january, at: day(2026, 1, 5))
        for asking in [restore, claim(carol, .restore, january, at: day(2026, 1, 6))] { _ = book.hear(asking) }
        let pending = "This was pending a decision, which the app's policy requires for restores. "
        let consent = vote(.approve(restore.id), by: .owner(alice), at: day(2026, 1, 9))
        let agreed = english(book.telling(consent), at: day(2026, 1, 10))
        #expect(agreed.contains(pending + "The owner was decided on 9 January 2026, 00:00 UTC (OWN-9)."), "\(agreed)")
        #expect(!agreed.contains("operator"), "\(agreed)")
        let erased = english(book.telling(vote(.erase(alice), at: day(2026, 1, 9))), at: day(2026, 1, 10))
        #expect(!erased.contains("was decided"), "\(erased)")
    }

    @Test func `OWN-15 a token that only a change carries is not explained as the purchase's`() throws {
        let token = try #require(bobToken)
        var book = owned()
        book.tell(renewalInfo(signed: day(2026, 1, 20)) { ($0.autoRenewProductId, $0.appAccountToken) = (pro, token) })
        book.tell(.registration(registered(token, bob, at: day(2026, 1, 22))))
        #expect(
            english(book, at: day(2026, 1, 25)).contains(
                "On 22 January 2026, 00:00 UTC, the account token that a change of the subscription carries was registered for "
                    + "bob. That has no effect, because it had been used here before, so that anybody could have copied it "
                    + "(OWN-2)."
            ))
        let late = "一次更改所带的 appAccountToken 被登记给 bob。此登记无效，因为它此前已在此使用过，任何人都可能抄录。"
        #expect(chinese(book, at: day(2026, 1, 25)).contains(late))
    }

    @Test func `OWN-15 a claim that was made again once has one date`() {
        var book = owned()
        for minute in [0, 3] as [Int64] {
            _ = book.hear(claim(bob, .restore, january, at: day(2026, 1, 5) + .minutes(minute)))
        }
        #expect(english(book, at: day(2026, 1, 6)).contains(". It was tried once more, on 5 January 2026, 00:03 UTC (OWN-9)."))
        #expect(chinese(book, at: day(2026, 1, 6)).contains("。此后于 2026年1月5日 00:03 UTC 又尝试了 1 次。"))
    }
}

extension Book {
    fileprivate func telling(_ input: LedgerInput) -> Book {
        var book = self
        book.tell(input)
        return book
    }

    fileprivate func telling(_ fact: RenewalFact) -> Book { telling(.fact(.renewal(fact))) }
}
