import AppStoreWire
import Crypto
import CryptoExtras
import Primitives
import SimulatorPKI
import SwiftASN1
import X509

/// The cost of a receipt compared with hashing it and its one RSA verification, which are unavoidable. One thread.
struct ReceiptFigures {
    static let purchases = 120

    let rounds: Int
    private let authority: ReceiptAuthority
    private let now: Timestamp
    private let content: [UInt8]
    private let leafKey: _RSA.Signing.PublicKey

    init(rounds: Int) throws {
        self.rounds = rounds
        now = try SignedSamples().signedAt
        authority = try ReceiptAuthority(digest: .sha256, validity: now.adding(.days(-365))...now.adding(.days(365)))
        content = Self.content(createdAt: now)
        guard let key = _RSA.Signing.PublicKey(try Certificate(derEncoded: authority.chainDER[0]).publicKey) else {
            throw BenchError("The leaf's key is not RSA.")
        }
        leafKey = key
    }

    func measure() async throws -> [Figure] {
        let der = try authority.sign(content: content)
        let signature = _RSA.Signing.RSASignature(rawRepresentation: try authority.signature(over: content))
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: []).adding(der: authority.rootDER))
        let read = try await verifier.appReceipt(der, for: SignedSamples.app, at: now).get().payload
        guard read.inApp.count == Self.purchases else { throw BenchError("Only \(read.inApp.count) purchases were read.") }
        var pairs = Pairs()
        for _ in 0..<rounds {
            let floor = try Stopwatch.rate(of: 200) {
                guard leafKey.isValidSignature(signature, for: SHA256.hash(data: content), padding: .insecurePKCS1v1_5) else {
                    throw BenchError("A signature of our own does not hold.")
                }
            }
            let ours = try await Stopwatch.rate(of: 200) {
                _ = try await verifier.appReceipt(der, for: SignedSamples.app, at: now).get()
            }
            pairs.add(floor: 1000 / floor, ours: 1000 / ours)
        }
        return [
            Figure(
                name: "receipt of \(Self.purchases) purchases, warm chain / hash and RSA", unit: "ms", floor: pairs.floors.median,
                ours: pairs.ours.median, atMost: 2, remark: "\(der.count) bytes")
        ]
    }

    /// A receipt of Apple's shape: each purchase has the seventeen attributes that real ones have.
    private static func content(createdAt instant: Timestamp) -> [UInt8] {
        var content = ReceiptContent()
        content.text(0, "Production")
        content.integer(1, 1_234_567_890)
        content.text(2, SignedSamples.app.bundleId)
        content.text(3, "1241")
        content.attribute(4, [UInt8](repeating: 7, count: 16))
        content.attribute(5, [UInt8](repeating: 9, count: 20))
        content.date(12, "\(instant)")
        content.text(19, "1.0")
        for number in 0..<purchases { content.purchase(purchase(number)) }
        return content.der
    }

    private static func purchase(_ number: Int) -> ReceiptContent {
        var purchase = ReceiptContent()
        purchase.integer(1701, 1)
        purchase.text(1702, SignedSamples.monthly)
        purchase.text(1703, "20000009000\(10_000 + number)")
        purchase.date(1704, "2026-01-01T00:00:00Z")
        purchase.text(1705, "2000000900010000")
        purchase.date(1706, "2025-01-01T00:00:00Z")
        purchase.integer(1707, 3)
        purchase.date(1708, "2026-02-01T00:00:00Z")
        purchase.integer(1710, 998_877)
        purchase.integer(1711, Int64(2_000_000_090_010_000 + number))
        purchase.date(1712, "")
        for unknown in [1713, 1714, 1716, 1717, 1718, 1719] as [Int64] { purchase.integer(unknown, 0) }
        return purchase
    }
}
