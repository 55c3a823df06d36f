import AppStoreWire
package import Ledger
package import Primitives
import Storage

/// Notifications that Apple signed and this server cannot apply: what they say cannot be read, or the books refuse it. Each is
/// kept before Apple is answered, shown, and tried again (RECON-4).
extension Backend {
    /// A notification that is kept and not applied yet.
    package struct ParkedNotification: Sendable, Hashable {
        /// Apple's `notificationUUID`.
        package let id: String
        package let receivedAt: Timestamp
        /// Why it was not applied, at the last attempt.
        package let reason: String
        package let attempts: Int64
        /// When it is tried next.
        package let triedNextAt: Timestamp
        /// As Apple posted it.
        package let signedPayload: String
    }

    /// Those of an app's environment, by when they are tried next; at most ``longestParked``.
    package func parkedNotifications(app id: AppID, environment: Environment) async throws -> [ParkedNotification] {
        try settings(of: id).checkTakes(environment)
        let scope = Scope(app: id, environment: environment)
        return try await translatingStorageErrors {
            try await store.unfinished(of: .applyNotification, in: scope, limit: Self.longestParked).map { work in
                let body = try StateCoding.decode(ParkedBody.self, from: work.order.body)
                return ParkedNotification(
                    id: String(work.order.subject.dropFirst(ParkedBody.prefix.count)), receivedAt: body.receivedAt,
                    reason: work.lastError ?? body.reason, attempts: work.attempts, triedNextAt: work.order.dueAt,
                    signedPayload: body.signedPayload)
            }
        }
    }

    /// How many parked notifications one answer shows at the most.
    package static let longestParked = 100

    /// How many wait at the most in one ledger; Apple keeps further ones, and comes again.
    private static let mostParked = 1000

    /// Keeps a notification that cannot be applied; one that waits already stays as it is.
    ///
    /// - Parameter posted: nil where Apple was asked for it, and did not post it.
    /// - Returns: in which environment it is listed.
    /// - Throws: `BackendError.refusedEvidence` where it names no notification, or another app: what else Apple signs, such as
    ///   a device's transaction, is no notification that anybody waits for. `.overloaded` where too many wait; `.store`.
    @discardableResult
    func park(
        _ signedPayload: [UInt8], _ posted: PostedNotification? = nil, app: AppSettings, because reason: String, at now: Timestamp
    ) async throws -> Environment {
        let text = String(decoding: signedPayload, as: UTF8.self)
        guard let claimed = ClaimedNotification(jws: text), !claimed.uuid.isEmpty,
            claimed.uuid.isPlain(upTo: Self.longestCustomer)
        else {
            throw refused(
                EvidenceRefusal(code: "wrongKind", part: "notification", words: "it names no notification of Apple's"))
        }
        guard let bundleId = claimed.bundleId, app.expected.hasBundleId(bundleId) else {
            throw refused(EvidenceRefusal(code: "wrongBundleId", part: "notification", words: "it is about another app"))
        }
        let order = WorkOrder(
            scope: Scope(app: app.id, environment: Self.environment(of: claimed, app)),
            subject: ParkedBody.prefix + claimed.uuid, key: "apply", kind: .applyNotification,
            body: try StateCoding.encode(ParkedBody(signedPayload: text, reason: reason, receivedAt: now)),
            dueAt: now.adding(ParkingPerformer.pause))
        let copy = posted?.copy(in: order.scope, uuid: claimed.uuid, about: nil, at: now)
        try await translatingStorageErrors { try await keep(order, copy) }
        counters.count(.parked)
        return order.scope.environment
    }

    /// Where it is listed; it is not verified, and decides nothing else.
    private static func environment(of claimed: ClaimedNotification, _ app: AppSettings) -> Environment {
        let taken = app.scopes.map(\.environment)
        let named = claimed.environment.flatMap { Environment(rawValue: $0) }
        return named.flatMap { taken.contains($0) ? $0 : nil } ?? (taken.contains(.production) ? .production : taken.first)
            ?? .production
    }

    /// How many wait in a ledger, counted up to as many as may.
    ///
    /// - Throws: `StorageError`.
    func parkedCount(in scope: Scope) async throws -> Int {
        // Also those that wait for their next attempt.
        try await store.backlog(of: [.applyNotification], in: scope, at: .latestAccepted, limit: Self.mostParked)
            .reduce(0) { $0 + $1.count }
    }

    private func keep(_ order: WorkOrder, _ copy: NotificationCopy?) async throws {
        let known = try await store.work(about: SubscriptionKey(order.scope, OriginalTransactionID(order.subject)))
        let isWaiting = known.contains { work in
            switch work.state {
            case .waiting, .leased: true
            case .done, .failed: false
            }
        }
        guard !isWaiting else {
            if let copy { try await store.write { try $0.keep([copy]) } }
            return
        }
        guard try await parkedCount(in: order.scope) < Self.mostParked else { throw BackendError.overloaded }
        try await store.write { transaction in
            try transaction.order([order])
            if let copy { try transaction.keep([copy]) }
        }
    }
}

/// What is needed to apply a parked notification.
struct ParkedBody: Sendable, Hashable, Codable {
    /// Of the subject of its work: no `originalTransactionId` has it.
    static let prefix = "notification/"

    let signedPayload: String
    let reason: String
    let receivedAt: Timestamp
}

extension BackendError {
    /// Why a notification that Apple signed is to be kept and tried again; nil where Apple is to be refused, or to come again.
    var parkingReason: String? {
        switch self {
        case .refusedEvidence(let refusal) where refusal.isOfSignedContent: "\(refusal.part).\(refusal.code)"
        case .store(let failure) where failure.isAboutOneRequest: "store.\(failure.code)"
        default: nil
        }
    }
}
