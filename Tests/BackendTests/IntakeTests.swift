import AppStoreWire
import Backend
import Ledger
import Primitives
import Storage
import Testing

@Suite struct `Intake by the backend` {
    @Test func `RECON-0 A notification is applied once; its repetition is answered as such and changes nothing`() async throws {
        try await withWorld { world in
            let notification = Notification("u1", about: Purchase(), renewalInfo: RenewalInfo())
            #expect(try await world.receive(notification) == .applied)
            let after = try world.rowCounts()
            #expect(after["fact"] == 3)
            for _ in 0..<3 { #expect(try await world.receive(notification) == .duplicate) }
            #expect(try world.rowCounts() == after)
            #expect(world.backend.counters[.applied] == 1)
            #expect(world.backend.counters[.duplicate] == 3)
        }
    }

    @Test func `T07 The mirrored signature of a notification, inside and outside, is the same notification`() async throws {
        try await withWorld { world in
            let purchase = try world.apple.sign(Purchase())
            let notification = Notification("u1", about: Purchase())
            let signed = try world.apple.sign(notification)
            let inside = try world.apple.sign(notification, transaction: Malleable.mirrored(purchase))
            #expect(try await world.receive(notification) == .applied)
            let after = try world.rowCounts()
            for jws in [Malleable.mirrored(signed), inside, Malleable.mirrored(inside)] {
                #expect(jws != signed)
                let outcome = try await world.backend.receiveNotification(
                    PretendAppStore.body(signedPayload: jws), app: World.app)
                #expect(outcome == .duplicate)
            }
            #expect(try world.rowCounts() == after)
            let other = Notification("u2", about: Purchase())
            let again = try world.apple.sign(other, transaction: Malleable.mirrored(purchase))
            #expect(
                try await world.backend.receiveNotification(PretendAppStore.body(signedPayload: again), app: World.app)
                    == .applied)
            // The notification itself is new; the transaction in it is not.
            #expect(try world.rowCounts()["fact"] == (after["fact"] ?? 0) + 1)
        }
    }

    @Test func `One transaction that arrives by notification and by upload is one fact`() async throws {
        try await withWorld { world in
            _ = try await world.receive(Notification("u1", about: Purchase()))
            let result = try await world.claim(World.alice)
            #expect(result.outcome == .bound)
            let keys = try await world.store.facts(of: World.key(), limit: 100).map(\.fact.key)
            #expect(
                keys.filter { $0.hasPrefix("transaction/") } == ["transaction/1001/\(PretendAppStore.june.millisecondsSince1970)"]
            )
            #expect(try await world.backend.subscription(World.key()).state.periods.count == 1)
        }
    }

    @Test func `OWN-2 A notification that nobody has claimed is kept unowned, and the first claim takes it from its beginning`()
        async throws
    {
        try await withWorld { world in
            _ = try await world.receive(Notification("u1", about: Purchase()))
            #expect(try await world.backend.subscription(World.key()).state.owner(at: world.clock.now()) == nil)
            #expect(try await !world.isActive(World.alice))
            #expect(try await world.claim(World.alice, .restore).outcome == .bound)
            #expect(try await world.isActive(World.alice))
            let tenures = try await world.backend.subscription(World.key()).state.tenures
            #expect(tenures.map(\.from) == [PretendAppStore.june])
        }
    }

    @Test func `FACT-6 The bytes of a fact are kept as they arrived`() async throws {
        try await withWorld { world in
            let signed = try world.apple.sign(Purchase())
            let upload = Backend.Upload(
                customer: World.alice, kind: .purchase, productId: nil, signedTransactionInfo: signed, signedRenewalInfo: nil)
            _ = try await world.backend.claim(upload, app: World.app)
            #expect(try await world.store.facts(of: World.key(), limit: 1).first?.evidence?.bytes == Array(signed.utf8))
        }
    }

    @Test func `A TEST notification is kept, is not a fact, and is applied once`() async throws {
        try await withWorld { world in
            let test = Notification("u1", "TEST", about: nil)
            #expect(try await world.receive(test) == .applied)
            #expect(try await world.receive(test) == .duplicate)
            let rows = try world.rowCounts()
            #expect(rows["evidence"] == 1)
            #expect(rows["fact"] == 0)
            #expect(rows["operatorWarning"] == 0)
        }
    }

    @Test func `T11 FACT-4 A notification for another app is refused and not stored`() async throws {
        try await withWorld { world in
            let theirs = Purchase().with { $0.bundleId = "com.example.other" }
            let before = try world.rowCounts()
            #expect(try await refusal { _ = try await world.claim(World.alice, .purchase, theirs) } == "wrongBundleId")
            #expect(try await refusal { _ = try await world.receive(Notification("u1", about: theirs)) } == "wrongBundleId")
            var mixed = Notification("u2", about: theirs)
            mixed.bundleId = "com.example.app"
            #expect(try await refusal { _ = try await world.receive(mixed) } == "wrongBundleId")
            var wrongNumber = Notification("u3", about: Purchase())
            wrongNumber.appAppleId = 43
            #expect(try await refusal { _ = try await world.receive(wrongNumber) } == "wrongAppAppleId")
            #expect(try world.rowCounts() == before)
            #expect(world.backend.counters[.refused] == 4)
            #expect(try await world.receive(Notification("u1", about: theirs), app: World.other) == .applied)
            #expect(try await world.store.subscription(World.key()) == nil)
        }
    }

    @Test func `T49 FACT-3 Input that proves nothing is counted and not stored`() async throws {
        try await withWorld { world in
            let before = try world.rowCounts()
            let stranger = try PretendAppStore()
            let forged = PretendAppStore.body(signedPayload: try stranger.sign(Notification("u1", about: Purchase())))
            let good = try world.apple.body(Notification("u1", about: Purchase()))
            let bodies: [[UInt8]] = [[], Array("{}".utf8), Array("null".utf8), forged, good.dropLast(), Array(good.reversed())]
            for body in bodies {
                let code = try await refusal { _ = try await world.backend.receiveNotification(body, app: World.app) }
                #expect(code != nil)
            }
            #expect(try world.rowCounts() == before)
            #expect(world.backend.counters[.refused] == Int64(bodies.count))
        }
    }

    @Test func `A renewal info of another subscription refuses the whole upload`() async throws {
        try await withWorld { world in
            let before = try world.rowCounts()
            var info = RenewalInfo()
            info.originalTransactionId = "9999"
            let upload = info
            let code = try await refusal { _ = try await world.claim(World.alice, .purchase, Purchase(), renewalInfo: upload) }
            #expect(code == "renewalInfoNotOfTransaction")
            #expect(try world.rowCounts() == before)
        }
    }

    @Test func `FACT-5 A new type from Apple is kept whole, causes one warning, and gives nothing`() async throws {
        try await withWorld { world in
            for turn in 0..<3 as Range<Int64> {
                let purchase = Purchase().with { $0.productId = "gold.weekly" }.renewed(turn).with {
                    $0.type = "Time Share"
                    $0.transactionReason = "WHIM"
                    $0.inAppOwnershipType = "LENT"
                }
                world.clock.set(purchase.purchaseDate.adding(.days(1)))
                _ = try await world.receive(Notification("u\(turn)", "DID_DREAM", about: purchase))
                _ = try await world.claim(World.alice, .purchase, purchase)
            }
            let scope = Scope(app: World.app, environment: .production)
            let warnings = try await world.store.warnings(in: scope, limit: 100)
            #expect(
                Set(warnings.map { "\($0.kind.rawValue) \($0.value)" }) == [
                    "unknownProduct gold.weekly", "unknownNotificationType DID_DREAM", "unknownProductType Time Share",
                    "unknownTransactionReason WHIM", "unknownValue inAppOwnershipType: LENT",
                ])
            #expect(warnings.count == 5)
            #expect(warnings.allSatisfy { $0.firstSeenAt == PretendAppStore.june.adding(.days(1)) })
            #expect(try await !world.isActive(World.alice))
            let facts = try await world.store.facts(of: World.key(), limit: 100)
            let kept = facts.compactMap { record -> TransactionFact? in
                if case .transaction(let fact) = record.fact { fact } else { nil }
            }
            #expect(kept.count == 3)
            #expect(kept.allSatisfy { $0.type == .unknown("Time Share") && $0.transactionReason == .unknown("WHIM") })
            #expect(kept.allSatisfy { $0.details.inAppOwnershipType == "LENT" })
        }
    }

    /// Source: Apple, App Store Server Notifications 2.23, `REFUND` with `SEATS`; App Store Server API 1.23, `ASSIGNED`.
    @Test func `FACT-5 known words cause no warning, including those of group purchases`() async throws {
        try await withWorld { world in
            let purchase = Purchase().with { $0.inAppOwnershipType = "ASSIGNED" }
            world.clock.set(purchase.purchaseDate.adding(.days(1)))
            for (uuid, type, subtype) in [
                ("u1", "REFUND", "SEATS"), ("u2", "UNCLAIM_SEATS", nil), ("u3", "DID_RENEW", "BILLING_RECOVERY"),
            ] as [(String, String, String?)] {
                var notification = Notification(uuid, type, about: purchase)
                notification.subtype = subtype
                _ = try await world.receive(notification)
            }
            let scope = Scope(app: World.app, environment: .production)
            #expect(try await world.store.warnings(in: scope, limit: 100).isEmpty)
        }
    }

    @Test func `FACT-4 T12 Sandbox facts never enter a Production answer, with the same ids too`() async throws {
        try await withWorld { world in
            let sandbox = Purchase().with { $0.environment = "Sandbox" }
            let before = try await world.backend.entitlements(of: World.alice, app: World.app, environment: .production, at: nil)
            let now = world.clock.now()
            world.clock.set(now.adding(.days(700)))
            for turn in 0..<12 as Range<Int64> { _ = try await world.claim(World.alice, .purchase, sandbox.renewed(turn)) }
            world.clock.set(now)
            #expect(
                try await world.backend.entitlements(of: World.alice, app: World.app, environment: .production, at: nil) == before
            )
            #expect(try await world.isActive(World.alice, .sandbox))
            #expect(try await world.store.subscription(World.key()) == nil)
            #expect(try await world.claim(World.bob).outcome == .bound)
            #expect(try await world.isActive(World.bob))
            #expect(try await !world.isActive(World.alice))
        }
    }

    @Test(arguments: [
        (SandboxAccess.testers([World.alice]), true, false), (.testers([]), false, false), (.everyone, true, true),
        (.nobody, false, false),
    ])
    func `FACT-4 The Sandbox answers only customers whom the app admits`(_ access: SandboxAccess, _ alice: Bool, _ bob: Bool)
        async throws
    {
        try await withWorld(sandboxAccess: access) { world in
            for (customer, isAdmitted) in [(World.alice, alice), (World.bob, bob)] {
                do {
                    _ = try await world.isActive(customer, .sandbox)
                    #expect(isAdmitted)
                } catch BackendError.environmentNotOpen {
                    #expect(!isAdmitted)
                }
                #expect(try await !world.isActive(customer))
            }
        }
    }

    @Test func `T13 A JWS from before the refund gives nothing back, however often it is shown`() async throws {
        try await withWorld { world in
            _ = try await world.claim(World.alice)
            let refunded = Purchase().with {
                $0.revocationDate = PretendAppStore.june.adding(.hours(12))
                $0.signedDate = PretendAppStore.june.adding(.hours(13))
            }
            _ = try await world.receive(Notification("u1", "REFUND", about: refunded))
            #expect(try await !world.isActive(World.alice))
            let (rows, audit) = (try world.rowCounts(), try await world.store.auditRows(of: World.key(), after: 0, limit: 100))
            for turn in 0..<100 {
                _ = try await world.claim(World.alice, turn % 2 == 0 ? .restore : .queue)
                _ = try await world.receive(Notification("u\(turn % 2 + 2)", about: Purchase()))
                #expect(try await !world.isActive(World.alice))
            }
            #expect(try await world.store.auditRows(of: World.key(), after: 0, limit: 100) == audit)
            #expect(try world.rowCounts()["fact"] == (rows["fact"] ?? 0) + 2)
        }
    }
}
