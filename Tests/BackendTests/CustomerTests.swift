import Backend
import Foundation
import GRDB
import Ledger
import Primitives
import Storage
import Testing

/// What is said about customers, through the one write path: votes, content, deliveries, who is who.
@Suite struct `What is said about customers` {
    private static let plus = EntitlementID("plus")
    private static let week = Milliseconds.days(7)
    private static let first = World.key().originalTransactionId.rawValue

    private func grant(_ world: World, _ id: String = "v1", from: Timestamp? = nil) async throws -> Backend.CustomerVoteResult {
        let now = world.clock.now()
        return try await world.backend.vote(
            .grant(Self.plus, TimeWindow(from: from ?? now, until: now.adding(Self.week))),
            Backend.Ballot(id: id, actor: "mia", reason: "broken update", at: now), of: World.alice, app: World.app,
            environment: .production)
    }

    @Test func `ENT-9 a grant opens, its withdrawal closes, and both leave an audit row and events`() async throws {
        try await withWorld { world in
            let granted = try await grant(world)
            #expect(granted.isNew && granted.changes.map(\.entitlement) == [Self.plus])
            #expect(try await world.isActive(World.alice))
            #expect(try await !world.isActive(World.alice, .sandbox))
            #expect(try await !world.isActive(World.alice, app: World.other))
            world.clock.set(world.clock.now().adding(.days(1)))
            let withdrawn = try await world.backend.vote(
                .withdraw(.init("v1")), Backend.Ballot(id: "w1", at: world.clock.now()), of: World.alice, app: World.app,
                environment: .production)
            #expect(withdrawn.changes.map(\.after) == [[TimeWindow(from: granted.vote.votedAt, until: world.clock.now())]])
            #expect(try await !world.isActive(World.alice))
            let key = CustomerKey(Scope(app: World.app, environment: .production), World.alice)
            let audit = try await world.store.auditRows(of: key, after: 0, limit: 10).map(\.row)
            #expect(audit.map(\.actor) == ["mia", "appBackend"] && audit.map(\.rule) == [.vote, .vote])
            let events = try await world.store.outbox(after: 0, limit: 10).compactMap(\.customerEvent)
            #expect(events.map(\.kind) == [.grantMade, .entitlementChanged, .grantWithdrawn, .entitlementChanged])
            #expect(events.map(\.customer) == Array(repeating: World.alice, count: 4))
        }
    }

    @Test func `ENT-9 the same vote under the same id is kept once, another one is refused`() async throws {
        try await withWorld { world in
            let first = try await grant(world)
            world.clock.set(world.clock.now().adding(.seconds(5)))
            let now = world.clock.now()
            let again = try await world.backend.vote(
                .grant(Self.plus, TimeWindow(from: now, until: first.vote.votedAt.adding(Self.week))),
                Backend.Ballot(id: "v1", actor: "mia", reason: "broken update", at: now), of: World.alice, app: World.app,
                environment: .production)
            #expect(!again.isNew && again.vote == first.vote && again.changes.isEmpty)
            await #expect(throws: CustomerRefusal.idTaken("v1")) {
                try await world.backend.vote(
                    .hold(nil, TimeWindow(from: now, until: nil)), Backend.Ballot(id: "v1", at: now), of: World.alice,
                    app: World.app, environment: .production)
            }
            #expect(try world.rowCounts()["customerInput"] == 1)
        }
    }

    @Test func `ENT-9 many at once under one id make one row, and each is answered`() async throws {
        try await withWorld { world in
            let results = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<16 { group.addTask { try await grant(world).isNew } }
                return try await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(results.filter { $0 }.count == 1 && results.count == 16)
            #expect(try world.rowCounts()["customerAudit"] == 1)
        }
    }

    @Test func `OWN-10 an anonymous customer is merged with the secret of the device, the past included`() async throws {
        try await withWorld { world in
            let anonymous = CustomerID("anonymous-1")
            let secret = [UInt8](repeating: 7, count: 32)
            try await world.backend.registerDevice(of: anonymous, secretDigest: secret, app: World.app)
            _ = try await world.claim(anonymous)
            await #expect(throws: CustomerRefusal.deviceRefused) {
                try await world.backend.identify(
                    anonymous, as: World.bob, secretDigest: [UInt8](repeating: 8, count: 32), app: World.app)
            }
            #expect(try await !world.isActive(World.bob))
            try await world.backend.identify(anonymous, as: World.bob, secretDigest: secret, app: World.app)
            #expect(try await world.isActive(World.bob))
            // Whoever still asks under the anonymous id is answered as the customer that they are.
            #expect(try await world.isActive(anonymous))
            let contents = try #require(try await world.store.contents(of: World.key()))
            #expect(contents.inputs.map(\.columns.kind) == ["merge"])
            // What the device brings later is the identified customer's.
            var later = Purchase()
            later.originalTransactionId = "2002"
            (later.transactionId, later.webOrderLineItemId) = ("2002", "92002")
            _ = try await world.claim(anonymous, .purchase, later)
            let stored = try #require(try await world.store.subscription(World.key("2002")))
            #expect(stored.state.owner(at: world.clock.now()) == World.bob)
            let all = try await world.store.outbox(after: 0, limit: 100).compactMap(\.event)
            let told = all.filter { $0.kind == .customerMerged }
            #expect(told.map(\.subscription) == [World.key()], "the second one never had another owner")
            #expect(told.first?.customer == World.bob && told.first?.previousCustomer == anonymous)
            let report = try await world.backend.prove(ProofDepth(rebuild: true))
            #expect(report.findings == [])
        }
    }

    private func join(
        _ from: CustomerID, into: CustomerID, _ id: String = "j1", in world: World
    ) async throws -> Backend.CustomerVoteResult {
        try await world.backend.vote(
            .join(CustomerPair(from, into: into)),
            Backend.Ballot(id: id, actor: "mia", reason: "one mail", at: world.clock.now()),
            of: into, app: World.app, environment: .production)
    }

    private func withdraw(_ id: String, of customer: CustomerID, in world: World) async throws -> Backend.CustomerVoteResult {
        try await world.backend.vote(
            .withdraw(.init(id)), Backend.Ballot(id: "w/\(id)", actor: "mia", at: world.clock.now()), of: customer,
            app: World.app, environment: .production)
    }

    private func owner(_ id: String, _ world: World) async throws -> CustomerID? {
        try #require(try await world.store.subscription(World.key(id))).state.owner(at: world.clock.now())
    }

    @Test func `OWN-10 two customers are joined and separated again, with everything that each of them ever brings`() async throws
    {
        try await withWorld { world in
            _ = try await world.claim(World.bob)
            let id = Self.first
            let joined = try await join(World.bob, into: World.alice, in: world)
            #expect(joined.isNew && joined.changes.map(\.entitlement) == [Self.plus])
            #expect(try await !join(World.bob, into: World.alice, in: world).isNew, "said again")
            for customer in [World.alice, World.bob] { #expect(try await world.isActive(customer)) }
            #expect(try await owner(id, world) == World.alice)
            // A subscription that hears of them first now hears who they are.
            var later = Purchase()
            (later.originalTransactionId, later.transactionId, later.webOrderLineItemId) = ("2002", "2002", "92002")
            #expect(try await world.claim(World.bob, .purchase, later).outcome == .bound)
            #expect(try await owner("2002", world) == World.alice)
            world.clock.set(world.clock.now().adding(.seconds(5)))
            let separated = try await withdraw("j1", of: World.alice, in: world)
            #expect(separated.isNew && separated.changes.map(\.after) == [[]])
            #expect(try await owner(id, world) == World.bob)
            #expect(try await owner("2002", world) == World.bob)
            #expect(try await world.isActive(World.bob))
            #expect(try await !world.isActive(World.alice))
            let events = try await world.store.outbox(after: 0, limit: 100)
            let told = events.compactMap(\.customerEvent).filter { $0.kind != .entitlementChanged }
            #expect(told.map(\.kind) == [.customerJoined, .customerJoined, .customerSeparated, .customerSeparated])
            #expect(Set(told.map(\.customer)) == [World.alice, World.bob] && told.allSatisfy { $0.pair?.from == World.bob })
            let moved = events.compactMap(\.event).filter { $0.kind == .ownerChanged && $0.subscription == World.key() }
            #expect(moved.compactMap(\.customer) == [World.bob, World.alice, World.bob])
            let contents = try #require(try await world.store.contents(of: World.key()))
            #expect(contents.inputs.map(\.columns.kind) == ["join", "separation"])
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `OWN-10 a token that names a joined customer brings what bears it to whoever they are`() async throws {
        try await withWorld { world in
            let token = try #require(AppAccountToken("0fa1b2c3-0000-4000-8000-000000000001"))
            try await world.backend.register(token, for: World.bob, isMinted: true, app: World.app)
            _ = try await join(World.bob, into: World.alice, in: world)
            var purchase = Purchase()
            purchase.appAccountToken = token.rawValue
            _ = try await world.receive(Notification("u1", about: purchase))
            #expect(try await owner(Self.first, world) == World.alice)
        }
    }

    @Test func `OWN-10 joins in a row are one person, and what cannot be joined is refused with its reason`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.bob)
            let carol = CustomerID("carol")
            _ = try await join(World.bob, into: World.alice, in: world)
            _ = try await join(World.alice, into: carol, "j2", in: world)
            for customer in [World.alice, World.bob, carol] { #expect(try await world.isActive(customer)) }
            #expect(try await owner(Self.first, world) == carol)
            let refused: [(CustomerID, CustomerID, JoinRefusal)] = [
                (World.bob, carol, .isThemselves(carol)), (carol, World.bob, .isThemselves(carol)),
                (World.alice, World.alice, .isThemselves(carol)), (World.bob, CustomerID("dora"), .joinedBefore(carol)),
            ]
            for (from, into, refusal) in refused {
                await #expect(throws: CustomerRefusal.notJoined(refusal)) { try await join(from, into: into, "j3", in: world) }
            }
            let guest = CustomerID("anonymous-1")
            try await world.backend.registerDevice(of: guest, secretDigest: [1], app: World.app)
            await #expect(throws: CustomerRefusal.notJoined(.isAnonymous)) {
                try await join(CustomerID("dora"), into: guest, "j3", in: world)
            }
            // Whom an operator named for an anonymous one, that is who they are.
            _ = try await join(guest, into: CustomerID("dora"), "j4", in: world)
            await #expect(throws: CustomerRefusal.mergedBefore) {
                try await world.backend.identify(guest, as: World.alice, secretDigest: [1], app: World.app)
            }
            // The middle one taken out: the first has what is theirs, the last has nothing left.
            _ = try await withdraw("j1", of: World.bob, in: world)
            #expect(try await owner(Self.first, world) == World.bob)
            #expect(try await !world.isActive(carol))
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `OWN-10 a join and its withdrawal stand in both books or in none, whatever their ids are taken for`() async throws
    {
        try await withWorld { world in
            _ = try await grant(world, "j1")
            _ = try await world.claim(World.bob)
            for (from, into) in [(World.alice, World.bob), (World.bob, World.alice)] {
                await #expect(throws: CustomerRefusal.idTaken("j1")) { try await join(from, into: into, in: world) }
            }
            _ = try await join(World.bob, into: World.alice, "j2", in: world)
            _ = try await grant(world, "w/j2")
            for customer in [World.alice, World.bob] {
                await #expect(throws: CustomerRefusal.idTaken("w/j2")) { try await withdraw("j2", of: customer, in: world) }
            }
            #expect(try await owner(Self.first, world) == World.alice)
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `OWN-10 a person's votes, content and deliveries count under each id, and are withdrawn under any`() async throws {
        try await withWorld { world in
            _ = try await grant(world)
            _ = try await join(World.alice, into: World.bob, in: world)
            #expect(try await world.isActive(World.bob))
            world.clock.set(world.clock.now().adding(.seconds(5)))
            let withdrawn = try await withdraw("v1", of: World.bob, in: world)
            #expect(withdrawn.isNew && withdrawn.changes.map(\.entitlement) == [Self.plus])
            #expect(try await !world.isActive(World.bob))
            let scope = Scope(app: World.app, environment: .production)
            let book = try await world.store.customer(CustomerKey(scope, World.alice))
            #expect(book?.account.votes.map(\.id.rawValue) == ["j1", "v1", "w/v1"])
            #expect(try await world.store.customer(CustomerKey(scope, World.bob))?.account.votes.map(\.id.rawValue) == ["j1"])
        }
    }

    @Test func `ABUSE-1 a subscription that many customers claim is told as a signal, once`() async throws {
        try await withWorld { world in
            for number in 0..<8 {
                _ = try await world.claim(CustomerID("c\(number)"), number == 0 ? .purchase : .restore)
                world.clock.set(world.clock.now().adding(.minutes(1)))
            }
            let told = try await world.store.events(of: World.key(), limit: 1000).compactMap(\.event)
            let signals = told.filter { $0.kind == .signalRaised }
            #expect(signals.map(\.reason) == ["accountOfManyCustomers"] && signals.first?.rule == .abuseSignal)
        }
    }

    @Test(arguments: [true, false])
    func `OWN-12 whoever comes to pay twice is told of, once for each pair`(atOnce: Bool) async throws {
        try await withWorld { world in
            func purchase(_ id: String) -> Purchase {
                var purchase = Purchase()
                (purchase.originalTransactionId, purchase.transactionId, purchase.webOrderLineItemId) = (id, id, "9\(id)")
                return purchase
            }
            func doubled() async throws -> [LedgerEvent] {
                try await world.store.outbox(after: 0, limit: 100).compactMap(\.event).filter { $0.kind == .paymentDoubled }
            }
            if atOnce {
                try await withThrowingTaskGroup { group in
                    for id in ["3001", "3002"] {
                        group.addTask { _ = try await world.claim(World.alice, .purchase, purchase(id)) }
                    }
                    try await group.waitForAll()
                }
            } else {
                for id in ["3001", "3002"] { _ = try await world.claim(World.alice, .purchase, purchase(id)) }
            }
            let first = try await doubled()
            #expect(first.count == 1 && first[0].customer == World.alice && first[0].entitlement == Self.plus)
            let pair = first.flatMap { [$0.subscription.originalTransactionId, $0.otherSubscription] }
            #expect(Set(pair) == [OriginalTransactionID("3001"), OriginalTransactionID("3002")])
            // Bob pays once, until he is given one of hers.
            _ = try await world.claim(World.bob, .purchase, purchase("3003"))
            #expect(try await doubled().count == 1)
            _ = try await world.backend.vote(
                .transfer(to: World.bob), Backend.Ballot(id: "t", at: world.clock.now()), on: World.key("3002"))
            let all = try await doubled()
            #expect(all.count == 2 && all[1].customer == World.bob)
            #expect(all[1].subscription == World.key("3002") && all[1].otherSubscription == OriginalTransactionID("3003"))
            let numbers = try await world.store.events(of: World.key("3002"), limit: 100).map(\.sequence)
            #expect(numbers == Array(1...Int64(numbers.count)))
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    /// How an old subscription comes to run again beside the one that its customer bought meanwhile.
    enum Return: String, CaseIterable {
        case recovered, refundReversed, extended, subscribedAgain

        /// The day of June on which the other is bought, the day of the return, and what Apple signs then of the old one.
        fileprivate func story(of old: Purchase) -> (bought: Int64, returned: Int64, type: String, signed: Purchase) {
            func after(_ days: Int64) -> Timestamp { old.purchaseDate.adding(.days(days)) }
            switch self {
            case .recovered, .subscribedAgain:
                let next = old.renewed().with {
                    ($0.purchaseDate, $0.expiresDate, $0.signedDate) = (after(40), after(70), after(40))
                    if self == .subscribedAgain { $0.transactionReason = "PURCHASE" }
                }
                return (35, 40, self == .recovered ? "DID_RENEW" : "SUBSCRIBED", next)
            case .refundReversed: return (12, 15, "REFUND_REVERSED", old.with { $0.signedDate = after(15) })
            case .extended:
                return (35, 40, "RENEWAL_EXTENDED", old.with { ($0.expiresDate, $0.signedDate) = (after(60), after(40)) })
            }
        }
    }

    @Test(arguments: Return.allCases)
    func `OWN-12 an old subscription that runs again beside a newer one is told of`(way: Return) async throws {
        try await withWorld { world in
            let start = PretendAppStore.june
            let old = Purchase()
            let story = way.story(of: old)
            _ = try await world.claim(World.alice, .purchase, old)
            if way == .refundReversed {
                let refundedAt = start.adding(.days(10))
                let refunded = old.with { ($0.revocationDate, $0.signedDate) = (refundedAt, refundedAt) }
                world.clock.set(refundedAt)
                _ = try await world.receive(Notification("r", "REFUND", about: refunded))
            }
            let newer = old.with {
                ($0.originalTransactionId, $0.transactionId, $0.webOrderLineItemId) = ("3002", "3002", "93002")
                $0.purchaseDate = start.adding(.days(story.bought))
                ($0.expiresDate, $0.signedDate) = ($0.purchaseDate.adding(.days(30)), $0.purchaseDate)
            }
            world.clock.set(newer.purchaseDate)
            _ = try await world.claim(World.alice, .purchase, newer)
            func doubled() async throws -> [LedgerEvent] {
                try await world.store.outbox(after: 0, limit: 100).compactMap(\.event).filter { $0.kind == .paymentDoubled }
            }
            #expect(try await doubled().isEmpty)
            world.clock.set(start.adding(.days(story.returned)))
            _ = try await world.receive(Notification("b", story.type, about: story.signed))
            let told = try await doubled()
            #expect(told.map(\.customer) == [World.alice] && told.map(\.otherSubscription?.rawValue) == ["3002"])
            #expect(told.map(\.subscription) == [World.key()])
        }
    }

    @Test func `OWN-10 an id that somebody uses is nobody's device, and a device's id nobody else's`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice)
            let (one, other) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
            for (customer, digest, isTaken) in [(World.alice, one, true), (World.bob, one, false), (World.bob, other, true)] {
                do {
                    try await world.backend.registerDevice(of: customer, secretDigest: digest, app: World.app)
                    #expect(!isTaken)
                } catch CustomerRefusal.customerTaken {
                    #expect(isTaken)
                }
            }
        }
    }

    @Test func `OWN-18 a reservation binds as soon as the first fact comes`() async throws {
        try await withWorld { world in
            _ = try await world.backend.reserve(World.key(), for: World.alice, id: "r1")
            let again = try await world.backend.reserve(World.key(), for: World.alice, id: "r1")
            #expect(again.customer == World.alice)
            await #expect(throws: CustomerRefusal.idTaken("r1")) {
                try await world.backend.reserve(World.key(), for: World.bob, id: "r1")
            }
            _ = try await world.receive(Notification("u1", about: Purchase()))
            #expect(try await world.isActive(World.alice))
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `OWN-18 who keeps intents and asked first has bought what surfaces later, others have not`() async throws {
        try await withWorld { world in
            let product = ProductID("plus.monthly")
            _ = try await world.backend.askBeforePurchase(
                of: product, by: World.alice, showing: .init(transactions: []), app: World.app, environment: .production)
            let forecast = try await world.backend.askBeforePurchase(
                of: product, by: World.alice, showing: .init(transactions: []), app: World.app, environment: .production)
            #expect(forecast.answer.verdict == .yes)
            let key = CustomerKey(Scope(app: World.app, environment: .production), World.alice)
            #expect(try await world.store.customer(key)?.account.intents.count == 1, "asking again says nothing new")
        }
    }

    @Test func `OWN-18 a customer has one token without saying what they would buy, and a purchase with it is theirs`()
        async throws
    {
        try await withWorld { world in
            let issued = try await world.backend.issueToken(to: World.alice, app: World.app)
            #expect(try await world.backend.issueToken(to: World.alice, app: World.app) == issued)
            let forecast = try await world.backend.askBeforePurchase(
                of: ProductID("plus.monthly"), by: World.alice, showing: .init(transactions: []), app: World.app,
                environment: .production)
            #expect(forecast.appAccountToken == issued, "before a purchase the same is said")
            let others = try await world.backend.issueToken(to: World.bob, app: World.app)
            #expect(others != issued)
            // It is no intent, and nothing is told of a customer who only has a token.
            let key = CustomerKey(Scope(app: World.app, environment: .production), World.bob)
            #expect(try await world.store.customer(key)?.account.intents ?? [] == [])
            let bought = Purchase().with { $0.appAccountToken = issued.rawValue }
            _ = try await world.receive(Notification("u1", about: bought))
            #expect(try await world.isActive(World.alice))
            await #expect {
                try await world.backend.issueToken(to: CustomerID(""), app: World.app)
            } throws: {
                guard case BackendError.invalidIdentifier(name: "customer", longest: 200) = $0 else { return false }
                return true
            }
        }
    }

    @Test func `OWN-2 an anonymous customer whose id is another customer's token gets one that names them`() async throws {
        try await withWorld { world in
            let free = CustomerID("6f1c2e0a-58a4-4b1f-9e6d-0c2b7a9d3e11")
            #expect(try await world.backend.issueToken(to: free, app: World.app).rawValue == free.rawValue)
            let minted = try await world.backend.issueToken(to: World.alice, app: World.app)
            // At one instant the order of ids would decide between the two.
            world.clock.set(world.clock.now().adding(.seconds(1)))
            let taken = CustomerID(minted.rawValue)
            let digest = [UInt8](repeating: 1, count: 32)
            try await world.backend.registerDevice(of: taken, secretDigest: digest, app: World.app)
            let issued = try await world.backend.issueToken(to: taken, app: World.app)
            #expect(issued != minted)
            let bought = Purchase().with { $0.appAccountToken = issued.rawValue }
            _ = try await world.receive(Notification("u1", about: bought))
            let isTheirs = try await world.isActive(taken)
            let isAlices = try await world.isActive(World.alice)
            #expect(isTheirs && !isAlices)
        }
    }

    @Test func `AUDIT-2 a seal that is cut short leaves the rest to the next one`() async throws {
        try await withWorld { world in
            for id in ["v1", "v2"] { _ = try await grant(world, id) }
            #expect(try await world.backend.seal(while: { false }) == 0)
            #expect(try await world.backend.seal() == 1)
            #expect(try await world.backend.prove(ProofDepth()).findings == [])
        }
    }

    @Test(arguments: ["audit", "account", "cut", "input"])
    func `AUDIT-2 a customer's book that was changed is found`(_ attack: String) async throws {
        try await withWorld { world in
            for id in ["v1", "v2", "v3"] { _ = try await grant(world, id) }
            _ = try await world.backend.seal()
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
            try await DatabaseQueue(path: world.path).write { database in
                for trigger in try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
                    try database.execute(sql: "DROP TRIGGER \(trigger)")
                }
                switch attack {
                case "audit":
                    try database.execute(
                        sql: "UPDATE customerAudit SET auditRow = replace(auditRow, 'mia', 'eve') WHERE sequence = 2")
                case "account":
                    try database.execute(sql: "UPDATE customerBook SET account = x'0100'")
                case "cut": try database.execute(sql: "DELETE FROM customerAudit WHERE sequence = 3")
                default: try database.execute(sql: "UPDATE customerInput SET recordedAt = recordedAt + 1 WHERE inputId = 'v2'")
                }
            }
            let kinds = Set(try await world.backend.prove(ProofDepth(rebuild: true)).findings.map(\.kind)).subtracting([
                .schemaDiffers
            ])
            let expected: [String: Finding.Kind] = [
                "audit": .auditRowChanged, "account": .accountDiffers, "cut": .auditChainCut, "input": .columnsDiffer,
            ]
            #expect(kinds == [try #require(expected[attack])])
        }
    }
}
