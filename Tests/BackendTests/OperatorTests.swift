import Ledger
import OperatorFactors
import Primitives
import Storage
import Synchronization
import Testing

@testable import Backend

@Suite struct `Operators and their login` {
    // MARK: The link

    @Test func `a link is good once, for 15 minutes, and what it sets holds once a code was shown`() async throws {
        try await withOperators { world in
            let link = try await world.desk.make("mia", grants: [OperatorGrant(app: nil, role: .admin)], by: .commandLine)
            #expect(try await world.desk.name(ofLink: link) == "mia")
            #expect(try await world.desk.operators().first?.isReady == false)
            let enrolment = try await world.desk.redeem(link, password: OperatorWorld.password, from: OperatorWorld.home)
            #expect(try await world.desk.name(ofLink: link) == nil)
            #expect(
                try await operatorRefusal {
                    try await world.desk.redeem(link, password: OperatorWorld.password, from: OperatorWorld.home)
                } == .linkNotGood)
            #expect(try await world.desk.name(ofLink: enrolment.token) == nil, "it chooses no password")
            #expect(try await world.desk.operators().first?.isReady == false)
            #expect(
                try await operatorRefusal {
                    try await world.desk.confirm(enrolment.token, code: "000000", from: OperatorWorld.home)
                } == .proofRefused)
            let code = try world.code(enrolment.secretText)
            let welcome = try await world.desk.confirm(enrolment.token, code: code, from: OperatorWorld.home)
            #expect(try await world.desk.identity(welcome.signedIn.token)?.name == "mia")
            #expect(Set(welcome.recoveryCodes).count == 10)
            #expect(
                try await operatorRefusal {
                    try await world.desk.confirm(enrolment.token, code: code, from: OperatorWorld.home)
                } == .linkNotGood)
            let acts = try await world.acts()
            #expect(acts == ["commandLine madeOperator", "mia usedLink", "mia proofFailed", "mia setFactors"])
        }
    }

    @Test func `a link that is 15 minutes old is good no more, and neither is one with a newer beside it`() async throws {
        try await withOperators { world in
            let first = try await world.desk.make("mia", grants: [OperatorGrant(app: nil, role: .viewer)], by: .commandLine)
            let second = try await world.desk.makeLink(for: "mia", by: .commandLine)
            #expect(try await world.desk.name(ofLink: first) == nil)
            world.pass(Milliseconds(15 * 60_000 - 1))
            #expect(try await world.desk.name(ofLink: second) == "mia")
            world.pass(Milliseconds(1))
            #expect(try await world.desk.name(ofLink: second) == nil)
            #expect(try await operatorRefusal { try await world.enrol(second) } == .linkNotGood)
        }
    }

    @Test func `who has lost both is back with a new link; until then what they had holds, and then nothing of it`() async throws
    {
        try await withOperators { world in
            let old = try await world.enrol()
            let link = try await world.desk.makeLink(for: "MIA", by: .commandLine)
            let still = try await world.logIn(code: try world.code(old.secret))
            #expect(try await world.desk.identity(still.token) != nil)
            let new = try await world.enrol(link, password: "8f1c0e5ab27d-owlet")
            #expect(try await world.desk.identity(still.token) == nil, "ASVS 3.3.3: other sessions end")
            #expect(try await world.desk.identity(old.signedIn.token) == nil)
            #expect(try await operatorRefusal { try await world.logIn(code: try world.code(old.secret)) } == .loginRefused)
            let recovery = try await operatorRefusal {
                try await world.logIn(password: "8f1c0e5ab27d-owlet", code: old.recoveryCodes[0])
            }
            #expect(recovery == .loginRefused)
            _ = try await world.logIn(password: "8f1c0e5ab27d-owlet", code: try world.code(new.secret))
        }
    }

    @Test func `a name stands for one person for good, and an operator who was ended is let in no more`() async throws {
        try await withOperators { world in
            let mia = try await world.enrol()
            let grants = [OperatorGrant(app: nil, role: .viewer)]
            let taken = try await operatorRefusal { try await world.desk.make("Mia", grants: grants, by: .commandLine) }
            #expect(taken == .nameTaken("mia"))
            let ended = try await world.desk.end("mia", by: .commandLine)
            #expect(ended.endedBy == "commandLine" && !ended.isReady)
            #expect(try await world.desk.identity(mia.signedIn.token) == nil)
            #expect(try await operatorRefusal { try await world.logIn(code: try world.code(mia.secret)) } == .loginRefused)
            #expect(try await operatorRefusal { try await world.desk.makeLink(for: "mia", by: .commandLine) } == .ended("mia"))
            #expect(
                try await operatorRefusal { try await world.desk.make("mia", grants: grants, by: .commandLine) }
                    == .nameTaken("mia"))
            #expect(try await operatorRefusal { try await world.desk.end("bo", by: .commandLine) } == .unknown("bo"))
        }
    }

    @Test(arguments: ["", "m a", "mia!", "é", "commandLine/", String(repeating: "a", count: 65), "mia\u{0}"])
    func `nobody can be called so`(name: String) async throws {
        try await withOperators { world in
            let grants = [OperatorGrant(app: nil, role: .viewer)]
            let refusal = try await operatorRefusal { try await world.desk.make(name, grants: grants, by: .commandLine) }
            guard case .invalid("name", _) = refusal else {
                _ = Issue.record("\(String(describing: refusal))")
                return
            }
        }
    }

    @Test func `without a key for secrets nobody gets a second factor, and it is said why`() async throws {
        try await withOperators { world in
            let link = try await world.desk.make("mia", grants: [OperatorGrant(app: nil, role: .admin)], by: .commandLine)
            world.keeper.hasKey.withLock { $0 = false }
            #expect(try await operatorRefusal { try await world.enrol(link) } == .secretKeyMissing)
            world.keeper.hasKey.withLock { $0 = true }
            let mia = try await world.enrol(link)
            world.keeper.hasKey.withLock { $0 = false }
            #expect(try await operatorRefusal { try await world.logIn(code: try world.code(mia.secret)) } == .secretUnreadable)
            #expect(try await operatorRefusal { try await world.logIn(password: "x", code: "000000") } == .loginRefused)
        }
    }

    // MARK: Passwords

    @Test(arguments: [
        ("short-7Kq2w", OperatorRefusal.passwordTooShort(least: 12)), ("", .passwordTooShort(least: 12)),
        (String(repeating: "k7", count: 65), .passwordTooLong(most: 128)), ("password1234", .passwordTooCommon),
        ("mia-mia-2026", .passwordTooCommon), ("tenure-console", .passwordTooCommon),
    ])
    func `ASVS 2.1.1, 2.1.2 and 2.1.7 A password of less than 12 characters, of more than 128, or that is tried first is refused`(
        password: String, expected: OperatorRefusal
    ) async throws {
        try await withOperators { world in
            let link = try await world.desk.make("mia", grants: [OperatorGrant(app: nil, role: .admin)], by: .commandLine)
            #expect(try await operatorRefusal { try await world.enrol(link, password: password) } == expected)
            #expect(try await world.desk.name(ofLink: link) == "mia", "the link is not used up")
        }
    }

    @Test func `ASVS 2.1.2 and 2.1.3 A password of 128 characters of any kind is taken whole`() async throws {
        try await withOperators { world in
            let link = try await world.desk.make("mia", grants: [OperatorGrant(app: nil, role: .admin)], by: .commandLine)
            let long = String((0..<128).map { Character(UnicodeScalar(UInt8(33 + $0 * 37 % 90))) }.dropLast()) + "漢"
            #expect(long.unicodeScalars.count == 128)
            let mia = try await world.enrol(link, password: long)
            #expect(
                try await operatorRefusal {
                    try await world.logIn(password: String(long.dropLast()), code: try world.code(mia.secret))
                } == .loginRefused)
            _ = try await world.logIn(password: long, code: try world.code(mia.secret))
        }
    }

    // MARK: Login

    @Test func `each of name, password and code must be right, and which was not is never said`() async throws {
        try await withOperators { world in
            let mia = try await world.enrol()
            let right = try world.code(mia.secret)
            let password = OperatorWorld.password
            for (name, password, code) in [
                ("bo", password, right), ("mia", password + "x", right), ("mia", password, "000000"), ("mia", "", ""),
                ("", "", ""),
                ("mia", String(repeating: "a", count: 1_000_000), right), ("\u{0}", password, right),
            ] {
                let refusal = try await operatorRefusal { try await world.logIn(name, password: password, code: code) }
                #expect(refusal == .loginRefused, "\(name)")
            }
            let signedIn = try await world.logIn("MIA", code: right)
            #expect(try await world.desk.identity(signedIn.token)?.name == "mia")
        }
    }

    @Test func `ASVS 2.8.4 A code lets in once`() async throws {
        try await withOperators { world in
            let mia = try await world.enrol()
            let code = try world.code(mia.secret)
            _ = try await world.logIn(code: code)
            #expect(try await operatorRefusal { try await world.logIn(code: code) } == .loginRefused)
            _ = try await world.logIn(code: try world.code(mia.secret))
        }
    }

    @Test func `ASVS 2.6.1 A recovery code lets in once in place of a code`() async throws {
        try await withOperators { world in
            let mia = try await world.enrol()
            let code = mia.recoveryCodes[3]
            _ = try await world.logIn(code: code.lowercased().replacing("-", with: " "))
            #expect(try await operatorRefusal { try await world.logIn(code: code) } == .loginRefused)
            #expect(try await world.desk.operators().first?.recoveryCodesLeft == 9)
            let notes = try await world.desk.notes(OperatorNoteSearch(), limit: 10).notes
            #expect(notes.contains { $0.act.detail == "with a recovery code; 9 are left" })
            let more = try await world.desk.makeRecoveryCodes(
                in: try await world.logIn(code: mia.recoveryCodes[4]).token, from: OperatorWorld.home)
            #expect(try await operatorRefusal { try await world.logIn(code: mia.recoveryCodes[5]) } == .loginRefused)
            _ = try await world.logIn(code: more[0])
        }
    }

    @Test func `what is kept is neither a password nor a code, a secret or a token`() async throws {
        try await withOperators { world in
            let mia = try await world.enrol()
            let tables = ["operator", "operatorLink", "operatorSession", "operatorAudit", "loginFailure", "operatorSearch"]
            let kept = try tables.flatMap { try world.world.texts("SELECT \(Self.all($0)) FROM \($0)") }.joined().uppercased()
            #expect(kept.contains("SCRYPT"))
            let plain = [OperatorWorld.password, mia.secret, mia.signedIn.token.text] + mia.recoveryCodes
            for secret in plain + plain.map({ $0.replacing("-", with: "") }) {
                #expect(!kept.contains(secret.uppercased()))
                #expect(!kept.contains(Hexadecimal.encode(Array(secret.utf8)).uppercased()))
            }
            let bytes = try #require(StrictBase64.decodeURL(Array(mia.signedIn.token.text.utf8)[...]))
            #expect(!kept.contains(Hexadecimal.encode(bytes).uppercased()))
        }
    }

    private static func all(_ table: String) -> String {
        switch table {
        case "operator": "name || grants || factors"
        case "operatorLink": "hex(digest) || name || coalesce(chosen, '')"
        case "operatorSession": "hex(digest) || name || address || userAgent"
        case "operatorAudit": "actor || what || auditRow"
        case "loginFailure": "subject"
        default: "words"
        }
    }

    // MARK: Slowing down

    @Test func `ASVS 2.2.1 A thousand wrong passwords slow down those who try, and never lock the right one out`() async throws {
        try await withOperators { world in
            let mia = try await world.enrol()
            let elsewhere = OperatorClient(address: "198.51.100.7", userAgent: "Script")
            var waits: [Int64] = []
            for _ in 0..<1000 {
                if let seconds = try await world.fail(from: elsewhere) {
                    waits.append(seconds)
                    world.pass(.seconds(seconds))
                    #expect(try await world.fail(from: elsewhere) == nil)
                }
            }
            #expect(Array(waits.prefix(8)) == [1, 2, 4, 8, 16, 32, 60, 60])
            #expect(waits.allSatisfy { (1...60).contains($0) })
            // From where the operator has logged in before nobody waits for what others did.
            _ = try await world.logIn(code: try world.code(mia.secret))
            for _ in 0..<60 {
                if let seconds = try await world.fail(from: elsewhere) { world.pass(.seconds(seconds)) }
            }
            // From anywhere else the right one is let in after a minute at the most.
            let third = OperatorClient(address: "203.0.113.9", userAgent: "Browser")
            let refusal = try await operatorRefusal { try await world.logIn(code: try world.code(mia.secret), from: third) }
            guard case .tooSoon(let seconds) = refusal else {
                _ = Issue.record("\(String(describing: refusal))")
                return
            }
            #expect((1...60).contains(seconds))
            world.pass(.seconds(seconds))
            _ = try await world.logIn(code: try world.code(mia.secret), from: third)
            let fourth = OperatorClient(address: "203.0.113.10", userAgent: "Browser")
            #expect(try await world.fail(from: fourth) == nil, "the name is forgiven")
        }
    }

    @Test func `names that nobody has slow down as others do, and are not written into the audit as they were typed`()
        async throws
    {
        try await withOperators { world in
            _ = try await world.enrol()
            var waits: [Int64?] = []
            for number in 0..<11 {
                let client = OperatorClient(address: "198.51.100.\(number)", userAgent: "Script")
                waits.append(try await world.fail("hunter2password", from: client))
            }
            #expect(waits == Array(repeating: nil, count: 10) + [1])
            #expect(try await world.acts().count { $0 == "nobodyKnown loginFailed" } == 10)
            let kept =
                try world.world.texts("SELECT auditRow FROM operatorAudit")
                + world.world.texts("SELECT subject FROM loginFailure")
            #expect(!kept.contains { $0.contains("hunter2") })
        }
    }

    @Test func `one who tries many names from one network is slowed down, also by an IPv6 address of it each time`() async throws
    {
        try await withOperators { world in
            _ = try await world.enrol()
            var waits: [Int64?] = []
            for number in 0..<11 {
                let client = OperatorClient(address: "2001:db8:1:2::\(number)", userAgent: "Script")
                waits.append(try await world.fail("name\(number)", from: client))
            }
            #expect(waits == Array(repeating: nil, count: 10) + [1])
            let neighbour = OperatorClient(address: "2001:db8:1:3::1", userAgent: "Script")
            #expect(try await world.fail("name20", from: neighbour) == nil)
        }
    }

    @Test func `many failures do not fill the audit`() async throws {
        try await withOperators { world in
            for number in 0..<60 {
                let client = OperatorClient(address: "198.51.100.\(number)", userAgent: "Script")
                if let seconds = try await world.fail("bo", from: client) { world.pass(.seconds(seconds)) }
            }
            #expect(try await world.acts().count == 10)
        }
    }
}
