import AppStoreWire
import Primitives
import SimulatorPKI
import Testing

/// A notification and what is signed inside it.
@Suite struct `Notifications` {
    let world: World

    init() throws { world = try World.shared.get() }

    func notification(_ jws: String) async -> Result<VerifiedNotification, JWSRefusal> {
        await world.verifier.notification(jws, for: World.app, at: World.now)
    }

    @Test func `every JWS inside is verified by itself and returned`() async throws {
        let jws = try world.signNotification(transaction: Sample.transaction, renewalInfo: Sample.renewalInfo)
        let verified = try await notification(jws).get()
        #expect(verified.notification.payload.notificationType == .didRenew)
        #expect(verified.notification.evidence == Array(jws.utf8))
        #expect(verified.transaction?.payload.transactionId == "2000000900000002")
        #expect(verified.renewalInfo?.payload.autoRenewStatus == .on)
        #expect(verified.unboundRenewalInfo == nil)
        #expect(verified.transaction?.evidence == verified.notification.payload.data?.signedTransactionInfo)
    }

    @Test func `FACT-3 a forged JWS inside a genuine notification makes the whole refused`() async throws {
        let forger = try SigningAuthority(validity: World.year)
        let header = SigningAuthority.header(x5c: world.authority.chainDER)
        for (field, part) in [("signedTransactionInfo", JWSRefusal.Part.transaction), ("signedRenewalInfo", .renewalInfo)] {
            let members = part == .transaction ? Sample.transaction : Sample.renewalInfo
            for jws in [
                try forger.sign(payload: Sample.json(members)), try forger.sign(payload: Sample.json(members), header: header),
            ] {
                let outer = try world.sign(Sample.notification(data: Sample.data.with(field, "\"\(jws)\"")))
                guard case .failure(let refusal) = await notification(outer) else {
                    Issue.record("a forged \(field) was accepted")
                    continue
                }
                #expect(refusal.part == part)
                #expect([.rootNotTrusted, .signatureInvalid].contains(refusal.code))
            }
        }
        let consent = Sample.notification().with("data", nil).with(
            "appData",
            Sample.text(Sample.data + [("signedAppTransactionInfo", "\"a.b.c\"")])
        )
        guard case .failure(let refusal) = await notification(try world.sign(consent)) else {
            Issue.record("accepted")
            return
        }
        #expect(refusal.part == .appTransaction)
    }

    @Test func `RECON-4 what Apple signed and cannot be read is told apart from what proves nothing`() async throws {
        let strange = Sample.notification().with("notificationType", "7")
        let inside = Sample.transaction.with("purchaseDate", "\"yesterday\"")
        let kept: [(String, JWSRefusal.Code)] = [
            (try world.sign(strange), .fieldInvalid),
            (try world.sign(Sample.notification().with("signedDate", nil)), .fieldMissing),
            (try world.signNotification(transaction: inside, renewalInfo: nil), .fieldInvalid),
        ]
        for (jws, code) in kept {
            guard case .failure(let refusal) = await notification(jws) else {
                Issue.record("\(code) was accepted")
                continue
            }
            #expect(refusal.code == code && refusal.isOfSignedContent, "\(refusal)")
        }
        let forged = try SigningAuthority(validity: World.year).sign(payload: Sample.json(strange))
        let cut = String(try world.sign(strange).dropLast(4))
        let other = try world.sign(
            Sample.notification(data: Sample.data.with("bundleId", "\"com.other\"")))
        for jws in [forged, cut, other, "a.b.c"] {
            guard case .failure(let refusal) = await notification(jws) else {
                Issue.record("accepted")
                continue
            }
            #expect(!refusal.isOfSignedContent, "\(refusal)")
        }
    }

    @Test func `T05 FACT-4 what is inside must be of the same app, environment and subscription`() async throws {
        let cases: [(Sample.Members?, Sample.Members?, JWSRefusal.Code?)] = [
            (Sample.transaction, nil, nil), (nil, nil, nil),
            (Sample.transaction.with("bundleId", "\"com.other\""), nil, .wrongBundleId),
            (Sample.transaction.with("environment", "\"Sandbox\""), nil, .wrongEnvironment),
            (Sample.transaction, Sample.renewalInfo.with("environment", "\"Sandbox\""), .wrongEnvironment),
            (Sample.transaction, Sample.renewalInfo.with("originalTransactionId", "\"1\""), .renewalInfoNotOfTransaction),
            (Sample.transaction, Sample.renewalInfo.with("appTransactionId", "\"1\""), .renewalInfoNotOfTransaction),
            (Sample.renewalInfo, nil, .wrongKind), (Sample.transaction, Sample.transaction, .wrongKind),
        ]
        for (transaction, renewalInfo, expected) in cases {
            let jws = try world.signNotification(transaction: transaction, renewalInfo: renewalInfo)
            #expect(await notification(jws).refusal == expected)
        }
        let both = ExpectedApp(bundleId: World.app.bundleId, appAppleId: 4711, environments: [.production, .sandbox])
        let mixed = try world.signNotification(
            transaction: Sample.transaction.with("environment", "\"Sandbox\""), renewalInfo: nil)
        #expect(await world.verifier.notification(mixed, for: both, at: World.now).refusal == .wrongEnvironment)
    }

    @Test func `FACT-4 a renewal info without a transaction is returned as unbound`() async throws {
        let jws = try world.signNotification(transaction: nil, renewalInfo: Sample.renewalInfo)
        let verified = try await notification(jws).get()
        #expect(verified.renewalInfo == nil)
        #expect(verified.unboundRenewalInfo?.unbound.payload.originalTransactionId == "2000000900000001")
    }

    @Test func `FACT-5 a notification of an unknown kind still finds its app`() async throws {
        let unclaim = Sample.notification().with("data", nil).with("notificationType", "\"UNCLAIM_SEATS\"").with(
            "unclaimInfo", "{\"bundleId\":\"com.example.tenure\",\"environment\":\"Production\",\"unclaimSeatIds\":[\"1\"]}")
        let verified = try await notification(try world.sign(unclaim)).get()
        #expect(verified.notification.payload.notificationType == .unclaimSeats)
        let other = unclaim.with("unclaimInfo", "{\"bundleId\":\"com.other\",\"environment\":\"Production\"}")
        #expect(await notification(try world.sign(other)).refusal == .wrongBundleId)
    }

    @Test func `FACT-4 a notification about no app or about two is refused`() async throws {
        #expect(await notification(try world.sign(Sample.notification().with("data", nil))).refusal == .fieldMissing)
        let two = Sample.notification().with("summary", Sample.text(Sample.data.with("bundleId", "\"com.other\"")))
        #expect(await notification(try world.sign(two)).refusal == .fieldInvalid)
    }

    @Test func `an external purchase token shows its environment by its identifier`() async throws {
        func token(_ identifier: String) throws -> String {
            let token: Sample.Members = [
                ("externalPurchaseId", "\"\(identifier)\""), ("tokenCreationDate", "1"), ("appAppleId", "4711"),
                ("bundleId", "\"com.example.tenure\""),
            ]
            return try world.sign(Sample.notification().with("data", nil).with("externalPurchaseToken", Sample.text(token)))
        }
        #expect(try await notification(token("b2158121-7af9-49d4-9561-1f588205523e")).refusal == nil)
        #expect(try await notification(token("SANDBOX_b2158121-7af9-49d4-9561-1f588205523e")).refusal == .wrongEnvironment)
    }

    @Test func `the body is read strictly and within bounds`() throws {
        let read = { (text: String) in NotificationBody.signedPayload(in: Array(text.utf8)) }
        #expect(try read("{\"signedPayload\":\"a.b.c\"}").get() == Array("a.b.c".utf8))
        #expect(try read(" {\"other\":[1,{}],\"signedPayload\":\"a\\u002eb\"} ").get() == Array("a.b".utf8))
        let wrong = [
            "", "{}", "[]", "\"a.b.c\"", "{\"signedPayload\":1}", "{\"signedPayload\":null}",
            "{\"signedPayload\":\"a\",\"signedPayload\":\"b\"}",
            "{\"SignedPayload\":\"a\"}", "{\"signedPayload\":\"a\"}x", "a.b.c", "signedPayload=a.b.c",
            "\u{FEFF}{\"signedPayload\":\"a\"}",
            "{\"signedPayload\":\"\(String(repeating: "a", count: 300_000))\"}",
        ]
        for text in wrong { #expect(read(text).refusal == .bodyUnreadable, "\(text.prefix(40))") }
    }

    @Test func `a thousand tasks that share a verifier get the same answers`() async throws {
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: [world.authority.rootFingerprint]))
        let good = try world.sign(Sample.transaction), bad = try world.sign(Sample.transaction.with("bundleId", "\"com.other\""))
        let wrong = await withTaskGroup(of: Bool.self, returning: Int.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let refusal = await verifier.transaction(number % 2 == 0 ? good : bad, for: World.app, at: World.now).refusal
                    return refusal == (number % 2 == 0 ? nil : .wrongBundleId)
                }
            }
            return await group.reduce(0) { $1 ? $0 : $0 + 1 }
        }
        #expect(wrong == 0)
    }
}
