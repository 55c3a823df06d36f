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
        /// Only a status, 400 to 599, and Apple's error body if it has one; 401 has none.
        case status(Int)
        /// 429 with `Retry-After`, this many milliseconds from now.
        case rateLimited(Milliseconds)
        /// The right answer, this much later in real time.
        case slow(Milliseconds)
        /// The right answer, once the store's clock is this much later.
        case slowOnClock(Milliseconds)
        /// 504, this much later in real time, as of a gateway that gave up.
        case timeout(Milliseconds)
        /// No answer: the connection is held until the caller closes it.
        case hang
        /// `/verifyReceipt`: this `status`.
        case receiptStatus(Int64)
        /// The state of when the fault was set, without later changes.
        case stale
    }

    package var face: Face
    package var kind: Kind
    /// Only paths that contain this text; nil: every path.
    package var path: String?
    /// Only this endpoint; nil: all of them. Of the App Store Server API alone.
    package var endpoint: ServiceEndpoint?
    /// Only callers whose token names this bundle id, rightly or not; nil: every caller. Of the App Store Server API alone.
    package var app: String?
    /// Only this environment; nil: both.
    package var environment: Environment?
    /// From this instant of the store's clock on; nil: at once.
    package var from: Timestamp?
    /// Before this instant of the store's clock; nil: without end.
    package var until: Timestamp?
    /// This many times; nil: until it is removed.
    package var times: Int64?
    /// In how many of a thousand requests; chosen at random from the seed.
    package var perMille: Int64 = 1000

    package init(face: Face, kind: Kind) {
        self.face = face
        self.kind = kind
    }
}

/// A request of a face, by what faults are about.
struct AskedCall: Sendable, Hashable {
    let face: Fault.Face
    let environment: Environment
    let path: String
    /// Nil for `/verifyReceipt`, and for an address that the App Store Server API does not have.
    var endpoint: ServiceEndpoint?
    /// As the caller's token says, whether it is right or not.
    var bundleId: String?
}

extension Fault {
    fileprivate func applies(to call: AskedCall, at now: Timestamp) -> Bool {
        face == call.face && environment ?? call.environment == call.environment
            && path.map { call.path.contains($0) } ?? true && endpoint.map { $0 == call.endpoint } ?? true
            && app.map { $0 == call.bundleId } ?? true && from.map { now >= $0 } ?? true && until.map { now < $0 } ?? true
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
    mutating func strike(_ call: AskedCall, at now: Timestamp) -> Fault.Kind? {
        for place in faults.indices {
            let fault = faults[place]
            guard fault.applies(to: call, at: now) else { continue }
            guard fault.perMille >= 1000 || randomness.next() % 1000 < UInt64(max(0, fault.perMille)) else { continue }
            guard let times = fault.times else { return fault.kind }
            if times > 1 { faults[place].times = times - 1 } else { faults.remove(at: place) }
            return fault.kind
        }
        return nil
    }
}
