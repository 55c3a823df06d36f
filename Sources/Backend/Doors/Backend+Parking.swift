import AppStoreWire
package import Ledger
package import Primitives
import Storage

/// Notifications that Apple signed and this server cannot apply: what they say cannot be read, or the books refuse it. Each is
/// kept before Apple is answered, shown, and tried again (RECON-4).
extension Backend {
    /// A notification that is kept and not applied yet.
    package struct ParkedNotification: Sendable, Hashable {
        /// Apple's `notificationUUID`, or a digest of a payload that names none.
        package let id: String
        package let receivedAt: Timestamp
        /// Why it was not applied: as when it came, then as at the last attempt.
        package let reason: String
        package let attempts: Int64
        /// When it is tried next.
        package let triedNextAt: Timestamp
        /// As Apple posted it.
        package let signedPayload: String
    }

    /// Those of an app's environment, by when they are tried next; at most ``longestParked``. One that names no environment
    /// stands in Production's.
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

    /// Of what is signed, since the same has many signatures.
    private static func digest(ofPayload jws: [UInt8]) -> String {
        let parts = jws.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return Evidence(form: .compactJWS, bytes: Array(parts.dropFirst().first ?? jws[...])).digest
    }

    /// How many parked notifications one answer shows at the most.
    package static let longestParked = 100

    /// Keeps a notification that cannot be applied; keeping it again changes nothing.
    ///
    /// - Throws: `BackendError.refusedEvidence` where it is about another app; `.store`.
    func park(_ signedPayload: [UInt8], app: AppSettings, because reason: String, at now: Timestamp) async throws {
        let text = String(decoding: signedPayload, as: UTF8.self)
        let claimed = ClaimedNotification(jws: text)
        guard claimed?.bundleId.map(app.expected.hasBundleId) ?? true else {
            throw refused(EvidenceRefusal(code: "wrongBundleId", part: "notification", words: "it is about another app"))
        }
        let claimedEnvironment = claimed?.environment.flatMap { Environment(rawValue: $0) }
        let environment = claimedEnvironment.flatMap { app.expected.environments.contains($0) ? $0 : nil } ?? .production
        let named = claimed?.uuid ?? ""
        let id =
            named.isEmpty || !named.isPlain(upTo: Self.longestCustomer)
            ? Self.digest(ofPayload: signedPayload) : named
        let order = WorkOrder(
            scope: Scope(app: app.id, environment: environment), subject: ParkedBody.prefix + id, key: "apply",
            kind: .applyNotification,
            body: try StateCoding.encode(ParkedBody(signedPayload: text, reason: reason, receivedAt: now)),
            dueAt: now.adding(ParkingPerformer.pause))
        try await translatingStorageErrors { try await store.write { try $0.order([order]) } }
        counters.count(.parked)
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
