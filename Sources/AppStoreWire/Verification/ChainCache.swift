internal import Crypto
internal import Synchronization

/// Remembers which chains are valid, up to a limit.
///
/// A verified chain is found by two keys. The first is the whole header, byte for byte: the usual case, which skips even reading
/// the header. Its entry is made only after a signature over that header was valid, so only the signer can add one. The second is
/// the certificates, so that a forger who varies the header around a genuine chain causes no chain verification. Refused chains
/// are kept separately and cannot push out verified ones.
final class ChainCache: Sendable {
    private struct Entries {
        var byHeader: BoundedTable<HeaderKey, VerifiedChain>
        var byCertificates: BoundedTable<Fingerprint, VerifiedChain>
        var refused: BoundedTable<Fingerprint, ChainRefusal>
        var counters = ChainCounters()
    }

    private let entries: Mutex<Entries>

    init(limits: JWSLimits) {
        entries = Mutex(
            Entries(
                byHeader: BoundedTable(limit: limits.rememberedChains),
                byCertificates: BoundedTable(limit: limits.rememberedChains),
                refused: BoundedTable(limit: limits.rememberedRefusals)))
    }

    func chain(header: ArraySlice<UInt8>) -> VerifiedChain? {
        let header = HeaderKey(header)
        return entries.withLock { entries in
            let chain = entries.byHeader[header]
            if chain != nil { entries.counters.warm += 1 }
            return chain
        }
    }

    /// The chain that certificates form: remembered, or verified now and remembered, whatever the outcome.
    nonisolated(nonsending) func chain(
        of certificates: [[UInt8]], verifiedBy verifier: ChainVerifier
    ) async throws(ChainRefusal) -> VerifiedChain {
        let key = Fingerprint(certificates)
        if let known = chain(certificates: key) { return try known.get() }
        let outcome = await verifier.verify(certificates)
        remember(outcome, certificates: key)
        return try outcome.get()
    }

    private func chain(certificates: Fingerprint) -> Result<VerifiedChain, ChainRefusal>? {
        entries.withLock { entries in
            if let chain = entries.byCertificates[certificates] { return .success(chain) }
            return entries.refused[certificates].map { .failure($0) }
        }
    }

    private func remember(_ outcome: Result<VerifiedChain, ChainRefusal>, certificates: Fingerprint) {
        entries.withLock { entries in
            entries.counters.verified += 1
            switch outcome {
            case .success(let chain): entries.byCertificates[certificates] = chain
            case .failure(let refusal): entries.refused[certificates] = refusal
            }
        }
    }

    /// To be called only after a signature over that header was valid.
    func remember(_ chain: VerifiedChain, header: ArraySlice<UInt8>) {
        // A copy, so that the key does not keep the whole JWS alive.
        let header = HeaderKey(Array(header)[...])
        entries.withLock { $0.byHeader[header] = chain }
    }

    /// The verified chains that are remembered, each once.
    var remembered: [VerifiedChain] {
        entries.withLock { entries in
            let all = entries.byCertificates.values + entries.byHeader.values
            return Array(Dictionary(all.map { (ObjectIdentifier($0.use), $0) }, uniquingKeysWith: { first, _ in first }).values)
        }
    }

    var counters: ChainCounters {
        entries.withLock { entries in
            var counters = entries.counters
            counters.rememberedChains = entries.byHeader.count + entries.byCertificates.count
            counters.rememberedRefusals = entries.refused.count
            return counters
        }
    }
}

/// What the chain cache did since it was made, for tests and metrics.
package struct ChainCounters: Sendable, Hashable {
    /// JWS whose header was known.
    package var warm = 0
    /// How often three certificates were passed to the chain verifier, whatever the outcome.
    package var verified = 0
    /// Entries that lead to a verified chain now.
    package var rememberedChains = 0
    /// Refused chains that are remembered now.
    package var rememberedRefusals = 0
}

/// A header in base64url, as a key: equal only byte for byte, which costs a tenth of a digest.
struct HeaderKey: Hashable, Sendable {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    static func == (left: HeaderKey, right: HeaderKey) -> Bool {
        guard left.bytes.count == right.bytes.count else { return false }
        return left.bytes.withUnsafeBytes { left in
            right.bytes.withUnsafeBytes { right in
                var position = 0
                while position + 8 <= left.count {
                    let mine = left.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                    if mine != right.loadUnaligned(fromByteOffset: position, as: UInt64.self) { return false }
                    position += 8
                }
                return left[position...].elementsEqual(right[position...])
            }
        }
    }

    /// Hashes the length and the bytes that contain the leaf's serial number; only genuine signers fill the table, so nobody else
    /// can make its keys collide.
    func hash(into hasher: inout Hasher) {
        hasher.combine(bytes.count)
        bytes.dropFirst(40).prefix(64).withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

/// A SHA-256, as a key.
struct Fingerprint: Hashable, Sendable {
    private let words: SIMD4<UInt64>

    /// The fingerprint of several runs, each preceded by its length, so that moving a boundary changes the fingerprint.
    init(_ runs: [[UInt8]]) {
        var hash = SHA256()
        for run in runs {
            withUnsafeBytes(of: UInt64(run.count)) { hash.update(bufferPointer: $0) }
            hash.update(data: run)
        }
        self.init(hash.finalize())
    }

    private init(_ digest: SHA256Digest) {
        words = digest.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }
}

/// A dictionary that drops entries that were not used for long: a young and an old generation of half the limit each.
struct BoundedTable<Key: Hashable, Value> {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private let half: Int

    init(limit: Int) { half = max(1, limit / 2) }

    var count: Int { young.count + old.count }

    var values: [Value] { Array(young.values) + Array(old.values) }

    subscript(key: Key) -> Value? {
        mutating get {
            if let value = young[key] { return value }
            guard let value = old.removeValue(forKey: key) else { return nil }
            insert(value, key)
            return value
        }
        set {
            guard let newValue else { return }
            old[key] = nil
            insert(newValue, key)
        }
    }

    private mutating func insert(_ value: Value, _ key: Key) {
        if young.count >= half, young[key] == nil {
            old = young
            young = [:]
        }
        young[key] = value
    }
}
