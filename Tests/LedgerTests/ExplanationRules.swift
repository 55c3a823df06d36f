import Foundation
import Ledger
import Primitives
import Testing

/// Compares docs/explanations.md with the code: its texts were written by hand, for support staff.
@Suite struct ExplanationRules {
    private struct Story {
        let number: Int
        /// One for each explanation, with the instant as the page writes it.
        var texts: [(at: String, lines: [String])] = []
    }

    private static func page() throws -> [Story] {
        let page = try String(contentsOf: Project.root.appendingPathComponent("docs/explanations.md"), encoding: .utf8)
        var stories: [Story] = []
        for line in page.split(separator: "\n") {
            if let heading = line.wholeMatch(of: #/## (\d+)\. .+/#) {
                stories.append(Story(number: try #require(Int(heading.output.1))))
            } else if let heading = line.wholeMatch(of: #/Explained as of (.+ UTC).*:/#) {
                stories[stories.count - 1].texts.append((String(heading.output.1), []))
            } else if line.hasPrefix("- ") {
                let text = stories[stories.count - 1].texts.count - 1
                stories[stories.count - 1].texts[text].lines.append(String(line.dropFirst(2)))
            }
        }
        return stories
    }

    @Test(arguments: ExplanationStory.all)
    func `OWN-15 each story is explained as on the page, line for line`(story: ExplanationStory) throws {
        let written = try #require(try Self.page().first { $0.number == story.number })
        #expect(story.tellings.count == written.texts.count)
        for (telling, text) in zip(story.tellings, written.texts) {
            let lines = telling.lines
            #expect(lines == text.lines, "story \(story.number), as of \(text.at)")
            #expect(lines.contains { $0.hasPrefix("As of \(text.at), ") }, "\(text.at) is the instant of the explanation")
        }
    }

    // MARK: What the stories do not show

    private let january = transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1))

    private func words(_ book: Book, at instant: Timestamp) -> [String] {
        Explanation(of: book.history, book.state, at: instant, policies: PolicyTimeline(book.policy)).english
    }

    private func alices(_ words: RenewalFact...) -> Book {
        var book = Book()
        book.tell(january)
        _ = book.hear(claim(alice, .purchase, january, at: day(2026, 1, 1) + .seconds(5)))
        for word in words { book.tell(word) }
        return book
    }

    /// Source: Apple, App Store Server API, `expirationIntent`.
    @Test(
        arguments: [
            (1, "auto-renew had been turned off"), (2, "Apple could not charge for the renewal"),
            (3, "the customer did not agree to a higher price, or to another change that needs consent"),
            (4, "the product was not for sale when it should have renewed"),
            (5, "Apple gives another reason, and does not name it"),
            (9, "Apple gives a reason that is not known here (expirationIntent 9)"),
        ] as [(Int64, String)])
    func `OWN-15 an end is explained with Apple's reason, and an unknown reason as such`(intent: Int64, reason: String) {
        let book = alices(renewalInfo(signed: day(2026, 2, 1), renews: false) { $0.expirationIntent = intent })
        #expect(
            words(book, at: day(2026, 2, 5)).contains(
                "On 1 February 2026, 00:00 UTC, plus.monthly expired: \(reason) (PER-2)."))
    }

    @Test func `OWN-15 an unknown offer, refund and notification are explained as such, with Apple's value`() {
        var strange = january
        (strange.details.offerType, strange.details.offerDiscountType) = (9, "BARTER")
        strange.revocation = Revocation(revocationDate: day(2026, 1, 9), revocationType: "REFUND_ODD", revocationReason: 7)
        var book = Book()
        book.tell(strange)
        let notice = NoticeFact(notificationUUID: "n", notificationType: "NEWS", subtype: "ODD", signedDate: day(2026, 1, 5))
        book.tell(.fact(.notice(notice, about: key.originalTransactionId)))
        let said = words(book, at: day(2026, 1, 10)).joined(separator: "\n")
        for word in [
            "offerType 9", "BARTER", "REFUND_ODD", "revocationReason 7", "NEWS (ODD)", "the subscription has had no owner",
        ] {
            #expect(said.contains(word), "\(word) in \(said)")
        }
    }

    @Test func `OWN-15 a billing retry without grace, and one that outlasts Apple's sixty days, are explained`() {
        let book = alices(renewalInfo(signed: day(2026, 2, 1) + .minutes(1)) { $0.isInBillingRetryPeriod = true })
        let wanted = """
            On 1 February 2026, 00:01 UTC, Apple could not charge for the renewal of plus.monthly. There was no billing grace \
            period: without a payment, the subscription was to stop giving access on 1 February 2026, 00:01 UTC (ENT-7).
            As of 9 February 2026, 00:00 UTC, plus.monthly, which belongs to alice, is not active: Apple could not charge for \
            the renewal, and is still trying (ENT-1).
            Its last period ended on 1 February 2026, 00:00 UTC. Apple keeps trying to charge, until 2 April 2026, 00:00 UTC at \
            the latest; if that succeeds, for instance with another payment method, it gives access again (ENT-7).
            """
        #expect(words(book, at: day(2026, 2, 9)).suffix(3).joined(separator: "\n") == wanted)
        let over = "On 2 April 2026, 00:00 UTC, plus.monthly ended: Apple tries to charge for 60 days at the most, and has not "
        #expect(words(book, at: day(2026, 5, 1)).contains(over + "said that it succeeded (PER-2)."))
    }

    @Test func `OWN-15 an upload that proves nothing is explained with the reason: too late, no intent, or a renewal`() {
        var book = alices()
        _ = book.hear(claim(bob, .purchase, january, at: day(2026, 1, 10)))
        let guessed = Claim(
            id: .init("c"), customer: Claimant(carol, keepsIntents: true), kind: .queue, transaction: january, productId: plus,
            claimedAt: day(2026, 1, 3))
        _ = book.hear(guessed)
        let february = renewal("2", from: day(2026, 2, 1), to: day(2026, 3, 1))
        book.tell(february)
        _ = book.hear(claim(bob, .queue, february, at: day(2026, 2, 2)))
        let said = words(book, at: day(2026, 2, 3)).filter { $0.contains("stayed with alice") }
        let reasons = [
            "had not asked whether carol may buy it", "9 days after the purchase, too late", "a renewal appears on every device",
        ]
        #expect(said.count == 3 && zip(said, reasons).allSatisfy { $0.contains($1) }, "\(said)")
    }

    @Test func `OWN-15 a renewal after a gap is explained, and no charge is called failed unless Apple says so`() {
        var book = alices()
        book.tell(renewal("2", from: day(2026, 2, 8), to: day(2026, 3, 8)))
        let wanted = "On 8 February 2026, 00:00 UTC, plus.monthly renewed, paid until 8 March 2026, 00:00 UTC. "
        #expect(
            words(book, at: day(2026, 2, 9)).contains(
                wanted + "The period before it had ended on 1 February 2026, 00:00 UTC (OWN-8)."))
    }

    @Test func `OWN-15 each kind of evidence for an owner has its sentence`() {
        let restore = claim(bob, .restore, january, at: day(2026, 1, 5))
        func decided(_ actor: OwnershipVote.Actor, _ kind: OwnershipVote.Kind) -> [String] {
            var book = alices()
            book.policy = AppPolicy(onRestore: .ask)
            _ = book.hear(restore)
            book.tell(.vote(OwnershipVote(id: .init("v"), kind: kind, actor: actor, votedAt: day(2026, 1, 7), reason: "seen")))
            return words(book, at: day(2026, 1, 8))
        }
        func tells(_ said: [String], _ words: String) -> Bool { said.contains { $0.contains(words) } }
        let approved = decided(.operatorOfTenure("op"), .approve(restore.id))
        #expect(
            tells(approved, "to bob, because an operator approved bob's restore, for this reason: \u{201C}seen\u{201D} (OWN-9)"))
        #expect(tells(decided(.owner(alice), .approve(restore.id)), "to bob, because alice agreed to bob's restore (OWN-9)"))
        let denied = decided(.operatorOfTenure("op"), .deny(restore.id))
        #expect(
            tells(
                denied,
                "On 5 January 2026, 00:00 UTC, bob asked to restore the subscription. An operator denied this later (OWN-9)"))
        #expect(tells(denied, "On 7 January 2026, 00:00 UTC, an operator denied bob's restore, for this reason: "))

        var stays = alices()
        stays.policy = AppPolicy(onPurchase: .stay)
        let upgrade = transaction("2", pro, from: day(2026, 1, 9), to: day(2026, 2, 9))
        stays.tell(upgrade)
        _ = stays.hear(claim(bob, .purchase, upgrade, at: day(2026, 1, 9) + .seconds(5)))
        #expect(
            tells(
                words(stays, at: day(2026, 1, 10)),
                "It stayed with alice: under the app's policy a purchase by another customer moves nothing"))

        var named = alices(
            renewalInfo(signed: day(2026, 1, 20)) { ($0.autoRenewProductId, $0.appAccountToken) = (pro, bobToken) })
        if let bobToken { named.tell(.registration(registered(bobToken, bob))) }
        #expect(
            tells(words(named, at: day(2026, 1, 21)), "From then on it belongs to bob, who asked for the change (OWN-6)"))
        named.tell(renewal("2", pro, from: day(2026, 2, 1), to: day(2026, 3, 1)))
        #expect(
            tells(
                words(named, at: day(2026, 2, 2)),
                "because the change to pro.monthly carries the account token that was registered for bob (OWN-6)"))
    }

    @Test func `OWN-15 seconds are shown where two things happened in one minute, and nowhere else`() {
        var book = alices()
        _ = book.hear(claim(bob, .restore, january, at: day(2026, 1, 5) + .seconds(3)))
        _ = book.hear(claim(carol, .restore, january, at: day(2026, 1, 5) + .seconds(9)))
        let said = words(book, at: day(2026, 1, 10))
        #expect(said.contains { $0.hasPrefix("On 5 January 2026, 00:00:03 UTC, bob") })
        #expect(said.contains { $0.hasPrefix("On 5 January 2026, 00:00:09 UTC, carol") })
        #expect(said.contains { $0.hasPrefix("Since 1 January 2026, 00:00 UTC") })
    }

    @Test func `OWN-15 an explanation for a past instant has nothing that was signed or done later`() {
        var book = alices(renewalInfo(signed: day(2026, 1, 20), renews: false))
        let early = words(book, at: day(2026, 1, 10))
        let upgrade = transaction("2", pro, from: day(2026, 1, 25), to: day(2026, 2, 25))
        book.tell(upgrade)
        _ = book.hear(claim(bob, .purchase, upgrade, at: day(2026, 1, 25) + .seconds(5)))
        #expect(words(book, at: day(2026, 1, 10)) == early && early.count == 4)
        #expect(early.last == "It lasts until 1 February 2026, 00:00 UTC. Apple has not said whether it renews then (ENT-1).")
    }

    @Test(arguments: 1...UInt64(60))
    func `OWN-15 everything is explained in order, with rules, the same each time, with they and not he`(seed: UInt64) {
        var book = Book(AppPolicy(onRestore: seed.isMultiple(of: 2) ? .transfer : .ask))
        let life = Life(seed: seed).inputs
        for input in life { book.tell(input, at: input.instant) }
        let state = book.state
        for at in [day(2030, 1, 1)] + life.enumerated().filter({ $0.offset.isMultiple(of: 5) }).map(\.element.instant) {
            let told = Explanation(of: book.history, state, at: at)
            #expect(told == Explanation(of: book.history, state, at: at), "seed \(seed)")
            let begins = told.lines.map(\.at.begin)
            #expect(begins == begins.sorted() && begins.allSatisfy { $0 <= at }, "seed \(seed)")
            for line in told.english {
                #expect(line.contains(#/ \([A-Z]+-\d+(, [A-Z]+-\d+)*\)\.$/#), "seed \(seed): \(line)")
                #expect(!line.contains(#/\b([Hh]e|[Hh]is|[Hh]im|nil|Optional)\b/#), "seed \(seed): \(line)")
            }
        }
    }

    @Test func `OWN-15 the page has at least twenty stories, and the code has each of them`() throws {
        #expect(try Self.page().map(\.number) == ExplanationStory.all.map(\.number))
        #expect(ExplanationStory.all.count >= 20)
    }
}
