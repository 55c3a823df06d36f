package import AppStoreWire
package import Ledger
package import Storage

/// Why a use case could not be carried out.
package enum BackendError: Error {
    /// No such app is configured.
    case unknownApp(AppID)
    /// What was shown is not proof of anything.
    case refusedEvidence(JWSRefusal)
    /// The environment is not open to this customer (FACT-4).
    case environmentNotOpen
    /// Nothing is known of the subscription.
    case unknownSubscription
    /// An identifier is empty, too long or has characters that it may not have.
    case invalidIdentifier(name: String)
    /// The token is registered for another customer already.
    case tokenTaken
    /// The store could not do it; nothing was kept.
    case storage(StorageError)
}
