package import AppStoreWire

extension ServerAPIErrorCode {
    /// The scope of a listed code; nil for one that is not listed, for which the HTTP status decides.
    ///
    /// The table of all codes that are not ``FailureScope/request``. What may be final is kept as small as possible:
    ///
    /// - 4040001 (the customer's account is not found) is final according to Apple, but nobody's time ends because an account
    ///   could not be found: it is asked again as often as any failed question, and then no more.
    /// - 4040002, 4040004 and 4040006 are about one record, but Apple asks to request them again.
    /// - 4000047, 4000048, 4000185 and 4000187 say that an endpoint does not accept that kind of transaction: the wrong question
    ///   was put, and the transaction exists.
    /// - 4040007 (App Store Connect has no URL) is about test notifications alone: no other question waits for it.
    /// - 4000017 (a page token that is too old) means to begin again with the first page.
    ///
    /// Source: Apple, App Store Server API, Error codes.
    package var scope: FailureScope? {
        switch self {
        case .invalidTransactionId, .invalidOriginalTransactionId, .originalTransactionIdNotFound, .transactionIdNotFound:
            .transaction
        case .invalidAppIdentifier, .appNotFound:
            .app
        case .generalInternal, .generalInternalRetryable, .accountNotFoundRetryable, .appNotFoundRetryable,
            .originalTransactionIdNotFoundRetryable:
            .host
        case .rateLimitExceeded:
            .budget
        default:
            isListed ? .request : nil
        }
    }
}
