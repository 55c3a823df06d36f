package import Primitives

/// What is observed of one call, for metrics, logs and the doctor. Nothing in it identifies a customer.
package struct GatewayCall: Sendable, Hashable {
    /// Apple's name of what was called, such as `Get Transaction Info`, or `verifyReceipt`.
    package let endpoint: String
    /// Scheme and authority of the host, such as `https://api.storekit.apple.com`.
    package let host: String
    /// The HTTP status; nil where no answer came.
    package let status: Int?
    /// The code of the failure (``GatewayFailure/code``); nil where the call has its answer.
    package let failureCode: String?
    /// From before the call was admitted until its result, by a clock that cannot be set.
    package let duration: Milliseconds
    /// The header field `Date` of the answer and when it was read; nil where there is none.
    package let appleDate: AppleDate?
}

/// What a host said the time was.
package struct AppleDate: Sendable, Hashable {
    /// The header field `Date`: whole seconds, when the answer was made.
    package let statedAt: Timestamp
    /// Our clock when the head of the answer had arrived.
    package let heardAt: Timestamp

    /// How far our clock is ahead of the host's; negative: behind. Up to a second and the way of the answer are in it. Tokens are
    /// refused when it is more than a few minutes.
    package var lead: Milliseconds { heardAt.since(statedAt) }
}
