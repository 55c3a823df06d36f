internal import Crypto
internal import Synchronization

/// Remembers which chains hold, within a bound.
///
/// Two keys lead to a verified chain. By the whole header: the usual case, which skips even reading the header; an entry is
/// made only once a signature over that header held, so nobody but the signer can fill it. By the three certificates: so that a
/// forger who varies the header around a true chain costs us no chain verification. Refused chains are kept apart and cannot
/// push out verified ones.
final class ChainCache: Sendable {
    private struct Entries {
        var byHeader: BoundedTable<VerifiedChain>
        var byCertificates: BoundedTable<VerifiedChain>
        var refused: BoundedTable<ChainRefusal>
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

    func chain(header: Fingerprint) -> VerifiedChain? {
        entries.withLock { entries in
            let chain = entries.byHeader[header]
            if chain != nil { entries.counters.warm += 1 }
            return chain
        }
    }

    func chain(certificates: Fingerprint) -> Result<VerifiedChain, ChainRefusal>? {
        entries.withLock { entries in
            if let chain = entries.byCertificates[certificates] { return .success(chain) }
            return entries.refused[certificates].map { .failure($0) }
        }
    }

    func remember(_ outcome: Result<VerifiedChain, ChainRefusal>, certificates: Fingerprint) {
        entries.withLock { entries in
            entries.counters.verified += 1
            switch outcome {
            case .success(let chain): entries.byCertificates[certificates] = chain
            case .failure(let refusal): entries.refused[certificates] = refusal
            }
        }
    }

    /// To be called only after a signature over that header held.
    func remember(_ chain: VerifiedChain, header: Fingerprint) {
        entries.withLock { $0.byHeader[header] = chain }
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
    /// Times that three certificates were handed to the chain verifier, whatever came of it.
    package var verified = 0
    /// Entries that lead to a verified chain now.
    package var rememberedChains = 0
    /// Refused chains that are remembered now.
    package var rememberedRefusals = 0
}

/// A SHA-256, as a key.
struct Fingerprint: Hashable, Sendable {
    private let words: SIMD4<UInt64>

    /// Of one run of bytes.
    init(_ bytes: ArraySlice<UInt8>) {
        self.init(SHA256.hash(data: bytes))
    }

    /// Of several runs, each with its length before it, so that moving a boundary changes the fingerprint.
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

/// A dictionary that forgets what was not used for long: a young and an old generation of half the limit each.
struct BoundedTable<Value> {
    private var young: [Fingerprint: Value] = [:]
    private var old: [Fingerprint: Value] = [:]
    private let half: Int

    init(limit: Int) { half = max(1, limit / 2) }

    var count: Int { young.count + old.count }

    subscript(key: Fingerprint) -> Value? {
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

    private mutating func insert(_ value: Value, _ key: Fingerprint) {
        if young.count >= half, young[key] == nil {
            old = young
            young = [:]
        }
        young[key] = value
    }
}
