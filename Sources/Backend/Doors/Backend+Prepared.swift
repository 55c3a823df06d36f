import AppStoreWire
package import Ledger
import Primitives
import Storage

/// A notification that is verified and translated, and kept nowhere yet.
package struct PreparedNotification: Sendable {
    let request: IngestRequest
}

extension Backend {
    /// The first half of ``receiveNotification(_:app:)``: everything but the store. What it costs to be durable can be measured
    /// by itself so.
    ///
    /// - Throws: `BackendError.unknownApp`; `BackendError.refusedEvidence` for anything that is no signed notification.
    package func prepare(notification body: [UInt8], app id: AppID) async throws -> PreparedNotification {
        let app = try settings(of: id)
        switch NotificationBody.signedPayload(in: body) {
        case .failure(let refusal): throw refused(EvidenceRefusal(refusal))
        case .success(let payload):
            return PreparedNotification(request: try await request(ofNotification: payload, app: app, at: clock.now()))
        }
    }

    /// The second half: keeps them in their order, in one transaction, as the queue does with those that wait for it together.
    /// Returns for each whether it was new; safe to call twice.
    ///
    /// - Parameter notifications: as many as one transaction should take.
    /// - Throws: `BackendError.store`.
    package func keep(_ notifications: [PreparedNotification]) async throws -> [Bool] {
        try await translatingStorageErrors {
            try await queue.commit(notifications.map(\.request)).map { try $0.get().isNew == [true] }
        }
    }
}
