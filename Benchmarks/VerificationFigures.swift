import AppStoreWire
import BenchmarkSamples
import Crypto
import Primitives
import SimulatorPKI
import SwiftASN1
import X509

/// The cost of a verified payload compared with its P-256 verifications, which are unavoidable. One thread.
struct VerificationFigures {
    let effort: Effort
    private let samples: SignedSamples

    init(_ effort: Effort) throws {
        self.effort = effort
        samples = try SignedSamples()
    }

    func measure() async throws -> [Figure] {
        let transaction = try samples.transaction(SignedSamples.charge)
        let renewalInfo = try samples.renewalInfo(SignedSamples.charge)
        let notification = try samples.notification(SignedSamples.charge)
        let verifier = AppStoreVerifier(roots: samples.roots)
        let now = samples.signedAt
        let (transactionBytes, notificationBytes) = (Array(transaction.utf8), Array(notification.utf8))
        let single = try await pairs(batch: effort.part(of: 4000), floor: [transaction]) {
            _ = try await verifier.transaction(transactionBytes, for: SignedSamples.app, at: now).get()
        }
        let whole = try await pairs(batch: effort.part(of: 1200), floor: [notification, transaction, renewalInfo]) {
            _ = try await verifier.notification(notificationBytes, for: SignedSamples.app, at: now).get()
        }
        let cold = try await coldRate(transactionBytes)
        let size = "\(transactionBytes.count) bytes"
        return [
            Figure("transaction, warm chain / one P-256 verification", rates: single, target: 0.8, remark: size),
            Figure(
                "notification, warm chain / its three P-256 verifications", rates: whole, target: 0.8,
                remark: "\(notificationBytes.count) bytes"),
            Figure(name: "transaction, chain never seen", unit: "1/s", ours: cold, remark: "two P-384 verifications more"),
        ]
    }

    private func pairs(
        batch: Int, floor texts: [String], ours: nonisolated(nonsending) () async throws -> Void
    ) async throws -> Pairs {
        let bare = try BareVerification(samples: samples, jws: texts.map { Array($0.utf8) })
        try await ours()
        var pairs = Pairs()
        for _ in 0..<effort.rounds {
            let floor = try Stopwatch.rate(of: batch) { try bare.run() }
            pairs.add(floor: floor, ours: try await Stopwatch.rate(of: batch, ours))
        }
        return pairs
    }

    private func coldRate(_ transaction: [UInt8]) async throws -> Double {
        var rates: [Double] = []
        for _ in 0..<effort.rounds {
            let rate = try await Stopwatch.rate(of: effort.part(of: 100)) {
                let stranger = AppStoreVerifier(roots: samples.roots)
                _ = try await stranger.transaction(transaction, for: SignedSamples.app, at: samples.signedAt).get()
            }
            rates.append(rate)
        }
        return rates.median
    }
}

/// The unavoidable work: hashing the signing inputs and their P-256 verifications, with everything prepared.
struct BareVerification: Sendable {
    private struct Input: Sendable {
        let signed: [UInt8]
        let signature: P256.Signing.ECDSASignature
    }

    private let inputs: [Input]
    private let leafKey: P256.Signing.PublicKey

    init(samples: SignedSamples, jws: [[UInt8]]) throws {
        let leaf = try Certificate(derEncoded: samples.authority.chainDER[0])
        guard let key = P256.Signing.PublicKey(leaf.publicKey) else { throw BenchError("The leaf's key is not P-256.") }
        leafKey = key
        inputs = try jws.map { bytes in
            guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), let raw = StrictBase64.decodeURL(bytes[(dot + 1)...]) else {
                throw BenchError("A sample is not a compact JWS.")
            }
            return Input(signed: Array(bytes[..<dot]), signature: try P256.Signing.ECDSASignature(rawRepresentation: raw))
        }
    }

    func run() throws {
        for input in inputs where !leafKey.isValidSignature(input.signature, for: input.signed) {
            throw BenchError("A signature of our own does not hold.")
        }
    }
}
