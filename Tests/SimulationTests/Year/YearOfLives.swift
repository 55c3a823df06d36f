import AppStoreModel
import AppStoreSimulator
import Backend
import Ledger
import LedgerOracle
import Primitives
import Storage
import StorageSQLite

/// Many customers of a local App Store, what befalls them, Apple and our server, and what our server says meanwhile.
///
/// One clock; every choice follows from the seed. Apple's API is away six times for 4 to 22 hours, in each way in which it can
/// be, and three times its notifications are held back as long. Every tenth notification is lost (``NotificationDoor``). Twice no
/// server lives for three hours, and now and then the server dies in the middle of its work (``MortalServer``).
struct YearOfLives {
    let size: YearSize
    let site: AskingSite
    let server: MortalServer
    let door: NotificationDoor
    var chance: Chance
    var people: [YearPerson] = []
    var agenda = Agenda<Event>(step: step.count)
    var figures = YearFigures()
    /// Whether nobody starts a server again, because it was stopped on purpose or will be started at a known instant.
    private var isAwaited = false
    /// Those whose device has something that our server has not acknowledged.
    var uploads: Set<Int> = []

    enum Event: Sendable {
        case act(Int)
        case poll(Int)
        /// Somebody looks about when their period ends.
        case pollAtEnd(Int)
        case stop, start
        case death(MortalServer.DeathPoint)
        case hold(until: Int64)
        case release
        case raise(StoreProductID, Milliunits, needsConsent: Bool)
    }

    /// How often the server looks at what is due. In life it does each second, and notes each minute that it lives; a silence of
    /// five minutes would count as an outage.
    static let step = Milliseconds.minutes(4)
    /// At the end nothing is lost or away, so that what is compared is settled: at least one nightly sweep.
    static let settling = Milliseconds.days(2)

    init(_ size: YearSize, at site: AskingSite, _ server: MortalServer, _ door: NotificationDoor) {
        (self.size, self.site, self.server, self.door) = (size, site, server, door)
        chance = Chance(seed: size.seed)
    }

    var now: Timestamp { site.simulator.clockNow() }
    private var end: Timestamp { AskingSite.start.adding(.days(size.days)) }

    mutating func play() async throws {
        try await begin()
        var instant = AskingSite.start
        while instant < end {
            if instant == end.adding(Milliseconds(-Self.settling.count)) { door.loses = false }
            while let (at, event) = agenda.next(from: instant.millisecondsSince1970) {
                try await pass(to: Timestamp(millisecondsSince1970: at))
                try await carryOut(event)
            }
            instant = instant.adding(Self.step)
            try await pass(to: instant)
            try await tend()
        }
        while server.living == nil || !uploads.isEmpty { try await pass(to: now.adding(Self.step)); try await tend() }
    }

    // MARK: What befalls them

    private mutating func begin() async throws {
        let app = try await site.simulator.app(nil)
        _ = try await site.simulator.setTerms(app) { $0.earlyCharge = .hours(24) }
        try server.start()
        let silences = await plan()
        for number in 0..<size.lives {
            let name = "c\(number)"
            _ = try await site.simulator.openAccount(name)
            people.append(YearPerson(account: AccountID(name), isSilent: chance.happens(10)))
            // Within the first two thirds, so that everybody has a life; of some the free week ends while Apple is not heard.
            var at = somewhen(from: 0, to: 66)
            if let silence = chance.pick(silences), chance.happens(30) {
                at = chance.between(silence.lowerBound, silence.upperBound)
            }
            agenda.note(.act(number), at: at)
        }
        for _ in 0..<size.polls / 2 { agenda.note(.poll(chance.below(size.lives)), at: somewhen(from: 5, to: 100)) }
    }

    /// An instant of the year, between two hundredths of it, before everything settles.
    private mutating func somewhen(from: Int64, to: Int64) -> Int64 {
        let whole = Milliseconds.days(size.days).count - Self.settling.count
        return AskingSite.start.millisecondsSince1970 + chance.between(whole / 100 * from, whole / 100 * to - 1)
    }

    /// - Returns: the stretches of a week before those in which nothing is heard of Apple at all.
    private mutating func plan() async -> [Range<Int64>] {
        var silences: [Range<Int64>] = []
        let kinds: [Fault.Kind] = [.status(500), .html, .truncated, .status(503), .status(401), .rateLimited(.minutes(10))]
        var faults: [Fault] = []
        for (number, kind) in kinds.enumerated() {
            let from = somewhen(from: Int64(number) * 16 + 2, to: Int64(number) * 16 + 8)
            // The first is as long as the issue says it may be.
            let until = from + (number == 0 ? 22 : chance.between(4, 22)) * Milliseconds.hours(1).count
            var fault = Fault(face: .serverAPI, kind: kind)
            (fault.from, fault.until) = (Timestamp(millisecondsSince1970: from), Timestamp(millisecondsSince1970: until))
            faults.append(fault)
            if number % 2 == 0 {
                agenda.note(.hold(until: until), at: from)
                agenda.note(.release, at: until)
                let week = Milliseconds.days(7).count
                if from - week > AskingSite.start.millisecondsSince1970 { silences.append(from - week..<until - week) }
            }
            // One of our own outages lies within one of Apple's, the other does not.
            if number == 1 || number == 4 {
                let stop = number == 1 ? from + Milliseconds.hours(1).count : until + Milliseconds.hours(24).count
                agenda.note(.stop, at: stop)
                agenda.note(.start, at: stop + Milliseconds.hours(3).count)
            }
        }
        await site.simulator.setFaults(faults, seed: size.seed)
        for _ in 0..<max(4, size.days / 8) {
            agenda.note(.death(chance.pick(MortalServer.DeathPoint.allCases) ?? .afterAnswer), at: somewhen(from: 5, to: 98))
        }
        agenda.note(
            .raise(StoreProductID("plus.monthly"), Milliunits(10_990), needsConsent: false), at: somewhen(from: 30, to: 40))
        agenda.note(.raise(StoreProductID("pro.monthly"), Milliunits(21_990), needsConsent: true), at: somewhen(from: 50, to: 60))
        return silences
    }

    private mutating func carryOut(_ event: Event) async throws {
        switch event {
        case .act(let number): try await act(number)
        case .poll(let number):
            if try await poll(number) {
                try await planPollAtEnd(of: number)
            } else {
                agenda.note(.poll(number), at: somewhenLater())
            }
        case .pollAtEnd(let number): if try await !poll(number) { agenda.note(.pollAtEnd(number), at: somewhenLater()) }
        case .stop:
            isAwaited = true
            try server.stop()
        case .start:
            isAwaited = false
            if server.living == nil { try server.start() }
            try await tend()
        case .death(let point): server.light(point)
        case .hold(let until):
            _ = try await site.simulator.setDelivery(.hold)
            try await planPolls(until: until)
        case .release:
            _ = try await site.simulator.setDelivery(.deliver)
            _ = try await site.simulator.release(.given)
        case .raise(let product, let price, let needsConsent):
            try await site.simulator.raisePrice(
                of: product, in: try await site.simulator.app(nil), to: price, needsConsent: needsConsent)
        }
    }

    private func pass(to instant: Timestamp) async throws {
        guard instant > now else { return }
        _ = try await site.simulator.advance(to: instant)
    }

    /// What a server does each minute, and what devices do when one can be reached. Whoever died is started within 20 minutes.
    private mutating func tend() async throws {
        if let living = server.living {
            do {
                try await living.planner.look()
                for number in uploads.sorted() { try await upload(number, isPrompt: false) }
                try await living.work()
            } catch  where server.living == nil {
                // It died of it.
            }
        }
        guard server.living == nil, !isAwaited else { return }
        isAwaited = true
        agenda.note(.start, at: now.millisecondsSince1970 + chance.between(0, Milliseconds.minutes(20).count))
    }

    // MARK: Polls

    private mutating func planPollAtEnd(of number: Int) async throws {
        var at = now.adding(.days(1))
        if let id = people[number].subscription, case .active(let until) = try await site.simulator.book(of: id).state {
            at = until
        }
        let instant = at.millisecondsSince1970 + chance.between(-Milliseconds.minutes(10).count, Milliseconds.hours(3).count)
        guard instant < end.millisecondsSince1970 - Self.step.count else {
            return agenda.note(.pollAtEnd(number), at: somewhenLater())
        }
        agenda.note(.pollAtEnd(number), at: max(instant, now.millisecondsSince1970))
    }

    /// Everybody whose period ends while nothing is heard of Apple looks more than an hour after the end: the leeway alone is
    /// over.
    private mutating func planPolls(until: Int64) async throws {
        for number in people.indices {
            guard let id = people[number].subscription, case .active(let end) = try await site.simulator.book(of: id).state,
                end > now, end.adding(.hours(1)).millisecondsSince1970 < until
            else { continue }
            agenda.note(.pollAtEnd(number), at: chance.between(end.adding(.hours(1)).millisecondsSince1970, until))
        }
    }

    private mutating func somewhenLater() -> Int64 {
        chance.between(now.millisecondsSince1970, end.millisecondsSince1970 - Self.step.count)
    }

    /// Somebody opens the app. What a customer's device has not been able to upload, our server cannot know.
    ///
    /// - Returns: false where it is too early to ask.
    private mutating func poll(_ number: Int) async throws -> Bool {
        let person = people[number]
        guard let id = person.subscription, !uploads.contains(number) else { return false }
        guard let living = server.living else {
            figures.unanswered += 1
            return true
        }
        let book = try await site.simulator.book(of: id)
        let answer = try await living.backend.entitlements(
            of: CustomerID(person.account.rawValue), app: AskingSite.app, environment: .production, at: nil
        ).overall
        figures.polls += 1
        if book.isPaidUp {
            figures.payers += 1
            if !answer.isActive { try await judge(number, book, living) }
        } else if answer.isActive, let ended = book.ended(after: person.changedAt), now.since(ended) > Self.longestIgnorance {
            figures.overstays.append(
                "\(person.account) at \(now): \(book.state), active until \(answer.end.map { "\($0)" } ?? "")")
        }
        return true
    }

    /// A night's sweep looks back 25 hours; Apple is away for at most 22 of them.
    private static let longestIgnorance = Milliseconds.hours(48)

    private mutating func judge(_ number: Int, _ book: StoreSubscription, _ living: AskingServer) async throws {
        let person = people[number]
        let key = SubscriptionKey(
            Scope(app: AskingSite.app, environment: .production), OriginalTransactionID(book.originalTransactionId.rawValue))
        let heard = try await living.store.subscription(key)?.history.renewals.map(\.signedDate).max()
        if let changed = person.unforeseenAt, heard.map({ $0 < changed }) ?? true, now.since(changed) < Self.longestIgnorance {
            figures.unheard += 1
        } else {
            figures.denials.append(
                "\(person.account) (\(key.originalTransactionId)) at \(now): \(book.state), heard until \(heard as Any)")
        }
    }
}

extension StoreSubscription {
    /// Whether the customer pays for this very instant, by Apple's books: a period that runs, or a billing grace period.
    fileprivate var isPaidUp: Bool {
        switch state {
        case .active, .billingGracePeriod: true
        case .billingRetry, .expired, .revoked: false
        }
    }

    /// When it ended at the latest; nil where it has not.
    fileprivate func ended(after changed: Timestamp) -> Timestamp? {
        switch state {
        case .active, .billingGracePeriod: nil
        case .expired(let at, _): max(at, changed)
        case .revoked: changed
        // Sixty days from the end of the period, of which at most 16 were grace.
        case .billingRetry(let until): max(until.adding(.days(16 - 60)), changed)
        }
    }
}
