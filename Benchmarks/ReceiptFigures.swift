import AppStoreWire
import BenchmarkSamples
import Crypto
import CryptoExtras
import Primitives
import SimulatorPKI
import SwiftASN1
import X509

/// The cost of a receipt compared with hashing it and its one RSA verification, which are unavoidable. One thread.
struct ReceiptFigures {
    let effort: Effort
    private let authority: ReceiptAuthority
    private let now: Timestamp
    private let content: [UInt8]
    private let leafKey: _RSA.Signing.PublicKey

    init(_ effort: Effort) throws {
        self.effort = effort
        now = try SignedSamples().signedAt
        authority = try ReceiptAuthority(digest: .sha256, validity: now.adding(.days(-365))...now.adding(.days(365)))
        content = ReceiptSample.content(createdAt: now)
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
        guard read.inApp.count == ReceiptSample.purchases else {
            throw BenchError("Only \(read.inApp.count) purchases were read.")
        }
        var pairs = Pairs()
        for _ in 0..<effort.rounds {
            let floor = try Stopwatch.rate(of: effort.part(of: 200)) {
                guard leafKey.isValidSignature(signature, for: SHA256.hash(data: content), padding: .insecurePKCS1v1_5) else {
                    throw BenchError("A signature of our own does not hold.")
                }
            }
            let ours = try await Stopwatch.rate(of: effort.part(of: 200)) {
                _ = try await verifier.appReceipt(der, for: SignedSamples.app, at: now).get()
            }
            pairs.add(floor: 1000 / floor, ours: 1000 / ours)
        }
        return [
            Figure(
                name: "receipt of \(ReceiptSample.purchases) purchases, warm chain / hash and RSA", unit: "ms",
                floor: pairs.floors.median,
                ours: pairs.ours.median, atMost: 2, remark: "\(der.count) bytes")
        ]
    }
}
