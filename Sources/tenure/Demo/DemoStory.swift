import APIContract
import Ledger
import NIOHTTP1
import Primitives
import StrictJSON

/// One subscription's life: two customers, one Apple Account, more than a year.
struct DemoStory {
    let world: DemoWorld
    let check: DemoCheck

    /// The instants for which every answer is requested again at the end, when everything has been delivered twice and in another
    /// order.
    private var checkpoints: [Timestamp] {
        [
            "2026-01-05", "2026-01-20", "2026-02-15", "2026-02-19", "2026-02-25", "2026-03-03", "2026-03-20", "2026-09-01",
            "2027-03-07",
        ].map(day)
    }

    func tell() async throws {
        let url = world.server + NativeAPI.receiveNotification.path(AppPath(app: DemoStage.app.rawValue))
        _ = try await world.atApple(.POST, "/delivery") { $0.member("url", url) }
        heading("A subscribes with a free trial")
        _ = try await world.atApple(.POST, "/accounts") { $0.member("id", "shared-ipad") }
        let alice = try await DemoDevice("phone", account: "shared-ipad", of: "alice", in: world)
        let bob = try await DemoDevice("ipad", account: "shared-ipad", of: "bob", in: world)
        let subscription = try await trial(on: alice)
        heading("The first renewal arrives as a notification, the second only through a device")
        try await renewals(on: alice, and: bob)
        heading("B upgrades on the same Apple Account")
        try await upgrade(of: subscription, on: bob)
        heading("Apple refunds B's purchase")
        try await refund(of: subscription)
        heading("B buys again, and a year passes")
        try await year(of: subscription, on: bob)
        heading("Everything is delivered again, duplicated and in another order")
        try await replay(of: subscription)
        heading("Notifications stop, and then Apple answers nothing for six hours")
        try await silence()
        heading("Somebody who was only told, by a webhook, knows the same")
        try await told()
    }

    // MARK: Chapters

    private func trial(on alice: DemoDevice) async throws -> String {
        try await alice.buy("plus.monthly") {
            apple(
                """
                the Apple Account of the shared iPad begins a free week of plus.monthly; the notification arrives before any \
                upload
                """)
            try await expectAccess(of: "alice", "inactive", because: "an unclaimed subscription is kept, unowned (OWN-2)")
        }
        try await expectUpload(by: alice, "purchase", comesTo: "200 bound", because: "the first valid claim binds (OWN-2)")
        try await expectAccess(
            of: "alice", "active 2026-01-01 to 2026-01-08", because: "a trial is a period like any other (PER-1, ENT-1)")
        try await alice.restore()
        try await expectUpload(
            by: alice, "restore", comesTo: "200 alreadyOwner", because: "repeating a claim changes nothing (OWN-3)")
        let account = try await world.atApple(.GET, "/accounts/shared-ipad")
        return try text("originalTransactionId", account["subscriptions"]?.array?.first { _ in true }?.object)
    }

    private func renewals(on alice: DemoDevice, and bob: DemoDevice) async throws {
        try await world.advance(to: day("2026-01-09"))
        apple("renewed on 2026-01-08 for a month, and sent a notification")
        try await expectAccess(
            of: "alice", "active 2026-01-01 to 2026-02-08", because: "the periods follow each other without a gap (PER-1, PER-6)")
        try await alice.open()
        _ = try await world.atApple(.POST, "/delivery") {
            $0.member("mode", "drop")
            $0.member("count", 1)
        }
        try await world.advance(to: day("2026-02-08").adding(.minutes(10)))
        apple("renewed on 2026-02-08, and the notification was lost")
        try await expectAccess(
            of: "alice", "active provisional 2026-01-01 to 2026-02-08T01:00:00Z",
            because: "late news: it was set to renew (ENT-6)")
        // Her phone has heard of it from the App Store, and keeps it until it has a network.
        await alice.set(isOnline: false)
        try await alice.open()
        try await bob.open()
        try await expectUpload(
            by: bob, "queue", comesTo: "409 ownedByAnother",
            because: "a renewal never moves a subscription, whoever is logged in (OWN-8)")
        await alice.set(isOnline: true)
        try await alice.open()
        try await expectUpload(
            by: alice, "queue", comesTo: "200 alreadyOwner",
            because: "the device shows what the lost notification said (PER-6)")
        try await expectAccess(of: "alice", "active 2026-01-01 to 2026-03-08", because: "the renewal is known (PER-6)")
        try await bob.restore()
        try await expectUpload(
            by: bob, "restore", comesTo: "409 ownedByAnother",
            because: "a restore by another customer is refused: onRestore is keep (OWN-9)")
    }

    private func upgrade(of subscription: String, on bob: DemoDevice) async throws {
        try await world.advance(to: day("2026-02-20"))
        try await bob.buy("pro.monthly") {
            apple("someone on the shared iPad upgraded to pro.monthly at 2026-02-20 and got the rest of plus.monthly refunded")
            try await expectAccess(
                of: "alice", "active 2026-01-01 to 2026-03-20",
                because: "the upgrade is known, and no customer has shown evidence of it (OWN-4)")
        }
        try await expectUpload(
            by: bob, "purchase", comesTo: "200 moved",
            because: "whoever buys the upgrade becomes owner at its purchase date (OWN-5)")
        try await expectAccess(
            of: "alice", "inactive since 2026-02-20, ownershipMoved",
            because: "alice's service ends at that very second (OWN-5, OWN-1)")
        try await expectAccess(
            of: "bob", "active 2026-02-20 to 2026-03-20", because: "bob owns it from that very second (OWN-5, OWN-1)")
        let audit = try await auditOfTakeBack(from: "alice", subscription)
        await check.expect("taken back from alice", audit, is: "\(Milliseconds.days(16).count) ms")
        why("the unused part of the period that alice was credited with: 2026-02-20 to 2026-03-08 (ENT-4)")
    }

    private func refund(of subscription: String) async throws {
        try await world.advance(to: day("2026-03-01"))
        let transaction = try await world.atApple(.GET, "/subscriptions/\(subscription)")
        _ = try await world.atApple(.POST, "/transactions/\(try text("transactionId", transaction))/refund")
        apple("refunded the upgrade at 2026-03-01")
        try await expectAccess(
            of: "bob", "inactive since 2026-03-01, refunded", because: "a full refund ends the period it names (PER-2, PER-11)")
        let audit = try await auditOfTakeBack(from: "bob", subscription)
        await check.expect("taken back from bob", audit, is: "\(Milliseconds.days(19).count) ms")
        why("2026-03-01 to 2026-03-20, from the customer who was credited with it (ENT-4)")
    }

    private func year(of subscription: String, on bob: DemoDevice) async throws {
        try await world.advance(to: day("2026-03-05"))
        try await bob.buy("pro.monthly") {
            apple("pro.monthly was bought again at 2026-03-05; it is the same subscription")
        }
        try await expectUpload(
            by: bob, "purchase", comesTo: "200 alreadyOwner", because: "a resubscription belongs to its buyer (OWN-7)")
        try await expectAccess(
            of: "bob", "active 2026-03-05 to 2026-04-05", because: "an earlier refund does not touch a newer period (PER-11)")
        try await world.advance(to: day("2027-03-04"))
        apple("renewed eleven times")
        try await expectAccess(of: "bob", "active 2026-03-05 to 2027-03-05", because: "eleven renewals, one window (PER-1)")
        try await expectAccess(
            of: "alice", "inactive since 2026-02-20, ownershipMoved", because: "no renewal ever moved it back (OWN-8)")
        _ = try await world.atApple(.POST, "/subscriptions/\(subscription)/auto-renew") { $0.member("enabled", false) }
        try await world.advance(to: day("2027-03-06"))
        apple("auto-renew was turned off; the last period ended at 2027-03-05")
        try await expectAccess(
            of: "bob", "inactive since 2027-03-05, customerCanceled", because: "no leeway, since it was not set to renew (ENT-6)")
        let answer = try await world.subscription(subscription).object()
        await check.expect("status", answer["status"]?.string ?? "missing", is: "expired")
        for line in answer["explain"]?.array.map(Array.init) ?? [] { why(line.string ?? "") }
    }

    /// Delivers everything again to the same ledger, where nothing may change; and in another order to a ledger that has received
    /// only what devices uploaded, which must arrive at the same state.
    private func replay(of subscription: String) async throws {
        let before = try await snapshot(of: subscription, app: DemoStage.app.rawValue)
        let sent = try await world.atApple(.GET, "/notifications?limit=1000")["notifications"]?.array.map(Array.init) ?? []
        let payloads = sent.filter { $0.object?["state"]?.string != "dropped" }.compactMap { $0.object?["signedPayload"]?.string }
        var generator = SplitMix64(seed: 20_261_121)
        var duplicates = 0
        for payload in (payloads + payloads).shuffled(using: &generator) {
            if try await world.notify(payload).object()["outcome"]?.string == "duplicate" { duplicates += 1 }
        }
        apple("sent all \(payloads.count) notifications twice more, shuffled (seed 20261121)")
        await check.expect("answered as duplicates", "\(duplicates)", is: "\(payloads.count * 2)")
        let after = try await snapshot(of: subscription, app: DemoStage.app.rawValue)
        await check.expect(
            "answers at \(checkpoints.count) instants, and owners", after.words(comparedWith: before), is: before.words)
        why("the notificationUUID is unique in the store (FACT-2, RECON-0)")
        try await replayIntoOtherLedger(payloads.shuffled(using: &generator), of: subscription, expecting: before)
    }

    private func replayIntoOtherLedger(_ payloads: [String], of subscription: String, expecting before: Snapshot) async throws {
        let app = DemoStage.replayApp.rawValue
        for payload in payloads { _ = try await world.notify(payload, app: app) }
        apple("sent them, shuffled, to a ledger that had received only the devices' uploads, each at its time")
        let after = try await snapshot(of: subscription, app: app)
        await check.expect(
            "answers at \(checkpoints.count) instants, and owners", after.words(comparedWith: before), is: before.words)
        why("state is a fold over facts and claims; their order of arrival is not part of it (FACT-1, FACT-2)")
    }

    /// Nothing is told any more: whatever is known was asked.
    private func silence() async throws {
        _ = try await world.atApple(.POST, "/delivery") {
            $0.member("mode", "drop")
            $0.member("count", 1000)
        }
        try await world.advance(to: day("2027-04-01"))
        _ = try await world.atApple(.POST, "/accounts") { $0.member("id", "carols-phone") }
        try await DemoDevice("carols-phone", account: "carols-phone", of: "carol", in: world).buy("plus.monthly")
        try await world.advance(to: day("2027-04-08").adding(.minutes(21)))
        apple("carol's free week was followed by a paid month on 2027-04-08, and no notification is sent")
        try await world.work()
        try await expectAccess(
            of: "carol", "active 2027-04-01 to 2027-05-08",
            because: "Apple was asked within 20 minutes of the end (RECON-1)")
        _ = try await world.atApple(.POST, "/faults") { fault in
            fault.member("faults") { $0.array { $0.object { Self.outage(from: day("2027-05-08"), &$0) } } }
        }
        apple("it renews on 2027-05-08, and Apple's servers answer 503 from then until 06:00")
        for (minutes, words) in [(46, "after three quarters of an hour"), (300, "after five hours")] as [(Int64, String)] {
            try await world.advance(to: day("2027-05-08").adding(.minutes(minutes)))
            try await world.work()
            let answer = try await world.entitlements(of: "carol").object()
            await check.expect("carol \(words)", answer["isActive"]?.bool == true ? "active" : "inactive", is: "active")
        }
        why("a question that fails takes nothing from anybody (ENT-6, ENT-12)")
        try await world.advance(to: day("2027-05-08").adding(.minutes(400)))
        try await world.work()
        try await expectAccess(
            of: "carol", "active 2027-04-01 to 2027-06-08", because: "Apple answers again, and was asked (RECON-1)")
    }

    /// A receiver of webhooks folds `entitlement.changed`, and asks nobody.
    private func told() async throws {
        let made = try await world.follow()
        await check.expect("an endpoint of webhooks is made", "\(made.status)", is: "200")
        for customer in ["alice", "bob", "carol"] {
            let last = try await world.lastEvent(of: customer)
            try await world.folded.waitForEvent(last, of: customer)
            let answer = try await world.entitlements(of: customer).object()
            let now = Timestamp(millisecondsSince1970: answer["at"]?.int64 ?? 0)
            let words = await world.folded.isActive(customer, at: now) ? "active" : "inactive"
            await check.expect(
                "\(customer) by \(last) events alone", words, is: answer["isActive"]?.bool == true ? "active" : "inactive")
        }
        why("each event is signed, sent once more until it is taken, and in order per customer (TELL-1, TELL-2)")
    }

    private static func outage(from start: Timestamp, _ fault: inout JSONWriter) {
        fault.member("face", "serverAPI")
        fault.member("kind", "status")
        fault.member("status", 503)
        fault.member("from", start.millisecondsSince1970)
        fault.member("until", start.adding(.hours(6)).millisecondsSince1970)
    }

    // MARK: Asking

    /// What the two customers may use at each checkpoint, and who owned the subscription when; nothing in it depends on when we
    /// learned it.
    private func snapshot(of subscription: String, app: String) async throws -> Snapshot {
        var lines: [String] = []
        for instant in checkpoints {
            for customer in ["alice", "bob"] {
                let answer = try await world.entitlements(of: customer, app: app, at: instant)
                lines.append("\(customer) at \(instant): \(try describe(answer))")
            }
        }
        let tenures = try await world.subscription(subscription, app: app).object()["tenures"]?.array.map(Array.init) ?? []
        for tenure in tenures {
            lines.append("\(tenure.object?["customer"]?.string ?? "nobody") from \(date(tenure.object?["from"]))")
        }
        return Snapshot(lines: lines)
    }

    private func expectAccess(of customer: String, _ expected: String, because reason: String) async throws {
        let answer = try await world.entitlements(of: customer)
        await check.expect(customer, try describe(answer), is: expected)
        why(reason)
    }

    private func expectUpload(
        by device: DemoDevice, _ kind: String, comesTo expected: String, because reason: String
    ) async throws {
        let upload = await device.lastUpload
        await check.expect(
            "\(device.customer) uploads (\(upload?.kind ?? "nothing"))", upload.map { "\($0.status) \($0.outcome)" } ?? "nothing",
            is: upload?.kind == kind ? expected : "\(expected), as \(kind)")
        why(reason)
    }

    private func auditOfTakeBack(from customer: String, _ subscription: String) async throws -> String {
        let rows = try await world.subscription(subscription).object()["audit"]?.array.map(Array.init) ?? []
        let amounts = rows.compactMap(\.object).filter { $0["customer"]?.string == customer }
            .flatMap { $0["takeBacks"]?.array.map(Array.init) ?? [] }.compactMap { $0.object?["milliseconds"]?.int64 }
        return amounts.last.map { "\($0) ms" } ?? "nothing"
    }

    // MARK: Words

    private func describe(_ answer: DemoWorld.Answer) throws -> String {
        let object = try answer.object()
        guard answer.status == 200, let isActive = object["isActive"]?.bool else { return "HTTP \(answer.status)" }
        let entitlements = object["entitlements"]?.array.map(Array.init)?.compactMap(\.object) ?? []
        if isActive {
            let isProvisional = entitlements.contains { $0["isProvisional"]?.bool == true }
            return "active\(isProvisional ? " provisional" : "") \(date(object["start"])) to \(date(object["end"]))"
        }
        guard object["end"]?.int64 != nil else { return "inactive" }
        let reason = entitlements.compactMap { $0["endedBecause"]?.string }.first ?? "no reason"
        return "inactive since \(date(object["end"])), \(reason)"
    }

    private func date(_ value: JSONValue?) -> String {
        guard let milliseconds = value?.int64 else { return "no end" }
        let words = Timestamp(millisecondsSince1970: milliseconds).description
        return words.hasSuffix("T00:00:00Z") ? String(words.dropLast("T00:00:00Z".count)) : words
    }

    private func day(_ text: String) -> Timestamp {
        let parts = text.split(separator: "-").compactMap { Int64($0) }
        let days = parts.count == 3 ? CivilDate(year: parts[0], month: parts[1], day: parts[2])?.daysSince1970 : nil
        return Timestamp(millisecondsSince1970: Milliseconds.days(days ?? 0).count)
    }

    private func text(_ name: String, _ object: JSONObject?) throws -> String {
        guard let text = object?[name]?.string else { throw CommandError("The local App Store's answer has no \(name).") }
        return text
    }

    private func heading(_ words: String) { Console.print("\n\(words)") }
    private func apple(_ words: String) { Console.print(" At Apple: \(words)") }
    private func why(_ words: String) { Console.print("        \(words)") }
}

/// Many answers at once, to compare with the same ones later.
private struct Snapshot {
    let lines: [String]

    var words: String { "\(lines.count) as before" }

    func words(comparedWith before: Snapshot) -> String {
        guard lines != before.lines else { return words }
        let first = zip(lines, before.lines).first { $0.0 != $0.1 }
        return "different: \(first.map { "\($0.0), before \($0.1)" } ?? "\(lines.count) lines, before \(before.lines.count)")"
    }
}

/// Repeatable randomness.
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
