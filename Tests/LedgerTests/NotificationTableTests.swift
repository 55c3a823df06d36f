import Ledger
import Primitives
import Testing

/// Every type and subtype of Apple's table in every state of a subscription.
@Suite struct NotificationTableTests {
    /// A book in the row's state, with everything applied that was due by then.
    static func book(in script: NotificationScript) -> Book {
        var book = Book()
        for (input, instant) in script.past { book.tell([input], at: instant) }
        book.doWhatIsDue(until: script.seenAt)
        return book
    }

    @Test func `every row of Apple's table is here for every state, once`() throws {
        let rows = try NotificationTable.rows()
        let named = rows.map { "\($0.type) \($0.subtype ?? "-") \($0.state)" }
        let wanted = NotificationTable.applesTable.split(separator: "\n").flatMap { line in
            NotificationTable.State.allCases.map { "\(line) \($0)" }
        }
        #expect(named.count == Set(named).count)
        #expect(Set(wanted).subtracting(named).sorted() == [])
        #expect(Set(named).subtracting(wanted).sorted() == [])
        #expect(wanted.count == 43 * 8)
        // The ledger knows exactly what Apple's table names (FACT-5).
        #expect(Set(rows.map(\.type)) == Set(AppleWords.NotificationType.allCases.map(\.rawValue)))
        #expect(Set(rows.compactMap(\.subtype)) == Set(AppleWords.NotificationSubtype.allCases.map(\.rawValue)))
    }

    @Test func `each state is what the table says before the notification comes`() throws {
        for row in try NotificationTable.rows() where row.type == "TEST" {
            let script = NotificationScript(row: row)
            let state = Self.book(in: script).state
            #expect(Self.words(state.status(at: script.seenAt)) == row.state.before.status, "\(row)")
            #expect(Self.end(of: state) == row.state.before.until, "\(row)")
        }
    }

    @Test func `each notification leads to the status, the owner, the end and the events of the table`() throws {
        for row in try NotificationTable.rows() {
            guard case .defined(let status, let until, let events) = row.outcome else { continue }
            let script = NotificationScript(row: row)
            var book = Self.book(in: script)
            let told = book.events.count
            book.doWhatIsDue(until: script.signedAt)
            book.tell(script.facts.map { .fact($0) }, at: script.signedAt)
            #expect(Self.words(book.state.status(at: script.signedAt)) == status, "\(row)")
            #expect(Self.end(of: book.state) == until, "\(row)")
            #expect(book.events.dropFirst(told).map(\.kind.rawValue) == events, "\(row)")
            // OWN-8: a notification never moves a subscription.
            #expect(book.state.tenures.last?.customer == (row.state == .unknown ? nil : alice), "\(row)")
            #expect(book.state.customers == (row.state == .unknown ? [] : [alice]), "\(row)")
        }
    }

    @Test func `an impossible notification breaks nothing and gives no customer more than Apple signed`() throws {
        var count = 0
        for row in try NotificationTable.rows() {
            guard case .impossible(let why) = row.outcome else { continue }
            count += 1
            #expect(!why.isEmpty)
            let script = NotificationScript(row: row)
            var book = Self.book(in: script)
            let before = book.state
            book.tell(script.facts.map { .fact($0) }, at: script.signedAt)
            #expect(book.state.customers == before.customers, "\(row)")
            let signed = script.facts.compactMap { fact -> Timestamp? in
                switch fact {
                case .transaction(let transaction): transaction.expiresDate
                case .renewal(let renewal): renewal.gracePeriodExpiresDate
                case .notice, .status, .failedQuestion: nil
                }
            }
            let isForever = script.facts.contains {
                if case .transaction(let fact) = $0 { fact.expiresDate == nil } else { false }
            }
            let most = (signed + before.spans.compactMap(\.until)).max() ?? script.signedAt
            for span in book.state.spans where !isForever {
                #expect((span.until ?? .latestAccepted) <= most + .hours(24), "\(row)")
            }
        }
        #expect(count > 50)
    }

    @Test func `a repeated notification produces no event and changes nothing`() throws {
        for row in try NotificationTable.rows() {
            let script = NotificationScript(row: row)
            var book = Self.book(in: script)
            book.tell(script.facts.map { .fact($0) }, at: script.signedAt)
            let state = book.state
            let again = book.tell(script.facts.reversed().map { .fact($0) }, at: script.signedAt)
            #expect(again.events.isEmpty && !again.changesHistory && again.state == state, "\(row)")
            let story = book.events.reduce(into: SubscriptionStory()) { $0.take($1) }
            #expect(story == SubscriptionStory(of: state), "I38 in \(row)")
        }
    }

    // MARK: Words

    private static func words(_ status: SubscriptionStatus?) -> String {
        switch status {
        case nil: "-"
        case .active(nil, _): "active forever"
        case .active(let until?, _): "active \(monthAndDay(until))"
        case .provisional(let until): "provisional \(until.map(monthAndDay) ?? "")"
        case .billingGracePeriod(let until): "billingGracePeriod \(until.map(monthAndDay) ?? "")"
        case .billingRetry(let since): "billingRetry \(monthAndDay(since))"
        case .expired(let at, _): "expired \(monthAndDay(at))"
        case .revoked(let at): "revoked \(monthAndDay(at))"
        case .notBegun(let from): "notBegun \(monthAndDay(from))"
        case .purchased(let at): "purchased \(monthAndDay(at))"
        }
    }

    /// The last end that Apple signed, of any access that the subscription gives.
    private static func end(of state: SubscriptionState) -> String {
        let signed = state.spans.filter { $0.kind != .provisional }
        if signed.contains(where: { $0.until == nil }) { return "forever" }
        return signed.compactMap(\.until).max().map(monthAndDay) ?? "-"
    }

    private static func monthAndDay(_ instant: Timestamp) -> String {
        let date = CivilDate(daysSince1970: instant.millisecondsSince1970 / 86_400_000)
        return "\(date.month < 10 ? "0" : "")\(date.month)-\(date.day < 10 ? "0" : "")\(date.day)"
    }
}
