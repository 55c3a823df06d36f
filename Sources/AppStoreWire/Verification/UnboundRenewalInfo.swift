internal import Primitives

/// A renewal info whose signature, chain, date and environment were verified, but not to which app it belongs: it names no
/// bundle.
///
/// It counts only together with a transaction of the same subscription (FACT-4): ``bound(to:)``.
///
/// Source: FACT-4, T05; Apple, `JWSRenewalInfoDecodedPayload`.
public struct UnboundRenewalInfo: Sendable, Hashable {
    /// What was verified so far. For display; do not act on it.
    public let unbound: Verified<RenewalInfoPayload>

    init(_ unbound: Verified<RenewalInfoPayload>) { self.unbound = unbound }

    /// The fully verified renewal info, by a transaction of the same subscription.
    ///
    /// - Parameter transaction: of the same app, which its own verification proved.
    /// - Returns: a refusal with `renewalInfoNotOfTransaction` when the two name different values of `originalTransactionId`, or
    ///   both name an `appTransactionId` and these differ, or two copies of Xcode signed them; with `wrongEnvironment` when they
    ///   are of different environments.
    public func bound(to transaction: Verified<TransactionPayload>) -> Result<Verified<RenewalInfoPayload>, JWSRefusal> {
        let renewal = unbound.payload
        let other = transaction.payload
        guard renewal.environment == other.environment else {
            return .failure(JWSRefusal(.wrongEnvironment, renewal.environment.rawValue, in: .renewalInfo))
        }
        guard renewal.originalTransactionId == other.originalTransactionId else {
            return .failure(JWSRefusal(.renewalInfoNotOfTransaction, "originalTransactionId", in: .renewalInfo))
        }
        // Every copy of Xcode counts its ids from 0.
        guard unbound.signer?.authority != .xcode || unbound.signer?.rootFingerprint == transaction.signer?.rootFingerprint
        else {
            return .failure(JWSRefusal(.renewalInfoNotOfTransaction, "another copy of Xcode signed it", in: .renewalInfo))
        }
        if let mine = renewal.appTransactionId, let its = other.appTransactionId, mine != its {
            return .failure(JWSRefusal(.renewalInfoNotOfTransaction, "appTransactionId", in: .renewalInfo))
        }
        return .success(unbound)
    }
}
