import AppStoreWire
import BenchmarkSamples
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Primitives
import Server
import SimulatorPKI
import SwiftASN1
import Synchronization
import X509

/// The minimum work of a server for a notification: read the body, hash it, verify three signatures with prepared digests and
/// keys, write prepared rows in group commits, answer. No JSON, no certificates, no rules.
final class NullPipeline: Sendable {
    static let path = "/floor/notifications"

    /// What is known about a body before it arrives.
    private struct Expected: Sendable {
        let body: SHA256Digest
        let signatures: [(P256.Signing.ECDSASignature, SHA256Digest)]
        let rows: CapturedRows
    }

    private let key: P256.Signing.PublicKey
    private let expected = Mutex<[Expected]>([])
    private let queue: RowQueue

    init(samples: SignedSamples, writer: @escaping @Sendable () throws -> RowWriter) throws {
        let leaf = try Certificate(derEncoded: samples.authority.chainDER[0])
        guard let key = P256.Signing.PublicKey(leaf.publicKey) else { throw BenchError("The leaf's key is not P-256.") }
        self.key = key
        queue = RowQueue(writer)
    }

    /// The next bodies, by their number, and the rows to write for each.
    func expect(_ renewals: [Renewals.Renewal], _ rows: [CapturedRows]) throws {
        let all = try zip(renewals, rows).map {
            Expected(body: SHA256.hash(data: $0.body), signatures: try Self.signatures(in: $0), rows: $1)
        }
        expected.withLock { $0 = all }
    }

    /// The signatures of the notification, its transaction and its renewal info.
    private static func signatures(in renewal: Renewals.Renewal) throws -> [(P256.Signing.ECDSASignature, SHA256Digest)] {
        let jws = [renewal.jws, renewal.transaction, renewal.renewalInfo]
        return try jws.map { text in
            let bytes = Array(text.utf8)
            guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), let raw = StrictBase64.decodeURL(bytes[(dot + 1)...]) else {
                throw BenchError("A sample is not a compact JWS.")
            }
            return (try P256.Signing.ECDSASignature(rawRepresentation: raw), SHA256.hash(data: bytes[..<dot]))
        }
    }

    func add(to router: Router<ServerContext>) {
        router.post(RouterPath(Self.path)) { [self] request, _ in
            let number = request.headers[Self.number].flatMap { Int($0) } ?? -1
            let body = try await request.body.collect(upTo: 1 << 20)
            let digest = body.withUnsafeReadableBytes { SHA256.hash(data: $0) }
            let known = expected.withLock { $0.indices.contains(number) ? $0[number] : nil }
            guard let known, digest == known.body else { return Response(status: .badRequest) }
            for (signature, digest) in known.signatures where !key.isValidSignature(signature, for: digest) {
                return Response(status: .unauthorized)
            }
            try await queue.submit(known.rows)
            return Response(status: .ok)
        }
    }

    func stop() { queue.stop() }

    private static let number = HTTPField.Name("X-Number") ?? .date
}

/// Group commit by one thread: everything that waits goes into the next transaction.
private final class RowQueue: Sendable {
    /// The product's limit for one transaction.
    private static let batch = 128

    private struct Line {
        var waiting: [(rows: CapturedRows, continuation: CheckedContinuation<Void, any Error>)] = []
        var isStopped = false
    }

    private let line = Mutex(Line())
    private let wakes = DispatchSemaphore(value: 0)

    init(_ writer: @escaping @Sendable () throws -> RowWriter) {
        let thread = Thread { [self] in work(Result { try writer() }) }
        thread.start()
    }

    func submit(_ rows: CapturedRows) async throws {
        try await withCheckedThrowingContinuation { continuation in
            line.withLock { $0.waiting.append((rows, continuation)) }
            wakes.signal()
        }
    }

    func stop() {
        line.withLock { $0.isStopped = true }
        wakes.signal()
    }

    private func work(_ writer: Result<RowWriter, any Error>) {
        while true {
            wakes.wait()
            let (batch, isStopped) = line.withLock { line in
                let batch = Array(line.waiting.prefix(Self.batch))
                line.waiting.removeFirst(batch.count)
                return (batch, line.isStopped)
            }
            if !batch.isEmpty {
                let result = Result { try writer.get().write(CapturedRows.transaction(batch.map(\.rows))) }
                for waiter in batch { waiter.continuation.resume(with: result) }
            }
            if isStopped { return }
        }
    }
}
