import Ledger
import OperatorFactors
import Primitives
import Storage
import Testing

@testable import Backend

@Suite struct `Sessions of operators` {
    private static let elsewhere = OperatorClient(address: "198.51.100.7", userAgent: "Other browser")

    private func isLive(_ token: SecretToken, _ world: OperatorWorld) async throws -> Bool {
        try await world.desk.identity(token) != nil
    }

    @Test func `ASVS 3.3.2 A session ends after 30 minutes without use, and after 12 hours with it`() async throws {
        try await withOperators { world in
            let token = try await world.enrol().signedIn.token
            world.pass(Milliseconds(30 * 60_000 - 1))
            #expect(try await isLive(token, world))
            for _ in 0..<23 {
                world.pass(.minutes(29))
                #expect(try await isLive(token, world))
            }
            world.pass(Milliseconds(12 * 3_600_000 - 30 * 60_000 - 23 * 29 * 60_000))
            #expect(try await isLive(token, world))
            world.pass(Milliseconds(1))
            #expect(try await !isLive(token, world))
            let idle = try await world.enrol("bo").signedIn.token
            world.pass(.minutes(30))
            #expect(try await !isLive(idle, world))
        }
    }

    @Test func `ASVS 3.3.1 After logout the token lets nobody in`() async throws {
        try await withOperators { world in
            let token = try await world.enrol().signedIn.token
            try await world.desk.logOut(token, from: OperatorWorld.home)
            #expect(try await !isLive(token, world))
            try await world.desk.logOut(token, from: OperatorWorld.home)
            #expect(try await world.acts().suffix(1) == ["mia loggedOut"])
            #expect(try await !isLive(SecretToken(random: Array(0..<32)), world))
        }
    }

    @Test func `ASVS 3.2.1 Each login and each proof of the second factor begins with a new token`() async throws {
        try await withOperators { world in
            let mia = try await world.enrol()
            let again = try await world.logIn(code: try world.code(mia.secret))
            #expect(again.token != mia.signedIn.token)
            let proved = try await world.desk.prove(try world.code(mia.secret), in: again.token, from: OperatorWorld.home)
            #expect(proved.token != again.token)
            #expect(try await !isLive(again.token, world))
            #expect(try await isLive(proved.token, world))
        }
    }

    @Test func `ASVS 3.3.2 A proof of the second factor prolongs no session beyond 12 hours from its login`() async throws {
        try await withOperators { world in
            let mia = try await world.enrol()
            var token = mia.signedIn.token
            let end = world.clock.now().adding(.hours(12))
            while world.clock.now() < Timestamp(millisecondsSince1970: end.millisecondsSince1970 - 30 * 60_000) {
                world.pass(.minutes(20))
                token = try await world.desk.prove(try world.code(mia.secret), in: token, from: OperatorWorld.home).token
            }
            world.clock.set(end)
            #expect(try await !isLive(token, world))
        }
    }

    @Test func `a proof of the second factor counts for ten minutes, and a refused one changes nothing`() async throws {
        try await withOperators { world in
            let mia = try await world.enrol()
            let token = mia.signedIn.token
            let identity = try #require(try await world.desk.identity(token))
            #expect(!identity.needsProof(at: world.clock.now().adding(Milliseconds(10 * 60_000 - 1))))
            #expect(identity.needsProof(at: world.clock.now().adding(.minutes(10))))
            world.pass(.minutes(10))
            let codes = try await operatorRefusal { try await world.desk.makeRecoveryCodes(in: token, from: OperatorWorld.home) }
            #expect(codes == .proofNeeded)
            let wrong = try await operatorRefusal {
                try await world.desk.prove("000000", in: token, from: OperatorWorld.home)
            }
            #expect(wrong == .proofRefused)
            #expect(try await isLive(token, world))
            let next = try await world.desk.prove(try world.code(mia.secret), in: token, from: OperatorWorld.home)
            #expect(!next.identity.needsProof(at: world.clock.now()))
            #expect(try await world.desk.makeRecoveryCodes(in: next.token, from: OperatorWorld.home).count == 10)
            let over = try await operatorRefusal {
                try await world.desk.prove(try world.code(mia.secret), in: token, from: OperatorWorld.home)
            }
            #expect(over == .sessionOver)
        }
    }

    @Test func `ASVS 3.3.4 Sessions are listed, and one or all of them can be ended`() async throws {
        try await withOperators { world in
            let mia = try await world.enrol()
            let other = try await world.logIn(code: try world.code(mia.secret), from: Self.elsewhere)
            let listed = try await world.desk.sessions(of: "mia")
            #expect(listed.map(\.address) == ["198.51.100.7", "192.0.2.1"] && listed.allSatisfy(\.isLive))
            let actor = OperatorActor(mia.signedIn.identity, from: OperatorWorld.home)
            #expect(try await world.desk.endSession(other.identity.sessionId, of: "mia", by: actor))
            #expect(try await !isLive(other.token, world))
            #expect(try await !world.desk.endSession(other.identity.sessionId, of: "mia", by: actor))
            #expect(try await !world.desk.endSession("0", of: "mia", by: actor))
            let third = try await world.logIn(code: try world.code(mia.secret), from: Self.elsewhere)
            #expect(try await world.desk.endSessions(of: "mia", but: mia.signedIn.token, by: actor) == 1)
            #expect(try await !isLive(third.token, world))
            #expect(try await isLive(mia.signedIn.token, world))
            #expect(try await world.desk.endSessions(of: "mia", by: .commandLine) == 1)
            #expect(try await world.acts().suffix(1) == ["commandLine endedSessions"])
        }
    }

    @Test func `ASVS 2.1.6 and 3.3.3 A password is changed with the present one, and every other session ends`() async throws {
        try await withOperators { world in
            let mia = try await world.enrol()
            let other = try await world.logIn(code: try world.code(mia.secret), from: Self.elsewhere)
            func change(_ current: String, _ new: String) async throws -> SignedIn {
                try await world.desk.changePassword(
                    from: current, to: new, in: mia.signedIn.token, client: OperatorWorld.home)
            }
            let wrong = try await operatorRefusal { try await change("another one", "8f1c0e5ab27d-owlet") }
            #expect(wrong == .proofRefused)
            let weak = try await operatorRefusal { try await change(OperatorWorld.password, "password1234") }
            #expect(weak == .passwordTooCommon)
            #expect(try await isLive(other.token, world))
            let next = try await change(OperatorWorld.password, "8f1c0e5ab27d-owlet")
            #expect(try await isLive(next.token, world))
            #expect(try await !isLive(other.token, world))
            #expect(try await !isLive(mia.signedIn.token, world))
            #expect(try await operatorRefusal { try await world.logIn(code: try world.code(mia.secret)) } == .loginRefused)
            _ = try await world.logIn(password: "8f1c0e5ab27d-owlet", code: try world.code(mia.secret))
        }
    }

    @Test func `another second factor holds once a code of it was shown, and the password stays`() async throws {
        try await withOperators { world in
            let mia = try await world.enrol()
            let enrolment = try await world.desk.beginFactor(in: mia.signedIn.token)
            _ = try await world.logIn(code: try world.code(mia.secret))
            let welcome = try await world.desk.confirm(
                enrolment.token, code: try world.code(enrolment.secretText), from: OperatorWorld.home)
            #expect(try await !isLive(mia.signedIn.token, world))
            #expect(try await isLive(welcome.signedIn.token, world))
            #expect(try await operatorRefusal { try await world.logIn(code: try world.code(mia.secret)) } == .loginRefused)
            _ = try await world.logIn(code: try world.code(enrolment.secretText))
        }
    }

    @Test func `language and time zone are the operator's own`() async throws {
        try await withOperators { world in
            let mia = try await world.enrol()
            let token = mia.signedIn.token
            try await world.desk.setReading(
                language: "zh-Hans", timeZone: "Asia/Shanghai", in: token, from: OperatorWorld.home)
            let identity = try await world.desk.identity(token)
            #expect(identity?.language == "zh-Hans" && identity?.timeZone == "Asia/Shanghai")
        }
    }

    // MARK: Roles

    @Test func `a role of an app stands before the one for every app, and a change holds with the next request`() async throws {
        try await withOperators { world in
            let link = try await world.desk.make(
                "mia", grants: [.init(app: nil, role: .viewer), .init(app: World.app, role: .support)], by: .commandLine)
            let token = try await world.enrol(link).signedIn.token
            let identity = try #require(try await world.desk.identity(token))
            #expect(identity.may(.seeCustomers, in: World.app) && !identity.may(.seeCustomers, in: World.other))
            #expect(identity.may(.seeHealth, in: World.other) && !identity.may(.seeOperators, in: nil))
            #expect(identity.may(.changeOneself, in: nil))
            let changed = try await world.desk.setGrants([.init(app: World.other, role: .admin)], of: "mia", by: .commandLine)
            #expect(changed.grants == [OperatorGrant(app: World.other, role: .admin)])
            let after = try #require(try await world.desk.identity(token))
            #expect(after.role(in: World.app) == nil && !after.may(.seeHealth, in: World.app))
            #expect(after.role(in: World.other) == .admin)
            #expect(!after.may(.seeOperators, in: nil), "an admin of one app is none of the others")
        }
    }

    @Test func `an operator has one role for each configured app`() async throws {
        try await withOperators { world in
            for grants in [
                [], [OperatorGrant(app: AppID("none"), role: .viewer)],
                [OperatorGrant(app: nil, role: .viewer), OperatorGrant(app: nil, role: .admin)],
            ] {
                let refusal = try await operatorRefusal { try await world.desk.make("mia", grants: grants, by: .commandLine) }
                guard case .invalid = refusal else {
                    _ = Issue.record("\(String(describing: refusal))")
                    return
                }
            }
        }
    }

    // MARK: A proxy

    @Test func `a proxy is believed by its address alone, and names one operator`() throws {
        let proxy = try TrustedProxy(header: "X-Forwarded-User", ranges: ["10.0.0.0/8", "fd00::/8", "192.0.2.7"])
        #expect(proxy.header == "x-forwarded-user")
        for address in ["10.1.2.3", "192.0.2.7", "fd00::1", "::ffff:10.1.2.3"] {
            #expect(proxy.word(["Mia@example.com"], from: address) == .of("mia@example.com"), "\(address)")
        }
        for address in ["11.0.0.1", "192.0.2.8", "fe80::1", "::ffff:11.0.0.1", "::10.1.2.3", "", "10.1.2.3, 10.1.2.4"] {
            #expect(proxy.word(["mia"], from: address) == .notFromProxy, "\(address)")
        }
        for values in [[], ["mia", "bo"], [""], ["mia,bo"], ["mia\u{0}"]] {
            #expect(proxy.word(values, from: "10.1.2.3") == .nobody, "\(values)")
        }
    }

    @Test func `a proxy cannot be configured for everybody, or with a header that is none`() {
        #expect(throws: TrustedProxy.Refusal.noRanges) { try TrustedProxy(header: "Remote-User", ranges: []) }
        #expect(throws: TrustedProxy.Refusal.header("Remote User")) { try TrustedProxy(header: "Remote User", ranges: ["::1"]) }
        #expect(throws: TrustedProxy.Refusal.header("")) { try TrustedProxy(header: "", ranges: ["::1"]) }
        #expect(throws: TrustedProxy.Refusal.range("10.0.0.1/8")) { try TrustedProxy(header: "a", ranges: ["10.0.0.1/8"]) }
    }

    @Test func `whom a proxy names is let in without a password, where there is such an operator`() async throws {
        try await withOperators { world in
            _ = try await world.desk.make("mia", grants: [OperatorGrant(app: nil, role: .support)], by: .commandLine)
            let signedIn = try await world.desk.logIn(proxied: "mia", from: OperatorWorld.home)
            #expect(try await world.desk.identity(signedIn.token)?.name == "mia")
            #expect(
                try await operatorRefusal { try await world.desk.logIn(proxied: "bo", from: OperatorWorld.home) } == .loginRefused
            )
            _ = try await world.desk.end("mia", by: .commandLine)
            #expect(
                try await operatorRefusal { try await world.desk.logIn(proxied: "mia", from: OperatorWorld.home) }
                    == .loginRefused)
        }
    }
}
