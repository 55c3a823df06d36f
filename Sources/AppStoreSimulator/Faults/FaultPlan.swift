internal import AppStoreModel
package import Primitives

/// Something that goes wrong on purpose where the App Store answers.
package struct Fault: Sendable, Hashable, Codable {
    /// Which face.
    package enum Face: String, Sendable, Hashable, CaseIterable, Codable {
        case serverAPI, verifyReceipt
    }

    /// What goes wrong.
    package enum Kind: Sendable, Hashable, Codable {
        /// An HTML page in place of JSON, as a proxy or an overloaded front end answers.
        case html
        /// Half of the right answer, with all of its headers.
        case truncated
        /// Only a status, 400 to 599, and Apple's error body if it has one.
        case status(Int)
        /// 429 with `Retry-After`, this many milliseconds from now.
        case rateLimited(Milliseconds)
        /// The right answer, this much later.
        case slow(Milliseconds)
        /// The connection is held this long and nothing is answered.
        case timeout(Milliseconds)
        /// `/verifyReceipt`: this `status`.
        case receiptStatus(Int64)
        /// The state of when the fault was set, without later changes.
        case stale
    }

    package var face: Face
    package var kind: Kind
    /// Only paths that contain this text; nil: every path.
    package var path: String?
    /// Only this environment; nil: both.
    package var environment: Environment?
    /// This many times; nil: until it is removed.
    package var times: Int64?
    /// In how many of a thousand requests; chosen at random from the seed.
    package var perMille: Int64 = 1000

    package init(face: Face, kind: Kind) {
        self.face = face
        self.kind = kind
    }
}

/// The faults that are set, and their random choice.
struct FaultPlan: Sendable, Hashable, Codable {
    private(set) var faults: [Fault] = []
    private var randomness = SplitMix(state: 1)
    /// The store as it was when the first stale fault was set.
    private(set) var stale: AppStore?

    static let maximumFaults = 100

    mutating func set(_ faults: [Fault], seed: UInt64, store: AppStore) {
        self.faults = Array(faults.prefix(Self.maximumFaults))
        randomness = SplitMix(state: seed)
        let isStale = faults.contains { $0.kind == .stale }
        stale = isStale ? stale ?? store : nil
    }

    /// What goes wrong with this request: the first fault that applies to it and is chosen; nil: nothing.
    mutating func strike(_ face: Fault.Face, path: String, _ environment: Environment) -> Fault.Kind? {
        for place in faults.indices {
            let fault = faults[place]
            guard fault.face == face, fault.environment ?? environment == environment,
                fault.path.map({ path.contains($0) }) ?? true
            else { continue }
            guard fault.perMille >= 1000 || randomness.next() % 1000 < UInt64(max(0, fault.perMille)) else { continue }
            guard let times = fault.times else { return fault.kind }
            if times > 1 { faults[place].times = times - 1 } else { faults.remove(at: place) }
            return fault.kind
        }
        return nil
    }
}
