import Ledger
import Primitives
import Testing

@Suite struct ContentRules {
    /// A magazine subscription for January and February, paid by alice, and nothing after that.
    let state = owned(
        "1", by: alice, transaction("1", from: day(2026, 1, 1), to: day(2026, 2, 1)),
        renewal("2", from: day(2026, 2, 1), to: day(2026, 3, 1)),
        then: { $0.tell(renewalInfo(signed: day(2026, 2, 10), renews: false)) })
    let issue = ContentItem(id: ContentID("issue 1"), kind: ContentKindID("issue"), publishedAt: day(2026, 1, 15))
    let back = ContentItem(id: ContentID("issue 0"), kind: ContentKindID("issue"), publishedAt: day(2020, 6, 1))

    private func magazine(_ retention: ContentKind.Retention = .lost, ration: Int? = nil) -> ContentKind {
        ContentKind(id: ContentKindID("issue"), entitlement: access, afterTheEnd: retention, unlocksPerPeriod: ration)
    }

    private func hers(_ kind: ContentKind, _ unlocks: [(ContentItem, Timestamp)] = [], of customer: CustomerID = alice)
        -> ContentAccess
    {
        ContentAccess(
            of: customer, to: kind, states: [state], map: accessMap,
            unlocks: unlocks.map { ContentUnlock(customer: alice, content: $0.0.id, kind: $0.0.kind, unlockedAt: $0.1) })
    }

    @Test func `ENT-8 while it is active everything of a kind without a ration is open, and to others nothing`() {
        #expect(hers(magazine()).use(of: issue, at: day(2026, 1, 20)) == .allowed(.active))
        #expect(hers(magazine(), of: bob).use(of: issue, at: day(2026, 1, 20)) == .refused(.notUnlocked))
        #expect(hers(magazine()).use(of: issue, at: day(2026, 1, 14)) == .refused(.notPublished))
    }

    @Test func `ENT-8 after the end unlocked content is lost, kept, or kept if it was published while paid`() {
        let unlocks = [(issue, day(2026, 1, 20)), (back, day(2026, 1, 20))]
        let after = day(2026, 4, 1)
        #expect(hers(magazine(), unlocks).use(of: issue, at: after) == .refused(.lost))
        #expect(hers(magazine(.kept), unlocks).use(of: back, at: after) == .allowed(.kept))
        let paid = hers(magazine(.keptIfPublishedWhilePaid), unlocks)
        #expect(paid.use(of: issue, at: after) == .allowed(.publishedWhilePaid))
        #expect(paid.use(of: back, at: after) == .refused(.lost))
    }

    @Test func `ENT-8 content that was never unlocked, or only after the end, is not kept`() {
        let after = day(2026, 4, 1)
        #expect(hers(magazine(.kept)).use(of: issue, at: after) == .refused(.notUnlocked))
        #expect(hers(magazine(.kept), [(issue, day(2026, 3, 5))]).use(of: issue, at: after) == .refused(.notUnlocked))
        #expect(hers(magazine(.kept)).unlock(issue, at: after) == .refused(.notActive))
    }

    @Test func `ENT-8 unlocking is rationed per period, and a new period brings a new ration`() {
        let items = (0..<5).map {
            ContentItem(id: ContentID("\($0)"), kind: ContentKindID("issue"), publishedAt: day(2020, 1, 1))
        }
        let kind = magazine(.kept, ration: 2)
        let january = hers(kind, [(items[0], day(2026, 1, 5)), (items[1], day(2026, 1, 5))])
        #expect(january.left(at: day(2026, 1, 4)) == 2 && january.left(at: day(2026, 1, 6)) == 0)
        #expect(january.unlock(items[2], at: day(2026, 1, 6)) == .rationed(againAt: day(2026, 2, 1)))
        #expect(january.unlock(items[1], at: day(2026, 1, 6)) == .unlockedBefore(at: day(2026, 1, 5)))
        #expect(january.unlock(items[2], at: day(2026, 2, 1)) == .allowed(leftAfterwards: 1))
        #expect(january.use(of: items[2], at: day(2026, 1, 6)) == .refused(.notUnlocked))
        #expect(january.use(of: items[0], at: day(2026, 1, 6)) == .allowed(.active))
    }

    @Test func `ENT-8 no customer can unlock everything in a day and cancel: content over the ration is not kept`() {
        let items = (0..<5).map {
            ContentItem(id: ContentID("\($0)"), kind: ContentKindID("issue"), publishedAt: day(2020, 1, 1))
        }
        let access = hers(magazine(.kept, ration: 2), items.map { ($0, day(2026, 1, 5)) })
        let kept = items.filter { access.use(of: $0, at: day(2026, 4, 1)) == .allowed(.kept) }
        #expect(kept.map(\.id.rawValue) == ["0", "1"])
        #expect(hers(magazine()).left(at: day(2026, 1, 5)) == nil)
    }

    @Test func `ENT-8 a billing grace period brings no new ration`() {
        func span(_ from: Timestamp, _ until: Timestamp, _ kind: AccessSpan.Kind) -> AccessSpan {
            AccessSpan(from: from, until: until, productId: plus, kind: kind, endsBecause: .expired)
        }
        let spans = [span(day(2026, 2, 1), day(2026, 2, 17), .gracePeriod), span(day(2026, 1, 1), day(2026, 2, 1), .paid)]
        let unlock = ContentUnlock(customer: alice, content: issue.id, kind: issue.kind, unlockedAt: day(2026, 1, 20))
        let access = ContentAccess(of: alice, to: magazine(.kept, ration: 1), spans: spans, unlocks: [unlock])
        #expect(access.unlock(back, at: day(2026, 2, 5)) == .rationed(againAt: day(2026, 2, 17)))
        #expect(access.use(of: issue, at: day(2026, 2, 5)) == .allowed(.active))
    }
}
