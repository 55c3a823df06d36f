import Dispatch
import OperatorFactors
import Primitives
import Synchronization
import Testing

@Suite struct Passwords {
    /// How many bodies run, and how many did at the most.
    private final class Running: Sendable {
        let counts = Mutex([0, 0])
    }

    /// RFC 7914, section 12; the first 32 bytes of each result, which PBKDF2 makes by themselves.
    @Test(arguments: [
        ("password", "NaCl", 10, 16, "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"),
        ("pleaseletmein", "SodiumChloride", 14, 1, "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"),
    ])
    func `RFC 7914 A hash is the one of the document`(
        password: String, salt: String, logN: Int, parallelism: Int, key: String
    ) throws {
        let cost = PasswordHash.Cost(logN: logN, blockSize: 8, parallelism: parallelism)
        let hash = try PasswordHash(of: password, salt: Array(salt.utf8), cost: cost)
        let last = try #require(hash.text.split(separator: "$").last)
        #expect(StrictBase64.decodeURL(Array(last.utf8)[...]) == Hexadecimal.decode(key))
    }

    /// Made with `hashlib.scrypt` of Python.
    private static let python = "$scrypt$ln=10,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$jH2Q0DVu_biUHDn5RfgnP5UFEFC5iPDs9jIYmGfMTIE"

    @Test func `a hash that another program made is read, and the password is found to be its own`() throws {
        let hash = try #require(PasswordHash(text: Self.python))
        #expect(hash.text == Self.python)
        #expect(try hash.matches("correct horse é"))
        #expect(try !hash.matches("correct horse e\u{301}"), "it is bytes that are compared")
        #expect(try !hash.matches("correct horse "))
        #expect(try !hash.matches(""))
    }

    @Test func `ASVS 2.1.3 A password is not cut: each of 128 characters counts`() throws {
        let long = String(repeating: "é", count: 127)
        let hash = try PasswordHash(of: long + "a", salt: Array(0..<16), cost: .init(logN: 4))
        #expect(try hash.matches(long + "a"))
        #expect(try !hash.matches(long + "b"))
        #expect(try !hash.matches(long))
    }

    @Test(arguments: [
        "", "$scrypt$", "$scrypt$ln=10,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$AA", "$scrypt$ln=30,r=8,p=1$AAEC$",
        "$scrypt$ln=10,r=999,p=1$AAEC$", "$scrypt$r=8,ln=10,p=1$AAEC$", "$scrypt$ln=-1,r=8,p=1$AAEC$", "$argon2id$v=19$m=1$AAEC$",
    ])
    func `what is no hash of ours, or would take more memory than ours do, is not read`(text: String) {
        #expect(PasswordHash(text: text) == nil)
        #expect(PasswordHash(text: text + String(repeating: "A", count: 43)) == nil)
    }

    @Test func `a hash with bounded work is read`() {
        #expect(PasswordHash(text: "$scrypt$ln=10,r=8,p=1$AAEC$" + String(repeating: "A", count: 43)) != nil)
    }

    @Test func `ASVS 2.4.1 The standard cost is 128 MiB for one password, and each salt has 16 random bytes`() {
        let cost = PasswordHash.Cost.standard
        #expect(128 * cost.blockSize << cost.logN == 128 << 20)
        #expect(PasswordHash.saltBytes == 16)
    }

    @Test func `no password is nobody's`() throws {
        let nobody = PasswordHash.ofNobody(.init(logN: 4))
        for password in ["", "password", "correct horse"] { #expect(try !nobody.matches(password)) }
    }

    /// Entries of the published lists of the most used passwords that have 12 characters and more, and what people make of them.
    @Test(arguments: [
        "password1234", "Password123!", "P@ssw0rd2026", "qwertyuiop123", "123456789012", "1q2w3e4r5t6y", "1qaz2wsx3edc",
        "qwerty123456", "123456qwerty", "111111111111", "abcabcabcabc", "qazwsxedcrfv", "iloveyou1234", "Summer2026!!!",
        "administrator", "zaq12wsxcde3", "welcomewelcome", "letmein12345", "987654321000", "adminadmin12", "йцукенгшщзхъ",
        "1234qwerasdf", "basketball123", "december2025", "superman1234", "aaaaaaaaaaaab", "123123123123", "passwordpassword",
        "correct horse battery staple", "summer-summer-2026",
    ])
    func `ASVS 2.1.7 A password that is tried first is refused`(password: String) { #expect(WeakPassword.isWeak(password)) }

    @Test(arguments: [
        "vT7#kq2Lw9xZ", "garment-plinth-owlet-96", "the quick otter reads Kafka", "xkeydpqmvbtw", "plover kiosk tundra vellum",
        "8f1c0e5ab27d", "Молоко течёт вверх", "我每天早上喝三杯绿茶然后去跑步",
    ])
    func `a password that nobody would try first is taken`(password: String) { #expect(!WeakPassword.isWeak(password)) }

    @Test func `a password made of one's own name is refused`() {
        #expect(WeakPassword.isWeak("gwendolyn-2026", context: ["gwendolyn"]))
        #expect(!WeakPassword.isWeak("gwendolyn-2026", context: []))
    }

    @Test func `one password is hashed at a time, four stand behind it, and more are refused`() async throws {
        let (bench, gate) = (PasswordBench(), DispatchSemaphore(value: 0))
        let running = Running()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0...PasswordBench.queue {
                group.addTask {
                    try await bench.run {
                        running.counts.withLock { $0 = [$0[0] + 1, max($0[1], $0[0] + 1)] }
                        gate.wait()
                        running.counts.withLock { $0[0] -= 1 }
                    }
                }
            }
            while bench.count <= PasswordBench.queue { await Task.yield() }
            await #expect(throws: PasswordBench.Full.self) { try await bench.run {} }
            for _ in 0...PasswordBench.queue { gate.signal() }
            try await group.waitForAll()
        }
        #expect(running.counts.withLock { $0 } == [0, 1])
        #expect(bench.count == 0)
        try await bench.run {}
    }
}
