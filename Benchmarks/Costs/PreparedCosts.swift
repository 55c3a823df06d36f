import AppStoreWire
import Backend
import BenchmarkSamples
import Crypto
import Foundation
import Ledger
import Primitives
import SimulatorPKI
import Storage
import StorageSQLite

/// Everything that the counted work begins with, in files. Two preparations differ in the keys and the signatures of what is
/// signed, and the databases in nothing.
struct PreparedCosts: Sendable {
    /// When everything is signed.
    static let signedAt = Timestamp(millisecondsSince1970: 1_767_225_600_000)
    static let customerTokenSecret = Array(repeating: UInt8(7), count: 32)
    /// How many purchases the accounts have made that nobody owns.
    static let accountSizes = [10, 1000, 10_000]
    /// So many notifications, claims and purchases are prepared of each kind.
    static let each = 24

    /// The server's clock.
    struct Clock: TimeSource {
        func now() -> Timestamp { PreparedCosts.signedAt.adding(.minutes(1)) }
    }

    /// The signed samples, as text.
    struct Signed: Codable, Sendable {
        var rootDER: [UInt8]
        var transaction: String
        var notification: String
        var customerToken: String
        var receipt: [UInt8]
        var receiptRootDER: [UInt8]
        /// Bodies of renewals of the stored subscriptions of 24 periods.
        var renewals: [String]
        /// Bodies of first notifications, each of an Apple Account of its own.
        var purchases: [String]
        /// Signed transactions of stored subscriptions that nobody owns, each with its customer.
        var claims: [[String]]
        /// Bodies of first notifications of accounts with more and more purchases, in the order of `accountSizes`.
        var ofAccounts: [[String]]
    }

    let folder: URL
    let signed: Signed

    init(in folder: URL) throws {
        self.folder = folder
        signed = try JSONDecoder().decode(Signed.self, from: try Data(contentsOf: Self.file(in: folder)))
    }

    private static func file(in folder: URL) -> URL { folder.appending(path: "signed.json") }

    var verifier: AppStoreVerifier { AppStoreVerifier(roots: TrustRoots(fingerprints: []).adding(der: signed.rootDER)) }

    func backend(_ store: any Store) -> Backend {
        Backend(store: store, verifier: verifier, apps: [Renewals.app], clock: Clock())
    }

    func path(_ store: any Store) -> WritePath { WritePath(store, verifier: verifier, clock: Clock()) }

    /// The store in the prepared file.
    func store() throws -> SQLiteStore {
        try SQLiteStore(path: Self.database(in: folder).path, generator: Numbers(seed: 2))
    }

    static func database(in folder: URL) -> URL { folder.appending(path: "costs.sqlite") }
}

/// Numbers that look random and are the same each time.
struct Numbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (SplitMix64).
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func uuid() -> String {
        let (high, low) = (next(), next())
        let hex = Array(
            (0..<16).map { place in
                let word = place < 8 ? high : low
                return UInt8(truncatingIfNeeded: word >> (8 * UInt64(place % 8)))
            })
        return UUID(
            uuid: (
                hex[0], hex[1], hex[2], hex[3], hex[4], hex[5], hex[6], hex[7], hex[8], hex[9], hex[10], hex[11], hex[12],
                hex[13],
                hex[14], hex[15]
            )
        ).uuidString.lowercased()
    }
}

// MARK: Preparing

extension PreparedCosts {
    /// A subscription that was bought two years ago by a customer who uploaded it.
    private static func old(_ number: Int) -> Life {
        Life(number: number, periods: 24, lastEnds: signedAt.adding(.hours(12)))
    }

    private static let othersStored = 2000

    static func make(in folder: URL) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let renewals = try Renewals(subscriptions: 0, signedAt: signedAt)
        var (numbers, number) = (Numbers(seed: 1), 0)
        func next() -> Int {
            number += 1
            return number
        }
        let store = try SQLiteStore(path: database(in: folder).path, generator: Numbers(seed: 1))
        // Others, so that trees are as deep as in use and rows are not on one page.
        try await store.fill(
            with: (0..<othersStored).map { _ in Life(number: next(), periods: 2, lastEnds: signedAt.adding(.hours(12))) },
            shownBy: renewals.samples)
        let old = (0..<each).map { _ in Self.old(next()) }
        try await store.fill(with: old, shownBy: renewals.samples)
        let unclaimed = (0..<each).map { _ in renewals.unowned(next(), of: number) }
        try await store.fill(with: unclaimed, shownBy: renewals.samples)
        var ofAccounts: [[String]] = []
        for (index, size) in accountSizes.enumerated() {
            let account = 5_000_000 + index
            try await store.fill(with: (0..<size).map { _ in renewals.unowned(next(), of: account) }, shownBy: renewals.samples)
            ofAccounts.append(
                try (0..<each).map { _ in
                    let life = renewals.unowned(next(), of: account)
                    return text(try renewals.purchase(of: life, notificationUUID: numbers.uuid()).body)
                })
        }
        let all = number
        _ = try await store.write { try $0.seal(Life.app, at: signedAt, limit: all) }
        try store.close()
        let receipts = try ReceiptAuthority(digest: .sha256, validity: signedAt.adding(.days(-365))...signedAt.adding(.days(365)))
        let signed = Signed(
            rootDER: renewals.samples.authority.rootDER, transaction: try renewals.samples.transaction(SignedSamples.charge),
            notification: try renewals.samples.notification(SignedSamples.charge), customerToken: customerToken(),
            receipt: try receipts.sign(content: ReceiptSample.content(createdAt: signedAt)), receiptRootDER: receipts.rootDER,
            renewals: try old.map { text(try renewals.renewal(of: $0, notificationUUID: numbers.uuid()).body) },
            purchases: try (0..<each).map { _ in
                let life = renewals.unowned(next(), of: number)
                return text(try renewals.purchase(of: life, notificationUUID: numbers.uuid()).body)
            },
            claims: try unclaimed.map { [$0.customer.rawValue, try renewals.samples.transaction($0.charge(0))] },
            ofAccounts: ofAccounts)
        try JSONEncoder().encode(signed).write(to: file(in: folder))
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// As an app's backend makes it (docs/decisions/0005): HS256, valid for an hour.
    private static func customerToken() -> String {
        let now = signedAt.millisecondsSince1970 / 1000
        let claims = #"{"sub":"\#(Life.customer(1))","aud":"\#(Life.app)","iat":\#(now),"exp":\#(now + 3600)}"#
        let parts = [#"{"alg":"HS256","typ":"JWT"}"#, claims].map { StrictBase64.encodeURL(Array($0.utf8)) }
        let content = parts.joined(separator: ".")
        let key = SymmetricKey(data: customerTokenSecret)
        let mac = HMAC<SHA256>.authenticationCode(for: Array(content.utf8), using: key)
        return content + "." + StrictBase64.encodeURL(Array(mac))
    }
}
