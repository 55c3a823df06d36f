/// Whose trouble a failed call is: what a caller does next follows from it.
///
/// Only a failure in ``transaction`` may ever be stored as one that is not asked again: stored for anything else, a revoked key
/// or an hour of Apple's trouble would end the access of customers who pay. All others are stored, if at all, as retryable.
///
/// Source: FACT-7, RECON-2; Apple, App Store Server API, Error codes.
package enum FailureScope: String, Sendable, Hashable, CaseIterable {
    /// Apple knows no such transaction, or what was sent cannot be the id of one: final for this transaction in this environment.
    /// Of the other environment it says nothing (``ServerAPIErrorCode/mayBeOfOtherEnvironment``).
    case transaction
    /// Apple understood who called and refused what was put to it: a field, a page token that expired, an extension that is not
    /// allowed. The call is not repeated as it is. It is no statement about whether the transaction exists, and the calls that
    /// come after it are not affected.
    case request
    /// The app's key, its configuration, or a form of answer that this version cannot read: every call of the app will fail until
    /// somebody changes something. Stop asking for the app and raise an alarm; what was asked is asked again afterwards.
    case app
    /// Apple's host or the way to it, or a single record that Apple asks to request again: it passes.
    case host
    /// Too many calls of one endpoint: wait until the instant that Apple named.
    case budget
}
