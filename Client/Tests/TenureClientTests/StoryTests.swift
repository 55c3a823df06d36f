import Foundation
import Testing

@testable import TenureClient

@Suite("DEV-1 From the store to the server")
struct StoryTests {
    private func with(
        first: Int = 1000, signs: Bool = false, _ body: (DeviceWorld) async throws -> Void
    ) async throws {
        let world = try DeviceWorld(first: first, signs: signs)
        try await body(world)
        try world.remove()
    }

    @Test func `D7 a purchase's own answer has it, and the transaction is finished after the server has it`() async throws {
        try await with { world in
            let tenure = try world.launch()
            await tenure.start()
            try await tenure.identify("alice")
            #expect(await !tenure.current().isActive)
            guard case .bought(let access) = try await tenure.purchase("plus") else {
                Issue.record("not bought")
                return
            }
            #expect(access.isActive && access.isActive("plus") && access.source == .server)
            #expect(await tenure.current().isActive)
            #expect(await world.store.finished == ["1001"])
            #expect(await world.server.facts["1001"] == .init(customer: "alice", kind: "purchase"))
            #expect(await world.store.tokens["1001"] == PretendServer.token(of: "alice"))
            Size.figure("D7", "the purchase's own answer has it")
            await tenure.stop()
        }
    }

    @Test func `DEV-1 a purchase while the server is away is kept, and comes back as its buyer's`() async throws {
        try await with { world in
            let tenure = try world.launch()
            try await tenure.identify("alice")
            await world.server.disturb { _ in throw URLError(.notConnectedToInternet) }
            guard case .waiting(let access) = try await tenure.purchase("plus") else {
                Issue.record("not waiting")
                return
            }
            #expect(!access.isActive)
            #expect(await world.store.finished.isEmpty)
            await world.server.disturb(nil)
            let next = try world.launch()
            await next.start()
            #expect(await next.current().isActive)
            #expect(await world.server.facts["1001"] == .init(customer: "alice", kind: "purchase"))
            #expect(await world.store.finished.contains("1001"))
            await next.stop()
        }
    }

    @Test func `a promotional offer is signed for the token that the purchase bears, and without a signature nothing is bought`()
        async throws
    {
        try await with { world in
            let tenure = try world.launch()
            try await tenure.identify("alice")
            guard case .bought = try await tenure.purchase("plus", offer: "stay") else {
                Issue.record("not bought")
                return
            }
            let token = PretendServer.token(of: "alice")
            #expect(await world.server.offersSignedFor == [token.uuidString.lowercased()])
            #expect(await world.store.tokens["1001"] == token)
            let nonce = try #require(UUID(uuidString: "3F2B8A4E-1C5D-4E6F-8A9B-0C1D2E3F4A5B"))
            let offer = SignedOffer(
                offerIdentifier: "stay", keyId: "KEY", nonce: nonce, timestamp: Int(world.clock.truth),
                signature: Data("signed".utf8))
            #expect(await world.store.offers == [offer])
            await world.server.disturb {
                $0.url.path.hasSuffix("/offers/promotional") ? PretendServer.problem(409, "offer.hadBefore") : nil
            }
            await #expect(throws: TenureProblem(.refused, words: "offer.hadBefore")) {
                try await tenure.purchase("plus", offer: "stay")
            }
            #expect(await world.store.made == ["1001"])
            let intents = try IntentJournal(try Folder(world.folder.appendingPathComponent("intents"), SystemFiles()))
            #expect(try intents.begun(at: world.clock.read().wall).isEmpty)
            await tenure.stop()
        }
    }

    // A client that waited for the others would wait for good: the limit is what ends that.
    @Test(.timeLimit(.minutes(5)))
    func `D7 a purchase is answered at once, however much waits for the server and however slow it is`() async throws {
        try await with { world in
            let tenure = try world.launch()
            try await tenure.identify("alice")
            await world.server.disturb { _ in throw URLError(.notConnectedToInternet) }
            for _ in 0..<30 { await tenure.deliver(await world.store.renew("plus")) }
            #expect(await world.server.facts.isEmpty)
            await world.server.disturb(nil)
            let gate = Gate()
            await world.server.close(gate)
            let outcome = try await withTaskCancellationHandler {
                try await tenure.purchase("plus")
            } onCancel: {
                Task { await gate.open() }
            }
            guard case .bought(let access) = outcome else {
                Issue.record("not bought")
                return
            }
            #expect(access.isActive)
            #expect(await world.server.facts == ["1031": .init(customer: "alice", kind: "purchase")])
            await gate.open()
            try await tenure.refresh()
            #expect(await world.server.facts.count == 31)
            await tenure.stop()
        }
    }

    @Test func `what waits is sent as soon as the network comes back, however long it would have waited`() async throws {
        try await with { world in
            let tenure = try world.launch()
            await tenure.start()
            try await tenure.identify("alice")
            await world.server.disturb { _ in throw URLError(.notConnectedToInternet) }
            guard case .waiting = try await tenure.purchase("plus") else {
                Issue.record("not waiting")
                return
            }
            var accesses = await tenure.changes().makeAsyncIterator()
            await world.server.disturb(nil)
            #expect(await world.server.facts.isEmpty)
            world.server.network.yield()
            var access = await accesses.next()
            while access?.isActive == false { access = await accesses.next() }
            #expect(access?.isActive == true)
            #expect(await world.server.facts["1001"] == .init(customer: "alice", kind: "purchase"))
            await tenure.stop()
        }
    }

    @Test func `the network's return is one, and what else changes about it is none`() {
        let path = LastPath()
        #expect(
            [true, true, false, false, true, false, true].map(path.isBack) == [false, false, false, false, true, false, true])
    }

    @Test func `OWN-18 who logged in before the server went away buys with their own token, on a device of two customers`()
        async throws
    {
        try await with { world in
            let tenure = try world.launch()
            for customer in ["alice", "bob", "alice", "bob"] { try await tenure.identify(customer) }
            let fetched = await world.server.asked.filter { $0.hasSuffix(" appAccountToken") }
            #expect(fetched == ["PUT alice appAccountToken", "PUT bob appAccountToken"], "once for each")
            await world.server.disturb { _ in throw URLError(.notConnectedToInternet) }
            guard case .waiting = try await tenure.purchase("plus") else {
                Issue.record("not waiting")
                return
            }
            #expect(await world.store.tokens["1001"] == PretendServer.token(of: "bob"))
            // In the next process, still without a network, somebody logs in again who has been here.
            let next = try world.launch()
            try await next.identify("alice")
            _ = try await next.purchase("plus")
            #expect(await world.store.tokens["1002"] == PretendServer.token(of: "alice"))
            // Of whom the server has said nothing, a purchase bears nobody's.
            try await next.identify("carol")
            _ = try await next.purchase("plus")
            #expect(await world.store.made.contains("1003"))
            #expect(await world.store.tokens["1003"] == nil)
        }
    }

    @Test func `OWN-18 an anonymous customer has a token of their own from the first answer on`() async throws {
        try await with { world in
            let tenure = try world.launch()
            await tenure.start()
            let customer = await tenure.customer
            await world.server.disturb { _ in throw URLError(.notConnectedToInternet) }
            _ = try await tenure.purchase("plus")
            #expect(await world.store.tokens["1001"] == PretendServer.token(of: customer))
            await tenure.stop()
        }
    }

    @Test func `OWN-18 a server that says no token stops nobody from logging in, and is asked again`() async throws {
        try await with { world in
            await world.server.disturb { request in
                request.url.path.hasSuffix("/appAccountToken") ? PretendServer.problem(503, "storeUnavailable") : nil
            }
            let tenure = try world.launch()
            var problems = await tenure.problems().makeAsyncIterator()
            #expect(try await tenure.identify("alice").source == .server)
            #expect(await problems.next() == TenureProblem(.notAnswered, words: "storeUnavailable"))
            await world.server.disturb(nil)
            try await tenure.refresh()
            #expect(await world.server.asked.filter { $0 == "PUT alice appAccountToken" }.count == 1)
        }
    }

    @Test func `DEV-4 a transaction without a date, one of an unknown product, and one that comes twice are kept once`()
        async throws
    {
        try await with { world in
            let tenure = try world.launch()
            try await tenure.identify("alice")
            let undated = StoreTransaction(
                signedTransactionInfo:
                    "e30.\(JWS.base64URL(Data(#"{"transactionId":"77","productId":"never-heard-of"}"#.utf8))).c2ln")
            for _ in 0..<3 { await tenure.deliver(undated) }
            #expect(await world.server.sent["77"] ?? 0 >= 1)
            #expect(await world.server.facts["77"]?.customer == "alice")
            await tenure.deliver(StoreTransaction(signedTransactionInfo: "no jws"))
            #expect(await tenure.queue.count == 0)
        }
    }

    @Test func `DEV-1 what the server refuses for good is kept apart, not finished, and sent when asked for`() async throws {
        try await with { world in
            let tenure = try world.launch()
            try await tenure.identify("alice")
            await world.server.refuse("1001", with: PretendServer.problem(400, "refusedEvidence"))
            _ = try await tenure.purchase("plus")
            #expect(await tenure.parked() == ["1001": "refusedEvidence"])
            for _ in 0..<5 { try await tenure.refresh() }
            #expect(await world.server.sent["1001"] == 1)
            #expect(await world.store.finished.isEmpty)
            await world.server.refuse("1001", with: nil)
            try await tenure.retryParked()
            #expect(await tenure.parked().isEmpty)
            #expect(await world.store.finished == ["1001"])
        }
    }

    @Test func `a subscription of another customer is said, and the fact is kept all the same`() async throws {
        try await with { world in
            let tenure = try world.launch()
            try await tenure.identify("alice")
            await world.server.refuse(
                "1001", with: ServerResponse(status: 409, body: Data(#"{"code":"heldByAnother","hint":"b**"}"#.utf8)))
            #expect(try await tenure.purchase("plus") == .servesAnother(hint: "b**"))
            #expect(await world.store.finished == ["1001"])
        }
    }

    @Test func `a purchase that waits for a parent comes days later as its buyer's, whoever is logged in then`() async throws {
        try await with { world in
            let tenure = try world.launch()
            try await tenure.identify("alice")
            await world.store.answer(.pending)
            #expect(try await tenure.purchase("plus") == .pending)
            world.clock.pass(5 * Length.day)
            try await tenure.signOut()
            try await tenure.identify("bob")
            let came = await world.store.renew("plus", appAccountToken: PretendServer.token(of: "alice"))
            await tenure.deliver(came)
            #expect(await world.server.facts["1001"] == nil, "it waits for alice")
            try await tenure.signOut()
            try await tenure.identify("alice")
            #expect(await world.server.facts["1001"] == .init(customer: "alice", kind: "purchase"))
            #expect(await world.server.impostors.isEmpty)
        }
    }

    // MARK: D2

    @Test func `a purchase that waits for its buyer stays theirs when the store delivers it signed anew`() async throws {
        try await with(first: 80_000_000) { world in
            func signed(_ date: Int) -> StoreTransaction {
                let payload = #"{"transactionId":"80000001","signedDate":\#(date),"productId":"plus"}"#
                return StoreTransaction(signedTransactionInfo: "e30.\(JWS.base64URL(Data(payload.utf8))).c2ln")
            }
            let tenure = try world.launch()
            try await tenure.identify("alice")
            await world.server.disturb { _ in throw URLError(.notConnectedToInternet) }
            _ = await tenure.take(signed(1), as: .purchase)
            try await tenure.signOut()
            try await tenure.identify("bob")
            await tenure.deliver(signed(2))
            await world.server.disturb(nil)
            await tenure.foreground()
            #expect(await world.server.facts.isEmpty, "bob has bought nothing")
            try await tenure.signOut()
            try await tenure.identify("alice")
            #expect(await world.server.facts == ["80000001": .init(customer: "alice", kind: "purchase")])
            #expect(await world.server.sent["80000001"] == 2)
            #expect(await tenure.queue.count == 0)
        }
    }

    private enum Step: CaseIterable { case buyAsAlice, buyAsBob, online, offline, relaunch }

    @Test func `D2 two customers on one device: nothing is ever uploaded under the wrong one`() async throws {
        var scripts = (0..<120).map { number in
            var generator = Seeded(state: UInt64(number))
            return (0..<9).map { _ in Step.allCases.randomElement(using: &generator) ?? .online }
        }
        if Size.isFull { scripts += Self.orders(of: 5) }
        var faults = 0
        for (number, script) in scripts.enumerated() {
            let fault = try await fault(script, first: 10_000 * (number + 1))
            #expect(fault == nil, "script \(number) \(script): \(fault ?? "")")
            faults += fault == nil ? 0 : 1
        }
        Size.figure("D2", "\(faults) of \(scripts.count) orders with an upload under the wrong one")
    }

    /// Every script of so many steps.
    private static func orders(of length: Int) -> [[Step]] {
        (0..<length).reduce([[]]) { scripts, _ in scripts.flatMap { script in Step.allCases.map { script + [$0] } } }
    }

    private func fault(_ script: [Step], first: Int) async throws -> String? {
        let world = try DeviceWorld(first: first)
        var tenure = try world.launch()
        var buyers: [String: String] = [:]
        var next = first
        for step in script + [.online] {
            switch step {
            case .buyAsAlice, .buyAsBob:
                let customer = step == .buyAsAlice ? "alice" : "bob"
                if await tenure.customer != customer {
                    try await tenure.signOut()
                    try await tenure.identify(customer)
                }
                _ = try await tenure.purchase("plus")
                next += 1
                buyers["\(next)"] = customer
            case .online: await world.server.disturb(nil)
            case .offline: await world.server.disturb { _ in throw URLError(.timedOut) }
            case .relaunch:
                tenure = try world.launch()
                await tenure.takeUnfinished()
            }
        }
        for customer in ["alice", "bob"] {
            try await tenure.signOut()
            try await tenure.identify(customer)
        }
        let facts = await world.server.facts
        for (id, buyer) in buyers where facts[id] != .init(customer: buyer, kind: "purchase") {
            return "\(id) of \(buyer) is \(String(describing: facts[id]))"
        }
        let (impostors, early) = (await world.server.impostors, await world.store.finishedTooEarly)
        try world.remove()
        return impostors.isEmpty && early.isEmpty ? nil : "\(impostors) \(early)"
    }

    // MARK: D4

    @Test func `D4 whatever comes in place of an answer: whoever was inside stays inside until their end`() async throws {
        let html = Data("<!doctype html><title>Log in to the hotel</title>".utf8)
        let disturbances: [@Sendable (ServerRequest) throws -> ServerResponse?] = [
            { _ in PretendServer.problem(503, "store", ["Retry-After": "30"]) }, { _ in ServerResponse(status: 500) },
            { _ in ServerResponse(status: 200, headers: ["Content-Type": "text/html"], body: html) },
            { _ in ServerResponse(status: 200) },
            { _ in ServerResponse(status: 200, body: Data(#"{"customer":"alice","isAc"#.utf8)) },
            { _ in
                ServerResponse(
                    status: 200,
                    body: Data(#"{"customer":"bob","environment":"Production","at":1,"isActive":false,"entitlements":[]}"#.utf8))
            },
            { _ in ServerResponse(status: 400, body: html) }, { _ in ServerResponse(status: 404, body: html) },
            { _ in ServerResponse(status: 401, body: html) }, { _ in ServerResponse(status: 302) },
            { _ in throw URLError(.timedOut) }, { _ in throw URLError(.networkConnectionLost) },
            { _ in PretendServer.problem(401, "customerTokenRefused") }, { _ in PretendServer.problem(429, "tooManyRequests") },
        ]
        for (number, disturbance) in disturbances.enumerated() {
            try await with(first: 5_000_000 + 1000 * number) { world in
                let tenure = try world.launch()
                try await tenure.identify("alice")
                _ = try await tenure.purchase("plus")
                #expect(await tenure.current().isActive)
                await world.server.disturb(disturbance)
                let renewed = await world.store.renew("plus")
                await tenure.deliver(renewed)
                for _ in 0..<(3 * 24) {
                    world.clock.pass(Length.hour)
                    await tenure.foreground()
                    #expect(await tenure.current().isActive, "disturbance \(number)")
                }
                #expect(await tenure.queue.count == 1, "disturbance \(number): nothing is lost")
                #expect(await tenure.parked().isEmpty, "disturbance \(number)")
                world.clock.pass(28 * Length.day)
                #expect(await !tenure.current().isActive, "the end that was named last")
                await world.server.disturb(nil)
                await tenure.foreground()
                #expect(await tenure.queue.count == 0)
            }
        }
        Size.figure("D4", "\(disturbances.count) disturbances of three days each")
    }

    @Test func `D6 a refund while offline ends at the next answer, else at the window's end`() async throws {
        try await with { world in
            let tenure = try world.launch()
            try await tenure.identify("alice")
            _ = try await tenure.purchase("plus")
            await world.server.refund("1001")
            world.clock.pass(Length.day)
            #expect(await tenure.current().isActive)
            try await tenure.refresh()
            #expect(await !tenure.current().isActive)
        }
        Size.figure("D6", "at the next answer")
    }

    @Test
    func `D6 a refund while offline ends without any answer at the window's end, or where only what is signed counts at its end`()
        async throws
    {
        for signedOnly in [false, true] {
            var world = try DeviceWorld(first: signedOnly ? 87_000_000 : 88_000_000, signs: true)
            world.signedOnly = signedOnly
            let tenure = try world.launch()
            try await tenure.identify("alice")
            guard case .bought(let access) = try await tenure.purchase("plus") else {
                Issue.record("not bought")
                return
            }
            #expect(access.isActive, "the purchase's own answer has it")
            await world.server.disturb { _ in throw URLError(.notConnectedToInternet) }
            // The window is 30 days; what the server signs is valid for three.
            let (end, rest) = signedOnly ? (3 * Length.day, Length.second) : (30 * Length.day, Length.second)
            world.clock.pass(end - rest)
            #expect(await tenure.current().isActive, "signedOnly \(signedOnly)")
            world.clock.pass(2 * rest)
            #expect(await !tenure.current().isActive, "signedOnly \(signedOnly)")
            #expect(await !(try world.launch()).current().isActive)
            try world.remove()
        }
        Size.figure("D6", "at the window's end, and with signedOnly at the signed answer's")
    }

    @Test func `D6 where only what is signed counts, a server that signs none gives nothing`() async throws {
        var world = try DeviceWorld(first: 89_000_000)
        world.signedOnly = true
        let tenure = try world.launch()
        try await tenure.identify("alice")
        #expect(try await tenure.purchase("plus") != .pending)
        #expect(await !tenure.current().isActive)
        try world.remove()
    }

    @Test func `ENT-10 past its window's end a renewing subscription is used offline as far as it was signed`() async throws {
        try await with(signs: true) { world in
            let tenure = try world.launch()
            try await tenure.identify("alice")
            _ = try await tenure.purchase("plus")
            world.clock.pass(28 * Length.day)
            try await tenure.refresh()
            await world.server.disturb { _ in throw URLError(.notConnectedToInternet) }
            world.clock.pass(2 * Length.day + Length.hour)
            let next = try world.launch()
            let access = await next.current()
            #expect(access.isActive && access.source == .signed && access.entitlements["plus"]?.isProvisional == true)
            world.clock.pass(Length.day)
            #expect(await !next.current().isActive)
        }
    }

    @Test func `the anonymous customer of a device becomes who logs in, also when that could be said only later`() async throws {
        try await with { world in
            let tenure = try world.launch()
            let anonymous = await tenure.customer
            guard case .bought = try await tenure.purchase("plus") else {
                Issue.record("not bought")
                return
            }
            await world.server.disturb { _ in throw URLError(.notConnectedToInternet) }
            try await tenure.identify("alice")
            #expect(await world.server.merged.isEmpty)
            await world.server.disturb(nil)
            let next = try world.launch()
            await next.foreground()
            #expect(await world.server.merged == [anonymous: "alice"])
            #expect(await next.current().isActive)
        }
    }
}
