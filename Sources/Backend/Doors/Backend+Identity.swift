package import Ledger
import Primitives
import Storage

/// Who is who: anonymous customers, and their merge with those they turn out to be (OWN-10).
extension Backend {
    /// An anonymous customer's device says the secret by which it is known from then on. Saying it again is safe.
    ///
    /// - Parameter secretDigest: SHA-256 of the secret.
    /// - Throws: `CustomerRefusal.customerTaken` where the id is another device's, or somebody uses it without a device.
    package func registerDevice(of customer: CustomerID, secretDigest: [UInt8], app id: AppID) async throws {
        let app = try settings(of: id)
        var request = IngestRequest(app: app, learnedAt: clock.now())
        request.device = CustomerDevice(
            CustomerName(id, try Self.named(customer)), secretDigest: secretDigest, registeredAt: request.learnedAt)
        // OWN-2: an id that is a UUID is a token of the customer's from its first use.
        let result = try await ingest(request)
        guard !result.isIdentified, result.device?.secretDigest == secretDigest else { throw CustomerRefusal.customerTaken }
    }

    /// The digest of the secret that a customer's device must show; nil for a customer who has none.
    package func deviceDigest(of customer: CustomerID, app id: AppID) async throws -> [UInt8]? {
        try await translatingStorageErrors { try await store.device(of: CustomerName(id, customer))?.secretDigest }
    }

    /// An anonymous customer has logged in: whatever was theirs is the identified customer's, the past included (OWN-10). Doing
    /// it again is safe.
    ///
    /// - Parameter secretDigest: SHA-256 of the secret that the anonymous customer's device showed.
    /// - Throws: `CustomerRefusal.deviceRefused` where that is not the anonymous customer's device or the other one is not
    ///   identified; `.mergedBefore` where the anonymous customer was merged into another one.
    package func identify(
        _ anonymous: CustomerID, as identified: CustomerID, secretDigest: [UInt8], app id: AppID
    ) async throws {
        let app = try settings(of: id)
        var request = IngestRequest(app: app, learnedAt: clock.now())
        let merge = CustomerMerge(
            anonymous: try Self.checked(anonymous), identified: try Self.named(identified), mergedAt: request.learnedAt)
        guard merge.anonymous != merge.identified else { throw CustomerRefusal.deviceRefused }
        request.identification = .init(merge: merge, secretDigest: secretDigest)
        switch try await ingest(request).identified {
        case .merged: return
        case .mergedBefore: throw CustomerRefusal.mergedBefore
        case .refused, nil: throw CustomerRefusal.deviceRefused
        }
    }

    /// How a customer stands in claims: whether they are anonymous.
    func claimant(_ customer: CustomerID, app: AppSettings, keepsIntents: Bool = false) async throws -> Claimant {
        let isAnonymous = try await deviceDigest(of: customer, app: app.id) != nil
        return Claimant(customer, isAnonymous: isAnonymous, keepsIntents: keepsIntents)
    }
}
